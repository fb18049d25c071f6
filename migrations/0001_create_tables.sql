-- The whole first schema. Links between rows are 64-bit keys of natural ids; only names, paths,
-- field bags and files have numbers of their own (docs/architecture.md, "Tables").
-- Numbers in op, result, quality, origin, outcome, access and reason: agentpprof/vocabulary.py.

-- One row per setting of the database itself.
create table meta (
    key text primary key,
    value text not null
) strict, without rowid;

-- One row per distinct short text: models, tools, programs, branches. Number 0 is the empty text.
create table name (
    id integer primary key,
    text text not null unique
) strict;

insert into name (id, text) values (0, '');

-- One row per distinct path, a blob where it is not UTF-8.
create table path (
    id integer primary key,
    path any not null unique
) strict;

-- One row per distinct working folder, with the project root it belongs to.
create table workspace (
    id integer primary key,
    cwd text not null unique,
    root text not null,
    project text not null,
    parent text not null
) strict;

-- One row per log file ever read; `gone` when the last scan did not find it.
create table log_file (
    id integer primary key,
    path any not null unique,
    agent text not null,
    device integer not null,
    inode integer not null,
    size integer not null,
    mtime_ns integer not null,
    ctime_ns integer not null,
    offset integer not null,
    head_length integer not null,
    head_hash blob not null,
    tail_hash blob not null,
    parser_version integer not null,
    gone integer not null default 0,
    damage text
) strict;

-- One row per log file: what its decoder and the assembler carry on, compressed JSON.
create table log_file_state (
    log_file_id integer primary key references log_file (id),
    state blob not null
) strict;

-- One row per agent session or sub-agent.
create table session (
    key integer primary key,
    agent text not null,
    session_id text not null,
    parent_key integer,
    agent_type_id integer not null references name (id),
    owner_rank integer not null,
    log_file_id integer not null references log_file (id),
    workspace_id integer references workspace (id),
    branch_id integer not null references name (id),
    version_id integer not null references name (id),
    started_at_ms integer,
    ended_at_ms integer
) strict;

-- One row per sub-agent and call that started it.
create table session_spawn (
    session_key integer not null,
    call_key integer not null,
    primary key (session_key, call_key)
) strict, without rowid;

-- One row per distinct combination of the fields that no later line may change.
create table field_bag (
    id integer primary key,
    op integer not null,
    phase_id integer not null references name (id),
    action_id integer not null references name (id),
    object_kind_id integer not null references name (id),
    skill_id integer not null references name (id),
    repeat_id integer not null references name (id),
    tool_id integer not null references name (id),
    category_id integer not null references name (id),
    cmd_id integer not null references name (id),
    effect_id integer not null references name (id),
    process_id integer not null references name (id),
    model_id integer not null references name (id),
    tier_id integer not null references name (id),
    unique (
        op,
        phase_id,
        action_id,
        object_kind_id,
        skill_id,
        repeat_id,
        tool_id,
        category_id,
        cmd_id,
        effect_id,
        process_id,
        model_id,
        tier_id
    )
) strict;

-- One row per prompt, LLM call or tool call, whatever the number of files that tell of it.
-- `object_id` is a path's number where the bag's object kind is path, else a name's.
create table operation (
    id integer primary key,
    key integer not null unique,
    op integer not null,
    owner_rank integer not null,
    session_key integer not null,
    prompt_key integer,
    log_file_id integer not null,
    offset integer not null,
    started_at_ms integer,
    ended_at_ms integer,
    active_ms integer not null,
    idle_ms integer not null,
    bag_id integer not null,
    object_id integer not null,
    result integer not null,
    parser_version integer not null,
    input_tokens integer,
    cache_read_tokens integer,
    cache_write_5m_tokens integer,
    cache_write_1h_tokens integer,
    output_tokens integer,
    reasoning_tokens integer,
    estimate_tokens integer,
    web_searches integer,
    quality integer,
    result_bytes integer,
    origin integer,
    outcome integer,
    outcome_at_ms integer,
    text_hash integer,
    natural_id text,
    text text
) strict;

-- Prompts alone: profiles look up the task of every operation's prompt.
create index operation_prompt on operation (session_key, started_at_ms) where op = 0;

-- One row per operation, path and access.
create table operation_path (
    operation_key integer not null,
    path_id integer not null references path (id),
    access integer not null,
    primary key (operation_key, path_id, access)
) strict, without rowid;

-- One row per operation, host and access.
create table operation_host (
    operation_key integer not null,
    host_id integer not null references name (id),
    access integer not null,
    primary key (operation_key, host_id, access)
) strict, without rowid;

-- One row per value in a log that carried usage, counted or not; audits read it.
create table usage_line (
    log_file_id integer not null references log_file (id),
    offset integer not null,
    operation_key integer not null,
    reason integer not null,
    session_key integer not null,
    input_tokens integer not null,
    cache_read_tokens integer not null,
    cache_write_5m_tokens integer not null,
    cache_write_1h_tokens integer not null,
    output_tokens integer not null,
    reasoning_tokens integer not null,
    primary key (log_file_id, offset, operation_key)
) strict, without rowid;

-- One row per result that came without its call in the same read; joined when the call appears.
create table stray_result (
    operation_key integer not null,
    log_file_id integer not null references log_file (id),
    result integer not null,
    ended_at_ms integer,
    result_bytes integer not null,
    primary key (operation_key, log_file_id)
) strict, without rowid;

-- One row per stretch of a log that could not be read.
create table bad_line (
    log_file_id integer not null references log_file (id),
    offset integer not null,
    length integer not null,
    reason text not null,
    primary key (log_file_id, offset)
) strict, without rowid;

-- One row per file, version and kind of record that is no operation on purpose, or unknown to us.
create table skipped_record (
    log_file_id integer not null references log_file (id),
    kind text not null,
    version text not null,
    is_unknown integer not null,
    records integer not null,
    primary key (log_file_id, kind, version)
) strict, without rowid;

-- One row per file, session and kind: how often a log told of prompts (op 0, people's only) and
-- tool calls (op 2), copies included. Audits compare it with what counts.
create table told_record (
    log_file_id integer not null references log_file (id),
    session_key integer not null,
    op integer not null,
    is_copy integer not null,
    records integer not null,
    primary key (log_file_id, session_key, op, is_copy)
) strict, without rowid;

-- One row per definition of a tagger: rule set, or model with prompt version and grammar.
create table tagger (
    id integer primary key,
    name text not null,
    definition_hash blob not null unique,
    definition text not null,
    created_at_ms integer not null
) strict;

-- One row per tagger, kind of text and text: the tag cache.
create table tag (
    tagger_id integer not null references tagger (id),
    kind text not null,
    text_hash integer not null,
    tag text not null,
    created_at_ms integer not null,
    primary key (tagger_id, kind, text_hash)
) strict, without rowid;
