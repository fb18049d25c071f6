"""Settings: a flag wins over the environment, that over the file, that over the default."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from command_line import folded, run, write_history

from agentpprof.config import SETTINGS, config_path


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for definition in SETTINGS.values():
        monkeypatch.delenv(definition.variable, raising=False)
    monkeypatch.delenv("AGENTPPROF_CONFIG", raising=False)


def write(text: str) -> Path:
    path = config_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def shown(*arguments: str) -> dict[str, Any]:
    ran = run("config", "show", "--json", *arguments)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def sources(*arguments: str) -> dict[str, str]:
    return {name: each["source"] for name, each in shown(*arguments)["settings"].items()}


def counted(*arguments: str) -> dict[str, int]:
    ran = run("-o", "-", "--format", "folded", "--view", "operations", *arguments)
    assert ran.code == 0, ran.err
    return folded(ran.out)


# ------------------------------------------------------------------ where values come from


def test_nothing_is_set_at_first() -> None:
    assert set(sources().values()) == {"default"}
    assert shown()["exists"] is False


@pytest.mark.parametrize("name", [name for name, each in SETTINGS.items() if each.in_file])
def test_each_setting_by_file_environment_and_flag(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    definition = SETTINGS[name]
    write(f'{name} = ["/f"]' if definition.separator else f'{name} = "/f"')
    assert sources()[name] == "file"
    monkeypatch.setenv(definition.variable, "/e")
    assert sources()[name] == "environment"
    flag = {"project": "--project-root", "tag_rules": "--tag-rule", "op_map_files": "--op-map-file"}
    default = f"--{name.removesuffix('s').replace('_', '-')}"
    found = shown(flag.get(name, default), "/g")["settings"][name]
    assert (found["source"], found["value"] in ("/g", ["/g"])) == ("flag", True)


def test_a_table_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    path = write('model = "small"\n')
    monkeypatch.setenv("AGENTPPROF_LLAMA_URL", "http://127.0.0.1:9")

    text = run("config", "show").out.decode()

    assert text.splitlines()[0] == str(path)
    assert re_row(text, "model") == ["model", "small", "file"]
    assert re_row(text, "llama_url") == ["llama_url", "http://127.0.0.1:9", "AGENTPPROF_LLAMA_URL"]
    assert run("config", "path").out.decode().strip() == str(path)


def re_row(text: str, name: str) -> list[str]:
    return next(line.split()[:3] for line in text.splitlines() if line.startswith(name))


# ------------------------------------------------------------------ what they do


def test_the_default_project(
    history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write('project = "/home/dev/docs"\n')
    docs = counted("--stack", "project")
    assert set(docs) == {"project:docs"}
    assert set(counted("--stack", "project", "--project-root", "/home/dev/shop")) == {
        "project:shop"
    }
    monkeypatch.setenv("AGENTPPROF_PROJECT", "all")
    assert set(counted("--stack", "project")) == {"project:docs", "project:shop"}


def test_tag_rules_stand_behind_those_of_the_run(history: Path) -> None:
    write('tag_rules = ["prompt:cart=(?i)cart", "prompt:gate=gate"]\n')
    assert {"task:cart", "task:gate"} <= set(counted("--all-projects", "--stack", "task"))
    found = counted("--all-projects", "--stack", "task", "--tag-rule", "prompt:mine=(?i)cart")
    assert "task:mine" in found
    assert "task:cart" not in found


def test_op_map_files(history: Path) -> None:
    path = write('op_map_files = ["rules.txt"]\n')
    (path.parent / "rules.txt").write_text("phase:ci=cmd=make\n")

    assert counted("--all-projects", "--stack", "phase")["phase:ci"] == 1


def test_roots_of_agents_are_ones_own_history(
    isolated_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_history(tmp_path / "elsewhere")
    write(
        f'claude_roots = ["{tmp_path}/elsewhere/.claude"]\n'
        f'codex_roots = ["{tmp_path}/elsewhere/.codex"]\n'
    )
    assert set(counted("--all-projects", "--stack", "agent")) == {"agent:claude", "agent:codex"}
    assert counted("--all-projects", "--no-sync")
    monkeypatch.setenv("AGENTPPROF_DB", str(tmp_path / "other.db"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "empty"))
    assert set(counted("--all-projects", "--stack", "agent")) == {"agent:claude"}


def test_a_file_in_a_project_is_not_looked_at(
    history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "config.toml",
        ".agentpprof.toml",
        "agentpprof.toml",
        ".config/agentpprof/config.toml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text('project = "all"\nbroken')
    monkeypatch.chdir(tmp_path)

    assert set(sources().values()) == {"default"}


def test_another_file_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other.toml"
    other.write_text('model = "big"\n')
    monkeypatch.setenv("AGENTPPROF_CONFIG", str(other))
    assert shown()["settings"]["model"] == {"value": "big", "source": "file"}
    monkeypatch.setenv("AGENTPPROF_CONFIG", str(tmp_path / "none.toml"))
    ran = run("config", "show")
    assert (ran.code, "there is no such file" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('projct = "x"', "unknown setting 'projct': did you mean project?"),
        ('database = "x"', "unknown setting 'database'"),
        ('zzz = "x"', "there are claude_roots, codex_roots, project"),
        ("project = 3", 'project is a text: project = "…"'),
        ('project = ""', "project is a text"),
        ('tag_rules = "x"', "tag_rules is a list of texts"),
        ("tag_rules = [1]", "tag_rules is a list of texts"),
        ('claude_roots = ["a,b"]', "can't hold a comma"),
        ("project", "is no TOML"),
        ("project = " + "[" * 20_000, "nest too deep"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong(text: str, reason: str, history: Path) -> None:
    path = write(text)

    for arguments in (("config", "show"), ("--all-projects",)):
        ran = run(*arguments)
        assert ran.code == 2
        assert str(path) in ran.err
        assert reason in ran.err


def test_a_file_that_is_no_text() -> None:
    path = config_path()
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff\xfe\x00")

    assert "is not UTF-8 text" in run("config", "show").err


def test_the_views_of_the_database_show_configured_tags(history: Path) -> None:
    asked = ("sql", "select distinct tag from prompts where tag = 'cart'", "--json")
    assert json.loads(run(*asked).out)["rows"] == []
    write('tag_rules = ["prompt:cart=(?i)cart"]\n')
    assert json.loads(run(*asked).out)["rows"] == [{"tag": "cart"}]
    write('model = "x"\n')
    run("index")
    assert json.loads(run(*asked).out)["rows"] == []


def test_a_rule_of_one_run_changes_no_view(history: Path) -> None:
    run("-q", "--all-projects", "--tag-rule", "prompt:cart=(?i)cart")
    asked = ("sql", "select distinct tag from prompts where tag = 'cart'", "--json")
    assert json.loads(run(*asked).out)["rows"] == []


def test_the_demo_shows_its_own_history_whatever_is_configured(
    isolated_machine: Path, tmp_path: Path
) -> None:
    write("tag_rules = ['prompt:mine=.']\n")
    assert run("demo", "-o", tmp_path).code == 0
    assert "task:mine" not in (tmp_path / "tokens.folded").read_text(encoding="utf-8")


# ------------------------------------------------------------------ wrong values


WRONG = [
    ("tag_rules", "prompt:x", "there is no `=` before the pattern"),
    ("tag_rules", "prompt:deploy=(", "the pattern `(` can't be used"),
    ("op_map_files", "/none.txt", "/none.txt can't be read"),
    ("llama_url", "ftp://x", "'ftp://x' is no address"),
    ("project", "~nobody-here/x", "~nobody-here/x: no such user"),
]


@pytest.mark.parametrize(("name", "value", "reason"), WRONG)
def test_a_wrong_value_is_told_with_its_variable(
    name: str, value: str, reason: str, history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = SETTINGS[name].variable
    monkeypatch.setenv(variable, value)
    ran = run("-o", "-", "--format", "json", *(("--tagger", "llm") if name == "llama_url" else ()))
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith(f"Error: {variable}: ")
    assert reason in ran.err
    assert "--" not in ran.err
    (fault,) = shown()["faults"]
    assert ran.err == f"Error: {fault}\n"


@pytest.mark.parametrize(("name", "value", "reason"), WRONG)
def test_a_wrong_value_is_told_with_its_place_in_the_file(
    name: str, value: str, reason: str, history: Path
) -> None:
    path = write(f"{name} = {json.dumps([value] if SETTINGS[name].separator else value)}")
    ran = run("-o", "-", "--format", "json", *(("--tagger", "llm") if name == "llama_url" else ()))
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith(f"Error: {path}: {name}: ")
    assert reason in ran.err
    told = run("config", "show")
    assert f"{path}: {name}: " in told.out.decode() + told.err


def test_a_vague_rule_of_the_file_is_told_with_the_file(history: Path) -> None:
    path = write("tag_rules = ['prompt:data=cart']")
    assert f"{path}: tag_rules: prompt:data: `data` says little" in run("--all-projects").err


def test_a_database_and_homes_that_no_run_could_use_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.txt").write_text("no database at all, but a text of some length")
    monkeypatch.setenv("CODEX_HOME", f"{tmp_path},/none")
    monkeypatch.setenv("AGENTPPROF_DB", str(tmp_path / "notes.txt"))
    homes, database = shown()["faults"]
    assert homes == "CODEX_HOME: there is no folder /none"
    assert database.startswith(f"AGENTPPROF_DB: {tmp_path}/notes.txt is not a database")
    monkeypatch.delenv("AGENTPPROF_DB")
    assert f"{homes}\n" in run("index").err
    assert run("index", "-q").err == ""


def test_variables_that_tests_read_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("*.py"))
    names = {name for text in texts for name in re.findall(r'environ.get\("(AGENTPPROF_\w+)', text)}
    assert len(names) > 5
    for name in names:
        monkeypatch.setenv(name, "1")
    assert shown()["faults"] == []


def test_a_variable_that_nothing_reads_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTPPROF_TAGRULES", "x")
    (fault,) = shown()["faults"]
    assert fault.endswith("nothing reads this variable; did you mean AGENTPPROF_TAG_RULES?")
    assert f"wrong: {fault}" in run("config", "show").out.decode()
