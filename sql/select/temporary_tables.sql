-- Tables of one run, in memory: they carry into SQL what Python has worked out.

-- One row per chosen session.
create temp table session_group (key integer primary key, group_id integer not null);

-- One row per prompt that may be the prompt of an operation.
create temp table prompt_group (key integer primary key, group_id integer not null);

-- One row per stretch of time in which the database's zone has one offset.
create temp table zone_span (from_ms integer primary key, offset_ms integer not null);

-- One row per call that started sub-agents; filled for the time view only.
create temp table delegated (call_key integer primary key, covered_ms integer not null);
