"""Whether a call only does again what a call of the same prompt did.

A window of recent calls, not the neighbour, so responses in between and two commands taking turns
don't hide a loop. A call whose object, or a file below it, was written since is no repeat; a
command has no object of its own to watch, so any write since makes it a fresh one unless it had
failed.
"""

from msgspec import Struct

_WINDOW = 32
_WRITES = frozenset({"write", "create", "delete", "move"})


class Seen(Struct, array_like=True, gc=False):
    """The last time a call of one signature was made."""

    at: int  # place in the order of the prompt's calls
    times: int
    call_id: str
    has_failed: bool = False


class Repeats(Struct, array_like=True, gc=False):
    """What a prompt's calls were, by signature, and what they wrote last when."""

    calls: int = 0
    seen: dict[str, Seen] = {}
    written: dict[str, int] = {}
    last_write: int = 0


def repeat_of(repeats: Repeats, signature: str, call_id: str, watched: str) -> str:
    """Return `again`, `retry`, `loop` or an empty text for a call, and remember it.

    `watched` is the path whose writing makes the call a fresh one, empty for a command. A call
    that is told of twice is no repeat of itself.
    """
    repeats.calls += 1
    before = repeats.seen.pop(signature, None)
    if before is not None and before.call_id == call_id:
        repeats.calls -= 1
        repeats.seen[signature] = before
        return ""
    times = 1
    if before is not None:
        if watched:
            is_fresh = _is_written_since(repeats, watched, before.at)
        else:
            is_fresh = repeats.last_write > before.at and not before.has_failed
        times = 1 if is_fresh else before.times + 1
    repeats.seen[signature] = Seen(repeats.calls, times, call_id)
    if len(repeats.seen) > _WINDOW:
        _keep_newest(repeats.seen)
    if times >= 3:
        return "loop"
    if times == 2 and before is not None:
        return "retry" if before.has_failed else "again"
    return ""


def _is_written_since(repeats: Repeats, watched: str, at: int) -> bool:
    """Say whether a path, or what lies below it, was written after the call number `at`."""
    below = watched.rstrip("/") + "/"
    for path, written_at in reversed(repeats.written.items()):  # the last written stand last
        if written_at <= at:
            return False
        if path == watched or path.startswith(below):
            return True
    return False


def was_seen(repeats: Repeats, signature: str, call_id: str) -> bool:
    """Say whether this very call was told of before: logs may repeat a record."""
    seen = repeats.seen.get(signature)
    return seen is not None and seen.call_id == call_id


def note_writes(repeats: Repeats, paths: tuple[tuple[str, str], ...]) -> None:
    """Remember what the call just made writes."""
    for path, access in paths:
        if access in _WRITES:
            repeats.written.pop(path, None)
            repeats.written[path] = repeats.last_write = repeats.calls
    if len(repeats.written) > _WINDOW:
        _keep_newest(repeats.written)


def note_result(repeats: Repeats, signature: str, has_failed: bool) -> None:
    """Remember how a call ended."""
    seen = repeats.seen.get(signature)
    if seen is not None:
        seen.has_failed = has_failed


def _keep_newest(items: dict[str, int] | dict[str, Seen]) -> None:
    """Bound the state: forget what was touched longest ago."""
    while len(items) > _WINDOW:
        del items[next(iter(items))]
