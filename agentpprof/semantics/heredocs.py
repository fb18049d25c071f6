"""Here-documents are data: they are cut out before a command is parsed."""

import re
from bisect import bisect_right

_START = re.compile(
    r"(?<![<\d])\d?<<-?[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([A-Za-z_][\w.!-]*))(?!<)"
)
_MAX_STARTS = 64


def cut_heredocs(command: str) -> str:
    """Return `command` without its here-documents, neither `<<NAME` nor the lines of the body.

    A body that never ends takes the rest of the command. Linear in the length of `command`.
    """
    if "<<" not in command:
        return command
    lines = command.split("\n")
    ends: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        ends.setdefault(line.strip("\t\r "), []).append(number)
    kept: list[str] = []
    number = starts = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if "<<" in line and starts < _MAX_STARTS:
            names = [a or b or c for a, b, c in _START.findall(line)]
            if names:
                starts += len(names)
                line = _START.sub(" ", line)
                for name in names:
                    number = _end_of(ends.get(name.strip(), []), number, len(lines))
        kept.append(line)
    return "\n".join(kept)


def _end_of(ends: list[int], number: int, total: int) -> int:
    """Return the number of the line behind the body that begins at `number`."""
    index = bisect_right(ends, number - 1)
    return ends[index] + 1 if index < len(ends) else total
