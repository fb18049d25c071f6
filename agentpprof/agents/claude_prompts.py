"""User records that hold no tool result, and the queue of messages typed while the agent works."""

from hashlib import blake2b

from agentpprof.agents import claude_users
from agentpprof.agents.claude_messages import add_results, prompt_id
from agentpprof.agents.claude_reading import Reading
from agentpprof.agents.claude_records import CopiedRecord, Message, Record
from agentpprof.agents.facts import OutcomeFact, PromptFact, Where
from agentpprof.agents.times import to_ms
from agentpprof.agents.versions import version_of

_MAX_QUEUED = 16
# From then on a message typed while the agent works has an attachment record of its own.
_QUEUED_AS_ATTACHMENT = (2, 1, 101)


def add_user(reading: Reading, record: Record, offset: int) -> None:
    """Add what a user record is: results, a prompt, an interrupt, or nothing that counts."""
    where = reading.where(record)
    message = record.message
    if message is None:
        drop_command(reading, where, record, offset)
        reading.skip(where, record, offset, "user without a message")
    elif add_results(reading, record, where, offset):
        drop_command(reading, where, record, offset)
    elif record.isCompactSummary:
        reading.skip(where, record, offset, "compaction")
    elif record.isMeta:
        pass  # a caveat, a skill's body, an expansion: context of what follows
    elif record.origin is not None and record.origin.kind not in ("human", None):
        reading.skip(where, record, offset, "injected")
    else:
        drop_command(reading, where, record, offset)
        _add_by_author(reading, record, message, where, offset)


def _add_by_author(
    reading: Reading, record: Record, message: Message, where: Where, offset: int
) -> None:
    """Add a user record by the one who wrote it."""
    author = claude_users.author_of(message)
    if author == "person":
        add_prompt(reading, record, message, where, offset)
    elif author == "command":
        name, typed = claude_users.slash_command(claude_users.text_of(message.content))
        reading.state.command = PromptFact(
            where,
            offset,
            to_ms(record.timestamp),
            prompt_id(record, where, offset),
            "agent" if where.is_subagent else "slash",
            typed,
            name,
        )
    elif author == "interrupt":
        at_ms = to_ms(record.timestamp)
        reading.facts.append(OutcomeFact(where, offset, at_ms, "interrupted"))
    else:
        reading.skip(where, record, offset, author)


def add_prompt(
    reading: Reading, record: Record | CopiedRecord, message: Message, where: Where, offset: int
) -> None:
    """Add a prompt that a person, or in a sub-agent's log its parent, wrote."""
    text = claude_users.without_injections(claude_users.text_of(message.content))
    _forget_queued(reading, text)
    origin = "agent" if where.is_subagent else "typed"
    natural_id = prompt_id(record, where, offset)
    reading.facts.append(
        PromptFact(where, offset, to_ms(record.timestamp), natural_id, origin, text)
    )


def confirm_command(reading: Reading, record: Record) -> None:
    """Make a prompt of a slash command that the agent now answers."""
    if reading.state.command is not None and not record.isSidechain:
        reading.facts.append(reading.state.command)
        reading.state.command = None


def drop_command(reading: Reading, where: Where, record: Record, offset: int) -> None:
    """Count a slash command that no answer followed as a local one."""
    if reading.state.command is not None and not record.isSidechain:
        reading.state.command = None
        reading.skip(where, record, offset, "local_command")


def add_queued_command(reading: Reading, record: Record, offset: int) -> None:
    """Add a message that was typed while the agent worked (2.1.101 and later)."""
    attachment = record.attachment
    if attachment is None or attachment.type != "queued_command":
        return
    where = reading.where(record)
    message = Message(content=attachment.prompt)
    if claude_users.author_of(message) != "person":
        reading.skip(where, record, offset, "injected")
        return
    text = claude_users.without_injections(claude_users.text_of(attachment.prompt))
    _forget_queued(reading, text)
    origin = "agent" if where.is_subagent else "queued"
    natural_id = prompt_id(record, where, offset)
    reading.facts.append(
        PromptFact(where, offset, to_ms(record.timestamp), natural_id, origin, text)
    )


def add_queue_operation(reading: Reading, record: Record, offset: int) -> None:
    """Follow the queue of typed messages; before 2.1.101 only it tells of some prompts."""
    queue = reading.state.queued
    text = record.content if isinstance(record.content, str) else ""
    if record.operation == "enqueue" and text and len(queue) < _MAX_QUEUED:
        where = reading.where(record)
        at_ms = to_ms(record.timestamp)
        natural_id = f"{where.session_id}/queue/{at_ms}/{_hash_text(text)}"
        queue.append(PromptFact(where, offset, at_ms, natural_id, "queued", text))
    elif record.operation == "popAll":
        queue.clear()
    elif record.operation == "dequeue" and queue:
        queue.pop(0)  # it follows as a user record of its own
    elif record.operation == "remove" and queue:
        _add_removed(reading, queue.pop(_index_of(queue, text)), record)


def _add_removed(reading: Reading, prompt: PromptFact, record: Record) -> None:
    """Add a queued prompt that was given to the agent in the middle of its work."""
    is_prompt = claude_users.author_of(Message(content=prompt.text)) == "person"
    version = reading.state.version  # none yet: nothing worked that it could have been given to
    has_attachment = not version or version_of(version) >= _QUEUED_AS_ATTACHMENT
    if is_prompt and not has_attachment and not prompt.text.startswith("/"):
        prompt.at_ms = to_ms(record.timestamp) or prompt.at_ms
        reading.facts.append(prompt)


def _forget_queued(reading: Reading, text: str) -> None:
    """Drop a queued prompt that has now come as a record of its own, so it counts once."""
    if reading.state.queued:
        queued = reading.state.queued
        reading.state.queued = [prompt for prompt in queued if prompt.text != text]


def _index_of(queue: list[PromptFact], text: str) -> int:
    """Return the place of the queued text, the first where the log does not say which."""
    return next((n for n, prompt in enumerate(queue) if prompt.text == text), 0)


def _hash_text(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
