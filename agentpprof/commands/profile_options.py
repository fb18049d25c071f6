"""The profile's options: names, defaults and help; `runs/asked.py` reads what they mean."""

from agentpprof.commands.sections import OUTPUT, SESSIONS, TAGS, F, apply_options, option
from agentpprof.defaults import (
    DEFAULT_FORMAT,
    DEFAULT_LLAMA_URL,
    DEFAULT_LLM_SECONDS,
    DEFAULT_MODEL,
    DEFAULT_PATH_DEPTH,
    DEFAULT_SVG_WIDTH,
)
from agentpprof.encoders import ENCODERS
from agentpprof.profile.views import DEFAULT_VIEW, VIEWS

_RULES = "Stacks and rules"


def output_options(function: F) -> F:
    """Add what is written, and where."""
    return apply_options(
        function,
        option(
            OUTPUT,
            "-o",
            "--output",
            metavar="PATH",
            help="The one output file; - is stdout. Without it the largest frames are printed.",
        ),
        option(
            OUTPUT,
            "--format",
            "format_name",
            metavar="NAME",
            help=f"{', '.join(ENCODERS)}; for names that say none. [default: {DEFAULT_FORMAT}]",
        ),
        view_options,
        option(
            OUTPUT,
            "--include-previews",
            is_flag=True,
            help="Put texts of prompts, commands and answers into JSON. Not for strangers' eyes.",
        ),
        option(
            OUTPUT,
            "--anonymize",
            is_flag=True,
            help="Number the names that people chose; leave out hosts, dates and paths.",
        ),
        option(
            OUTPUT,
            "--svg-width",
            type=int,
            default=DEFAULT_SVG_WIDTH,
            show_default=True,
            metavar="N",
            help="Width of an SVG in pixels.",
        ),
        option(OUTPUT, "--flame", is_flag=True, help="SVG: the root at the bottom, not on top."),
        option(
            OUTPUT,
            "--all-measures",
            is_flag=True,
            help="pprof: the count of operations as well, in the same file.",
        ),
        option(
            OUTPUT,
            "--label",
            "labels",
            multiple=True,
            metavar="FIELD",
            help="pprof: one more label on each sample, for go tool pprof -tags.",
        ),
    )


def view_options(function: F) -> F:
    """Add what is measured."""
    return apply_options(
        function,
        option(
            OUTPUT,
            "--view",
            "view_name",
            default=DEFAULT_VIEW,
            show_default=True,
            metavar="NAME",
            help=f"What a width means: {', '.join(VIEWS)}.",
        ),
        option(
            OUTPUT,
            "--include-idle",
            is_flag=True,
            help="Time view: waiting for you and silence as well.",
        ),
    )


def selection_options(function: F) -> F:
    """Add which sessions are looked at."""
    return apply_options(
        function,
        option(
            SESSIONS,
            "--project-root",
            metavar="DIR",
            help="Sessions of this project and everything below it; it need not exist here. "
            "[default: .]",
        ),
        option(SESSIONS, "--all-projects", is_flag=True, help="Sessions of every project."),
        option(SESSIONS, "--project-name", metavar="NAME", help="What to call the project."),
        option(SESSIONS, "--agent", metavar="NAME", help="Sessions of this agent: claude, codex."),
        option(
            SESSIONS,
            "--session-file",
            "session_files",
            multiple=True,
            metavar="PATH",
            help="Only this log, wherever it lies; - is stdin. It goes into a temporary database "
            "unless --db names one, and every project in it counts.",
        ),
        option(SESSIONS, "--session-id", metavar="TEXT", help="Sessions whose id contains this."),
        option(SESSIONS, "--session-tag", metavar="TAG", help="Sessions with exactly this tag."),
        option(
            SESSIONS,
            "--prompt-tag",
            metavar="TAG",
            help="Only prompts that count under this tag, and what was done for them.",
        ),
        option(
            SESSIONS,
            "--since",
            metavar="TIME",
            help="From then on: 2026-05-17, 7d, 24h, today, yesterday.",
        ),
        option(SESSIONS, "--until", metavar="TIME", help="Up to then, not included."),
        option(
            SESSIONS,
            "--scan-files",
            type=int,
            default=0,
            metavar="N",
            help="Only the newest N log files of each agent; 0 is all.",
        ),
        option(
            SESSIONS,
            "--max-sessions",
            type=int,
            default=0,
            metavar="N",
            help="Only the newest N sessions that are left after everything else; 0 is all.",
        ),
        option(SESSIONS, "--no-sync", is_flag=True, help="Don't look for new log lines first."),
    )


def rule_options(function: F) -> F:
    """Add how operations become stacks."""
    return apply_options(
        function,
        option(
            _RULES,
            "--stack",
            metavar="FIELDS",
            help="Frames, root first: task,action,object. [default: "
            f"{','.join(VIEWS['operations'].stack)}; tokens: and token]",
        ),
        option(
            _RULES,
            "--stack-rule",
            "stack_rules",
            multiple=True,
            metavar="FRAME:LABEL=REGEX",
            help="Show LABEL as this frame of operations that match.",
        ),
        option(
            _RULES,
            "--op-map",
            "op_maps",
            multiple=True,
            metavar="FIELD:LABEL=REGEX",
            help="Set a field, old or new, of operations that match; the first rule wins.",
        ),
        option(
            _RULES,
            "--op-map-file",
            "op_map_files",
            multiple=True,
            metavar="PATH",
            help="The same rules, one a line; # begins a comment line.",
        ),
        option(
            _RULES,
            "--where",
            multiple=True,
            metavar="FIELD=REGEX",
            help="Keep operations whose field matches; FIELD!=REGEX drops them. All must hold.",
        ),
        option(
            _RULES,
            "--path-depth",
            type=int,
            default=DEFAULT_PATH_DEPTH,
            show_default=True,
            metavar="N",
            help="How many levels of folders a path group has.",
        ),
    )


def tag_options(function: F) -> F:
    """Add who tags prompts, and how."""
    return apply_options(
        function,
        option(
            TAGS,
            "--tagger",
            "tagger_name",
            default="regex",
            show_default=True,
            metavar="NAME",
            help="regex (rules, the built-in ones last) or llm (a llama.cpp server).",
        ),
        option(
            TAGS,
            "--tag-rule",
            "tag_rules",
            multiple=True,
            metavar="KIND:TAG=REGEX",
            help="Tag by your own rule, before the built-in ones; KIND: session, prompt, llm, all.",
        ),
        option(TAGS, "--no-builtin-tags", is_flag=True, help="Tag by your own rules alone."),
        option(TAGS, "--preset", is_flag=True, help="The built-in rules: they are the default."),
        model_options,
        option(TAGS, "--no-cache", is_flag=True, help="Don't save new tags; known ones are used."),
    )


def model_options(function: F) -> F:
    """Add how a model is asked for tags."""
    return apply_options(
        function,
        option(
            TAGS,
            "--task-choice",
            "task_choices",
            multiple=True,
            metavar="TAG=TEXT",
            help="llm: one of the tasks to choose from, with its description; at least two.",
        ),
        option(
            TAGS,
            "--llama-url",
            metavar="URL",
            help=f"llm: the server. [default: {DEFAULT_LLAMA_URL}]",
        ),
        option(
            TAGS,
            "--model",
            metavar="NAME",
            help=f"llm: the model's name. [default: {DEFAULT_MODEL}]",
        ),
        option(
            TAGS,
            "--timeout",
            type=float,
            metavar="SECONDS",
            help=f"llm: how long a request may take. [default: {DEFAULT_LLM_SECONDS:g}]",
        ),
        option(
            TAGS,
            "--max-uncached-tags",
            type=int,
            metavar="N",
            help="llm: at most N new tags in this run; -1 is no limit. [default: -1]",
        ),
        option(
            TAGS,
            "--llm-parallel",
            type=int,
            metavar="N",
            help="llm: requests at a time. [default: as many as the server has slots]",
        ),
        option(
            TAGS,
            "--llm-key-file",
            metavar="PATH",
            help="llm: a file with the server's key. [env for the key itself: AGENTPPROF_LLM_KEY]",
        ),
        option(
            TAGS,
            "--allow-remote-llm",
            is_flag=True,
            help="llm: the server may be another machine; prompts go there, secrets taken out.",
        ),
        option(
            TAGS,
            "--cache",
            metavar="PATH",
            help="llm: keep tags in this database instead of the one in use.",
        ),
    )
