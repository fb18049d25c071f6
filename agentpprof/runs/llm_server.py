"""How a model is asked for tags: the options of `--tagger llm`, checked before anything is sent."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from agentpprof.defaults import DEFAULT_LLAMA_URL, DEFAULT_LLM_SECONDS, DEFAULT_MODEL
from agentpprof.errors import UsageError
from agentpprof.option_groups import TagOptions
from agentpprof.origins import option_of
from agentpprof.store.database import default_path
from agentpprof.tagging.llm_server import Server

KEY_VARIABLE: Final = "AGENTPPROF_LLM_KEY"
_MAX_KEY = 4096
_PARALLEL = range(1, 65)


class LlmChoice(NamedTuple):
    """How a model is asked for tags."""

    server: Server
    is_remote: bool
    max_new: int | None  # None: no limit
    parallel: int | None  # None: as many as the server has slots
    choices: tuple[tuple[str, str], ...]  # (tag, description); empty: any word
    cache: Path | None  # None: the database in use

    def tag_database(self, database: Path, *, is_temporary: bool) -> Path:
        """Return where tags are kept: never in a database that is gone after the run."""
        return self.cache or (default_path() if is_temporary else database)


def read_llm_choice(options: TagOptions) -> LlmChoice:
    """Check the options of a model's server; raises UsageError."""
    timeout = DEFAULT_LLM_SECONDS if options["timeout"] is None else options["timeout"]
    if not 0 < timeout <= 86_400:
        raise UsageError(f"--timeout {timeout:g}: write seconds, more than 0 and at most a day")
    if options["model"] is not None and not options["model"].strip():
        raise UsageError("--model '' is empty: write the model's name, or leave it out")
    parallel = options["llm_parallel"]
    if parallel is not None and parallel not in _PARALLEL:
        raise UsageError(f"--llm-parallel {parallel}: write a number from 1 to {_PARALLEL[-1]}")
    url = checked_url(options["llama_url"] or DEFAULT_LLAMA_URL)
    option = option_of(options["llama_url"] or "", "--llama-url")
    is_remote = not is_loopback(url)
    if is_remote and not options["allow_remote_llm"] and options["tagger_name"] == "llm":
        raise UsageError(
            f"{option} {url} is another machine, and prompts would go there: allow it with "
            f"--allow-remote-llm, or use a server on this one ({DEFAULT_LLAMA_URL})"
        )
    most = options["max_uncached_tags"]
    return LlmChoice(
        Server(url, options["model"] or DEFAULT_MODEL, timeout, _key(options)),
        is_remote,
        most if most is not None and most >= 0 else None,
        parallel,
        _choices(options["task_choices"]),
        _cache(options["cache"]),
    )


def is_loopback(url: str) -> bool:
    """Say whether an address is this machine's own, by what it says, not by a name server."""
    import ipaddress

    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def checked_url(text: str) -> str:
    """Return a server's address without what ends it; raises UsageError."""
    option = option_of(text, "--llama-url")
    try:
        parts = urlsplit(text)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # raises where it is no number
    except ValueError:
        is_usable = False
    if is_usable and (parts.username is not None or parts.password is not None):
        raise UsageError(
            f"{option} holds a login, which others can read: put the key into {KEY_VARIABLE} "
            "or --llm-key-file"
        )
    if not is_usable or parts.query or parts.fragment or not text.isprintable() or " " in text:
        raise UsageError(f"{option} {text!r} is no address: write for example {DEFAULT_LLAMA_URL}")
    return text.rstrip("/").removesuffix("/v1")


def _key(options: TagOptions) -> str:
    """Return the key of the file, else of the environment; only for a run that needs it."""
    path = options["llm_key_file"]
    if options["tagger_name"] != "llm":
        return ""
    if path is None:
        return _checked_key(os.environ.get(KEY_VARIABLE, ""), KEY_VARIABLE)
    try:
        with Path(path).open(encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(_MAX_KEY + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise UsageError(f"--llm-key-file {path} can't be read ({reason})") from None
    if stat.S_ISREG(mode) and mode & 0o077:
        raise UsageError(f"--llm-key-file {path} can be read by others: chmod 600 {path}")
    if not text.strip():
        raise UsageError(f"--llm-key-file {path} is empty: put the key into it")
    return _checked_key(text, f"--llm-key-file {path}")


def _checked_key(text: str, where: str) -> str:
    key = text.strip()
    is_one_word = key.isascii() and key.isprintable() and " " not in key
    if key and not (is_one_word and len(key) <= _MAX_KEY):
        raise UsageError(f"{where} holds no key: a key is one word of ASCII characters")
    return key


def _choices(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    if not texts:
        return ()
    from agentpprof.tagging.rules import check_tag

    choices: dict[str, str] = {}
    for text in texts:
        tag, equals, description = text.partition("=")
        if not equals:
            raise UsageError(
                f"--task-choice {text!r}: write TAG=DESCRIPTION, for example debug=finding faults"
            )
        check_tag(tag, f"--task-choice {text!r}")
        if not description.strip():
            raise UsageError(f"--task-choice {tag}: the description is empty; say when it fits")
        if tag in choices:
            raise UsageError(f"--task-choice {tag} is given twice: leave one out")
        choices[tag] = " ".join(description.split())
    if len(choices) < 2:
        raise UsageError("--task-choice: one task is no choice; name at least two")
    return tuple(choices.items())


def _cache(path: str | None) -> Path | None:
    if path is None:
        return None
    if path.lower().endswith(".json"):
        raise UsageError(
            f"--cache {path}: tags are kept in a database, not in JSON; a cache of the Rust tool "
            "is not read; name another file, for example tags.db"
        )
    if not path or Path(path).is_dir():
        raise UsageError(f"--cache {path!r} is no file: name one, for example tags.db")
    return Path(path)
