"""The quick way for plain command lines: words, quotes, separators and redirections.

Four of five commands that agents write are plain. They are split here without a parser, with the
same segments as `semantics.segments` finds by parsing (a property test holds the two together);
anything else (`plain_segments` gives None) is left to the parser.
"""

import re

from agentpprof.semantics.scopes import MAX_VALUE, Scope, Segment
from agentpprof.semantics.words import plain_word

_TOKEN = re.compile(
    r"""[ \t]*+(?:
      ((?:\d++(?=[<>])|&(?=>))?(?:>>|>&|>\||<&|[<>]))[ \t]*+(?![<>(&|\n]|$)  # 1: redirection
    | ([^\s'"\\$`(){}\[\]<>|&;\#!\x00-\x1f]++)(?!['"$])  # 2: word that is what it looks like
    | ((?:[^\s'"\\$`(){}\[\]<>|&;\#!\x00-\x1f]++|'[^']*+'  # 3: word with quotes or variables
        |"(?:[^"\\`$]++|\\.|\$(?![({'"]))*+"|\$(?:[A-Za-z_]\w*+|\?))++)
    | (&&|\|\||\|&?|;|\n|&)  # 4: separator
    | \Z
    | (.).*  # 5: something that is not plain, and all behind it
    )""",
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_RESERVED = re.compile(
    r"[-+%@,^?]|(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|coproc|in"
    r"|export|declare|typeset|readonly|local|unset|unsetenv)\Z"
)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)
_SOFT = frozenset(("", ";", "\n", "&"))  # nothing need stand behind these
_NOTHING = frozenset(("", "\n"))  # before which nothing need stand


def plain_segments(text: str, scope: Scope) -> list[Segment] | None:
    """Return the segments of a plain command line, None if it needs a parser.

    Sets the variables in `scope` that the line sets, but only if it is plain to its end.
    """
    variables = scope.variables
    segments: list[Segment] = []
    segment = Segment([], scope)
    assigned: list[str] = []
    sign = separator = ""
    # All tokens at once: a call of `match` for each would take twice as long.
    for redirection, word, quoted, end, other in _TOKEN.findall(text):
        if word or quoted:
            if sign:
                segment.redirects.append((sign, word or plain_word(quoted, variables)))
                sign = ""
            elif segment.words:
                segment.words.append(word or plain_word(quoted, variables))
            elif not _begin(word or quoted, segment, assigned, variables):
                return None
        elif sign or other:
            return None
        elif redirection:
            sign = redirection.lstrip("0123456789&")
        else:
            if assigned and not segment.words:
                variables = _with_assigned(assigned, variables)
            if segment.words:
                segments.append(segment)
            elif (
                segment.redirects  # the grammar may give those of no program to the next one
                or len(assigned) > 1  # the same
                or (not assigned and separator not in _SOFT)
                or end not in _NOTHING
            ):
                return None
            if not end:  # of the text
                break
            separator = end
            segment = Segment([], scope, is_piped=end in ("|", "|&"))
            assigned = []
    scope.variables = variables
    return segments


def _begin(spelled: str, segment: Segment, assigned: list[str], variables: dict[str, str]) -> bool:
    """Note a segment's first word, or an assignment before it; False if it needs a parser."""
    if "=" in spelled:
        if segment.redirects or not _ASSIGNMENT.match(spelled):
            return False
        assigned.append(spelled)
    elif _RESERVED.match(spelled) or (assigned and segment.redirects):
        return False
    else:
        word = plain_word(spelled, variables)
        segment.words.append(word)
        return word != ""
    return True


def _with_assigned(assigned: list[str], variables: dict[str, str]) -> dict[str, str]:
    """Return the variables after a line of assignments only."""
    variables = dict(variables)
    for spelled in assigned:
        name, _, value = spelled.partition("=")
        variables[name] = plain_word(value, variables)[:MAX_VALUE]
    return variables
