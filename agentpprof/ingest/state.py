"""What assembling carries from one read of a file to the next: plain, bounded, versioned.

It holds nothing that another file may change.
"""

from msgspec import Struct
from msgspec.structs import replace

from agentpprof.ingest.repeats import Repeats
from agentpprof.ingest.timeline import Timeline
from agentpprof.store.rows import OperationRow, SessionRow

STATE_VERSION = 1
MAX_CALLS = 256
MAX_THREADS = 64
MAX_RESPONSES = 8
MAX_ANSWERS = 32


class Thread(Struct, array_like=True, gc=False):
    """One line of work in a file: the main one, or a sub-agent's."""

    timeline: Timeline
    repeats: Repeats
    prompt: OperationRow | None = None
    skill: str = ""
    last_response: str = ""


class AssemblyState(Struct, gc=False):
    """What assembling carries from one read of a file to the next."""

    version: int = STATE_VERSION
    threads: dict[str, Thread] = {}
    calls: dict[str, OperationRow] = {}  # those whose result may come, by natural id
    responses: dict[str, OperationRow] = {}  # the last ones, by natural id
    signatures: dict[str, str] = {}  # live call id -> its signature, to note how it ended
    sessions: dict[str, SessionRow] = {}
    asking: dict[str, bool] = {}  # live calls whose exit code 1 is an answer, by natural id
    answers: list[str] = []  # the last calls that ended with a "no": their result may come again


def state_for_saving(state: AssemblyState) -> AssemblyState:
    """Return the state without what the database has anyway: texts of prompts and calls."""
    threads = {
        name: replace(thread, prompt=replace(thread.prompt, text=None, text_hash=None))
        if thread.prompt is not None
        else thread
        for name, thread in state.threads.items()
    }
    calls = {call_id: replace(row, text=None) for call_id, row in state.calls.items()}
    return replace(state, threads=threads, calls=calls)
