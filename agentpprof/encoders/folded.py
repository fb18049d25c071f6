"""Folded stacks: `frame;frame;… value`, root first, one line a stack, sorted by bytes.

No escape exists in this format, and its readers guess, so three things must not stand in a frame:
`;`, a line break or other control, and a blank before digits at the end (flamegraph.pl reads
`step 5 7` as a difference from 5 to 7). `PublicText` has none of them; a text that has all the same
is changed here rather than trusted.
"""

import re
from collections.abc import Iterable

from agentpprof.encoders.samples import stack_values
from agentpprof.models import OutputOptions, Profile, Stack

_UNSAFE = re.compile(r"[;\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def encode(profile: Profile, options: OutputOptions) -> bytes:
    """Return one line per stack; values are those of the stack alone, without its children."""
    stacks = stack_values(profile)
    clean = clean_frames(stacks)
    values: dict[str, int] = {}
    for stack, value in stacks.items():
        line = ";".join(map(clean.__getitem__, stack))
        values[line] = values.get(line, 0) + value
    # Texts sort by code point, which is the order of their UTF-8 bytes.
    return "".join(sorted(f"{line} {value}\n" for line, value in values.items())).encode()


def clean_frames(stacks: Iterable[Stack]) -> dict[str, str]:
    """Return every frame of some stacks -> what may stand for it in a line."""
    frames = {frame for stack in stacks for frame in stack}
    return {frame: _UNSAFE.sub("_", frame) or "_" for frame in frames}
