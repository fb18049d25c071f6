"""Which lines of a prompt were pasted: stack traces, logs, diffs, shell sessions, code."""

import re
from functools import lru_cache
from typing import Final

# One kind of pasted line each; the first that matches counts. Verbose patterns, matched at the
# beginning of a line; each looks at a line once, so a long line costs no more than its length.
_TRACE: Final = r"""\s*(?:
    Traceback\ \(most\ recent | File\ ".*",\ line\ \d | at\ \S+\ ?\(.+:\d | at\ \S+\.\w+:\d
  | [\w.]*(?:Error|Exception|Panic)\b.{0,80}: | Caused\ by: | E\ {3}
  | panic:\  | goroutine\ \d | thread\ '.*'\ panicked | Segmentation\ fault
  | ---\ FAIL | FAIL[:\ \t] | [✗✘✖×]\
  | (?:fatal\ )?error(?:\[\w+\])?:\  | error\ TS\d | fatal:\  | npm\ (?:ERR!|error)
  | \S{1,200}:\d+:\d+:?\ (?:error|warning)
)"""
_LOG: Final = r"""\s*(?:
    \[?\d{4}-\d\d-\d\d[T\ ]\d\d: | \[?\d\d:\d\d:\d\d | \[?(?:INFO|DEBUG|WARN(?:ING)?|ERROR)\b
  | level= | [\w./-]{1,200}\.\w{1,8}:\d+:\  | [✓✔]\
)"""
_DIFF: Final = r"""
    diff\ --git | @@\  | \+\+\+\  | ---\ [ab]/ | index\ [0-9a-f]{7}
  | [+-](?![-\s\d])\S.*[;{}()]
"""
_SHELL: Final = r"\s*(?: [$❯➜%»]\ \S | >>>\ \S | \S{1,60}@\S{1,60}[:~].*[$\#]\ \S )"
_CODE_ENDS: Final = ("{", "}", ";")
_CODE: Final = r"""
    \s*(?:import|from)\ [\w.{]+ | \s*</?\w+[ >] | \s*// | \s{4}\s*\S | \t\S
  | \s*(?:def|class|func|fn|const|let|var|return|public|private|\#include|package|type|interface)
    \ [^.?!]*[({=:]
  | \s*["'\w-]+:\ *["'{\[] | \|.*\|\s*$
"""
_INLINE_ERROR: Final = re.compile(
    r"\b[A-Z]\w*(?:Error|Exception)\b:|\bError: |\berror TS\d|\bpanic: "
)


@lru_cache(maxsize=1)
def _kinds() -> re.Pattern[str]:
    """Return one pattern for all kinds; compiled late, because many runs see short prompts only."""
    kinds = {
        "trace": _TRACE,
        "log": _LOG,
        "diff": _DIFF,
        "shell": _SHELL,
        "code": _CODE,
        "quote": r"\s*>\ ?\S",
    }
    return re.compile("|".join(f"(?P<{kind}>{part})" for kind, part in kinds.items()), re.X)


def kind_of(line: str) -> str:
    """Return trace, log, diff, shell, code or quote; '' for a line of the person's own."""
    if not line or line.isspace():
        return ""
    found = _kinds().match(line)
    if found:
        return found.lastgroup or ""
    return "code" if line.rstrip()[-1:] in _CODE_ENDS else ""


def kind_of_block(block: str) -> str:
    """Return the most telling kind among the lines of a fenced block."""
    kinds = {kind_of(line) for line in block.splitlines()}
    return next((kind for kind in ("trace", "diff", "log", "shell") if kind in kinds), "code")


def has_inline_error(text: str) -> bool:
    """Say whether an error message stands within `text`; most texts need no pattern for that."""
    is_likely = "Error:" in text or "Exception:" in text or "error TS" in text or "panic: " in text
    return is_likely and _INLINE_ERROR.search(text) is not None
