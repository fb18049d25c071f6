"""An error names the word that was wrong, and what there is instead."""

from pathlib import Path

import pytest
from command_line import check_refused, run

AGENT = "--agent 'x': there are claude and codex"
WRONG = [
    (("search", "cart", "--agent", "x"), 2, AGENT),
    (("sessions", "--agent", "x"), 2, AGENT),
    (("diff", "agent=x", "all"), 2, AGENT),
    (("search", "cart", "--session-id", ""), 2, "--session-id '' is empty"),
    (("search", "cart", "--project", ""), 2, "--project '' is empty"),
    (("search", "cart", "--tag", "ab"), 2, "--tag 'ab': the tag `ab` is too short"),
    (("search", "cart", "--project", "nope"), 1, "no project nope; there are docs, shop"),
    (("diff", "project=nope", "all"), 1, "no project nope; there are docs, shop"),
    (("forget", "--project", "nope"), 1, "no project nope; there are docs, shop"),
    (("sql", "select :low"), 2, "Give it with -p low=VALUE"),
    (("sql", "select nope from sessions"), 2, "nope: agentpprof sql --schema shows views"),
    (("sql", "--schema", "select 1"), 2, "a statement contradicts it"),
    (("top", "--by", "nope"), 2, "Error: --by: unknown field 'nope'"),
    (("top", "--by", ","), 2, "Error: --by: no frame is named"),
    (("diff", "all", "all", "--by", "command"), 2, "Error: --by: command is text"),
    (("top", "--stack", "nope", "--by", "op"), 2, "Error: --stack: unknown field 'nope'"),
    (("top", "--rows", "x"), 2, "'x' is not a valid integer."),
    (("sql", "select 1", "--seconds", "x"), 2, "'x' is not a valid number."),
    (("diff", "none.json", "all"), 2, "'none.json' is no saved profile: there is no such file"),
    (("diff", "all", "since=soon"), 2, "Error: NEW 'since=soon': --since: 'soon' is no time"),
    (("diff", "all", "since=7d", "--view", "cpu"), 2, "Error: unknown view 'cpu'"),
    (("forget", "--session-id", ""), 2, "--session-id '' is empty"),
    (("forget", "--session-id", "zzz"), 1, "no session's id begins with 'zzz'"),
    (("ask", "prompts-by-tokens", "-p", "limit=x"), 2, "-p limit=x: write a whole number"),
    (("ask", "prompts-by-tokens", "-p", "limit=null"), 2, "-p limit=null: write a whole number"),
    (("ask", "prompts-by-tokens", "-p", f"limit={'9' * 23}"), 2, "write a whole number"),
    (("forget", "--before", "soon"), 2, "Error: --before: 'soon' is no time"),
    (("diff", "since=7d,since=8d", "all"), 2, "since is given twice: leave one out"),
    (("--all-projects", "--since", "2099-01-01"), 1, "without --since 3 sessions would"),
    (
        ("--all-projects", "--session-id", "z", "--agent", "codex", "--until", "1d"),
        1,
        "without --agent, --session-id and --until 3 sessions would",
    ),
    (("help",), 2, "no such command 'help': it is agentpprof --help"),
    (("version",), 2, "no such command 'version': it is agentpprof --version"),
    (("sesions",), 2, "no such command 'sesions': did you mean sessions?"),
    (("tags", "lits"), 2, "no such command 'lits': did you mean list?"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), WRONG)
def test_a_wrong_word_is_named_with_what_there_is(
    indexed_history: Path, arguments, code, reason
) -> None:
    check_refused(run(*arguments), code, reason)


def test_a_search_takes_the_beginning_of_an_agent_as_other_commands_do(
    indexed_history: Path,
) -> None:
    whole = run("search", "fail", "--agent", "claude", "--json")
    assert whole.summary["hits"]
    assert run("search", "fail", "--agent", "cl", "--json").out == whole.out


@pytest.mark.parametrize("command", [("backup", "{}"), ("restore", "{}", "--yes")])
def test_a_file_that_is_no_option_is_not_to_be_named_with_one(
    indexed_history: Path, tmp_path: Path, command
) -> None:
    (tmp_path / "notes.txt").write_text("no database at all, but a text of some length")
    for place, reason in ((tmp_path, "is a folder"), (tmp_path / "notes.txt", "is not a database")):
        ran = run(*(each.format(place) for each in command))
        check_refused(ran, 1, f"{place} {reason}")
        assert "--db" not in ran.err


def test_forget_names_a_session_by_its_beginning_as_show_does(indexed_history: Path) -> None:
    assert "forgot 1 session " in run("forget", "--session-id", "aaaa", "--yes").err
    ran = run("forget", "--session-id", "bbbb2222-0000-4000-8000-000000000002", "--yes")
    assert "forgot 1 session " in ran.err
    assert run("show", "019ec5aa").code == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("search", "\udcff"), "the word '\\udcff' is not UTF-8 text"),
        (("search", "cart", "--session-id", "\udcff"), "--session-id '\\udcff' is not UTF-8 text"),
        (("diff", "branch=\udcff", "all"), "BASE branch '\\udcff' is not UTF-8 text"),
    ],
)
def test_bytes_that_are_no_text_are_refused(indexed_history: Path, arguments, reason) -> None:
    check_refused(run(*arguments), 2, reason)
