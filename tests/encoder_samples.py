"""Profiles that the encoder tests share: a small readable one, nasty names, any at all."""

import random
import string
from functools import cache

from hypothesis import strategies as st

from agentpprof.models import Profile, Sample, Samples
from agentpprof.privacy import PublicText, frame

STARTED = 1_793_523_600_000  # 2026-11-01 09:00 UTC
NASTY = (
    "Edit <x> y (z)",
    "a::b(c)[d]",
    "_Z3foov",
    "文档/日本語",
    "🚀 emoji",
    "שלום עולם",
    "a;b;c",
    "line\nbreak\r\x00end",
    "step 5",
    "step 5 7",
    'quote"&<script>alert(1)</script>',
    "]]><script>",
    "x" * 10_000,
    "\udc80 lone",
    "\u202eturned",
    "हिन्दी",
    "",
)


def raw(text: str) -> PublicText:
    """Return a text that went past the cleaning, as no code of ours does."""
    return str.__new__(PublicText, text)


def profile(rows: dict[str, int], **changes: object) -> Profile:
    """Build a profile from folded stacks, without labels unless given as samples."""
    samples = [
        Sample(tuple(map(PublicText, stack.split(";"))), (), value) for stack, value in rows.items()
    ]
    plain = Profile("tokens", "tokens", "count", Samples.of(samples))
    return plain._replace(**changes)  # type: ignore[arg-type]


def small(unit: str = "count", sample_type: str = "tokens") -> Profile:
    """Return a profile a person can check by hand: two tasks, labels, a failure, comments."""
    labels = {
        day: (
            ("project", PublicText("shop")),
            ("agent", PublicText("claude")),
            ("day", PublicText(day)),
        )
        for day in ("2026-11-01", "2026-11-02")
    }
    rows = [
        ("debug", "explore", "read", "src/api", "ok", "2026-11-01", 1200),
        ("debug", "explore", "read", "src/api", "ok", "2026-11-02", 300),
        ("debug", "test", "test", "pytest", "error", "2026-11-01", 2500),
        ("debug", "edit", "edit", "src/api", "ok", "2026-11-02", 900),
        ("feature", "edit", "create", "src/store/migrations", "ok", "2026-11-02", 4100),
        ("feature", "model", "answer", "claude-opus-4-5", "final", "2026-11-02", 1),
        ("feature", "run", "run", "cargo", "ok", "2026-11-02", 0),
    ]
    kinds = ("task", "phase", "action", "object", "result")
    samples = (Sample(tuple(map(frame, kinds, row[:5])), labels[row[5]], row[6]) for row in rows)
    return Profile(
        view="time" if unit == "seconds" else "tokens",
        sample_type=sample_type,
        unit=unit,
        samples=Samples.of(samples),
        comments=(PublicText("agentpprof_0.1.0"), PublicText("since:2026-11-01")),
        started_at_ms=STARTED,
        ended_at_ms=STARTED + 92_000_000,
        sessions=({"session_id": "s1", "prompts": 3, "project": "shop"},),
        project=PublicText("shop"),
    )


def nasty() -> Profile:
    """Return hostile names, once through the cleaning and once past it."""
    cleaned = [frame("object", name) for name in NASTY]
    hostile = [raw(f"object:{name}") for name in NASTY]
    samples = [Sample((frame("task", "t"), name), (("session", name),), 3) for name in cleaned]
    samples += [Sample((frame("task", "t"), name, name), (), 5) for name in hostile]
    return Profile("operations", "operations", "count", Samples.of(samples))


@cache
def large(stacks: int, seed: int = 1) -> Profile:
    """Return many stacks of eight frames with labels, as uneven as real ones are."""
    chance = random.Random(seed)
    kinds = ("task", "skill", "phase", "action", "object", "repeat", "result", "outcome")
    sizes = (20, 10, 12, 25, 4000, 3, 6, 4)
    sets = [
        tuple((key, PublicText(f"{key}{number % size}")) for key, size in _LABELS)
        for number in range(300)
    ]
    values: dict[tuple[PublicText, ...], int] = {}
    while len(values) < stacks:
        stack = tuple(map(frame, kinds, (_uneven(chance, size) for size in sizes)))
        values[stack] = int(chance.paretovariate(0.8) * 100)
    samples = [Sample(stack, chance.choice(sets), value) for stack, value in values.items()]
    return profile(
        {}, samples=Samples.of(samples), started_at_ms=STARTED, ended_at_ms=STARTED + 10**9
    )


_LABELS = (("project", 7), ("agent", 2), ("session", 300), ("model", 3), ("day", 30))


def _uneven(chance: random.Random, size: int) -> str:
    return f"value{min(int(chance.paretovariate(0.35)), size)}"


texts = st.text(max_size=12) | st.sampled_from(NASTY) | st.text(string.printable, max_size=70)
frames = st.builds(frame, st.sampled_from(["task", "phase", "object", "result", "own"]), texts)
labels = st.lists(
    st.tuples(st.sampled_from(["day", "agent"]), st.builds(PublicText, texts)),
    max_size=2,
    unique_by=lambda label: label[0],
).map(lambda found: tuple(sorted(found)))
rows = st.builds(
    Sample,
    st.lists(frames, max_size=5).map(tuple),
    labels,
    st.integers(0, 10**6) | st.sampled_from([0, 1, 2**40]),
)
profiles = st.lists(rows, max_size=30).map(lambda found: profile({}, samples=Samples.of(found)))
