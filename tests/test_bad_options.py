"""Wrong options and commands: one clear sentence, exit code 2 or 1, and nothing half-done."""

from pathlib import Path

import pytest
from command_line import check_refused, digest, installed, run

# Arguments beside `-o out.folded`, exit code, what the sentence says. `{}` is an empty folder.
OPTIONS = [
    (("--format", "xml"), 2, "unknown format 'xml'; known formats: pprof, folded, svg, json"),
    (("--format", "svg"), 2, "is a name for folded, but --format says svg"),
    (("--view", "cpu"), 2, "unknown view 'cpu'; known views: operations, tokens"),
    (("--svg-width", "0"), 2, "--svg-width 0: write a number from 200 to 100,000"),
    (("--svg-width=-5",), 2, "--svg-width -5"),
    (("--svg-width", "wide"), 2, "'wide' is not a valid integer"),
    (("--svg-width", "99999999999"), 2, "--svg-width 99999999999"),
    (("--path-depth", "0"), 2, "--path-depth 0: write a number from 1 to 20"),
    (("--path-depth", "x"), 2, "'x' is not a valid integer"),
    (("--label", "tsk"), 2, "--label: unknown field 'tsk'"),
    (("--label", "command"), 2, "--label: command is text"),
    (("--stack", ""), 2, "no frame is named"),
    (("--stack", "tsk"), 2, "unknown field 'tsk' (did you mean task?); known fields:"),
    (("--stack", "Task"), 2, "'Task' is no field: a name may hold only a-z"),
    (("--stack", "command"), 2, "use cmd instead"),
    (("--stack", "prompt_text"), 2, "use prompt instead"),
    (("--stack", "call_id"), 2, "a profile has no field call_id"),
    (("--where", "result"), 2, "write FIELD=REGEX or FIELD!=REGEX"),
    (("--where", "nope=x"), 2, "--where: unknown field 'nope'"),
    (("--where", "cmd=(?<=a)b"), 2, "look-behind is not supported"),
    (("--where", "cmd=(?=a)b"), 2, "look-ahead is not supported"),
    (("--where", "cmd=["), 2, "is not closed"),
    (("--where", "timestamp_ms=1"), 2, "--since and --until"),
    (("--op-map", "phase"), 2, "write FIELD:LABEL=REGEX"),
    (("--op-map", "phase:A=x"), 2, "the label 'A' may hold only"),
    (("--op-map", "phase:a=(?<!x)"), 2, "look-behind is not supported"),
    (("--op-map-file", "{}/none"), 2, "none can't be read (No such file"),
    (("--op-map-file", "{}"), 2, "can't be read (Is a directory)"),
    (("--stack-rule", "phase:a"), 2, "write FIELD:LABEL=REGEX"),
    (("--tag-rule", "prompt:debug"), 2, "there is no `=`"),
    (("--tag-rule", "tool:debug=x"), 2, "the kinds are session, prompt, llm, all"),
    (("--tag-rule", "prompt:ab=x"), 2, "too short"),
    (("--tag-rule", "prompt:debug=(?<=x)y"), 2, "look-behind is not supported"),
    (("--tagger", "gpt"), 2, "there are regex and llm"),
    (("--tagger", "llm", "--tag-rule", "prompt:abc=x"), 2, "--tag-rule is for --tagger regex only"),
    (("--tagger", "llm", "--no-builtin-tags"), 2, "--no-builtin-tags is for --tagger regex only"),
    (("--task-choice", "debug=a", "--task-choice", "docs=b"), 2, "needs --tagger llm"),
    (("--tagger", "llm", "--task-choice", "debug=a"), 2, "name at least two"),
    (("--tagger", "llm", "--task-choice", "debug"), 2, "write TAG=DESCRIPTION"),
    (("--tagger", "llm", "--task-choice", "debug= "), 2, "the description is empty"),
    (("--tagger", "llm", "--task-choice", "d=x"), 2, "too short"),
    (
        ("--tagger", "llm", "--task-choice", "debug=a", "--task-choice", "debug=b"),
        2,
        "given twice",
    ),
    (("--tagger", "llm", "--llama-url", "127.0.0.1:8080"), 2, "is no address"),
    (("--tagger", "llm", "--llama-url", "ftp://x"), 2, "is no address"),
    (("--tagger", "llm", "--llama-url", "http://x:port"), 2, "is no address"),
    (("--tagger", "llm", "--timeout", "0"), 2, "--timeout 0"),
    (("--tagger", "llm", "--timeout", "nan"), 2, "--timeout nan"),
    (("--timeout", "soon"), 2, "'soon' is not a valid float"),
    (("--tagger", "llm", "--model", " "), 2, "--model '' is empty"),
    (("--tagger", "llm", "--max-uncached-tags", "x"), 2, "'x' is not a valid integer"),
    (("--tagger", "llm", "--cache", "{}"), 2, "is no file"),
    (("--tagger", "llm", "--cache", "tags.json"), 2, "not in JSON"),
    (("--preset", "--no-builtin-tags"), 2, "contradict each other"),
    (("--project-root", ".", "--all-projects"), 2, "contradict each other"),
    (("--project-root", ""), 2, "--project-root '' is empty"),
    (("--project-name", " "), 2, "--project-name '' is empty"),
    (("-q", "-v"), 2, "contradict each other"),
    (("--agent", "gemini"), 2, "there are claude and codex"),
    (("--agent", ""), 2, "there are claude and codex"),
    (("--session-id", ""), 2, "--session-id '' is empty"),
    (("--session-id", "zzzz"), 1, "no session matches"),
    (("--session-tag", "Debug"), 2, "other characters than a-z"),
    (("--session-tag", "zebra"), 1, "no session of the chosen sessions has the tag 'zebra'"),
    (("--prompt-tag", "x"), 2, "too short"),
    (("--prompt-tag", "zebra"), 1, "the tags are"),
    (("--since", "soon"), 2, "--since: 'soon' is no time"),
    (("--until", "7y"), 2, "--until: '7y' is no time"),
    (("--since", "999999w"), 2, "is no time"),
    (("--since", "2026-05-02", "--until", "2026-05-01"), 2, "is not before --until"),
    (("--since", "1d", "--until", "2d"), 2, "is not before --until"),
    (("--since", "2099-01-01"), 1, "no session matches"),
    (("--scan-files=-1",), 2, "--scan-files -1: write 0 for all"),
    (("--scan-files", "x"), 2, "'x' is not a valid integer"),
    (("--max-sessions=-1",), 2, "--max-sessions -1: write 0 for all"),
    (("--max-sessions", "1.5"), 2, "'1.5' is not a valid integer"),
    (("--session-file", "{}/none.jsonl"), 2, "none.jsonl can't be read (No such file"),
    (("--session-file", "{}"), 2, "is a folder"),
    (("--session-file", ""), 2, "--session-file '' is empty"),
    (("--session-file", "-", "--session-file", "-"), 2, "stdin is read once"),
    (("--session-file", "-"), 2, "stdin holds no log"),
    (("--session-file", "-", "--claude-root", "{}"), 2, "contradict it"),
    (("--session-file", "-", "--no-sync"), 2, "--no-sync contradicts it"),
    (("--claude-root", "{}/none"), 2, "there is no such folder"),
    (("--codex-root", "{}", "--no-sync"), 2, "--no-sync needs --db"),
    (("--claude-root", "{}"), 1, "no session of Claude Code or Codex was found"),
    (("--db", ""), 2, "--db '' is empty"),
    (("--db", "{}"), 2, "is a folder"),
    (("--db", "{}/none.db", "--no-sync"), 1, "there is no database yet"),
    (("--db", "/proc/none/x.db"), 1, "can't be made"),
    (("--where", "op=nothing"), 1, "the tokens view has no samples"),
    (("--view", "network", "--agent", "claude", "--prompt-tag", "docs"), 1, "no samples"),
    (("--nope",), 2, "No such option"),
    (("--stak", "task"), 2, "--stack"),
    (("--view", "time", "--view", "files"), 2, "--view can be given only once"),
    (("--all-projects", "index"), 2, "a command's name comes first"),
    (("surplus",), 2, "surplus"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), OPTIONS)
def test_a_wrong_option(indexed_history: Path, tmp_path: Path, arguments, code, reason) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    before = digest(indexed_history / ".local")
    output = tmp_path / "out.folded"
    chosen = [each.replace("{}", str(empty)) for each in arguments]
    if "--project-root" not in chosen:
        chosen = ["--all-projects", *chosen] if "--all-projects" not in chosen else chosen
    check_refused(run("-o", output, *chosen), code, reason)
    assert not output.exists()
    assert sorted(tmp_path.iterdir()) == [empty]
    assert digest(indexed_history / ".local") == before


# The command line around `-o`, and other commands.
COMMANDS = [
    (("--format", "svg"), 2, "--format svg needs an output"),
    (("-o",), 2, "-o"),
    (("-o", ""), 2, "is no file"),
    (("-o", "{}"), 2, "is no file"),
    (("-o", "{}/new/"), 2, "is no file"),
    (("-o", "{}/a.svg", "-o", "{}/b.svg"), 2, "-o/--output can be given only once"),
    (("-o", "/proc/none/a.svg", "--all-projects"), 1, "can't be written (No such file"),
    (("-o", "{}/" + "n" * 300 + ".svg", "--all-projects"), 1, "File name too long"),
    (("-o", "{}/" + "d/" * 3000 + "a.svg", "--all-projects"), 1, "File name too long"),
    (("-o", "/dev/null/a.svg", "--all-projects"), 1, "can't be written"),
    (("profil", "-o", "{}/a.svg"), 2, "did you mean profile?"),
    (("nonsense",), 2, "no such command 'nonsense': there are profile, "),
    (("index", "--nope"), 2, "No such option"),
    (("index", "-q", "-v"), 2, "contradict each other"),
    (("index", "--claude-root", "{}"), 2, "index with a root needs --db"),
    (("index", "--claude-root", "{}/none", "--db", "{}/x.db"), 2, "there is no such folder"),
    (("index", "--db", "{}"), 2, "is a folder"),
    (("index", "extra"), 2, "extra"),
    (("demo", "-o", "/dev/null/x"), 1, "can't be written"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), COMMANDS)
def test_a_wrong_command(indexed_history: Path, tmp_path: Path, arguments, code, reason) -> None:
    before = digest(indexed_history / ".local")
    ran = run(*[each.replace("{}", str(tmp_path)) for each in arguments])
    check_refused(ran._replace(out=b"" if arguments[:1] == ("demo",) else ran.out), code, reason)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert digest(indexed_history / ".local") == before


def test_the_installed_program_says_the_same(indexed_history: Path, tmp_path: Path) -> None:
    output = ("-o", str(tmp_path / "out.folded"))
    for arguments, code, reason in (OPTIONS[0], OPTIONS[20], OPTIONS[51], OPTIONS[60]):
        check_refused(installed(*output, *arguments), code, reason)
    for arguments, code, reason in (COMMANDS[0], COMMANDS[1], COMMANDS[11]):
        check_refused(installed(*arguments), code, reason)
    assert list(tmp_path.iterdir()) == []
