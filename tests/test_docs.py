"""What README and docs show can be run as it stands, and what there is, they name."""

import re
import shlex
import shutil
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import click
import pytest
from command_line import run
from platformdirs.macos import MacOS
from platformdirs.unix import Unix

from agentpprof.cli import _COMMANDS, group
from agentpprof.config import SETTINGS
from agentpprof.encoders import ENCODERS
from agentpprof.profile.fields import FIELDS
from agentpprof.profile.views import VIEWS
from agentpprof.service import service_for
from agentpprof.vocabulary import OUTCOMES, PHASE_OF, REPEATS, RESULTS, TAGS, TOKENS

REPOSITORY = Path(__file__).parents[1]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
# Commands that would wait, change the machine, or need what a test has not: a model's server.
LEFT_OUT = re.compile(
    r"^(watch(?!.* --once)|service|restore|forget|tags run|tags compare)\b|--tagger llm|…"
)
_BLOCK = re.compile(r"```(?:bash|sh)\n(.*?)```", re.DOTALL)
_IN_TABLE = re.compile(r"^\|.*`(agentpprof [^`]* [^`]*)`", re.MULTILINE)


def lines_of(text: str) -> Iterator[str]:
    """Yield the shell lines of a page: its blocks, lines joined, and commands in tables."""
    for block in _BLOCK.findall(text):
        yield from re.sub(r"\\\n\s*", " ", block).splitlines()
    yield from (found.replace("\\|", "|") for found in _IN_TABLE.findall(text))


def words_of(line: str) -> list[str]:
    """Return the words of the first agentpprof call of a line, without what comes behind it."""
    reader = shlex.shlex(line, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    reader.commenters = "#"
    words: list[str] = []
    for word in reader:
        if set(word) <= set("|&;<>()"):
            break
        words.append(word)
    return words


def commands_of(page: Path) -> list[list[str]]:
    """Return the arguments of all agentpprof calls on a page."""
    calls = (words_of(line) for line in lines_of(page.read_text(encoding="utf-8")))
    found = [words[1:] for words in calls if words and words[0] == "agentpprof"]
    return [arguments for arguments in found if not LEFT_OUT.search(shlex.join(arguments))]


@pytest.fixture
def demo_machine(isolated_machine: Path, demo_logs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose history is the demo's, asked for all projects unless told otherwise."""
    shutil.copytree(demo_logs / "claude" / ".claude", isolated_machine / ".claude")
    shutil.copytree(demo_logs / "codex" / ".codex", isolated_machine / ".codex")
    monkeypatch.setenv("AGENTPPROF_PROJECT", "all")
    place = isolated_machine / "place"
    place.mkdir()
    for name in ("agentpprof", "docs"):  # pages name files below the repository
        (place / name).symlink_to(REPOSITORY / name)
    (place / "docs").unlink()
    (place / "docs").mkdir()
    (place / "areas.rules").write_text("area:api=path=shop\n")
    monkeypatch.chdir(place)
    return isolated_machine


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_runs(
    page: Path, demo_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page.read_text(encoding="utf-8")
    for name, content in re.findall(r"cat > (\S+) <<'END'\n(.*?)^END$", text, re.S | re.M):
        Path(name).write_text(content, encoding="utf-8")
    for name, value in re.findall(r"^export (\w+)=(\S+)$", text, re.MULTILINE):
        monkeypatch.setenv(name, value.replace("$PWD", str(Path.cwd())))
    # Relative times lie behind the demo's month: nothing is left, and that is an answer too.
    for arguments in commands_of(page):
        ran = run(*arguments)
        is_relative = re.search(r"(since|until)[= ]\d+d", shlex.join(arguments))
        allowed = (0, 1) if is_relative else (0,)
        assert ran.code in allowed, f"{shlex.join(arguments)}\n{ran.err}"


def test_pages_show_commands() -> None:
    counts = {page.name: len(commands_of(page)) for page in PAGES}

    assert counts["README.md"] >= 5
    assert counts["recipes.md"] >= 30
    assert counts["getting-started.md"] >= 10


_RULES = ("--where", "--op-map", "--stack-rule", "--tag-rule")
# Where rules are shown: commands, lines of help, code within a line; and lists of settings.
_SHOWN = re.compile(
    r"^ *(agentpprof .*|--(?:where|op-map|stack-rule).*)$|`([^`\n]+)`", re.MULTILINE
)
_SETTINGS = re.compile(r"^tag_rules = \[(.*?)\]\s", re.MULTILINE | re.DOTALL)
_FRAMES_OF_TAGS = {"prompt": "task", "all": "task", "session": "session", "llm": "llm"}


def rules_of(page: Path) -> Iterator[list[str]]:
    """Yield the view and the rules of each command, or piece of one, that a page shows."""
    text = re.sub(r"\\\n\s*", " ", page.read_text(encoding="utf-8"))
    for listed in _SETTINGS.findall(text):
        yield from (["--tag-rule", rule] for _, rule in re.findall(r"(['\"])(.+?)\1", listed))
    for command, code in _SHOWN.findall(text):
        shown = command or code
        if any(f"{name} " in shown for name in _RULES) and "REGEX" not in shown:
            words = words_of(shown.replace("\\|", "|"))
            pairs = pairwise(words)
            yield [word for pair in pairs if pair[0] in (*_RULES, "--view") for word in pair]


def frame_of(option: str, rule: str) -> tuple[str, str]:
    """Return field and frame that show that a rule has matched; of --where any will do."""
    field, _, label = rule.partition("=")[0].partition(":")
    if option == "--where":
        return "op", ":"
    field = _FRAMES_OF_TAGS[field] if option == "--tag-rule" else field
    return field, f"{field}:{label}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if list(rules_of(page))], ids=lambda page: page.name
)
def test_every_rule_of_a_page_matches_something(page: Path, demo_machine: Path) -> None:
    for arguments in rules_of(page):
        view = [] if "--view" in arguments else ["--view", "operations"]
        for option, rule in zip(arguments[::2], arguments[1::2], strict=True):
            if option in _RULES:
                field, frame = frame_of(option, rule)
                ran = run("-o", "-", "--format", "folded", "--stack", field, *view, *arguments)
                assert ran.code == 0, (arguments, ran.err)
                assert frame in ran.out.decode(), arguments


def test_words_are_those_of_a_shell() -> None:
    assert words_of("agentpprof -o - --where cmd='^(a|b)$' | sort # x") == [
        "agentpprof", "-o", "-", "--where", "cmd=^(a|b)$",
    ]  # fmt: skip
    assert words_of("agentpprof -o a.pb.gz && go tool pprof a.pb.gz")[-1] == "a.pb.gz"


# ------------------------------------------------------------------ what there is, is named


def written() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def test_every_command_is_named() -> None:
    text = written()
    assert [name for name in _COMMANDS if f"agentpprof {name}" not in text] == []


def options_of(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from (name for name in parameter.opts if name.startswith("--"))
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from options_of(each)


@pytest.mark.parametrize("name", _COMMANDS)
def test_every_option_is_named(name: str) -> None:
    text = written()
    command: click.Command = import_module(f"agentpprof.commands.{name}").command
    missing = [option for option in options_of(command) if option not in text]
    assert missing == []


def test_every_format_view_field_tag_and_setting_is_named() -> None:
    text = written()
    extensions = [end for each in ENCODERS.values() for end in each.extensions]
    closed = (TAGS, PHASE_OF, RESULTS, OUTCOMES, REPEATS, TOKENS)
    names = [name for each in (ENCODERS, extensions, VIEWS, FIELDS, *closed) for name in each]
    assert [name for name in names if f"`{name}`" not in text] == []
    assert [name for name in SETTINGS if name not in text] == []
    variables = [each.variable for each in SETTINGS.values()]
    assert [name for name in (*variables, "AGENTPPROF_CONFIG") if name not in text] == []


def test_the_page_of_questions_names_the_folders_of_each_system(
    isolated_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (REPOSITORY / "docs" / "faq.md").read_text(encoding="utf-8")
    for system in (Unix, MacOS):
        places = system("agentpprof", appauthor=False)
        for place in (places.user_data_dir, places.user_config_dir, places.user_cache_dir):
            assert f"`~{place.removeprefix(str(isolated_machine))}`" in text
    for service in (service_for(Path("a.db"), name) for name in ("linux", "darwin")):
        assert f"`~/{service.path.parent.relative_to(isolated_machine)}`" in text


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere() -> None:
    for page in (*PAGES, REPOSITORY / "CONTRIBUTING.md", REPOSITORY / "CHANGELOG.md"):
        text = page.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", text):
            if not target.startswith(("http:", "https:", "mailto:")):
                place = page.parent / target if target else page
                assert place.exists(), f"{page.name}: {target}"
                assert not anchor or anchor in anchors_of(place), f"{page.name}: #{anchor}"


@pytest.mark.slow
def test_the_pictures_of_the_gallery_are_what_its_commands_draw(demo_machine: Path) -> None:
    for arguments in commands_of(REPOSITORY / "docs" / "gallery.md"):
        assert run(*arguments).code == 0
    drawn = sorted(Path("docs/images").iterdir())
    assert [path.name for path in drawn] == sorted(
        path.name for path in (REPOSITORY / "docs" / "images").iterdir()
    )
    stale = [p.name for p in drawn if p.read_bytes() != (REPOSITORY / p).read_bytes()]
    assert stale == [], "make gallery draws them anew"


def test_the_readme_leads_to_every_page() -> None:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES[1:] if f"](docs/{page.name})" not in text] == []


def test_the_group_has_a_help_for_every_command() -> None:
    for name in _COMMANDS:
        ran = run(name, "--help")
        assert (ran.code, ran.out.startswith(b"Usage: agentpprof")) == (0, True), name
    assert group.name is not None
