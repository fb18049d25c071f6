"""Exit codes that are answers, not errors."""

# Exit 1 of these says "no match", "they differ" or "no".
_ANSWERING_PROGRAMS = frozenset(
    {"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "diff", "cmp", "test", "[", "pgrep"}
)


def is_no_error(program: str, exit_code: int | None) -> bool:
    """Say whether `program` ending with `exit_code` only answered a question."""
    return exit_code == 1 and program in _ANSWERING_PROGRAMS
