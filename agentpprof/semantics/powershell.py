"""Commands of PowerShell and cmd: split at their separators, no grammar behind it."""

import re

from agentpprof.semantics.scopes import Scope, Segment
from agentpprof.semantics.segments import MAX_PARSED
from agentpprof.semantics.words import UNKNOWN

_TOKEN = re.compile(
    r"""(?P<end>\r?\n|;|&&|\|\|)|(?P<pipe>\|)|(?P<sign>(?:\d|\*)?>>?(?:&\d)?)|(?P<open>[(){}])"""
    r"""|(?P<word>(?:'[^']*'|"[^"]*"|`.|[^\s;|&(){}'"`>]|&(?!&)|>(?<=->))+)""",
    re.DOTALL,
)
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"|`(.)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\w+:)?\w+|%\w+%")
_MAX_SEGMENTS = 200


def powershell_segments(command: str, scope: Scope) -> list[Segment]:
    """Return the segments of a command for PowerShell or cmd, as `segments_of` does for sh."""
    segments: list[Segment] = []
    segment = Segment([], scope)
    sign = ""
    for match in _TOKEN.finditer(command, 0, MAX_PARSED):
        kind, text = match.lastgroup, match.group()
        if kind == "word":
            word = _plain(text)
            if sign:
                segment.redirects.append((sign, word))
                sign = ""
            elif segment.words or word not in ("&", "$", "=", "if", "foreach", "@"):
                segment.words.append(word)
        elif kind == "sign":
            sign = "" if "&" in text else text.lstrip("0123456789*")
        else:
            _close(segment, segments)
            segment = Segment([], scope, is_piped=kind == "pipe")
            if len(segments) >= _MAX_SEGMENTS:
                break
    _close(segment, segments)
    return segments


def _close(segment: Segment, segments: list[Segment]) -> None:
    """Keep `segment` if it holds a command; `$x = command` is looked through."""
    words = segment.words
    if len(words) > 2 and words[1] == "=" and UNKNOWN in words[0]:
        segment.words = words[2:]
    if segment.words:
        segments.append(segment)


def _plain(text: str) -> str:
    """Return a word without quotes, with a sign for what variables would say."""
    if text[:1] != "'" and ("$" in text or "%" in text) and text not in ("$", "%", "$null"):
        text = _VARIABLE.sub(UNKNOWN, text)
    return _QUOTED.sub(lambda match: match.group(1) or match.group(2) or match.group(3) or "", text)
