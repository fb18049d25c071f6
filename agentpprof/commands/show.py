"""`agentpprof show SESSION`: what each prompt of a session led to, and what it cost."""

from dataclasses import asdict
from typing import Any, Unpack

import click

from agentpprof.commands.options import loudness_options, store_options
from agentpprof.commands.sections import OUTPUT, SESSIONS, OnceCommand, option
from agentpprof.errors import UsageError
from agentpprof.models import SessionInfo
from agentpprof.option_groups import DatabaseOptions, SourceOptions
from agentpprof.privacy import PublicText
from agentpprof.profile.fields import PREVIEW
from agentpprof.profile.selection import Selection, home_of, project_names
from agentpprof.profile.tasks import own_tasks, spawning_prompts
from agentpprof.profile.timeline_rows import Step, steps_of
from agentpprof.runs.chosen import check_loudness
from agentpprof.runs.database_looks import Look, looked_at
from agentpprof.runs.finding import named_session
from agentpprof.runs.source import read_source
from agentpprof.store import queries
from agentpprof.text.printing import paper_of_stdout, print_lines
from agentpprof.text.show_text import timeline_lines
from agentpprof.text.telling import say_json


@click.command("show", cls=OnceCommand)
@click.argument("session_id", metavar="SESSION")
@option(
    OUTPUT,
    "--include-previews",
    is_flag=True,
    help="The beginning of each prompt as well. Not for strangers' eyes.",
)
@option(OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object, numbers exact.")
@option(SESSIONS, "--no-sync", is_flag=True, help="Don't look for new log lines first.")
@store_options
@loudness_options
def command(
    session_id: str, as_json: bool, include_previews: bool, **options: Unpack[DatabaseOptions]
) -> None:
    """Show the timeline of one session: its prompts with cost, tools, repeats and errors.

    SESSION is an id, or the beginning of only one, as agentpprof sessions lists them. The cost of
    a prompt holds what its sub-agents did.

    \b
      agentpprof show f476bfae
      agentpprof show f476bfae --include-previews
    """
    if not session_id:
        raise UsageError("SESSION is empty: write the beginning of an id")
    check_loudness(options["quiet"], options["verbose"])
    source = read_source(_whole(options))
    with looked_at(Selection(), source, options) as look:
        top = named_session(session_id, look.every)
        steps = _steps(look, top)
        texts = {}
        if include_previews:
            found = queries.read_prompt_texts(look.connection, (step.prompt_key for step in steps))
            texts = {key: text[:PREVIEW] for key, (text, _) in found.items()}
    head = _head(look, top, steps)
    if as_json:
        document = {**head, "prompts": [_record(step, texts) for step in steps]}
        say_json(document)
        return
    print_lines(timeline_lines(head, steps, texts, look.zone, paper_of_stdout()))


def _whole(options: DatabaseOptions) -> SourceOptions:
    """Return which logs are read: all that the roots hold."""
    return {
        "claude_roots": options["claude_roots"],
        "codex_roots": options["codex_roots"],
        "database": options["database"],
        "no_sync": options["no_sync"],
        "session_files": (),
        "scan_files": 0,
    }


def _steps(look: Look, top: SessionInfo) -> list[Step]:
    """Return what each prompt led to, tagged by its task."""
    members = _family(top, look.every)
    keys = {member.key for member in members}
    prompts = [prompt for prompt in look.gathered.prompts if prompt.session_key in keys]
    parents = {member.key: member.parent_key for member in members}
    spawned_by = {member.key: member.prompt_key for member in members}
    above = spawning_prompts(prompts, parents, spawned_by)
    rows: Any = queries.read_timeline(look.connection, keys)
    bags = queries.read_bags(look.connection)
    steps = steps_of(top, look.every, prompts, above, ((row, bags[row[2]]) for row in rows))
    tasks = own_tasks(prompts, look.gathered.tags)
    for step in steps:
        step.tag = tasks.get(step.prompt_key, step.tag)
    return steps


def _family(top: SessionInfo, every: dict[int, SessionInfo]) -> list[SessionInfo]:
    """Return a session with all below it."""
    family, known = [top], {top.key}
    for parent in family:
        for each in every.values():
            if each.parent_key == parent.key and each.key not in known:
                known.add(each.key)
                family.append(each)
    return family


def _head(look: Look, top: SessionInfo, steps: list[Step]) -> dict[str, Any]:
    project = project_names(look.every.values()).get(home_of(top, look.every).root or "", "unknown")
    return {
        "session_id": PublicText(top.session_id),
        "agent": top.agent,
        "project": PublicText(project),
        "tag": look.gathered.tag_of_session.get(top.key, "untagged"),
        "started_at_ms": top.started_at_ms,
        "ended_at_ms": top.ended_at_ms,
        "tokens": sum(step.tokens for step in steps),
        "work_ms": sum(step.work_ms for step in steps),
        "calls": sum(step.calls for step in steps),
        "failed": sum(step.failed for step in steps),
    }


def _record(step: Step, texts: dict[int, str]) -> dict[str, Any]:
    """Return one prompt for programs."""
    record = asdict(step)
    del record["prompt_key"]
    record["actions"] = {
        action: {"calls": calls, "failed": failed}
        for action, (calls, failed) in step.actions.items()
    }
    record["subagents"] = {
        PublicText(kind): {"count": len(done.sessions), "tokens": done.tokens, "calls": done.calls}
        for kind, done in step.subagents.items()
    }
    if step.prompt_key in texts:
        record["preview"] = texts[step.prompt_key]
    return record
