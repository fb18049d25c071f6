"""Folders import each other in the one order of docs/architecture.md, never in a circle."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
PACKAGE = "agentpprof"
FILES = {
    ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (REPOSITORY / PACKAGE).rglob("*.py")
}
_ROW = re.compile(r"^\|(.*`.*)\|.*\|(.*)\|$", re.MULTILINE)
_NAME = re.compile(r"`(\w+)/?`")
GROUND = ""  # the files at the top that know no folder


def imports_of(path: Path) -> Iterator[str]:
    """Yield the modules of ours that a file imports, those inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [(alias.name, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports by a relative name"
            module = node.module or ""
            names = [(f"{module}.{alias.name}", module) for alias in node.names]
        else:
            continue
        found = {name if name in FILES else module for name, module in names}
        yield from (name for name in found if name.split(".")[0] == PACKAGE)


def allowed_imports() -> dict[str, set[str]]:
    """Return what each folder or file may import, as the table in the docs says."""
    page = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
    section = page.split("## Who may import whom")[1].split("\n## ")[0]
    allowed: dict[str, set[str]] = {}
    for parts, others in _ROW.findall(section):
        known = set(allowed) if "all above" in others else set(_NAME.findall(others))
        assert known <= set(allowed), f"{parts}: a row may name only rows above it"
        allowed |= {part: known | {part} for part in _NAME.findall(parts)}
    return allowed


def part_of(module: str, allowed: dict[str, set[str]]) -> str:
    """Return the folder or file of a module, as the docs name it."""
    part = [*module.split("."), GROUND][1]
    return part if part in allowed else GROUND


def test_every_folder_stands_in_the_order() -> None:
    folders = {path.parent.name for name, path in FILES.items() if path.parent.name != PACKAGE}
    assert folders <= set(allowed_imports())


def test_imports_follow_the_one_order() -> None:
    allowed = allowed_imports()
    breaches = [
        f"{module} imports {name}"
        for module, path in FILES.items()
        for name in imports_of(path)
        if part_of(name, allowed) not in allowed.get(part_of(module, allowed), set()) | {GROUND}
    ]
    assert breaches == []


def test_no_module_imports_itself_through_others() -> None:
    graph = {name: set(imports_of(path)) - {name} for name, path in FILES.items()}
    assert list(TopologicalSorter(graph).static_order())
