"""Where a thread's wall clock went (docs/concepts.md, "Time").

Each thread of a file is a line from its first time to its latest. An interval between two records
belongs to the calls that were open, in equal parts; with none open, to the record that ends it.
A call is open until its result; where that is lost, until the model's next response at the latest,
which can't come before it.
Clocks that go back add nothing, so no part is negative and the parts sum to the line's length.
"""

from msgspec import Struct

from agentpprof.store.rows import OperationRow

SILENT_GAP_MS = 30 * 60 * 1000  # longer silence is idle, whoever it belongs to


class Timeline(Struct, array_like=True, gc=False):
    """How far one thread's clock has run, and which of its calls are open."""

    last_ms: int | None = None
    open_calls: list[str] = []
    # Model time that no response has claimed yet: some logs write a response after its calls.
    unclaimed_active_ms: int = 0
    unclaimed_idle_ms: int = 0


def advance(
    timeline: Timeline, at_ms: int | None, calls: dict[str, OperationRow]
) -> tuple[int, int, list[OperationRow]]:
    """Run the clock to `at_ms`; open calls get their share.

    Returns the active and idle milliseconds that belong to the record itself, and the calls whose
    times changed.
    """
    if at_ms is None:
        return 0, 0, []
    last = timeline.last_ms
    if last is None or at_ms > last:
        timeline.last_ms = at_ms
    if last is None or at_ms <= last:
        return 0, 0, []
    passed = at_ms - last
    is_idle = passed > SILENT_GAP_MS
    rows = []
    if timeline.open_calls:
        rows = [calls[call_id] for call_id in timeline.open_calls if call_id in calls]
    if not rows:
        return (0, passed, rows) if is_idle else (passed, 0, rows)
    share, rest = divmod(passed, len(rows))
    for number, row in enumerate(rows):
        part = share + (number < rest)
        if is_idle:
            row.idle_ms += part
        else:
            row.active_ms += part
    return 0, 0, rows


def close_calls(timeline: Timeline, calls: dict[str, OperationRow]) -> list[OperationRow]:
    """Let no call be open any more; returns those that were."""
    rows = [calls[call_id] for call_id in timeline.open_calls if call_id in calls]
    timeline.open_calls = []
    return rows
