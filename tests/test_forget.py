"""`forget`: gone from every table and from the bytes, and it stays gone."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import ClaudeSession, Clock, encode_log
from command_line import run

from agentpprof import output_cache
from agentpprof.errors import NothingFoundError
from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync
from agentpprof.store import database as database_module
from agentpprof.store.forgetting import Wish, count_forgettable, forget
from agentpprof.store.search_index import save_search_index
from agentpprof.store.tag_cache import tag_new_prompts

CANARY = "zanzibar"
OTHER = "quokka"
TEXT = f"Fix the {CANARY} test"  # the log that still exists keeps its path
DAY_MS = 86_400_000


def a_session(number: int, word: str, cwd: str, start: str) -> ClaudeSession:
    log = ClaudeSession(f"session-{number}-{word}", cwd=cwd, start=start, gitBranch=f"b-{word}")
    log.user(f"Fix the {word} test")
    log.call("Bash", {"command": f"pytest -q {word} && curl https://{word}.example.org"})
    log.call("Read", {"file_path": f"{cwd}/src/{word}.py"})
    log.assistant(f"The {word} works again.")
    return log


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with a session to forget, and one to keep."""
    home = tmp_path / "home"
    a_session(1, CANARY, f"/home/dev/{CANARY}", "2026-05-04T09:00:00.000Z").write(home)
    a_session(2, OTHER, f"/home/dev/{OTHER}", "2026-06-04T09:00:00.000Z").write(home)
    return home


@pytest.fixture
def database(home: Path, tmp_path: Path) -> Path:
    """Return the database of that home, tagged and searchable."""
    path = tmp_path / "agent.db"
    sync(path, [Root("claude", str(home / "projects"))])
    tag_new_prompts(path)
    save_search_index(path)
    return path


def is_in_bytes(database: Path, word: str) -> bool:
    """Look for a word in all files of a database that nobody has open."""
    files = database.parent.glob(database.name + "*")
    return any(word.encode() in path.read_bytes() for path in files)


def counts(database: Path) -> dict[str, int]:
    with closing(sqlite3.connect(database)) as connection:
        return {
            table: connection.execute(f"select count(*) from {table}").fetchone()[0]
            for table in ("session", "operation", "usage_line", "workspace", "tag", "path")
        }


@pytest.mark.parametrize(
    "wish",
    [
        Wish(session_id=f"session-1-{CANARY}"),
        Wish(root=f"/home/dev/{CANARY}"),
        Wish(before_ms=1_777_885_200_000 + DAY_MS),
    ],
)
def test_every_wish_leaves_no_byte_and_only_the_rest(
    database: Path, home: Path, wish: Wish
) -> None:
    assert is_in_bytes(database, CANARY)  # the control: the search finds what is there
    for path in home.rglob(f"*1-{CANARY}.jsonl"):
        path.unlink()
    sync(database, [Root("claude", str(home / "projects"))])
    asked = count_forgettable(database, wish)
    gone = forget(database, wish)
    assert (gone.sessions, gone.operations, gone.prompts) == asked[:3] == (1, 6, 1)
    assert gone.is_compacted
    assert not is_in_bytes(database, CANARY)
    assert is_in_bytes(database, OTHER)
    expected = {"session": 1, "operation": 6, "workspace": 1, "tag": 1, "path": 2}
    assert counts(database) | expected == counts(database)


def test_a_log_that_is_still_there_does_not_come_back(database: Path, home: Path) -> None:
    roots = [Root("claude", str(home / "projects"))]
    forget(database, Wish(root=f"/home/dev/{CANARY}"))
    left = counts(database)
    assert sync(database, roots).files_read == 0
    for path in home.rglob("*.jsonl"):
        path.touch()  # read again
    assert sync(database, roots).files_read == 2
    assert counts(database) == left
    with closing(sqlite3.connect(database)) as connection:
        texts = connection.execute("select group_concat(text) from operation").fetchone()[0]
        states = connection.execute("select count(*) from log_file_state").fetchone()[0]
    assert CANARY not in texts
    assert states == 1  # what was carried on of the forgotten one held its last words


def test_without_a_tombstone_it_would_come_back(database: Path, home: Path) -> None:
    """The control of the test above."""
    left = counts(database)
    forget(database, Wish(root=f"/home/dev/{CANARY}"))
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("delete from forgotten_session")
        connection.execute("delete from forgotten_operation")
    for path in home.rglob("*.jsonl"):
        path.touch()
    sync(database, [Root("claude", str(home / "projects"))])
    assert counts(database)["operation"] == left["operation"]


def test_copies_in_another_session_stay_out_and_later_lines_are_kept(
    database: Path, home: Path
) -> None:
    roots = [Root("claude", str(home / "projects"))]
    forget(database, Wish(session_id=f"session-1-{CANARY}"))
    log = a_session(1, CANARY, f"/home/dev/{CANARY}", "2026-05-04T09:00:00.000Z")
    resumed = ClaudeSession("resumed", cwd="/home/dev/new", start="2096-05-04T09:00:00.000Z")
    resumed.records = [{**record, "sessionId": "resumed"} for record in log.records]
    resumed.user("And now the rest")
    resumed.write(home)
    already = len(log.records)
    log.clock = Clock("2096-05-04T09:00:00.000Z")
    log.user("It goes on")
    with log.path(home).open("ab") as stream:
        stream.write(encode_log(log.records[already:]))
    sync(database, roots)
    with closing(sqlite3.connect(database)) as connection:
        texts = {text for (text,) in connection.execute("select text from operation where op = 0")}
    assert texts == {"And now the rest", "It goes on", f"Fix the {OTHER} test"}


def test_sub_agents_go_with_their_session(home: Path, database: Path) -> None:
    child = ClaudeSession(f"session-1-{CANARY}", agent_id="a1", cwd=f"/home/dev/{CANARY}")
    child.user("Look around")
    child.assistant("Seen.")
    child.write(home)
    sync(database, [Root("claude", str(home / "projects"))])
    assert forget(database, Wish(session_id=f"session-1-{CANARY}")).sessions == 2


def test_an_interrupted_forget_leaves_everything(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = counts(database)

    calls = []

    def fail_late(_: sqlite3.Connection) -> tuple[int, ...]:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return (0,) * 6

    monkeypatch.setattr("agentpprof.store.forgetting._counts", fail_late)
    with pytest.raises(KeyboardInterrupt):
        forget(database, Wish(root=f"/home/dev/{CANARY}"))
    assert counts(database) == before


def wal_bytes(database: Path) -> int:
    return database.with_name(database.name + "-wal").stat().st_size


def test_compaction_leaves_the_write_ahead_log_empty(database: Path) -> None:
    """Also while others have the database open, so that SQLite does not delete the log."""
    with closing(sqlite3.connect(database)) as other:
        other.execute("select count(*) from operation").fetchone()
        assert forget(database, Wish(root=f"/home/dev/{CANARY}")).is_compacted
        assert wal_bytes(database) == 0
        assert not is_in_bytes(database, TEXT)


def test_a_reader_in_the_way_of_compaction_is_told_and_once_more_does_it(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_BUSY_SECONDS", 0.1)
    arguments = ("forget", "--db", database)
    with closing(sqlite3.connect(database, isolation_level=None)) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from operation").fetchone()
        told = run(*arguments, "--project", CANARY, "--yes")
        assert (told.code, "still holds the old bytes" in told.err) == (0, True)
        assert is_in_bytes(database, TEXT)
        assert wal_bytes(database) > 0
        assert "run agentpprof forget" in run("status", "--db", database).out.decode()
        assert "still holds the old bytes" in run(*arguments).err
        reader.execute("commit")
    again = run(*arguments)
    assert (again.code, "has left the file" in again.err) == (0, True)
    assert not is_in_bytes(database, TEXT)
    assert run(*arguments).code == 2  # nothing is left to end


def test_nothing_meant_is_an_error(database: Path, tmp_path: Path) -> None:
    with pytest.raises(NothingFoundError):
        count_forgettable(database, Wish(root="/no/such"))
    with pytest.raises(NothingFoundError):
        count_forgettable(tmp_path / "none.db", Wish(root="/no/such"))


def test_the_command_asks_first(database: Path) -> None:
    refused = run("forget", "--db", database, "--project", CANARY)
    assert refused.code != 0
    assert is_in_bytes(database, CANARY)
    done = run("forget", "--db", database, "--project", CANARY, "--yes")
    assert done.code == 0
    assert "1 session" in done.err
    assert not done.out
    assert run("forget", "--db", database, "--yes").code == 2


def test_the_question_names_what_would_be_forgotten(database: Path) -> None:
    asked = run("forget", "--db", database, "--project", CANARY)
    assert re.search(f"Forget 1 session with 6 .*1 prompts? of {CANARY} for good", asked.err)


def test_projects_of_one_name_are_told_apart_as_everywhere(home: Path, tmp_path: Path) -> None:
    for number, owner in enumerate(("ann", "bob"), 3):
        a_session(number, owner, f"/home/{owner}/cli", "2026-07-04T09:00:00.000Z").write(home)
    path = tmp_path / "two.db"
    sync(path, [Root("claude", str(home / "projects"))])
    arguments = ("forget", "--db", path, "--yes", "--project")
    refused = run(*arguments, "cli")
    assert refused.code == 2
    assert "several projects are called cli: name ann/cli or bob/cli" in refused.err
    assert counts(path)["session"] == 4
    unknown = run(*arguments, "shop")
    assert unknown.code == 1
    assert f"there are ann/cli, bob/cli, {OTHER}, {CANARY}" in unknown.err
    assert run(*arguments, "ann/cli").code == 0
    assert run(*arguments, "/home/bob/cli/").code == 0
    assert counts(path)["session"] == 2


def test_a_session_without_times_was_not_before_any(home: Path, tmp_path: Path) -> None:
    log = a_session(3, "undated", "/home/dev/undated", "2026-05-04T09:00:00.000Z")
    for record in log.records:
        del record["timestamp"]
    log.write(home)
    path = tmp_path / "undated.db"
    sync(path, [Root("claude", str(home / "projects"))])
    with pytest.raises(NothingFoundError):
        count_forgettable(path, Wish(before_ms=DAY_MS))
    assert forget(path, Wish(before_ms=2**42)).sessions == 2
    assert counts(path)["session"] == 1


def test_finished_outputs_in_the_cache_go_too(database: Path, tmp_path: Path) -> None:
    output = tmp_path / "a.folded"
    options = ("--all-projects", "--no-sync", "--view", "operations", "--stack", "project,op")
    assert run("-o", output, *options, "--db", database).code == 0
    folder = output_cache.cache_folder()
    assert any(CANARY.encode() in path.read_bytes() for path in folder.iterdir())
    forget(database, Wish(root=f"/home/dev/{CANARY}"))
    assert not list(folder.iterdir())
