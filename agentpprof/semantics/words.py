"""Words of a shell: quotes and backslashes taken away, known variables filled in."""

import re
from typing import Final

UNKNOWN: Final = "\x00"  # stands for what only a running shell would know
SEVERAL: Final = "\x01"  # stands between the values that a loop gives a variable
_SPECIAL = re.compile(r"[\\'\"$`]")
_TOKEN = re.compile(
    r"""'([^']*)'|\$'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\$\(\([^)]*\)\)|\$\w+|\$\{[^}]*\}|\$[?#*@!$-]|`[^`]*`)""",
    re.DOTALL,
)
_INNER = re.compile(r"\\([\\\"$`\n])|(\$\(\([^)]*\)\)|\$\w+|\$\{[^}]*\}|\$[?#*@!$-]|`[^`]*`)")
_ONLY_QUOTED = re.compile(r"""'([^']*)'\Z|"([^"\\$`]*)"\Z""")
_NAME = re.compile(r"\$\{?(\w+)\}?$")


def plain_word(text: str, variables: dict[str, str]) -> str:
    """Return the word that `text` is for a program; `UNKNOWN` stands for what can't be told."""
    if not _SPECIAL.search(text):
        return text
    if quoted := _ONLY_QUOTED.match(text):  # as most are
        return quoted.group(quoted.lastindex or 0)

    def value(spelled: str) -> str:
        match = _NAME.match(spelled)
        return variables.get(match.group(1), UNKNOWN) if match else UNKNOWN

    def inner(match: re.Match[str]) -> str:
        sign, variable = match.groups()
        return value(variable) if variable else sign.replace("\n", "")

    def token(match: re.Match[str]) -> str:
        single, ansi, double, sign, variable = match.groups()
        if double is not None:
            return (
                _INNER.sub(inner, double)
                if "\\" in double or "$" in double or "`" in double
                else double
            )
        if variable:
            return value(variable)
        return single or ansi or (sign or "").replace("\n", "")

    return _TOKEN.sub(token, text)
