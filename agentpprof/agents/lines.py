"""From bytes to typed JSON values with their offsets, whatever state the log is in.

Fast: one `decode_lines` for a whole buffer. When that fails, or hides something (it drops blank
lines and takes two values on one line), the buffer is read line by line: NULs and a BOM stripped,
glued records parted, cut ones skipped and counted, wrong field types dropped field by field
(docs/formats.md, "Damaged lines"; docs/reliability.md, F5 to F7). Nothing here knows an agent.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar, cast, get_args, get_origin

import msgspec

T = TypeVar("T", bound=msgspec.Struct)

_BLANKS = frozenset(b" \t\r\n")
_STRIPPED = b"\x00\r\n \t\xef\xbb\xbf"
# Where a whole record may begin inside a damaged line: the first keys that both agents write.
_RECORD_START = re.compile(
    r'\{"(?:type|parentUuid|timestamp|uuid|sessionId|isSidechain|ordinal|id|leafUuid)"\s*:'
)
_PADDING = re.compile("[\0\r\n \t\ufeff\udcef\udcbb\udcbf]+")
_RAW_JSON = json.JSONDecoder()
# A real damaged line has two or three parts; more would make a hostile one take quadratic time.
_MAX_PARTS = 64


class BadSpan(NamedTuple):
    """Bytes that gave no value: where, how many, and why (`damaged`, `not_object`, `too_deep`)."""

    offset: int
    length: int
    reason: str


class DecodedLines(NamedTuple, Generic[T]):
    """Values in file order, the offset of each, and what could not be read."""

    values: list[T]
    offsets: list[int]
    bad: list[BadSpan]


def decode_values(
    data: bytes,
    base: int,
    decoder: "msgspec.json.Decoder[T]",
    is_record: Callable[[T], bool],
) -> DecodedLines[T]:
    """Decode whole lines `data`, which begin at byte `base` of their file.

    `is_record` tells a record from an inner object when a damaged line is searched for what is
    whole. `data` must end with a newline.
    """
    starts = _line_starts(data)
    try:
        values = decoder.decode_lines(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        values = []
    # An empty line and a line with two values would cancel out in the counts.
    if len(values) == len(starts) and _BLANKS.isdisjoint(map(data.__getitem__, starts)):
        offsets = [base + start for start in starts] if base else starts
        return DecodedLines(values, offsets, [])
    lines = data.split(b"\n")
    lines.pop()
    return _decode_line_by_line(lines, [base + start for start in starts], decoder, is_record)


def _line_starts(data: bytes) -> list[int]:
    """Return where each line of a buffer begins."""
    starts, at = [], 0
    find = data.find
    while (end := find(b"\n", at)) >= 0:
        starts.append(at)
        at = end + 1
    return starts


def _decode_line_by_line(
    lines: list[bytes],
    starts: list[int],
    decoder: "msgspec.json.Decoder[T]",
    is_record: Callable[[T], bool],
) -> DecodedLines[T]:
    """The slow way: each line on its own, so that a bad one costs only itself."""
    found = DecodedLines[T]([], [], [])
    for line, start in zip(lines, starts, strict=True):
        try:
            value = decoder.decode(line)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            if line.strip(_STRIPPED):
                _recover(line, start, decoder, is_record, into=found)
            elif b"\0" in line:
                found.bad.append(BadSpan(start, len(line), "damaged"))
        else:
            found.values.append(value)
            found.offsets.append(start)
    return found


def _recover(
    line: bytes,
    start: int,
    decoder: "msgspec.json.Decoder[T]",
    is_record: Callable[[T], bool],
    *,
    into: DecodedLines[T],
) -> None:
    """Read what a difficult line holds: every whole record, and one bad span for each gap."""
    text = line.decode("utf-8", "surrogateescape")
    found_before = len(into.values)
    for begin, end, value in _raw_values(text):
        offset = start + _byte_length(text[:begin])
        length = _byte_length(text[begin:end])
        if value is _NOTHING:
            reason = "damaged"
        elif isinstance(value, dict):
            record = _from_object(value, decoder)
            if record is not None and (is_record(record) or (begin, end) == (0, len(text))):
                into.values.append(record)
                into.offsets.append(offset)
                continue
            reason = "too_deep" if record is None else "damaged"
        else:
            reason = "not_object" if len(into.values) == found_before else "damaged"
        _add_bad(into.bad, BadSpan(offset, length, reason))


def _add_bad(bad: list[BadSpan], span: BadSpan) -> None:
    """Append `span`, joined with the one before where they touch."""
    if bad and bad[-1].offset + bad[-1].length == span.offset:
        span = BadSpan(bad[-1].offset, bad[-1].length + span.length, bad[-1].reason)
        bad.pop()
    bad.append(span)


def _byte_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


class _Nothing:
    """A stretch of a line that holds no value."""


_NOTHING = _Nothing()


def _raw_values(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yield (begin, end, value) over the whole of `text`; `_NOTHING` for what does not parse."""
    at, size = 0, len(text)
    for _ in range(_MAX_PARTS):
        if padding := _PADDING.match(text, at):
            at = padding.end()
        if at >= size:
            return
        try:
            value, end = _RAW_JSON.raw_decode(text, at)
        except (ValueError, RecursionError):
            following = _RECORD_START.search(text, at + 1)
            end = following.start() if following else size
            value = _NOTHING
        yield at, end, value
        at = end
    if at < size:
        yield at, size, _NOTHING


def _from_object(value: dict[str, Any], decoder: "msgspec.json.Decoder[T]") -> T | None:
    """Type a loosely parsed object; fields that don't fit get their defaults."""
    try:
        clean = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    except (RecursionError, ValueError):
        return None
    try:
        return decoder.decode(clean)
    except (msgspec.MsgspecError, RecursionError):
        loosely = decode_loosely(clean, decoder.type)
        return cast(T | None, loosely)


def decode_loosely(raw: bytes, wanted: Any) -> Any:
    """Decode `raw` as `wanted`, dropping only the inner fields and items that don't fit.

    Returns None where nothing of it fits.
    """
    try:
        return msgspec.json.decode(raw, type=wanted)
    except (msgspec.MsgspecError, RecursionError):
        pass  # the parts may still fit
    for option in (wanted, *get_args(wanted)):
        if isinstance(option, type) and issubclass(option, msgspec.Struct):
            found = _struct_loosely(raw, option)
        elif get_origin(option) is list:
            found = _list_loosely(raw, get_args(option)[0])
        else:
            found = None
        if found is not None:
            return found
    return None


def _struct_loosely(raw: bytes, wanted: type[msgspec.Struct]) -> Any:
    try:
        fields = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError):
        return None
    kept = {}
    for field in msgspec.structs.fields(wanted):
        if field.encode_name in fields:
            value = decode_loosely(bytes(fields[field.encode_name]), field.type)
            if value is not None:
                kept[field.name] = value
    try:
        return wanted(**kept)
    except TypeError:  # a field without a default is missing
        return None


def _list_loosely(raw: bytes, item: Any) -> list[Any] | None:
    try:
        items = msgspec.json.decode(raw, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError):
        return None
    values = (decode_loosely(bytes(one), item) for one in items)
    return [value for value in values if value is not None]
