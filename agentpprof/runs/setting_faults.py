"""What is wrong with settings: each told with the variable, file or flag it comes from."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from agentpprof.config import HOMES, PLACE, SETTINGS, Setting
from agentpprof.defaults import DATABASE_VARIABLE
from agentpprof.errors import AgentPprofError, NoHomeError, StoreError, did_you_mean
from agentpprof.origins import option_of
from agentpprof.places import expanded
from agentpprof.profile.rules import read_op_map_file
from agentpprof.runs.chosen import named_database
from agentpprof.runs.homes import check_home
from agentpprof.runs.llm_server import KEY_VARIABLE, checked_url
from agentpprof.store.database import look_at
from agentpprof.tagging.rules import parse_tag_rule

_PREFIX: Final = "AGENTPPROF_"
_OF_TESTS: Final = (
    "CHROMIUM",
    "EXAMPLES",
    "KILL_STRIDE",
    "LABELS",
    "LLM_MODEL",
    "POWER_IMAGES",
    "PPROF",
    "SAMPLES",
    "SOAK",
    "STRICT_SKIPS",
    "TRACES",
)


def setting_faults(found: Mapping[str, Setting], database: str | None) -> Iterator[str]:
    """Yield one sentence per value that no run could use, and per variable that nothing reads."""
    checks: dict[str, Callable[[str], Any]] = {
        **dict.fromkeys(HOMES, check_home),
        "tag_rules": parse_tag_rule,
        "op_map_files": read_op_map_file,
        "llama_url": checked_url,
        "project": _check_project,
    }
    for name, check in checks.items():
        setting = found[name]
        if setting.source != "default":
            texts = (setting.value,) if isinstance(setting.value, str) else setting.value
            for text in texts:
                yield from _fault(check, text)
    yield from _fault(_check_database, database)
    yield from _unread_variables()


def _fault(check: Callable[[Any], Any], value: Any) -> Iterator[str]:
    try:
        check(value)
    except AgentPprofError as error:
        yield str(error)


def _check_project(text: str) -> None:
    try:
        expanded(text)
    except NoHomeError as error:
        raise AgentPprofError(f"{option_of(text, '--project-root')} {error}") from None


def _check_database(database: str | None) -> None:
    path = named_database(database)
    try:
        if path is not None:
            look_at(path)
    except StoreError as error:
        origin = "--db" if database is not None else DATABASE_VARIABLE
        raise AgentPprofError(f"{origin}: {error}") from None


def _unread_variables() -> Iterator[str]:
    """Yield our variables that nothing reads: their names may be mistyped."""
    known = [each.variable for each in SETTINGS.values()] + [PLACE, KEY_VARIABLE]
    known += [_PREFIX + name for name in _OF_TESTS]
    for name in sorted(os.environ):
        if name.startswith(_PREFIX) and name not in known:
            near = did_you_mean(name, known[: -len(_OF_TESTS)])
            yield f"{name}: nothing reads this variable" + (f"; {near}" if near else "")
