"""Saved profiles read back: pprof, JSON and folded stacks, ours or anybody's.

What stands in a file may have been written by others, so every text is cleaned as one of ours.
"""

import json
import re
from typing import Any

from agentpprof.encoders import format_of_path
from agentpprof.errors import UsageError
from agentpprof.models import Profile, Sample, Samples, kind_of
from agentpprof.privacy import PublicText, frame

READABLE_FORMATS = ("pprof", "json", "folded")
# What reading a file ends in that holds something else, or nests deeper than any profile.
_NO_PROFILE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_LARGEST = 2**63 - 1  # a value of pprof
_TOLD = re.compile(r"agentpprof:(view|project):(.+)")  # what comments of ours say


def decode_profile(data: bytes, path: str, empty: Profile) -> Profile:
    """Return the profile in a file; `empty` says what the file itself does not.

    Raises UsageError that names the file.
    """
    name = format_of_path(path)
    try:
        if name == "pprof":
            return _from_pprof(data, empty)
        if name == "json":
            return profile_of_document(json.loads(data))
        if name == "folded":
            return _from_folded(data, empty)
    except _NO_PROFILE as error:
        raise UsageError(f"{path} is no whole {name} file ({type(error).__name__})") from None
    raise UsageError(f"{path} can't be read as a profile: write .pb.gz, .pb, .json or .folded")


def profile_of_document(document: dict[str, Any]) -> Profile:
    """Return the profile in a JSON document of ours."""
    found = document["profile"]
    samples = Samples.of(
        Sample(tuple(map(_clean_frame, row["stack"])), (), _whole(row["value"]))
        for row in found["stacks"]
    )
    return Profile(
        PublicText(found["view"]),
        PublicText(found["sample_type"]),
        PublicText(found["unit"]),
        samples,
        tuple(map(PublicText, document["comments"])),
        _time(found["started_at_ms"]),
        _time(found["ended_at_ms"]),
        tuple(document["sessions"]),
        PublicText(found["project"]),
    )


def _whole(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise ValueError("a value is no whole number of 64 bits")
    return value


def _time(value: Any) -> int | None:
    if value is not None and type(value) is not int:
        raise ValueError("a time is no whole number of milliseconds")
    return value


def _clean_frame(text: str) -> PublicText:
    kind = kind_of(text)
    return frame(kind, text[len(kind) + 1 :]) if kind else PublicText(text)


def _from_pprof(data: bytes, empty: Profile) -> Profile:
    """Return the default measure of a pprof file."""
    from agentpprof.encoders.check import decode_pprof  # protobuf: only where it is needed

    message = decode_pprof(data)
    texts = message.string_table
    types = [texts[each.type] for each in message.sample_type]
    default = texts[message.default_sample_type]
    place = types.index(default) if default in types else len(types) - 1
    names = _names_of_locations(message)
    samples = []
    for sample in message.sample:
        stack = tuple(name for each in reversed(sample.location_id) for name in names[each])
        if value := _whole(sample.value[place]):
            samples.append(Sample(stack, _labels(message, sample), value))
    comments = tuple(PublicText(texts[number]) for number in message.comment)
    told = {found[1]: found[2] for text in comments if (found := _TOLD.fullmatch(text))}
    sample_type = PublicText(types[place])
    start_ms = message.time_nanos // 1_000_000 or None
    return Profile(
        PublicText(told.get("view", sample_type)),
        sample_type,
        PublicText(texts[message.sample_type[place].unit]),
        Samples.of(samples),
        comments,
        start_ms,
        start_ms + message.duration_nanos // 1_000_000 if start_ms else None,
        project=PublicText(told.get("project", empty.project)),
    )


def _names_of_locations(message: Any) -> dict[int, tuple[PublicText, ...]]:
    """Return location -> its functions, callers first."""
    texts = message.string_table
    functions = {each.id: _clean_frame(texts[each.name]) for each in message.function}
    return {
        location.id: tuple(functions[line.function_id] for line in reversed(location.line))
        for location in message.location
    }


def _labels(message: Any, sample: Any) -> tuple[tuple[str, PublicText], ...]:
    texts = message.string_table
    return tuple(
        (PublicText(texts[label.key]), PublicText(texts[label.str]))
        for label in sample.label
        if label.str
    )


def _from_folded(data: bytes, empty: Profile) -> Profile:
    samples = []
    for line in data.decode("utf-8", "replace").splitlines():
        if line.strip():
            stack, _, value = line.rpartition(" ")
            frames = tuple(map(_clean_frame, stack.split(";")))
            samples.append(Sample(frames, (), _whole(int(value))))
    return empty._replace(samples=Samples.of(samples))
