"""The options of command lines, by group: what click gives a command, and what each reader takes.

A reader names the smallest group that holds what it reads, so that the type checker knows every
key. `tests/test_option_groups.py` holds the groups against what the commands declare.
"""

from typing import TypedDict


class RootOptions(TypedDict):
    """The agents' homes that were named; none for the usual ones."""

    claude_roots: tuple[str, ...]
    codex_roots: tuple[str, ...]


class StoreOptions(RootOptions):
    """Where the logs and the database lie."""

    database: str | None


class LoudnessOptions(TypedDict):
    """How much is told on stderr."""

    quiet: bool
    verbose: bool


class DatabaseOptions(StoreOptions, LoudnessOptions):
    """Of a command that asks the database."""

    no_sync: bool


class AnswerOptions(TypedDict):
    """How an answer is written."""

    as_json: bool
    as_jsonl: bool
    as_csv: bool
    as_markdown: bool
    output: str


class SourceOptions(StoreOptions):
    """Which logs a run reads, and into which database."""

    session_files: tuple[str, ...]
    scan_files: int
    no_sync: bool


class ProjectOptions(TypedDict):
    """What decides of which project the sessions are."""

    project_root: str | None
    all_projects: bool
    session_files: tuple[str, ...]


class SelectionOptions(ProjectOptions):
    """Which sessions are looked at."""

    project_name: str | None
    agent: str | None
    session_id: str | None
    session_tag: str | None
    prompt_tag: str | None
    since: str | None
    until: str | None
    scan_files: int
    max_sessions: int
    no_sync: bool


class SessionsOptions(SelectionOptions, StoreOptions, LoudnessOptions):
    """Of a command about chosen sessions."""


class RuleOptions(TypedDict):
    """How operations become stacks."""

    stack: str | None
    stack_rules: tuple[str, ...]
    op_maps: tuple[str, ...]
    op_map_files: tuple[str, ...]
    where: tuple[str, ...]
    path_depth: int


class ModelOptions(TypedDict):
    """The server that is asked for tags, and its model."""

    llama_url: str | None
    model: str | None


class TagOptions(ModelOptions):
    """Who tags prompts, and how."""

    tagger_name: str
    tag_rules: tuple[str, ...]
    no_builtin_tags: bool
    preset: bool
    task_choices: tuple[str, ...]
    timeout: float | None
    max_uncached_tags: int | None
    llm_parallel: int | None
    llm_key_file: str | None
    allow_remote_llm: bool
    cache: str | None
    no_cache: bool


class TaggedSessionsOptions(SessionsOptions, TagOptions):
    """Of a command about chosen sessions and a tagger."""


class TagsReportOptions(SessionsOptions):
    """The options of `agentpprof tags report` and `list`."""

    include_previews: bool
    tag_rules: tuple[str, ...]
    no_builtin_tags: bool


class TagsRunOptions(TaggedSessionsOptions):
    """The options of `agentpprof tags run`."""

    kinds: tuple[str, ...]


class TagsCompareOptions(TaggedSessionsOptions):
    """The options of `agentpprof tags compare`."""

    include_previews: bool


class ViewOptions(TypedDict):
    """What is measured."""

    view_name: str
    include_idle: bool


class WrittenOptions(TypedDict):
    """What a profile's output is, but for the view."""

    output: str | None
    format_name: str | None
    svg_width: int
    labels: tuple[str, ...]
    include_previews: bool
    anonymize: bool
    flame: bool
    all_measures: bool


class ShownProfileOptions(TaggedSessionsOptions, RuleOptions, ViewOptions):
    """Of a command that makes a profile, but for its output."""


class ProfileOptions(ShownProfileOptions, WrittenOptions):
    """All options of a profile."""
