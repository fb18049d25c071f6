"""A sentence becomes words: lower case, one character each in Chinese, Japanese and Korean.

Paths, flags and file names stay whole (`src/test_x.py` is no `test`), commas are words of their
own because an enumeration of requests is split at them.
"""

import re
from functools import lru_cache
from typing import Final

BLANK: Final = "_"  # between Korean words, lest an ending and a beginning make a third word
_CJK: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_ASCII_WORD: Final = re.compile(r"[./~-]{0,3}[a-z0-9](?:[\w'./+#@:*-]*[\w+#])?|[,;:`\"&]")
_MARKS: Final = str.maketrans("、，；：’“”「」", ',,;:\'""""')


@lru_cache(maxsize=1)
def _any_word() -> re.Pattern[str]:
    """Return the pattern for texts beyond ASCII; it takes long to compile, and many need it not."""
    return re.compile(
        rf"[{_CJK}々]|[./~-]{{0,3}}[^\W_{_CJK}](?:[^\W{_CJK}]|['./+#@:*-])*"
        r"|[,;:`\"&👍]|(?<=[\uac00-\ud7af]) (?=[\uac00-\ud7af])"
    )


def words_of(text: str) -> list[str]:
    """Return the words of `text`; quotation marks and backticks stand among them as they are."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    found = _any_word().findall(text.lower().translate(_MARKS))
    return [
        BLANK if word == " " else word if len(word) == 1 else word.rstrip(".:'/-*") or word
        for word in found
    ]
