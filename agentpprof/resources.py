"""Where the data files lie: beside the package in a checkout, inside it once installed."""

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent


@cache
def folder(name: str) -> Path:
    """Return the folder `sql`, `migrations` or `data`.

    A checkout comes first: an editable install leaves a stale copy of `sql` and `migrations`
    among the installed packages, but never inside this package's folder.
    """
    beside = _PACKAGE.parent / name
    if (beside.parent / "pyproject.toml").is_file() and beside.is_dir():
        return beside
    return _PACKAGE / name


def read_text(folder_name: str, path: str) -> str:
    """Return the text of one data file, such as `read_text("sql", "views/sessions.sql")`."""
    return (folder(folder_name) / path).read_text(encoding="utf-8")
