"""Take secrets and personal names out of a text: best effort, for text that a person asked for.

Finding secrets always misses some, so nothing here makes a text public; outputs that are public by
construction take `privacy.PublicText` instead. Run it on a decoded text, whole, before it is cut:
an escape or a cut can hide how a secret begins. Every pattern takes linear time.
"""

import getpass
import math
import re
import socket
import tomllib
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

from agentpprof import places
from agentpprof.resources import read_text

SECRET: Final = "[secret]"  # noqa: S105 # what stands in a secret's place
EMAIL: Final = "[email]"

_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?!-----END ).)*+(?:-----END [A-Z0-9 ]{0,40}-----)?",
    re.DOTALL,
)
_URL_LOGIN = re.compile(r"(?<![a-z0-9])([a-z][a-z0-9+.-]{1,20}://)[^\s/@\"'<>]{1,300}+@", re.I)
_AUTHORIZATION = re.compile(
    r"((?:authorization|x-[a-z-]{1,30}-(?:key|token))[\"']?\s{0,3}[:=]\s{0,3}[\"']?)"
    r"[^\"'\r\n]{4,4000}+",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b((?:bearer|basic)\s{1,3})[\w.~+/=-]{8,4000}+", re.IGNORECASE)
_COOKIES = re.compile(r"\b((?:set-)?cookie:\s{0,3})[^\"'\r\n]{4,4000}+", re.IGNORECASE)
_LOGIN_FLAG = re.compile(
    r"((?:\s-u|--user|--proxy-user)[ =]['\"]?[^\s:'\"]{1,100}:)[^\s'\"]{1,300}+"
)
_PASSWORD_FLAG = re.compile(
    r"(\b(?:mysql\w*|mariadb|sshpass)\b[^\n|;&]{0,200}?\s-p ?)(?!\s)[^\s-][^\s]{0,300}+"
)
_EMAIL = re.compile(
    r"(?<![\w.+-])(?!git@)[\w.+-]{1,64}+@(?:[\w-]{1,63}\.){1,6}[^\W\d_]{2,24}(?!\w)"
)
_HOME = re.compile(
    r"(?<![\w./\\~])(?:/home/|/Users/|/var/home/|[A-Za-z]:\\{1,2}Users\\{1,2}|[A-Za-z]:/Users/)"
    r"[^\s/\\:;,\"'`<>|*?()\[\]{}]{1,64}"
)
_HOME_IN_NAME = re.compile(r"(?<!\w)-(home|Users)-[A-Za-z0-9_]{1,64}(?=[-/\\\s\"']|$)")
_DENSE = re.compile(r"(?<![\w+/=-])[\w+=-]{20,400}+")
_HEX = re.compile(r"[0-9a-fA-F-]+")
_JOINTS = re.compile(r"[-_=+]")
_SHORTEST_SECRET = 16
_BITS_OF_A_SECRET = 3.5  # a character; words have about 3
_TURNS_OF_A_SECRET = 0.3  # changes between letters, capitals and digits, of its length
_COMMON_NAMES = frozenset(
    ("root", "user", "users", "dev", "admin", "ubuntu", "debian", "localhost", "home", "runner")
)
_PLACEHOLDER = re.compile(r"[$<{%*\[(]|\.\.\.|x{3,}", re.IGNORECASE)


class Machine(NamedTuple):
    """What names the person and the machine; empty parts are looked for nowhere."""

    home: str = ""
    user: str = ""
    host: str = ""


def redact(text: str) -> str:
    """Return `text` without secrets, e-mail addresses and the names of this person and machine."""
    return _redactor(this_machine())(text)


@cache
def this_machine() -> Machine:
    """Return the names of whoever runs this, and of the machine."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no such user, and no variable that names one
        user = ""
    return Machine(places.home(), user, socket.gethostname().split(".")[0])


def redact_for(text: str, machine: Machine) -> str:
    """Redact for a person and machine that are named, not looked up."""
    return _redactor(machine)(text)


@cache
def _redactor(machine: Machine) -> Callable[[str], str]:
    """Build the steps once; secrets go before names, since a name may stand inside one."""
    tokens, fields = _token_pattern(), _field_pattern()
    literals = _literals(machine)

    def run(text: str) -> str:
        text = _PEM.sub(SECRET, text)
        text = _URL_LOGIN.sub(rf"\1{SECRET}@", text)
        for pattern in (_AUTHORIZATION, _BEARER, _COOKIES, _LOGIN_FLAG, _PASSWORD_FLAG):
            text = pattern.sub(rf"\1{SECRET}", text)
        text = tokens.sub(SECRET, text)
        text = fields.sub(_without_value, text)
        text = _DENSE.sub(_without_entropy, text)
        text = _EMAIL.sub(EMAIL, text)
        for pattern, replacement in literals:
            text = pattern.sub(replacement, text)
        text = _HOME.sub("~", text)
        return _HOME_IN_NAME.sub(r"-\1-user", text)

    return run


def _token_pattern() -> re.Pattern[str]:
    shapes = tomllib.loads(read_text("data", "secrets.toml"))["tokens"].values()
    return re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(shapes)})")


def _field_pattern() -> re.Pattern[str]:
    """Return `name = value` in the forms of JSON, YAML, env, flags, XML and prose.

    Only how the name ends is looked at; what stands before it may be anything.
    """
    suffixes = "|".join(tomllib.loads(read_text("data", "secrets.toml"))["fields"]["suffixes"])
    between = (
        r"(?:\\?[\"'])?\s{0,3}(?:=>|:=|[:=：＝])\s{0,3}"  # JSON, YAML, env, code
        r"|>"  # XML
        r"|\s{1,3}(?:is|was|lautet|est|es)\s{1,3}|\s{0,3}[是はは은는]\s{0,3}"  # prose
    )
    flag = rf"--?[\w-]{{0,40}}?(?:{suffixes})\s{{1,3}}(?!-)"
    value = r"\\?\"(?:[^\"\\\r\n]|\\(?!\").){1,2000}|'[^'\r\n]{1,2000}|[^\s\"',;&<>)}\]\\]{1,2000}"
    return re.compile(rf"((?:{suffixes})(?:{between})|{flag})({value})", re.IGNORECASE)


@cache
def _harmless() -> frozenset[str]:
    return frozenset(tomllib.loads(read_text("data", "secrets.toml"))["fields"]["harmless"])


def _without_value(found: re.Match[str]) -> str:
    """Replace the value of a field, unless it says that there is none."""
    value = found[2]
    quote = value[: len(value) - len(value.lstrip("\\\"'"))]
    bare = value[len(quote) :]
    if _PLACEHOLDER.match(bare) or bare.lower() in _harmless() or len(bare) < 3:
        return found[0]
    if bare.isdigit() and len(bare) < 6:
        return found[0]
    return f"{found[1]}{quote}{SECRET}"


def _without_entropy(found: re.Match[str]) -> str:
    return SECRET if is_dense(found[0]) else found[0]


def is_dense(token: str) -> bool:
    """Say whether a run of characters looks drawn by lot; hashes in hex and UUIDs do not count."""
    if _HEX.fullmatch(token):
        return False
    # Names are words between joints; what is drawn by lot is long between them.
    piece = max(_JOINTS.split(token), key=len)
    if len(piece) < _SHORTEST_SECRET or piece.isdigit():
        return False
    kinds = [_kind(character) for character in piece]
    turns = sum(a != b for a, b in pairwise(kinds))
    has_digit = any(character.isdigit() for character in piece)
    return (
        has_digit and turns >= _TURNS_OF_A_SECRET * len(piece) and _bits(piece) >= _BITS_OF_A_SECRET
    )


def _kind(character: str) -> str:
    if character.isdigit():
        return "0"
    if character.isupper():
        return "A"
    return "a"


def _bits(text: str) -> float:
    """Return the entropy of a text, in bits a character."""
    length = len(text)
    shares = (count / length for count in Counter(text).values())
    return -sum(share * math.log2(share) for share in shares)


def _literals(machine: Machine) -> list[tuple[re.Pattern[str], str]]:
    """Return what names this person and machine, the longest first."""
    found = []
    if len(machine.home) > 3:
        found.append((re.compile(re.escape(machine.home) + r"(?![\w-])"), "~"))
    for name, replacement in ((machine.host, "host"), (machine.user, "user")):
        if len(name) >= 3 and name.lower() not in _COMMON_NAMES:
            found.append((re.compile(rf"(?<![\w]){re.escape(name)}(?![\w])", re.I), replacement))
    return found
