"""pprof's profile.proto: what `go tool pprof`, speedscope, Pyroscope and Parca read.

Each distinct frame is one function and one location of the same id. `system_name` stays unset: were
it equal to the name, pprof would take the name for mangled C++ and drop `<…>` and `(…)` from it.
"""

import gzip
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any, TypeVar

from agentpprof.encoders.pprof_schema import profile_class
from agentpprof.encoders.samples import NO_FRAMES, check_profile, kind_of
from agentpprof.models import OutputOptions, Profile, Sample
from agentpprof.privacy import PublicText

PROGRAM = "agentpprof"
_NANOS_PER_MS = 1_000_000
_LEVEL = 6
_SAMPLE_FIELD = 2  # its number in the message Profile

Labels = tuple[tuple[str, PublicText], ...]
Rows = dict[int, int]
T = TypeVar("T", tuple[int, ...], Labels)


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
    samples = [[sample for sample in measure.samples if sample.value] for measure in measures]
    every = list(chain.from_iterable(samples))
    # Samples share their stacks and labels: by identity each is looked at once.
    stacks = {id(sample.stack): sample.stack or NO_FRAMES for sample in every}
    label_sets = {id(sample.labels): sample.labels for sample in every}
    strings = _Strings()
    types, tables = profile_class()(), profile_class()()
    _add_types(types, measures, strings)
    _add_head(tables, profile, strings)
    ids = _add_frames(tables, set(chain.from_iterable(stacks.values())), strings)
    locations = {key: tuple(map(ids.__getitem__, stack)) for key, stack in stacks.items()}
    ordered_stacks, stack_ranks = _ranked(locations)
    ordered_labels, label_ranks = _ranked(label_sets)
    rows = [_rows(each, stack_ranks, label_ranks, len(ordered_labels)) for each in samples]
    packed_stacks = [_packed_stack(stack) for stack in ordered_stacks]
    packed_labels = [_packed_labels(labels, strings) for labels in ordered_labels]
    tables.string_table.extend(strings.numbers)
    return b"".join(
        (_bytes_of(types), *_packed_samples(rows, packed_stacks, packed_labels), _bytes_of(tables))
    )


def _ranked(values: Mapping[int, T]) -> tuple[list[T], dict[int, int]]:
    """Return the distinct values in order, and for each key the place of its value there."""
    ordered = sorted(set(values.values()))
    ranks = {value: rank for rank, value in enumerate(ordered)}
    return ordered, {key: ranks[value] for key, value in values.items()}


def _rows(
    samples: list[Sample],
    stack_ranks: Mapping[int, int],
    label_ranks: Mapping[int, int],
    label_count: int,
) -> Rows:
    """Return the values by rank of the stack, then of the labels, as one number."""
    rows: Rows = {}
    for stack, labels, value in samples:
        key = stack_ranks[id(stack)] * label_count + label_ranks[id(labels)]
        rows[key] = rows.get(key, 0) + value
    return rows


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
    if profile.started_at_ms is not None:
        message.time_nanos = profile.started_at_ms * _NANOS_PER_MS
        if profile.ended_at_ms is not None:
            span_ms = max(0, profile.ended_at_ms - profile.started_at_ms)
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
    rows: list[Rows], packed_stacks: list[bytes], packed_labels: list[bytes]
) -> Iterator[bytes]:
    """Yield the bytes of each sample, in order of stack and labels, with one value a measure.

    Messages one after the other are one message to protobuf, so what many samples share is packed
    once and only put together here: half of the time of a large profile went into its samples.
    """
    if len(rows) > 1:
        every = {key: tuple(each.get(key, 0) for each in rows) for key in set().union(*rows)}
    else:
        every = {key: (value,) for key, value in rows[0].items()}
    packed_values = {values: _packed_values(values) for values in set(every.values())}
    label_count = len(packed_labels)
    for key in sorted(every):
        values = every[key]
        if any(values):
            stack, labels = divmod(key, label_count)
            sample = packed_stacks[stack] + packed_values[values] + packed_labels[labels]
            yield _frame(len(sample)) + sample


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
    return _bytes_of(_new_sample(location_id=locations[::-1]))


def _packed_values(values: tuple[int, ...]) -> bytes:
    """Return the bytes of a sample that has only these values."""
    return _bytes_of(_new_sample(value=values))


def _packed_labels(labels: Labels, strings: _Strings) -> bytes:
    """Return the bytes of a sample that has only these labels."""
    sample = _new_sample()
    for key, text in labels:
        sample.label.add(key=strings(key), str=strings(text))
    return _bytes_of(sample)


def _new_sample(**fields: Any) -> Any:
    return profile_class()().sample.add(**fields)


def _bytes_of(message: Any) -> bytes:
    data: bytes = message.SerializeToString(deterministic=True)
    return data
