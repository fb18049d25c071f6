"""Real logs give their right values: every figure of `expected.json`, by file, session, home."""

import json
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from canonical import canonical_dump, differences

from agentpprof.ingest.discover import Root
from agentpprof.ingest.indexer import sync

Figures = dict[str, Any]
HOMES = {
    "claude": Root("claude", "claude/.claude/projects"),
    "claude-odd": Root("claude", "claude-odd/.claude/projects"),
    "codex": Root("codex", "codex/.codex/sessions"),
}
# The figures of one file, one session or all, over the rows that a condition leaves.
FIGURES = """
    select
        count(*) filter (where op = 1 and input_tokens is not null) as responses,
        coalesce(sum(input_tokens), 0) as input,
        coalesce(sum(cache_write_5m_tokens + cache_write_1h_tokens), 0) as cache_write,
        coalesce(sum(cache_read_tokens), 0) as cache_read,
        coalesce(sum(output_tokens), 0) as output,
        count(*) filter (where op = 2) as tool_calls,
        count(*) filter (where op = 2 and result > 0) as tool_results,
        count(*) filter (where op = 2 and result in (6, 7, 8, 9)) as tool_errors,
        count(*) filter (where op = 0 and origin < 4) as human_prompts
    from operation
"""
TOOLS = """
    select tool.text, count(*)
    from operation
    inner join field_bag as bag on operation.bag_id = bag.id
    inner join name as tool on bag.tool_id = tool.id
"""


@cache
def expected_in(samples: Path) -> Figures:
    """Right values of all homes."""
    figures: Figures = json.loads((samples / "expected.json").read_text(encoding="utf-8"))
    return figures


@pytest.fixture(scope="module")
def indexed(
    samples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., sqlite3.Connection]:
    """Give `indexed(home, …)`: a connection to a database of some sample homes."""

    @cache
    def connect(*homes: str) -> sqlite3.Connection:
        database = tmp_path_factory.mktemp("samples") / "agent.db"
        sync(database, [root_of(samples, home) for home in homes])
        return sqlite3.connect(database)

    return connect


def root_of(samples: Path, home: str) -> Root:
    """Where the logs of one sample home lie."""
    root = HOMES[home]
    return Root(root.agent, str(samples / root.path))


def figures(
    connection: sqlite3.Connection, where: str = "true", *values: Any
) -> dict[str, int | dict[str, int]]:
    """The figures of the rows that a condition leaves."""
    cursor = connection.execute(f"{FIGURES} where {where}", values)
    names = [column[0] for column in cursor.description]
    found: dict[str, Any] = dict(zip(names, cursor.fetchone(), strict=True))
    tools = f"{TOOLS} where operation.op = 2 and {where} group by 1"
    found["tools"] = dict(connection.execute(tools, values))
    return found


def assert_figures(found: Mapping[str, Any], expected: Mapping[str, Any], *unsure: str) -> None:
    """Compare every figure that is decided, and an undecided one with its allowed values."""
    for name, value in found.items():
        right = expected.get(name)
        if name in unsure:
            continue
        if right is None:
            allowed = expected.get("accept", {}).get(name)
            assert allowed is None or value in allowed, name
        else:
            assert value == right, name


def file_rows(connection: sqlite3.Connection, samples: Path) -> Iterator[tuple[str, int]]:
    """Yield (path as in expected.json, number) of every log read."""
    for number, path in connection.execute("select id, path from log_file order by path"):
        yield str(Path(path).relative_to(samples)), number


@pytest.mark.parametrize("home", ["claude", "claude-odd"])
def test_every_figure_of_every_claude_file_is_right(
    home: str, samples: Path, indexed: Callable[..., sqlite3.Connection]
) -> None:
    connection = indexed(home)
    expected = expected_in(samples)["homes"][home]["files"]
    files = dict(file_rows(connection, samples))
    assert files.keys() == expected.keys()
    for path, number in files.items():
        assert_figures(figures(connection, "log_file_id = ?", number), expected[path])


def test_undecided_token_figures_of_one_file_are_all_taken_from_the_same_position(
    samples: Path, indexed: Callable[..., sqlite3.Connection]
) -> None:
    connection = indexed("claude-odd")
    expected = expected_in(samples)["homes"]["claude-odd"]["files"]
    for path, number in file_rows(connection, samples):
        found = figures(connection, "log_file_id = ?", number)
        accept = expected[path].get("accept", {})
        positions = [
            {n for n, value in enumerate(values) if value == found[name]}
            for name, values in accept.items()
        ]
        assert not positions or set.intersection(*positions), path


def test_the_total_of_the_claude_home_is_right(
    samples: Path, indexed: Callable[..., sqlite3.Connection]
) -> None:
    home = expected_in(samples)["homes"]["claude"]
    total = home["total"]
    found = figures(indexed("claude"))
    assert_figures(found, total, "human_prompts")
    left_out = [f"{samples}/{path}" for path in total["left_out"]["human_prompts"]]
    kept = figures(
        indexed("claude"),
        "log_file_id not in (select id from log_file where path in "
        "(select value from json_each(?)))",
        json.dumps(left_out),
    )
    assert kept["human_prompts"] == total["human_prompts"]


def test_every_figure_of_every_claude_session_with_its_sub_agents_is_right(
    samples: Path, indexed: Callable[..., sqlite3.Connection]
) -> None:
    connection = indexed("claude")
    expected = expected_in(samples)["homes"]["claude"]["sessions"]
    tops = "select key from session where session_id = ? or parent_key = ("
    for session_id, right in expected.items():
        found = figures(
            connection,
            f"session_key in ({tops} select key from session where session_id = ?))",
            session_id,
            session_id,
        )
        assert_figures(found, right)
    parents = {
        row[0]
        for row in connection.execute("select session_id from session where parent_key is null")
    }
    assert parents == expected.keys()


def test_the_view_sessions_adds_up_to_the_total(
    samples: Path, indexed: Callable[..., sqlite3.Connection]
) -> None:
    total = expected_in(samples)["homes"]["claude"]["total"]
    row = indexed("claude").execute(
        "select sum(responses), sum(input_tokens), sum(cache_write_tokens), "
        "sum(cache_read_tokens), sum(output_tokens), sum(tool_calls) from sessions"
    )
    names = ("responses", "input", "cache_write", "cache_read", "output", "tool_calls")
    assert row.fetchone() == tuple(total[name] for name in names)


def test_a_file_alone_gives_its_own_figures(samples: Path, tmp_path: Path) -> None:
    for home in ("claude", "claude-odd"):
        for number, (path, right) in enumerate(
            expected_in(samples)["homes"][home]["files"].items()
        ):
            below = tmp_path / home / str(number)
            place = below / path
            place.parent.mkdir(parents=True)
            shutil.copyfile(samples / path, place)
            database = below / "agent.db"
            sync(database, [Root("claude", str(below))])
            with closing(sqlite3.connect(database)) as connection:
                alone = {**right, **right.get("alone", {})}
                assert_figures(figures(connection), alone)


def test_every_decided_figure_of_every_codex_file_is_right(
    samples: Path, indexed: Callable[..., sqlite3.Connection]
) -> None:
    connection = indexed("codex")
    expected = expected_in(samples)["homes"]["codex"]["files"]
    files = dict(file_rows(connection, samples))
    assert files.keys() == expected.keys()
    for path, number in files.items():
        found = figures(connection, "log_file_id = ?", number)
        assert_figures(found, expected[path])
        if expected[path].get("reasoning") is not None:
            reasoning = connection.execute(
                "select coalesce(sum(reasoning_tokens), 0) from operation where log_file_id = ?",
                (number,),
            ).fetchone()
            assert reasoning == (expected[path]["reasoning"],)


def test_both_homes_in_one_database_give_both_totals(
    samples: Path, indexed: Callable[..., sqlite3.Connection]
) -> None:
    homes = expected_in(samples)["homes"]
    connection = indexed("claude", "codex")
    for agent in ("claude", "codex"):
        found = figures(
            connection, "session_key in (select key from session where agent = ?)", agent
        )
        for name in ("responses", "input", "cache_write", "cache_read", "output"):
            assert found[name] == homes[agent]["total"][name], (agent, name)


# ---------------------------------------------------------------------------- who owns a unit

Claim = tuple[bool, bool, bool, str, str, str]


def records_in(path: Path) -> Iterator[Figures]:
    """Yield the objects of a log, two on one line included, by the standard library alone."""
    decoder = json.JSONDecoder()
    for line in path.read_text(encoding="utf-8").split("\n"):
        at = 0
        while at < len(line):
            try:
                value, at = decoder.raw_decode(line, at)
            except ValueError:
                break
            if isinstance(value, dict):
                yield value


def claims_in(path: Path) -> Iterator[tuple[str, Claim]]:
    """Yield (id of a response or call, claim) for every record of a log that tells of one."""
    is_agents = path.name.startswith("agent-")
    own = path.parents[1].name if path.parent.name == "subagents" else path.stem
    for record in records_in(path):
        copied = record
        is_copy = False
        if record.get("type") == "progress" and record["data"]["type"] == "agent_progress":
            copied, is_copy = record["data"]["message"], True
        message = copied.get("message")
        if copied.get("type") != "assistant" or not isinstance(message, dict):
            continue
        if message.get("model") == "<synthetic>":
            continue
        session = record.get("sessionId")
        if path.name == "agent-atest01.jsonl":
            own = session  # of before 2.1: only its records say whose it is
        claim = (
            is_copy,
            session != own,
            is_agents or is_copy,
            copied["timestamp"],
            str(session),
            str(path),
        )
        yield message["id"], claim
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block.get("type") == "tool_use":
                yield block["id"], claim


def test_a_unit_that_stands_in_several_files_counts_once_in_the_file_with_the_best_claim(
    samples: Path, indexed: Callable[..., sqlite3.Connection]
) -> None:
    from agentpprof.keys import key_of

    claims: dict[str, list[Claim]] = {}
    for path in sorted((samples / "claude").rglob("*.jsonl")):
        for unit, claim in claims_in(path):
            claims.setdefault(unit, []).append(claim)
    in_several = 0
    stored = dict(
        indexed("claude").execute(
            "select key, (select path from log_file where id = log_file_id) from operation "
            "where op > 0"
        )
    )
    assert len(stored) == len(claims)
    for unit, made in claims.items():
        keys = {key_of("claude", kind, unit) for kind in ("llm", "tool")} & stored.keys()
        assert [stored[key] for key in keys] == [min(made)[-1]], unit
        in_several += len({claim[-1] for claim in made}) > 1
    assert in_several > 10


# ---------------------------------------------------------------------------- facts of files


def project_of(connection: sqlite3.Connection, session_id: str) -> Figures:
    """The row of a session in the view, by column."""
    cursor = connection.execute("select * from sessions where session_id = ?", (session_id,))
    names = [column[0] for column in cursor.description]
    return dict(zip(names, cursor.fetchone(), strict=True))


def test_the_home_of_a_session_is_its_first_cwd_and_its_version_the_first_one(
    indexed: Callable[..., sqlite3.Connection],
) -> None:
    row = project_of(indexed("claude"), "130d7b7e-5801-4345-9bd6-f32fd9b8429b")
    assert row["cwd"].startswith("/Users/dev2/")
    assert row["agent_version"] == "2.1.7"


def test_a_worktree_is_folded_into_its_project(indexed: Callable[..., sqlite3.Connection]) -> None:
    connection = indexed("claude")
    assert project_of(connection, "0e13dcc3-5e03-432f-9966-1e1c8a0193e6")["project"] == "ida-hcli"
    folded = project_of(connection, "04cd0da1-dee3-4738-8139-524dfe55de83")
    assert folded["cwd"] == "/Users/dev1/workspace/cli/.worktrees/ent-95-test"
    same = project_of(connection, "0cf3db51-1c73-43bb-8d05-dc02739514a5")
    assert folded["project"] == same["project"]


def test_glued_records_are_both_read_and_nothing_is_lost(
    indexed: Callable[..., sqlite3.Connection],
) -> None:
    bad = "select path, reason from bad_lines order by offset"
    found = [(Path(path).name, reason) for path, reason in indexed("claude").execute(bad)]
    assert found == [("edge_cases.jsonl", "not_object")] * 3


def test_placeholder_counts_are_never_called_exact(
    indexed: Callable[..., sqlite3.Connection],
) -> None:
    query = (
        "select quality, count(*) from operations "
        "where session_id = '8b418ea5-895d-4ad5-abe8-4489d36e454f' and op = 'llm' group by 1"
    )
    assert dict(indexed("claude").execute(query)) == {"placeholder": 22}


def test_one_hour_cache_writes_stand_apart(indexed: Callable[..., sqlite3.Connection]) -> None:
    query = (
        "select sum(cache_write_1h_tokens), sum(cache_write_5m_tokens) from operation "
        "inner join session on operation.session_key = session.key "
        "where session.session_id = '0e13dcc3-5e03-432f-9966-1e1c8a0193e6'"
    )
    assert indexed("claude").execute(query).fetchone() == (1314, 0)


def test_sub_agents_know_their_parent_and_their_type(
    indexed: Callable[..., sqlite3.Connection],
) -> None:
    parent = "ae4a77f8-aedd-4bc1-888f-c94edc91af04"
    rows = indexed("claude").execute(
        "select session_id, subagent, responses, tool_calls from sessions "
        "where parent_session_id = ? order by 1",
        (parent,),
    )
    found = {row[0].removeprefix(f"{parent}/"): row[1:] for row in rows}
    assert found.keys() == {"aac57f5", "acompact-946d2b"}
    assert found["aac57f5"][1:] == (3, 12)
    assert found["acompact-946d2b"] == ("acompact", 1, 0)


def test_slash_commands_that_start_a_turn_are_prompts_and_local_ones_are_not(
    indexed: Callable[..., sqlite3.Connection],
) -> None:
    query = "select session_id, text from prompts where origin = 'slash'"
    found = [(session, text.split()[0]) for session, text in indexed("claude").execute(query)]
    assert found == [("8b418ea5-895d-4ad5-abe8-4489d36e454f", "/pr")]


# ---------------------------------------------------------------------------- pieces and order


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("home", ["claude", "codex"])
def test_samples_in_random_pieces_and_order_give_the_same_database(
    home: str, seed: int, samples: Path, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    root = root_of(tmp_path, home)
    sources = sorted((samples / HOMES[home].path).rglob("*.jsonl"))
    left = dict.fromkeys(sources, 0)
    chance.shuffle(sources)
    while left:
        for path in chance.sample(sorted(left), k=min(5, len(left))):
            left[path] = grow(path, tmp_path / path.relative_to(samples), left[path], chance)
            if left[path] == path.stat().st_size:
                del left[path]
        sync(tmp_path / "pieces.db", [root])
    sync(tmp_path / "whole.db", [root])
    dumps = []
    for name in ("pieces.db", "whole.db"):
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            dumps.append(canonical_dump(connection))
    assert differences(*dumps) == []


def grow(source: Path, target: Path, done: int, chance: random.Random) -> int:
    """Append a random part of what a copy of a log still lacks; return how much it has then."""
    data = source.read_bytes()
    step = chance.choice((1, 100, 5000, len(data) // 3, len(data)))
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("ab") as file:
        file.write(data[done : done + max(step, 1)])
    return min(done + max(step, 1), len(data))


def test_the_samples_are_those_that_the_right_values_belong_to(samples: Path) -> None:
    files = Counter(
        home for home, values in expected_in(samples)["homes"].items() for _ in values["files"]
    )
    assert files == {"claude": 17, "claude-odd": 2, "codex": 18}
    for home in files:
        for path, right in expected_in(samples)["homes"][home]["files"].items():
            assert (samples / path).stat().st_size == right["bytes"], path
