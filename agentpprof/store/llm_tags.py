"""Where tags of models are kept: the tables of the tag cache, in whatever database that is.

Nothing is lost while somebody else writes: what could not be saved is given back to be tried again.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from agentpprof.store.database import (
    look_at,
    opened_for_reading,
    opened_for_writing,
    write_lock,
)
from agentpprof.store.queries import read_meta
from agentpprof.store.tags import read_tags, save_tags

_NAME: Final = "llm"

Key = tuple[str, str]  # (definition, kind)


def read_known(database: Path, keys: Iterable[Key]) -> dict[Key, dict[int, str]]:
    """Return text hash -> tag by definition and kind; a database that is not there knows none."""
    keys = list(keys)
    if look_at(database) == 0:
        return {key: {} for key in keys}
    with opened_for_reading(database) as connection:
        return {key: read_tags(connection, *key) for key in keys}


def read_model(database: Path, url: str, model: str) -> str | None:
    """Return how the server named its model when it was asked last."""
    if look_at(database) == 0:
        return None
    with opened_for_reading(database) as connection:
        return read_meta(connection, _model_key(url, model))


def save_new(
    database: Path,
    new: Mapping[Key, Mapping[int, str]],
    names: Mapping[tuple[str, str], str],
    wait_seconds: float,
) -> bool:
    """Save tags, and names of models by (URL, model asked for); False while others write."""
    database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with write_lock(database, wait_seconds) as is_held:
        if not is_held:
            return False
        with opened_for_writing(database) as connection:
            for (definition, kind), tags in new.items():
                if tags:
                    save_tags(connection, definition, kind, tags, name=_NAME)
            _save_names(connection, names)
    return True


def _save_names(connection: sqlite3.Connection, names: Mapping[tuple[str, str], str]) -> None:
    connection.executemany(
        "insert or replace into meta (key, value) values (?, ?)",
        [(_model_key(url, model), name) for (url, model), name in names.items()],
    )


def _model_key(url: str, model: str) -> str:
    return f"llm_model {url} {model}"
