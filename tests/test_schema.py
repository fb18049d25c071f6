"""Bringing a database up to date: migrations once, views whenever their text has changed."""

import sqlite3
from pathlib import Path

import pytest

from agentpprof.resources import folder
from agentpprof.store import schema
from agentpprof.store.database import opened_for_writing
from agentpprof.store.schema import local_zone, schema_version, sql_digest


def objects(connection: sqlite3.Connection) -> set[tuple[str, str, str]]:
    """Every table, view and index with its text."""
    rows = connection.execute("select type, name, sql from sqlite_schema where sql is not null")
    return set(rows)


def test_every_view_file_is_a_view_and_nothing_else_is_one(tmp_path: Path) -> None:
    with opened_for_writing(tmp_path / "agent.db") as connection:
        views = {name for kind, name, _ in objects(connection) if kind == "view"}
    assert views == {path.stem for path in (folder("sql") / "views").glob("*.sql")}


def test_a_current_database_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "agent.db"
    with opened_for_writing(path) as connection:
        before = objects(connection)
    monkeypatch.setattr(schema, "_apply", None)
    with opened_for_writing(path) as connection:
        assert objects(connection) == before


def test_views_are_made_anew_when_their_text_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with opened_for_writing(path) as connection:
        before = objects(connection)
        connection.execute("drop view tags")
        connection.execute("create view tags as select 1 as one")
        connection.execute("create view dropped_since as select 2 as two")
        connection.execute("update meta set value = 'old' where key = 'sql_digest'")
    with opened_for_writing(path) as connection:
        assert objects(connection) == before
        stored = connection.execute("select value from meta where key = 'sql_digest'").fetchone()
    assert stored == (sql_digest(),)


def test_bringing_up_to_date_again_keeps_rows_and_settings(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with opened_for_writing(path) as connection:
        connection.execute("update meta set value = 'Asia/Tokyo' where key = 'zone'")
        connection.execute("update meta set value = 'old' where key = 'sql_digest'")
        connection.execute("insert into name (text) values ('kept')")
    with opened_for_writing(path) as connection:
        zone = connection.execute("select value from meta where key = 'zone'").fetchone()
        names = connection.execute("select count(*) from name where text = 'kept'").fetchone()
    assert (zone, names) == (("Asia/Tokyo",), (1,))


def test_all_tables_are_strict_so_a_wrong_type_is_an_error(tmp_path: Path) -> None:
    with opened_for_writing(tmp_path / "agent.db") as connection:
        tables = connection.execute(
            "select name, strict from pragma_table_list where schema = 'main' and type = 'table' "
            "and name not like 'sqlite\\_%' escape '\\' and name not like '\\_%' escape '\\'"
        ).fetchall()
        assert len(tables) > 15
        assert [name for name, is_strict in tables if not is_strict] == []
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute("insert into meta values ('key', x'00')")


def test_the_schema_version_is_the_number_of_migrations(tmp_path: Path) -> None:
    names = sorted(path.name for path in folder("migrations").glob("*.sql"))
    assert schema_version() == len(names)
    with opened_for_writing(tmp_path / "agent.db") as connection:
        assert connection.execute("pragma user_version").fetchone() == (len(names),)


def test_the_zone_of_the_machine_is_stored_when_the_database_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", ":Europe/Berlin")
    with opened_for_writing(tmp_path / "agent.db"):
        pass
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    with opened_for_writing(tmp_path / "agent.db") as connection:
        zone = connection.execute("select value from meta where key = 'zone'").fetchone()
    assert zone == ("Europe/Berlin",)


@pytest.mark.parametrize(
    ("told", "zone"),
    [
        ("Asia/Kolkata", "Asia/Kolkata"),
        (":/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
        ("EST5EDT,M3.2.0,M11.1.0", "EST5EDT"),
        ("nonsense", "UTC"),
        (":/etc/passwd", "UTC"),
        ("Europe", "UTC"),
        ("../../etc/passwd", "UTC"),
    ],
)
def test_a_zone_is_one_that_is_known_or_else_utc(
    monkeypatch: pytest.MonkeyPatch, told: str, zone: str
) -> None:
    monkeypatch.setenv("TZ", told)
    assert local_zone() == zone
