"""Folded stacks with two columns: `frame;frame;… OLD NEW`, one line a stack of either side.

What `difffolded.pl` makes and `flamegraph.pl` and inferno draw.
"""

from agentpprof.encoders.folded import clean_frames
from agentpprof.encoders.samples import stack_values
from agentpprof.models import Difference


def encode(change: Difference) -> bytes:
    """Return one line per stack, sorted by bytes; a side that lacks it has 0."""
    base, new = stack_values(change.base), stack_values(change.new)
    clean = clean_frames((*base, *new))
    lines: dict[str, list[int]] = {}
    for side, stacks in enumerate((base, new)):
        for stack, value in stacks.items():
            line = ";".join(map(clean.__getitem__, stack))
            lines.setdefault(line, [0, 0])[side] += value
    return "".join(sorted(f"{line} {old} {now}\n" for line, (old, now) in lines.items())).encode()
