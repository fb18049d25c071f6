"""Rules for the whole code, and that docs/security.md names tests that exist."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import run, write_history
from conftest import HERE, REPOSITORY

from agentpprof.store.database import opened_for_reading, opened_for_writing

PACKAGE = REPOSITORY / "agentpprof"
MODULES = sorted(PACKAGE.rglob("*.py"))
_FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "yaml", "dill", "code"}
_FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def test_named_tests_exist() -> None:
    page = (REPOSITORY / "docs" / "security.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", page)
    assert len(named) > 40
    missing = [
        f"{file}::{name}"
        for file, name in named
        if not (HERE / file).is_file()
        or f"def {name}(" not in (HERE / file).read_text(encoding="utf-8")
    ]
    assert not missing


def test_every_threat_has_a_row() -> None:
    page = (REPOSITORY / "docs" / "security.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| (S\d+)(?:–S\d+)? \|", page, re.MULTILINE))
    expected = {f"S{number}" for number in range(1, 41)} - {
        f"S{number}" for number in range(29, 34)
    }
    assert rows == expected


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_evaluates_or_unpickles(path: Path) -> None:
    for node in nodes(path):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            names.append(getattr(node, "module", None) or "")
            assert not _FORBIDDEN_MODULES & {name.split(".")[0] for name in names}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in _FORBIDDEN_CALLS


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_programs_are_started_with_fixed_words(path: Path) -> None:
    """No shell anywhere; os.system and the like are not used."""
    for node in nodes(path):
        if isinstance(node, ast.keyword) and node.arg == "shell":
            raise AssertionError("a shell is started")
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called = f"{node.value.id}.{node.attr}"
            assert called not in {"os.system", "os.popen", "subprocess.getoutput"}


def test_nothing_is_read_from_the_folder_one_stands_in(
    isolated_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Configuration, rules and plugins in an untrusted repository have no effect."""
    write_history(isolated_machine)
    clean, trap = tmp_path / "clean", tmp_path / "trap"
    clean.mkdir()
    trap.mkdir()
    for name in ("agentpprof.toml", ".agentpprof.toml", "config.toml", ".env", "pyproject.toml"):
        (trap / name).write_text("[rules]\nop_map = ['task:evil=.']\n[tool.agentpprof]\nx = 1\n")
    (trap / "sitecustomize.py").write_text("raise SystemExit('executed')")
    outputs = []
    for folder in (clean, trap):
        monkeypatch.chdir(folder)
        ran = run("-o", "-", "--format", "folded", "--all-projects", "-q")
        assert ran.code == 0, ran.err
        outputs.append(ran.out)
    assert outputs[0] == outputs[1]


def test_sorting_touches_no_temporary_file(tmp_path: Path) -> None:
    """SQLite would spill large sorts into files that outlive a crash."""
    database = tmp_path / "x.db"
    with opened_for_writing(database) as connection:
        assert connection.execute("pragma temp_store").fetchone() == (2,)
    with opened_for_reading(database) as connection:
        assert connection.execute("pragma temp_store").fetchone() == (2,)
