"""Our own validator of pprof files: what Go's pprof refuses or silently gets wrong, and more.

Parca wants sequential ids, Pyroscope plain type names and valid UTF-8. A decoder that is stricter
than all consumers finds in a test what a person would else see as a wrong picture.
"""

import re
import zlib
from collections.abc import Iterator
from typing import Any

from google.protobuf.message import DecodeError

from agentpprof.encoders.pprof_schema import profile_class
from agentpprof.encoders.samples import LIMIT

_TYPE_NAME = re.compile(r"[a-z_]+")
_GZIP_MAGIC = b"\x1f\x8b"
_MOST_REPORTED = 20


def check_pprof(data: bytes) -> list[str]:
    """Return what is wrong with a pprof file, nothing for a sound one; gzipped or not."""
    try:
        message = decode_pprof(data)
    except ValueError as error:
        return [str(error)]
    problems = list(_text_problems(message))
    if problems:
        return problems  # without a sound table of texts the rest can't be read
    problems.extend(_type_problems(message))
    problems.extend(_table_problems(message))
    problems.extend(_sample_problems(message))
    return problems[:_MOST_REPORTED]


def decode_pprof(data: bytes) -> Any:
    """Return the message in a file; ValueError says why there is none."""
    if data.startswith(_GZIP_MAGIC):
        data = _unpacked(data)
    if not data:
        raise ValueError("the file is empty")
    message = profile_class()()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        # The runtime checks texts while it parses, so bad UTF-8 ends here too.
        raise ValueError(f"not a pprof message: {error}") from error
    return message


def _unpacked(data: bytes) -> bytes:
    """Return the content of one gzip member that is complete and followed by nothing."""
    stream = zlib.decompressobj(wbits=31)
    try:
        content = stream.decompress(data)
    except zlib.error as error:
        raise ValueError(f"broken gzip: {error}") from error
    if not stream.eof:
        raise ValueError("the gzip data are cut short")
    if stream.unused_data:
        raise ValueError("something follows the gzip data")
    return content


def _text_problems(message: Any) -> Iterator[str]:
    """Check the table of texts and every reference into it."""
    texts = message.string_table
    if not texts or texts[0]:
        yield "string_table[0] is not empty"
    if len(set(texts)) != len(texts):
        yield "a text stands twice in string_table"
    for where, number in _text_references(message):
        if not 0 <= number < len(texts):
            yield f"{where}: no text number {number}"
            return


def _text_references(message: Any) -> Iterator[tuple[str, int]]:
    """Yield every number of a text with the place it stands in."""
    for each in [*message.sample_type, message.period_type]:
        yield from (("value type", each.type), ("value type", each.unit))
    for name in ("drop_frames", "keep_frames", "default_sample_type", "doc_url"):
        yield name, getattr(message, name)
    yield from (("comment", number) for number in message.comment)
    for mapping in message.mapping:
        yield from (("mapping", mapping.filename), ("mapping", mapping.build_id))
    for each in message.function:
        yield from (("function", n) for n in (each.name, each.system_name, each.filename))
    for sample in message.sample:
        for label in sample.label:
            yield from (("label", n) for n in (label.key, label.str, label.num_unit))


def _type_problems(message: Any) -> Iterator[str]:
    """Check names of the measures and which is the default."""
    texts = message.string_table
    names = [texts[each.type] for each in message.sample_type]
    if not names:
        yield "no sample type"
    if len(set(names)) != len(names):
        yield "a sample type stands twice"
    for each in message.sample_type:
        if not _TYPE_NAME.fullmatch(texts[each.type]) or not texts[each.unit]:
            yield f"sample type {texts[each.type]!r} or its unit is not of [a-z_]"
    if message.default_sample_type and texts[message.default_sample_type] not in names:
        yield "default_sample_type names no sample type"
    if message.doc_url and not texts[message.doc_url].startswith(("http://", "https://")):
        yield "doc_url is not an address"


def _table_problems(message: Any) -> Iterator[str]:
    """Check ids of mappings, locations and functions, and what they point to."""
    for name in ("mapping", "location", "function"):
        table = getattr(message, name)
        if [each.id for each in table] != list(range(1, len(table) + 1)):
            yield f"{name} ids are not 1 to {len(table)} in order"
    if not message.mapping:
        yield "no mapping, so pprof looks for a binary"
    for mapping in message.mapping:
        if not (mapping.filename and mapping.has_functions and mapping.has_filenames):
            yield f"mapping {mapping.id} has no file name, or pprof would look for its symbols"
    for function in message.function:
        if not message.string_table[function.name]:
            yield f"function {function.id} has no name"
        if function.system_name:
            yield f"function {function.id} has a system_name, so pprof demangles its name"
    yield from _location_problems(message)


def _location_problems(message: Any) -> Iterator[str]:
    """Check that locations have lines, and functions and mappings that exist."""
    for location in message.location:
        if not 1 <= location.mapping_id <= len(message.mapping):
            yield f"location {location.id}: no mapping {location.mapping_id}"
        if not location.line:
            yield f"location {location.id} has no line"
        for line in location.line:
            if not 1 <= line.function_id <= len(message.function):
                yield f"location {location.id}: no function {line.function_id}"


def _sample_problems(message: Any) -> Iterator[str]:
    """Check values, stacks and labels of all samples, and that no sum overflows."""
    width = len(message.sample_type)
    sums = [0] * width
    seen = set()
    for number, sample in enumerate(message.sample):
        if len(sample.value) != width:
            yield f"sample {number} has {len(sample.value)} values for {width} types"
            continue
        sums = [total + abs(value) for total, value in zip(sums, sample.value, strict=True)]
        key = (tuple(sample.location_id), sample_labels(message, sample))
        if key in seen:
            yield f"sample {number} has the stack and labels of an earlier one"
        seen.add(key)
        yield from (f"sample {number} {what}" for what in _faults_of(message, sample))
    yield from (f"values of type {n} overflow" for n, total in enumerate(sums) if total >= LIMIT)


def _faults_of(message: Any, sample: Any) -> Iterator[str]:
    """Yield what is wrong with one sample by itself."""
    if not any(sample.value):
        yield "is 0"
    if not sample.location_id:
        yield "has no location, so it counts and shows nowhere"
    if any(not 1 <= each <= len(message.location) for each in sample.location_id):
        yield "has a location that does not exist"
    keys = [message.string_table[label.key] for label in sample.label]
    if not all(keys) or len(set(keys)) != len(keys):
        yield "has a label without a key, or two of one key"
    if any(not (label.str or label.num or label.num_unit) for label in sample.label):
        yield "has an empty label, which pprof drops"


def sample_labels(message: Any, sample: Any) -> tuple[tuple[str, str | int], ...]:
    """Return the labels of a sample as texts, numbers for numeric ones."""
    texts = message.string_table
    return tuple((texts[each.key], texts[each.str] or each.num) for each in sample.label)
