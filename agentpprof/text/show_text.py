"""A session's timeline as lines for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentpprof.counts import counted
from agentpprof.encoders.amounts import humanise, noun_of
from agentpprof.privacy import PublicText
from agentpprof.profile.timeline_rows import Step
from agentpprof.terminal import show
from agentpprof.text.top_text import Line, Paper, cut
from agentpprof.zones import time_text

_INDENT = " " * 10
_OUTCOME_STYLES = {"failed": "red", "interrupted": "red", "answered": "green"}


def timeline_lines(
    head: Mapping[str, Any],
    steps: Sequence[Step],
    texts: Mapping[int, str],
    zone: str,
    paper: Paper,
) -> list[Line]:
    """Return the session and its prompts."""
    lines = _head_lines(head, zone, paper)
    day = ""
    for step in steps:
        today = time_text(step.started_at_ms, zone, "%Y-%m-%d")
        if today and today != day:
            lines += [[], [(today, "bold")]]
            day = today
        lines += _step_lines(step, texts.get(step.prompt_key), zone, paper)
    return lines


def _head_lines(head: Mapping[str, Any], zone: str, paper: Paper) -> list[Line]:
    title = f"{head['session_id']} · {head['project']} · {head['agent']} · {head['tag']}"
    start = time_text(head["started_at_ms"], zone, "%Y-%m-%d %H:%M")
    end = time_text(head["ended_at_ms"], zone, "%Y-%m-%d %H:%M")
    cost = f"{_cost(head['tokens'], head['work_ms'])} · {_calls(head['calls'], head['failed'])}"
    facts = f"{start} to {end} · {cost}" if start else f"no time · {cost}"
    return [[(cut(title, paper), "bold")], [(cut(facts, paper), "dim")]]


def _step_lines(step: Step, text: str | None, zone: str, paper: Paper) -> Iterator[Line]:
    """Yield the prompt's own line, then what was done for it."""
    at = time_text(step.started_at_ms, zone, "%H:%M:%S") or ("" if step.prompt_key else "before")
    cost = f"{_cost(step.tokens, step.work_ms)} · {_calls(step.calls, step.failed)}"
    line = [
        (f"{at:<10}", ""),
        (f"{step.tag:<10}", "blue"),
        (f"{step.outcome:<12}", _OUTCOME_STYLES.get(step.outcome, "")),
    ]
    if paper.width is not None and sum(len(piece) for piece, _ in line) + len(cost) > paper.width:
        yield line
        yield [(cut(_INDENT + cost, paper), "")]
    else:
        yield [*line, (cost, "")]
    if text:
        yield [(cut(f"{_INDENT}“{show(text)}”", paper), "italic")]
    actions = ", ".join(
        f"{PublicText(action)} {calls}" + (f" ({failed} failed)" if failed else "")
        for action, (calls, failed) in sorted(step.actions.items(), key=lambda each: -each[1][0])
    )
    if actions:
        yield [(cut(_INDENT + actions, paper), "yellow")]
    if step.repeats:
        repeats = ", ".join(f"{name} {count}" for name, count in sorted(step.repeats.items()))
        yield [(cut(f"{_INDENT}repeated: {repeats}", paper), "red")]
    for kind, done in sorted(step.subagents.items()):
        count = len(done.sessions)
        told = (
            f"{_INDENT}sub-agent {PublicText(kind)}" + (f" × {count}" if count > 1 else "") + ": "
            f"{_tokens(done.tokens)}, {_calls(done.calls, 0)}"
        )
        yield [(cut(told, paper), "magenta")]


def _tokens(tokens: int) -> str:
    return f"{humanise(tokens, 'count')} {noun_of('tokens', tokens)}"


def _cost(tokens: int, work_ms: int) -> str:
    seconds = humanise(round(work_ms / 1000), "seconds")
    return f"{_tokens(tokens)} · {seconds}"


def _calls(calls: int, failed: int) -> str:
    told = counted(calls, "call")
    return f"{told}, {failed:,} failed" if failed else told
