"""One of a thing is told in the singular, wherever a command counts."""

import re
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import run

from agentpprof.counts import counted
from agentpprof.encoders.amounts import amount

_ONE_OF_MANY = re.compile(
    r"(?<![\d,.])\b1 (?:more |new |other |damaged |log |of 1 |log )*[a-z-]{3,}s\b"
)
_NO_PLURALS = ("less", "was", "has", "status", "class", "unless")

COMMANDS = [
    ("index", "-v"),
    ("watch", "--once"),
    ("status",),
    ("doctor", "--deep"),
    ("doctor", "--repair"),
    ("top", "--all-projects", "--rows", "1"),
    ("top", "--all-projects", "--tree"),
    ("top", "--all-projects", "--view", "operations", "--where", "op=prompt"),
    ("top", "--all-projects", "--view", "files"),
    ("diff", "all", "all", "--all-projects", "--by", "op", "--rows", "1"),
    ("sessions", "--all-projects", "--rows", "1"),
    ("show", "aaaa1111"),
    ("audit", "--all-projects"),
    ("tags", "report", "--all-projects", "--include-previews"),
    ("tags", "list", "--all-projects"),
    ("-o", "{}/a.pb.gz", "--all-projects", "-v"),
    ("-o", "-", "--format", "svg", "--all-projects", "--view", "files"),
    ("check", "{}/b.pb.gz"),
    ("search", "cart"),
    ("ask",),
    ("forget", "--session-id", "aaaa1111", "--yes", "-v"),
]


def one_of_each(home: Path) -> None:
    log = ClaudeSession("aaaa1111-0000-4000-8000-000000000001", cwd="/home/dev/shop")
    log.user("Fix the failing test of the cart")
    log.call("Read", {"file_path": "/home/dev/shop/src/cart/total.py"}, "total = 1")
    log.write(home / ".claude")


@pytest.mark.parametrize("command", COMMANDS)
def test_one_is_no_plural(isolated_machine: Path, tmp_path: Path, command) -> None:
    one_of_each(isolated_machine)
    if command[0] not in ("index", "watch", "status"):
        assert run("-q", "-o", tmp_path / "b.pb.gz", "--all-projects").code == 0
    ran = run(*(each.format(tmp_path) for each in command))
    told = re.sub(r"<script.*?</script>|<style.*?</style>", "", ran.out.decode(), flags=re.DOTALL)
    found = [found[0] for found in _ONE_OF_MANY.finditer(told + ran.err)]
    assert [text for text in found if not text.endswith(_NO_PLURALS)] == []


def test_counts_in_words() -> None:
    assert [counted(number, "box", "boxes") for number in (0, 1, 2)] == [
        "0 boxes",
        "1 box",
        "2 boxes",
    ]
    assert counted(1234, "session") == "1,234 sessions"
    assert amount(1, "file_events", "count") == "1 file event"
    assert amount(1, "duration", "seconds") == "1 s"
