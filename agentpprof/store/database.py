"""Open the database safely: looked at read-only first, private, one writer at a time.

A file that is not ours, or that a newer version made, is refused before anything is set on it:
`pragma journal_mode=wal` alone would rewrite a stranger's database.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from agentpprof.defaults import DATABASE_VARIABLE
from agentpprof.errors import DamagedError, NoDatabaseError, StoreError, sqlite_name
from agentpprof.mounts import is_remote, mount_type
from agentpprof.places import user_folder, with_tilde
from agentpprof.store.file_lock import is_taken, open_lock_file
from agentpprof.store.schema import bring_up_to_date, is_current, schema_version

APPLICATION_ID = 0x61707066  # "appf"
_BUSY_SECONDS = 10.0
_CACHE_KIB = 64 * 1024  # random 64-bit keys of a large index need it (docs/performance.md)
_WAL_LIMIT_BYTES = 64 * 1024 * 1024


def default_path() -> Path:
    """Return the database in use without `--db`: AGENTPPROF_DB, else the user's data folder.

    Raises NoHomeError.
    """
    named = os.environ.get(DATABASE_VARIABLE, "")
    if named.strip():
        return Path(named)
    return user_folder("data") / "agentpprof.db"


def wal_path(database: Path) -> Path:
    """Return where SQLite keeps a database's write-ahead log."""
    return database.with_name(database.name + "-wal")


def write_lock_path(database: Path) -> Path:
    """Return where the lock lies that every writer takes."""
    return database.with_name(database.name + ".write.lock")


def look_at(path: Path, option: str = " with --db") -> int:
    """Return the schema version of the file at `path`, 0 for none, touching nothing.

    Raises StoreError for what is not ours, is damaged, or was made by a newer version; `option`
    ends the advice to name another file.
    """
    try:
        if not path.exists() or path.stat().st_size == 0:
            return 0
        if path.is_dir():
            raise StoreError(f"{with_tilde(path)} is a folder: name a file{option}")
        with closing(_connect(path, _looking_mode(path))) as connection:
            application_id = connection.execute("pragma application_id").fetchone()[0]
            version = int(connection.execute("pragma user_version").fetchone()[0])
    except OSError as error:
        raise StoreError(
            f"{with_tilde(path)} can't be read ({error.strerror}): name another{option}"
        ) from None
    except sqlite3.OperationalError as error:
        raise StoreError(
            f"{with_tilde(path)} can't be opened ({sqlite_name(error)}): {_advice(path)}"
        ) from None
    except sqlite3.DatabaseError:
        raise StoreError(
            f"{with_tilde(path)} is not a database, or is damaged: name another file{option}, "
            f"or move it away{' and index again' if option else ''}"
        ) from None
    if application_id != APPLICATION_ID:
        raise StoreError(
            f"{with_tilde(path)} is not a database of agentpprof: name another file{option}"
        )
    if version > schema_version():
        raise StoreError(
            f"{with_tilde(path)} has schema {version}, made by a newer agentpprof (this one knows "
            f"{schema_version()}): update agentpprof, or name another file{option}"
        )
    return version


def no_database(path: Path) -> NoDatabaseError:
    """Return the error for a place where there is no database: it may be a wrong name."""
    is_named = os.environ.get(DATABASE_VARIABLE) == os.fspath(path)
    by = f" ({DATABASE_VARIABLE})" if is_named else ""
    place = f"{with_tilde(path)}{by}"
    found = (
        f"there is no database in {place}: the file is empty"
        if path.exists()
        else (f"there is no database yet at {place}")
    )
    return NoDatabaseError(f"{found}; run agentpprof index to make it, or name another with --db")


def _looking_mode(path: Path) -> str:
    """Return how to look without leaving files beside a stranger's database in WAL mode."""
    return "ro" if wal_path(path).exists() and not _is_settled(path) else "ro&immutable=1"


def is_read_only(path: Path) -> bool:
    """Say whether we can't write into a database's folder, or the database itself."""
    return not (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK))


def _is_settled(path: Path) -> bool:
    """Say whether a database in a folder that we can't write holds all its rows itself.

    SQLite would need a file beside it to read it in the usual way; without a write-ahead log there
    is nothing that such a file is for.
    """
    if os.access(path.parent, os.W_OK):
        return False
    wal = wal_path(path)
    return not wal.exists() or wal.stat().st_size == 0


def _advice(path: Path) -> str:
    if os.access(path.parent, os.W_OK) or not wal_path(path).exists():
        return "free space, or name another with --db"
    return (
        "its folder can't be written, and rows still stand in its write-ahead log: copy both files "
        "to a folder of your own, and name the copy with --db"
    )


@contextmanager
def opened_for_reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open an existing, current database read-only; temporary tables are allowed."""
    mode = "ro&immutable=1" if _is_settled(path) else "ro"
    try:
        with closing(_connect(path, mode)) as connection:
            connection.execute("pragma temp_store = memory")
            connection.execute("pragma trusted_schema = off")
            yield connection
    except UnicodeDecodeError:  # SQLite quotes what it stumbled over, whatever bytes those are
        raise DamagedError from None


@contextmanager
def opened_for_writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the database for writing, creating it (0600 in a 0700 folder) and its schema."""
    version = look_at(path)
    _create_private(path)
    try:
        with closing(_connect(path, "rw")) as connection:
            _set_up_writer(connection)
            bring_up_to_date(connection, version)
            yield connection
    except sqlite3.OperationalError as error:
        raise StoreError(f"{with_tilde(path)} can't be written ({sqlite_name(error)})") from error
    except UnicodeDecodeError:
        raise DamagedError from None


def renew_schema(path: Path, *, with_views: bool = False) -> None:
    """Give a database of an older schema the tables of this one; raises NoDatabaseError for none.

    Views of an older release are made anew only if they are asked for: profiles read none, and so
    work on a medium that can't be written.
    """
    version = look_at(path)
    if version == 0:
        raise no_database(path)
    if version == schema_version() and not (with_views and _has_other_views(path, version)):
        return
    with opened_for_writing(path):
        pass


def _has_other_views(path: Path, version: int) -> bool:
    with opened_for_reading(path) as connection:
        return not is_current(connection, version)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    """Connect without ever creating a file; transactions are begun by hand."""
    uri = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)


def _set_up_writer(connection: sqlite3.Connection) -> None:
    """Set what keeps a stored batch through a power cut (docs/reliability.md, P3 and "How")."""
    for pragma in (
        f"application_id = {APPLICATION_ID}",
        "journal_mode = wal",
        "synchronous = full",
        "fullfsync = on",
        "temp_store = memory",
        "mmap_size = 0",
        "trusted_schema = off",
        "cell_size_check = on",
        "secure_delete = on",
        f"journal_size_limit = {_WAL_LIMIT_BYTES}",
        f"cache_size = -{_CACHE_KIB}",
    ):
        connection.execute(f"pragma {pragma}")


def check_place(path: Path) -> None:
    """Refuse a new database on a file system of another machine: WAL needs shared memory.

    Where the whole system lies on one, there is no other place, and one machine alone uses it.
    """
    if path.exists():
        return  # it works so far; doctor warns
    above = next((each for each in path.absolute().parents if each.exists()), path.parent)
    kind = mount_type(str(above))
    if is_remote(kind) and kind != mount_type("/"):
        raise StoreError(
            f"{with_tilde(path)} would lie on {kind}, where two programs can damage a database: "
            f"name a place on a local disk with --db or {DATABASE_VARIABLE}"
        )


def _create_private(path: Path) -> None:
    """Create an empty file that only its owner can read, before SQLite sees it."""
    check_place(path)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        if not os.access(path, os.W_OK):
            raise StoreError(
                f"{with_tilde(path)} can't be written: name another file with --db"
            ) from None
    except OSError as error:
        raise StoreError(
            f"{with_tilde(path)} can't be made ({error.strerror}): name another file with --db"
        ) from None
    else:
        os.close(descriptor)


@contextmanager
def write_lock(path: Path, wait_seconds: float) -> Iterator[bool]:
    """Hold the lock that every writer takes for a batch; yields False when it can't be had.

    The lock is a file of its own: opening and closing the database's own file would drop
    SQLite's locks in this process.
    """
    lock_path = write_lock_path(path)
    try:
        descriptor = open_lock_file(lock_path)
    except OSError as error:
        raise StoreError(f"{with_tilde(lock_path)} can't be opened ({error.strerror})") from None
    try:
        yield is_taken(descriptor, wait_seconds)
    finally:
        os.close(descriptor)


@contextmanager
def held_for_writing(path: Path, wait_seconds: float) -> Iterator[None]:
    """Hold the write lock; raises StoreError when others still write after that time."""
    with write_lock(path, wait_seconds) as is_held:
        if not is_held:
            raise StoreError(
                f"another agentpprof has been writing for {wait_seconds:.0f} seconds: "
                "try again when it is done"
            )
        yield
