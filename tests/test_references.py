"""What code, SQL and tests cite exists: a page, a section of it, a row of its tables."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
CODE = ("agentpprof", "bench", "migrations", "sql", "tests")
SUFFIXES = {".py", ".sql", ".toml"}
# A page, then the section or the rows that are meant: docs/a.md, "How"; docs/a.md, S15 to S23.
_CITED = re.compile(
    r'(?<![\w/."])docs/([\w-]+\.md)(?:,? (?:[A-Z]\d+ and )?("[^"]+"|[A-Z]\d+[^.;)]*))?'
)
_ROW = re.compile(r"\b[A-Z]\d+\b")
_LINE_BREAK = re.compile(r"\s*\n\s*(?:#|--)?\s*")
# Places that nobody outside can open, and a tracker without its owner.
_NOWHERE = re.compile(
    r"\bformats/[\w-]+\.md|\brule R\d|\(R\d+\)|\bsections? \d(?!\.)|(?<![\w/-])\w+#\d{2,}"
)
_LINK = re.compile(r"\]\(([\w./-]*)#([\w-]+)\)")


def files() -> Iterator[Path]:
    """Yield every file of code, SQL, settings and tests but this one."""
    yield from (REPOSITORY / "Makefile", REPOSITORY / "pyproject.toml")
    for folder in CODE:
        for path in sorted((REPOSITORY / folder).rglob("*")):
            if path.suffix in SUFFIXES and path != Path(__file__):
                yield path


def headings(page: Path) -> list[str]:
    """Return the titles of a page's sections."""
    return re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)


def anchor_of(title: str) -> str:
    """Return the anchor that a heading gets on GitHub."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def faults_of(text: str) -> Iterator[str]:
    """Yield what a text cites and nobody can find."""
    flat = _LINE_BREAK.sub(" ", text)
    yield from (found.group() for found in _NOWHERE.finditer(flat))
    for found in _CITED.finditer(flat):
        page, place = REPOSITORY / "docs" / found.group(1), found.group(2) or ""
        if not page.is_file():
            yield found.group()
        elif place.startswith('"'):
            if place.strip('"') not in headings(page):
                yield found.group()
        elif any(f"| {row} |" not in page.read_text("utf-8") for row in _ROW.findall(place)):
            yield found.group()


@pytest.mark.parametrize(
    "text",
    [
        '(docs/none.md, "How")',
        'see docs/reliability.md, "Why"',
        "docs/reliability.md, F4 and F999",
        "docs/reliability.md,\n# F999 to F2",
        "formats/claude-code.md section 3",
        "reliability rule R2",
        "(cc#22671)",
    ],
)
def test_what_leads_nowhere_is_found(text: str) -> None:
    assert list(faults_of(text))


@pytest.mark.parametrize(
    "text",
    [
        'docs/reliability.md, P3 and "How"',
        'docs/reliability.md,\n# "How"',
        "docs/security.md, S15 to S18",
        "(anthropics/claude-code#22671)",
        "/home/dev/shop/docs/cart.md",
    ],
)
def test_what_can_be_found_is_no_fault(text: str) -> None:
    assert not list(faults_of(text))


def test_what_the_code_cites_exists() -> None:
    faults = [
        f"{path.relative_to(REPOSITORY)}: {fault}"
        for path in files()
        for fault in faults_of(path.read_text(encoding="utf-8"))
    ]
    assert faults == []


def test_links_into_pages_meet_a_section() -> None:
    pages = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md")]
    missing = [
        f"{page.name}: {name}#{anchor}"
        for page in pages
        for name, anchor in _LINK.findall(page.read_text(encoding="utf-8"))
        if anchor not in map(anchor_of, headings(page.parent / name if name else page))
    ]
    assert missing == []
