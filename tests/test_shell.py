"""Rules of `semantics.shell`: what a command means."""

import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentpprof.semantics import shell
from agentpprof.semantics.arguments import read_arguments
from agentpprof.semantics.heredocs import cut_heredocs
from agentpprof.semantics.paths import normal_path
from agentpprof.semantics.plain import plain_segments
from agentpprof.semantics.programs import names_of, program_table
from agentpprof.semantics.scopes import Scope, Segment
from agentpprof.semantics.segments import parsed_segments
from agentpprof.semantics.shell import analyze, analyze_command, analyze_powershell
from agentpprof.vocabulary import ACCESSES, ACTIONS, EFFECTS

_TABLE = Path(__file__).parent / "data" / "commands.toml"
_ACCESS = {"r": "read", "w": "write", "c": "create", "d": "delete", "m": "move"}


def _rows() -> Iterator[tuple[str, str]]:
    """Yield (command, answer) of each row of the table."""
    for text in tomllib.loads(_TABLE.read_text(encoding="utf-8")).values():
        for row in text.strip().splitlines():
            command, _, answer = row.rpartition(" => ")
            yield command.replace("\u23ce", "\n"), answer


def _expected(answer: str) -> tuple[str, str, set[tuple[str, str]], set[str]]:
    """Take an answer of the table apart: program, action, paths, hosts."""
    program, action, *rest = answer.split()
    paths = {
        (normal_path(word[2:].replace("<20>", " "), "/w"), _ACCESS[word[0]])
        for word in rest
        if word[0] != "@"
    }
    return program.lstrip("-"), action, paths, {word[1:] for word in rest if word[0] == "@"}


def _found(command: str) -> tuple[str, str, set[tuple[str, str]], set[str]]:
    """Return what we find in `command`, in the shape of `_expected`."""
    meaning = analyze(command)
    paths = {(normal_path(path, "/w"), access) for path, access in meaning.paths}
    return meaning.cmd, meaning.action, paths, {host for host, _ in meaning.hosts}


def test_at_least_97_percent_of_the_table_are_right() -> None:
    rows = list(_rows())
    wrong = [command for command, answer in rows if _found(command) != _expected(answer)]
    assert len(rows) >= 400
    assert len(wrong) <= 0.03 * len(rows), wrong


@pytest.mark.parametrize(("command", "answer"), list(_rows()))
def test_row_of_the_table(command: str, answer: str) -> None:
    assert _found(command) == _expected(answer)


HOSTILE = {
    "a megabyte of words": "echo " + "word " * 200_000,
    "a megabyte of pipes": "a|" * 500_000,
    "a megabyte without a blank": "x" * 1_000_000,
    "assignments that open": "a=(" * 100_000,
    "brackets in brackets": "(" * 10_000 + ")" * 10_000,
    "substitutions in substitutions": "$(" * 10_000 + "ls" + ")" * 10_000,
    "braces that open": "{ " * 10_000,
    "a quote that never ends": "echo '" + "x " * 100_000,
    "a double quote that never ends": 'echo "' + "$(ls " * 20_000,
    "NULs": "ls\x00 -la\x00" * 1000,
    "here-documents in here-documents": "cat <<A\n" * 20_000,
    "many here-documents of many names": "".join(f"cat <<E{i}\n" for i in range(20_000)),
    "here-documents that end": "cat <<E\nE\n" * 50_000,
    "lone surrogates": "cat \ud800 \udfff/x",
    "backslashes": "\\" * 500_000,
    "dollars": "$" * 500_000,
    "dollar braces": "${" * 200_000,
    "shells in shells": "bash -c '" * 5000,
    "sudo of sudo": "sudo " * 100_000 + "ls",
    "ifs": "if true; then " * 10_000,
    "cases": "case x in " * 10_000,
    "comments": "#\n" * 300_000,
    "redirections": "> f " * 100_000,
    "ampersands": "&" * 300_000,
    "quotes in turn": "'\"" * 200_000,
    "backticks": "`" * 300_000,
    "options": "grep " + "-e x " * 100_000,
    "loops over a list": "for x in a b c d; do " * 5000,
    "variables that grow": "a=xxxxxxxxxx;" + "a=$a$a$a$a;" * 600 + "cat $a",
    "a patch of many files": "*** Begin Patch\n" + "*** Add File: x\n" * 60_000,
}


@pytest.mark.parametrize("text", list(HOSTILE.values()), ids=list(HOSTILE))
def test_hostile_text_ends_in_bounded_time(text: str) -> None:
    program_table()
    start = time.process_time()
    for meaning in (analyze(text), analyze(text, is_powershell=True)):
        assert meaning.action in ACTIONS
    assert time.process_time() - start < 1.0


_SHELL_WORDS = """
cd ls cat git commit -m npm run test pytest bash -lc sudo xargs find -exec tee sed -i curl make time
&& || ; | > >> < 2>&1 <<EOF EOF ' " ` $( ) ( { } \\ $X a.py src/ /tmp/x ~ https://a.com/x * = # -- -
if then fi for in do done case esac ! [ ]] function python -c x=1 \N{CARRIAGE RETURN}
"""
_SHELL_TEXT = st.lists(st.sampled_from([*_SHELL_WORDS.split(), "\n"]), max_size=30).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), _SHELL_TEXT))
def test_any_text_has_a_meaning_within_the_vocabularies(text: str) -> None:
    for meaning in (analyze_command(text), analyze_powershell(text)):
        assert meaning.action in ACTIONS
        assert meaning.effect in EFFECTS
        assert all(path and access in ACCESSES for path, access in meaning.paths)
        assert all(host and access in ACCESSES for host, access in meaning.hosts)
        assert len(set(meaning.paths)) == len(meaning.paths)


_PLAIN_WORDS = r"""cd ls cat git x=1 $x "$x" '$x' a"b"'c' -n --k=v 2 a.py src/ *.py ~ $? & "" ''
&& || ; | |& > >> < 2> 2>&1 &> >& 2>/dev/null >out.txt \t é "q\"r" https://a.com/?b=c%20 @{u} # ! if
done time = a=b"""  # no lone dash: the grammar loses it before a redirection
_PLAIN_TEXT = st.lists(
    st.sampled_from([*_PLAIN_WORDS.split(), "\n", "y='a b'", '"a b"', "'c\nd'"]), max_size=12
).map(" ".join)


@settings(max_examples=2000, deadline=None)
@given(_PLAIN_TEXT)
def test_the_quick_way_finds_the_segments_that_parsing_finds(text: str) -> None:
    quick_scope, parsed_scope = Scope(), Scope()
    quick = plain_segments(text, quick_scope)
    if quick is None:
        return
    parsed = parsed_segments(text, parsed_scope)
    assert [_shape(segment) for segment in quick] == [_shape(segment) for segment in parsed]
    assert quick_scope.variables == parsed_scope.variables


def _shape(segment: Segment) -> tuple[list[str], bool, list[tuple[str, str]]]:
    """Return what two segments are compared by."""
    return segment.words, bool(segment.words) and segment.is_piped, segment.redirects


def test_the_quick_way_and_parsing_agree_on_the_table() -> None:
    quick_count = 0
    for command, _ in _rows():
        text = cut_heredocs(command).strip()
        quick = plain_segments(text, Scope())
        if quick is not None:
            quick_count += 1
            parsed = parsed_segments(text, Scope())
            assert [_shape(segment) for segment in quick] == [_shape(segment) for segment in parsed]
    assert quick_count > 500


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m 'see https://example.com/x'",
        "echo https://example.com",
        "grep -rn 'http://example.com' src",
        "gh pr create --body 'https://x.example.com' | grep -o 'https://y.example.com'",
        "cat > a.md <<'EOF'\nhttps://example.com\nEOF",
        "sed -i 's#http://a.com#http://b.com#' x.txt",
        "git log --grep=https://example.com",
        "rg 'git@github.com:a/b'",
        "curl -H 'Referer: https://no.example.com' -d 'u=https://no.example.com' $URL",
    ],
)
def test_texts_that_only_mention_a_host_name_none(command: str) -> None:
    assert {host for host, _ in analyze(command).hosts} <= {"github.com"} & {
        "github.com" if command.startswith("gh ") else ""
    }


def test_the_chain_names_shells_and_runners_but_no_wrappers() -> None:
    assert analyze('sudo bash -lc "cd x && timeout 5 uv run pytest"').process == "bash uv pytest"
    assert analyze("python -m pytest").process == "python pytest"
    assert analyze("env A=1 nohup make").process == "make"


@pytest.mark.parametrize(
    ("command", "effect"),
    [
        ("ls", "read"),
        ("git status", "read"),
        ("git commit -m x", "repo"),
        ("git push", "repo"),
        ("git pull", "network"),
        ("pytest", "test"),
        ("rm x", "write"),
        ("echo x > y", "write"),
        ("curl https://a.com", "network"),
        ("./app", "process"),
        ("make", "process"),
    ],
)
def test_effect_says_what_a_command_does_to_the_world(command: str, effect: str) -> None:
    assert analyze(command).effect == effect


@pytest.mark.parametrize(
    ("command", "answers"),
    [
        ("grep foo a.py", True),
        ("cat f | grep x", True),
        ("ps aux | grep foo", True),
        ("git log | grep x", True),
        ("git status && rg foo", True),
        ("npm test | grep fail", True),
        ("git grep foo", True),
        ("timeout 5 rg foo", True),
        ("bash -lc 'cd x && rg foo'", True),
        ("grep -q x a && echo yes", True),
        ("grep x $(git ls-files)", True),
        ("test -f a", True),
        ("diff a b", True),
        ("set -o pipefail; rg foo src | head -20", True),
        ("set -o pipefail; npm test | tail -20", False),
        ("rg foo src; head -5 a.py", False),
        ("git diff --quiet", True),
        ("git log --oneline > /no/such/folder/log", False),
        ("git show nothing", False),
        ("grep -n foo a.py && python a.py", False),
        ("rg foo; node x.js", False),
        ("diff a b; ./run.sh", False),
        ("test -f a || exit 1", False),
        ("echo hi", False),
        ("x=$(grep y z)", True),
    ],
)
def test_the_last_program_that_can_fail_says_what_exit_code_1_means(
    command: str, answers: bool
) -> None:
    assert analyze(command).answers is answers


def test_what_is_sent_is_a_write_to_the_host() -> None:
    assert analyze("curl -d x https://a.com").hosts == (("a.com", "write"),)
    assert analyze("curl -X DELETE https://a.com").hosts == (("a.com", "write"),)
    assert analyze("curl -X GET https://a.com").hosts == (("a.com", "read"),)
    assert analyze("git push https://a.com/x").hosts == (("a.com", "write"),)
    assert analyze("scp a.txt h.com:b").hosts == (("h.com", "write"),)
    assert analyze("scp h.com:b a.txt").hosts == (("h.com", "read"),)


def test_the_telling_segment_goes_test_build_vcs_network_edit_explore_run() -> None:
    order = ["./app", "cat x", "rm y", "curl https://a.com", "git commit -m x", "make", "pytest"]
    told = ["run", "read", "delete", "fetch", "commit", "build", "test"]
    for count in range(1, len(order) + 1):
        assert analyze(" && ".join(order[:count])).action == told[count - 1]
        assert analyze("; ".join(reversed(order[:count]))).action == told[count - 1]


def test_a_here_document_is_cut_out_whatever_it_holds() -> None:
    assert cut_heredocs("cat <<A > f\nrm x\nA\nls").split() == ["cat", ">", "f", "ls"]
    assert cut_heredocs("cat <<-'A B'\n\tx\n\tA B\nls").split() == ["cat", "ls"]
    assert cut_heredocs("a <<< b") == "a <<< b"
    assert cut_heredocs("cat <<A <<B\n1\nA\n2\nB\nls").split() == ["cat", "ls"]
    assert cut_heredocs("cat <<A\nnever ends").split() == ["cat"]
    assert cut_heredocs("echo $((1<<2))\nls") == "echo $((1<<2))\nls"


def test_lines_of_windows_are_lines() -> None:
    assert analyze("cd a\r\ncat b.txt\r\n").paths == (("a/b.txt", "read"),)


def test_each_row_of_the_table_of_programs_is_well_formed() -> None:
    table = program_table()
    for name in table.names():
        program = table.find(name)
        assert program is not None
        actions = {program.action, program.target_action, *program.actions.values()} - {""}
        assert {action.rstrip("~") for action in actions} <= set(table.rank) <= set(ACTIONS), name
        letters = set(program.fixed + program.rest + program.last)
        assert letters <= set("rwcdm?gouUhGsitpx.YCMTSbnjkKv"), name
        kinds = {kind for kind in program.values.values() if kind}
        assert kinds <= {*"rwcdm?gouUhstX;~SPE>DWRV12iNnFAC", "2r"}, name
        assert set(program.changes.values()) <= set(_ACCESS), name
        assert program.flags <= {
            "filter",
            "quiet",
            "hidden",
            "inside",
            "calm",
            "cd",
            "weak",
            "long",
            "plus",
            "host",
            "answers",
            "sure",
            "piped",
            "slash",
        }, name
    assert set(table.effect) == set(ACTIONS)


@pytest.mark.parametrize("value", [None, "", "-", "@", "+", "=", "\\", "[", "a b"])
def test_no_option_of_the_table_stumbles_over_its_value(value: str | None) -> None:
    table = program_table()
    values = [] if value is None else [value]
    for name in table.names():
        program = table.find(name)
        assert program is not None
        for option in {*program.values, *program.changes, *program.actions}:
            read_arguments([name, option, *values], program, table)
            read_arguments([name, f"{option}={value or ''}", "x", *values], program, table)


def test_what_an_option_of_a_host_lacks_leaves_the_rest_of_the_command_alone() -> None:
    for command in ("psql -h; pytest", "mysql --host= -u root; pytest", 'psql -h ""; pytest'):
        assert analyze(command).action == "test", command
        assert not analyze(command).hosts, command


def test_each_name_stands_once_in_the_table_of_programs() -> None:
    text = (Path(shell.__file__).parent.parent / "data" / "programs.toml").read_text("utf-8")
    rows = [
        row
        for part in tomllib.loads(text).values()
        if isinstance(part, str)
        for row in part.splitlines()
    ]
    names = [name for row in rows if row for name in names_of(row)]
    assert len(names) == len(set(names))


def test_each_sub_command_of_the_table_can_be_reached() -> None:
    table = program_table()
    for name in table.names():
        words = name.split(" ")
        for count in range(1, len(words)):
            parent = table.find(" ".join(words[:count]))
            assert parent is not None, name
            assert parent.has_parts, name


def test_no_option_of_a_program_pins_the_action_of_its_sub_commands() -> None:
    table = program_table()
    for name in table.names():
        program = table.find(name)
        assert program is not None
        if program.has_parts:
            pinned = [key for key, action in program.actions.items() if action == program.action]
            assert not [key for key in pinned if key[0] == "-"], name


def test_the_table_of_programs_loads_in_ten_milliseconds() -> None:
    start = time.process_time()
    for _ in range(5):
        program_table.__wrapped__()
    assert (time.process_time() - start) / 5 < 0.03  # three times the aim, for slow machines
