"""Tags are made once: a second run tags nothing, changed rules tag only what they touch."""

from collections.abc import Callable
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import database, run, stacks

from agentpprof.models import PromptRow
from agentpprof.store import tag_cache
from agentpprof.store.database import default_path, opened_for_reading
from agentpprof.store.queries import read_prompts
from agentpprof.tagging import builtin, tagger
from agentpprof.tagging.rules import parse_tag_rule
from agentpprof.tagging.tagger import DEFAULT_TAGGER, Tagger

TEXTS = (
    "Fix the failing test of the cart",
    "Roll out the cart",
    "Write the README",
    "Why is the total wrong?",
)


class Calls:
    """What the built-in tagger was asked for, and how often rules were searched for."""

    def __init__(self) -> None:
        self.builtin: list[str] = []
        self.ruled: list[str] = []

    def taken(self) -> tuple[list[str], list[str]]:
        """Return (texts the built-in tagger saw, texts rules saw) since the last time, sorted."""
        both = sorted(self.builtin), sorted(self.ruled)
        self.builtin, self.ruled = [], []
        return both


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Count the calls of both taggers."""
    counted = Calls()
    tag_prompt, by_rules = builtin.tag_prompt, tagger.Tagger.by_rules

    def counting(text: str, slash_command: str = "") -> str:
        counted.builtin.append(text)
        return tag_prompt(text, slash_command)

    def counting_rules(self: Tagger, kind: str, texts: list[str]) -> list[str]:
        if kind == "prompt" and self.rules:
            counted.ruled += texts
        return by_rules(self, kind, texts)

    monkeypatch.setattr(builtin, "tag_prompt", counting)
    monkeypatch.setattr(tagger.Tagger, "by_rules", counting_rules)
    return counted


@pytest.fixture
def home(isolated_machine: Path) -> Path:
    """Give a home with one session of four prompts."""
    log = ClaudeSession("aaaa", cwd="/home/dev/shop")
    for text in TEXTS:
        log.user(text)
    log.user(TEXTS[0])  # a text that comes twice is tagged once
    log.write(isolated_machine / ".claude")
    return isolated_machine


def profile(*rules: str, no_cache: bool = False) -> dict[str, int]:
    """Profile anew: outputs are told apart by a label, so none comes from the cache of outputs."""
    profile.number += 1  # type: ignore[attr-defined]
    options = [part for rule in rules for part in ("--tag-rule", rule)]
    depth = str(profile.number % 19 + 1)  # type: ignore[attr-defined]
    extra = ["--no-cache"] if no_cache else []
    return stacks("--stack", "task", "--path-depth", depth, *options, *extra)


profile.number = 0  # type: ignore[attr-defined]


def test_a_second_profile_tags_nothing(home: Path, calls: Calls) -> None:
    first = profile()
    assert calls.taken() == (sorted(TEXTS), [])
    assert profile() == first
    assert run("index", "-q").code == 0
    assert run("tags", "--all-projects").code == 0
    assert calls.taken() == ([], [])


def test_a_second_profile_with_the_same_rules_tags_nothing(home: Path, calls: Calls) -> None:
    first = profile("prompt:deploy=Roll out")
    assert first["task:deploy"] == 1
    seen, ruled = calls.taken()
    assert seen == sorted(set(TEXTS) - {TEXTS[1]}), "what a rule tags, the built-in one never sees"
    assert ruled == sorted(TEXTS)
    assert profile("prompt:deploy=Roll out") == first
    assert calls.taken() == ([], [])


def test_a_changed_rule_tags_only_what_it_touches(home: Path, calls: Calls) -> None:
    profile("prompt:deploy=Roll out", "prompt:writing=README")
    calls.taken()
    changed = profile("prompt:deploy=Roll out", "prompt:question=^Why")
    assert changed == {"task:debug": 2, "task:deploy": 1, "task:docs": 1, "task:question": 1}
    assert calls.taken()[0] == [TEXTS[2]], "only the text that lost its rule is new"
    assert sum(profile("prompt:other=cart").values()) == 5
    assert calls.taken()[0] == []


def test_rules_added_to_a_tagged_history_call_no_built_in_tagger(home: Path, calls: Calls) -> None:
    profile()
    calls.taken()
    assert profile("prompt:cart=cart")["task:cart"] == 3
    assert calls.taken() == ([], sorted(TEXTS))


def test_only_new_prompts_are_tagged(home: Path, calls: Calls) -> None:
    profile("prompt:cart=cart")
    calls.taken()
    log = ClaudeSession("bbbb", cwd="/home/dev/shop")
    log.user("Commit this")
    log.write(home / ".claude")
    profile("prompt:cart=cart")
    assert calls.taken() == (["Commit this"], ["Commit this"])


def test_no_cache_saves_nothing_and_tags_alike(home: Path, calls: Calls) -> None:
    first = profile(no_cache=True)
    with database(default_path()) as connection:
        assert connection.execute("select count(*) from tag").fetchone() == (0,)
    calls.taken()
    assert profile(no_cache=True) == first
    assert calls.taken()[0] == sorted(TEXTS)


def test_tags_are_stored_with_provenance_and_time(home: Path) -> None:
    profile()
    profile("prompt:deploy=Roll out")
    with database(default_path()) as connection:
        definitions = dict(connection.execute("select id, definition from tagger"))
        rows = connection.execute("select tagger_id, tag, created_at_ms from tag").fetchall()
    assert sum("prompt:deploy=Roll out" in text for text in definitions.values()) == 1
    assert sum(text == DEFAULT_TAGGER.definition() for text in definitions.values()) == 1
    assert len(rows) == 2 * len(TEXTS)
    assert all(at_ms > 0 for _, _, at_ms in rows)


def test_rules_of_a_run_never_change_what_views_show(home: Path) -> None:
    profile()
    profile("prompt:deploy=Roll out")
    with database(default_path()) as connection:
        tags = {row[0] for row in connection.execute("select tag from prompts")}
    assert "deploy" not in tags


def hashes(prompts: list[PromptRow]) -> set[int]:
    return {prompt.text_hash for prompt in prompts}


def test_one_run_with_several_looks_tags_once(home: Path, calls: Calls) -> None:
    assert run("index", "-q").code == 0
    calls.taken()
    rules = (parse_tag_rule("prompt:deploy=Roll out"),)
    new = tag_cache.NewTags({}, {})
    with opened_for_reading(default_path()) as connection:
        prompts = read_prompts(connection)
        look: Callable[[], object] = lambda: tag_cache.tags_of_prompts(  # noqa: E731
            connection, Tagger(rules), prompts, new
        )
        assert look() == look()
    assert set(new.tags) == hashes(prompts)
    assert calls.taken() == ([], sorted(TEXTS))
