"""pprof's profile.proto: what `go tool pprof`, speedscope, Pyroscope and Parca read.

Each distinct frame is one function and one location of the same id. `system_name` stays unset: were
it equal to the name, pprof would take the name for mangled C++ and drop `<…>` and `(…)` from it.
"""

import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from agentpprof.encoders.pprof_schema import profile_class, sample_class
from agentpprof.encoders.samples import check_profile
from agentpprof.models import (
    NO_FRAMES,
    Labels,
    OutputOptions,
    Profile,
    Samples,
    Stack,
    kind_of,
    without_zeros,
)

PROGRAM = "agentpprof"
_NANOS_PER_MS = 1_000_000
_LONGEST_MS = (2**63 - 1) // _NANOS_PER_MS  # 292 years
_LEVEL = 6
_SAMPLE_FIELD = 2  # its number in the message Profile

# The values of a measure by stack and number of labels, and the place of each number in the order
# of all labels.
Column = tuple[Mapping[Stack, Mapping[int, int]], Mapping[int, int]]


class _Strings:
    """The table of texts: each once, numbered in order of first use, the empty text first."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}

    def __call__(self, text: str) -> int:
        text = text.encode("utf-8", "replace").decode()  # a lone surrogate can't be written
        return self.numbers.setdefault(text, len(self.numbers))


def encode(profile: Profile, options: OutputOptions) -> bytes:
    """Return the profile as protobuf, gzipped unless the options say not to.

    Nothing in it depends on the clock or on the order of the samples.
    """
    data = encode_message(profile)
    return gzip.compress(data, _LEVEL, mtime=0) if options.gzip else data


def encode_message(profile: Profile) -> bytes:
    """Return the bare protobuf bytes."""
    measures = (*profile.others, profile)  # readers without a choice take the last one
    for measure in measures:
        check_profile(measure)
    shown = [_shown(measure.samples) for measure in measures]
    stacks = set(chain.from_iterable(samples.by_stack for samples in shown))
    strings = _Strings()
    types, tables = profile_class()(), profile_class()()
    _add_types(types, measures, strings)
    _add_head(tables, profile, strings)
    ids = _add_frames(tables, set(chain.from_iterable(stacks)), strings)
    label_sets = sorted(set(chain.from_iterable(map(_used_labels, shown))))
    packed_labels = [_packed_labels(labels, strings) for labels in label_sets]
    tables.string_table.extend(strings.numbers)
    ordered = sorted((tuple(map(ids.__getitem__, stack)), stack) for stack in stacks)
    columns = [(samples.by_stack, _places(samples, label_sets)) for samples in shown]
    packed_samples = _packed_samples(ordered, columns, packed_labels)
    return b"".join((_bytes_of(types), *packed_samples, _bytes_of(tables)))


def _shown(samples: Samples) -> Samples:
    """Return the samples with a frame in every stack."""
    by_stack = dict(samples.by_stack)
    bare, named = by_stack.pop((), {}), by_stack.get(NO_FRAMES, {})
    if not bare:
        return samples
    by_stack[NO_FRAMES] = {
        number: bare.get(number, 0) + named.get(number, 0) for number in {**bare, **named}
    }
    return Samples(without_zeros(by_stack), samples.label_sets)


def _used_labels(samples: Samples) -> Iterator[Labels]:
    """Yield the labels that samples have."""
    return map(samples.label_sets.__getitem__, set().union(*samples.by_stack.values()))


def _places(samples: Samples, ordered: list[Labels]) -> dict[int, int]:
    """Return number of labels -> their place in an order of all that are used."""
    places = {labels: place for place, labels in enumerate(ordered)}
    every = enumerate(samples.label_sets)
    return {number: places[labels] for number, labels in every if labels in places}


def _add_types(message: Any, measures: Iterable[Profile], strings: _Strings) -> None:
    """Add the types of the values, in their order."""
    for measure in measures:
        sample_type = strings(measure.sample_type)
        message.sample_type.add(type=sample_type, unit=strings(measure.unit))


def _add_head(message: Any, profile: Profile, strings: _Strings) -> None:
    """Add what stands once: which value is the main one, the mapping, the time, the comments."""
    message.default_sample_type = strings(profile.sample_type)
    # Without a mapping, or without these flags, pprof looks for a binary to read symbols from.
    message.mapping.add(
        id=1,
        filename=strings(PROGRAM),
        has_functions=True,
        has_filenames=True,
        has_line_numbers=True,
        has_inline_frames=True,
    )
    message.comment.extend(strings(comment) for comment in profile.comments)
    _add_span(message, profile.started_at_ms, profile.ended_at_ms)


def _add_span(message: Any, started_at_ms: int | None, ended_at_ms: int | None) -> None:
    """Add when the data begin and how long they last, where 64 bits of nanoseconds hold it."""
    if started_at_ms is None or abs(started_at_ms) > _LONGEST_MS:
        return
    message.time_nanos = started_at_ms * _NANOS_PER_MS
    span_ms = 0 if ended_at_ms is None else max(0, ended_at_ms - started_at_ms)
    if span_ms <= _LONGEST_MS:
        message.duration_nanos = span_ms * _NANOS_PER_MS


def _add_frames(message: Any, frames: Iterable[str], strings: _Strings) -> dict[str, int]:
    """Add a function and a location per distinct frame; return their ids, in order of text."""
    ids = {frame: number for number, frame in enumerate(sorted(frames), 1)}
    for frame, number in ids.items():
        filename = strings(kind_of(frame) or PROGRAM)
        message.function.add(id=number, name=strings(frame), filename=filename)
        message.location.add(id=number, mapping_id=1).line.add(function_id=number)
    return ids


def _packed_samples(
    stacks: Iterable[tuple[tuple[int, ...], Stack]],
    columns: Sequence[Column],
    packed_labels: list[bytes],
) -> Iterator[bytes]:
    """Yield the bytes of each sample, in order of stack and labels, with one value a measure.

    Messages one after the other are one message to protobuf, so what many samples share is packed
    once and only put together here; as messages of their own they took five times as long.
    """
    packed_values: dict[tuple[int, ...], bytes] = {}
    for locations, stack in stacks:
        packed_stack = _packed_stack(locations)
        for place, values in _rows(stack, columns):
            packed = packed_values.get(values)
            if packed is None:
                packed = packed_values[values] = _packed_values(values)
            sample = packed_stack + packed + packed_labels[place]
            yield _frame(len(sample)) + sample


def _rows(stack: Stack, columns: Sequence[Column]) -> Iterable[tuple[int, tuple[int, ...]]]:
    """Return (place of the labels, a value a measure) of one stack, in order of the labels."""
    if len(columns) == 1:  # nearly always, and stacks may be many
        by_stack, places_of = columns[0]
        return sorted((places_of[number], (value,)) for number, value in by_stack[stack].items())
    found = [
        {places_of[number]: value for number, value in by_stack.get(stack, {}).items()}
        for by_stack, places_of in columns
    ]
    places = sorted(set().union(*found))
    values = zip(*([each.get(place, 0) for place in places] for each in found), strict=True)
    return zip(places, values, strict=True)


@cache
def _frame(length: int) -> bytes:
    """Return what stands before a sample of so many bytes: its field, and the length as varint."""
    frame = bytearray([_SAMPLE_FIELD << 3 | 2])
    while length > 0x7F:
        frame.append(length & 0x7F | 0x80)
        length >>= 7
    frame.append(length)
    return bytes(frame)


def _packed_stack(locations: tuple[int, ...]) -> bytes:
    """Return the bytes of a sample that has only these locations, the leaf first."""
    return _bytes_of(sample_class()(location_id=locations[::-1]))


def _packed_values(values: tuple[int, ...]) -> bytes:
    """Return the bytes of a sample that has only these values."""
    return _bytes_of(sample_class()(value=values))


def _packed_labels(labels: Labels, strings: _Strings) -> bytes:
    """Return the bytes of a sample that has only these labels."""
    sample = sample_class()()
    for key, text in labels:
        sample.label.add(key=strings(key), str=strings(text))
    return _bytes_of(sample)


def _bytes_of(message: Any) -> bytes:
    data: bytes = message.SerializeToString(deterministic=True)
    return data
