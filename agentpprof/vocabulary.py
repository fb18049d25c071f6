"""Every closed list of values: fields, actions, results, reasons; docs are printed from here.

A value that stands in a column as a number is that value's index in its tuple, so the order of
`OPS`, `RESULTS`, `QUALITIES`, `ORIGINS`, `OUTCOMES`, `ACCESSES` and `REASONS` is part of the
database's schema: append, never reorder (a reorder needs a migration).
"""

from typing import Final

OPS: Final = ("prompt", "llm", "tool")
PROMPT, LLM, TOOL = range(3)

# Lowest first: what several records say of one operation is joined by the maximum.
RESULTS: Final = (
    "unknown",
    "final",
    "tool-use",
    "ok",
    "truncated",
    "refused",
    "error",
    "rejected",
    "cancelled",
    "interrupted",
)
RESULT_CODE: Final = {name: code for code, name in enumerate(RESULTS)}
# What `failed_calls` counts: tool calls that did not do what they were to do, whoever is the cause.
FAILED_RESULTS: Final = ("error", "rejected", "cancelled", "interrupted")

# Best first: one record with a sure count decides, so several are joined by the minimum.
QUALITIES: Final = ("exact", "partial", "placeholder", "uncertain")
QUALITY_CODE: Final = {name: code for code, name in enumerate(QUALITIES)}

# Strongest first, joined by the minimum. `agent`: written by a parent agent, no person's prompt.
ORIGINS: Final = ("typed", "queued", "comment", "slash", "agent")
ORIGIN_CODE: Final = {name: code for code, name in enumerate(ORIGINS)}

OUTCOMES: Final = ("open", "answered", "failed", "interrupted")
OUTCOME_CODE: Final = {name: code for code, name in enumerate(OUTCOMES)}

ACCESSES: Final = ("read", "write", "create", "delete", "move")
ACCESS_CODE: Final = {name: code for code, name in enumerate(ACCESSES)}

# Why a record's usage counts or not; `repeat` and `counted` are derived by SQL from `own`.
REASONS: Final = ("own", "copy", "progress", "synthetic", "stale", "inherited", "invalid")
REASON_CODE: Final = {name: code for code, name in enumerate(REASONS)}
VERDICTS: Final = (
    "counted",
    "repeat",
    "copy",
    "progress",
    "inherited",
    "stale",
    "synthetic",
    "invalid",
)

ACTIONS_OF_PHASE: Final[dict[str, tuple[str, ...]]] = {
    "prompt": ("request",),
    "model": ("think", "answer"),
    "explore": ("read", "search", "list"),
    "edit": ("edit", "create", "delete", "move"),
    "test": ("test", "lint"),
    "build": ("build", "install"),
    "run": ("run",),
    "vcs": ("inspect", "commit", "branch", "pull", "push"),
    "network": ("fetch", "websearch"),
    "plan": ("plan",),
    "delegate": ("delegate", "wait"),
    "ask": ("ask",),
}
PHASES: Final = tuple(ACTIONS_OF_PHASE)
PHASE_OF: Final = {
    action: phase for phase, actions in ACTIONS_OF_PHASE.items() for action in actions
}
ACTIONS: Final = tuple(PHASE_OF)

OBJECT_KINDS: Final = (
    "path",
    "domain",
    "program",
    "tool",
    "agent",
    "server",
    "skill",
    "model",
    "prompt",
)
REPEATS: Final = ("again", "retry", "loop")
TOKENS: Final = (
    "input",
    "cache_read",
    "cache_write",
    "output",
    "reasoning",
    "estimate",
    "unknown",
)
PARTS: Final = ("tool", "model", "user", "idle")

# The reference tool's fields, kept so that its users' rules go on working (docs/vocabulary.md).
CATEGORIES: Final = ("shell", "edit", "read", "network", "plan", "subagent", "tool")
EFFECTS: Final = ("read", "write", "test", "repo", "network", "process")
STATUSES: Final = ("ok", "fail", "observed")

TAGS: Final = (
    "debug",
    "feature",
    "refactor",
    "test",
    "review",
    "docs",
    "explain",
    "plan",
    "research",
    "git",
    "build",
    "release",
    "config",
    "data",
    "perf",
    "security",
    "run",
    "follow",
    "chat",
)
UNTAGGED: Final = "untagged"
TAG_KINDS: Final = ("session", "prompt", "llm")

EXTERNAL_GROUPS: Final = (
    "external/home",
    "external/tmp",
    "external/system",
    "external/agent",
    "external/path",
)
