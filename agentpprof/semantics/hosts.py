"""Hosts: the name of the machine that a URL or an address means, nothing else of it."""

import re
from urllib.parse import urlsplit

# user@host:path of git, scp and rsync; one letter before the colon is a Windows drive.
_SCP_LIKE = re.compile(r"^(?:[\w.+-]+@)?([A-Za-z0-9_][\w.-]+|\[[0-9A-Fa-f:]+\]):(?!//|\\)")
_HOST = re.compile(r"^(?:[^\W_][\w-]*\.)*[^\W_][\w-]*\.?$")
_WITH_PORT = re.compile(r"[\w-]+:\d+(?:/|$)")
_MAX_LENGTH = 253  # RFC 1035, section 2.3.4


def host_of(url: str) -> str:
    """Return the host of `url` in lower case, without user, port and query; '' if it has none.

    Takes URLs of any scheme (`git+https:` too) and what git and scp write (`git@host:path`).
    Names in other scripts stay as they are written (a browser shows them so).
    """
    if len(url) > 65536:
        url = url[:65536]
    if "://" not in url:
        match = _SCP_LIKE.match(url) if "@" in url else None
        return _clean(match.group(1)) if match else ""
    try:
        return _clean(urlsplit(url.strip()).hostname or "")
    except ValueError:  # brackets that hold no IPv6 address: such a text names no host
        return ""


def remote_host(word: str) -> str:
    """Return the host of `host:path` or `user@host:path`, '' for a local path or a URL."""
    match = _SCP_LIKE.match(word)
    return _clean(match.group(1)) if match else ""


def bare_host(word: str) -> str:
    """Return the host of a word where a program takes a URL or an address without a scheme."""
    host = named_host(word)
    if "." in host or ":" in host or host == "localhost" or "@" in word or "://" in word:
        return host
    return host if _WITH_PORT.match(word) else ""


def named_host(word: str) -> str:
    """Return the host of a word that can be nothing else, whatever its name; a number is none."""
    if "://" in word:
        return host_of(word)
    try:
        host = _clean(urlsplit("//" + word).hostname or "")
    except ValueError:  # as in host_of
        return ""
    return "" if host.isdigit() else host


def _clean(host: str) -> str:
    """Return `host` in lower case, '' unless it can be a name or an address."""
    host = host.strip("[]").rstrip(".").lower()
    if not host or len(host) > _MAX_LENGTH:
        return ""
    if ":" in host:  # IPv6
        return host if all(sign in "0123456789abcdef:.%" for sign in host) else ""
    return host if _HOST.match(host) else ""
