"""The agents whose logs we read: where they lie, and which module decodes them.

Light on purpose: a run that finds nothing new never imports a decoder. A new agent is one module
with `initial_state`, `State`, `decode`, `looks_like` and `PARSER_VERSION`, and one line in AGENTS.
"""

import importlib
import re
from types import ModuleType
from typing import NamedTuple


class Agent(NamedTuple):
    """Where one agent keeps its logs."""

    home_variable: str  # a comma list of homes in the environment, instead of the usual ones
    homes: tuple[str, ...]
    log_folders: tuple[str, ...]  # below a home
    log_name: re.Pattern[str]
    module: str
    parser_version: int  # raised when a log would now be read differently; files are read again


AGENTS: dict[str, Agent] = {
    "claude": Agent(
        "CLAUDE_CONFIG_DIR",
        ("~/.claude", "~/.config/claude"),
        ("projects",),
        re.compile(r"(?!journal\.jsonl$|history\.jsonl$).+\.jsonl\Z", re.DOTALL),
        "agentpprof.agents.claude",
        1,
    ),
    "codex": Agent(
        "CODEX_HOME",
        ("~/.codex",),
        ("sessions", "archived_sessions"),
        re.compile(r"rollout-.+\.jsonl(?:\.zst)?\Z", re.DOTALL),
        "agentpprof.agents.codex",
        1,
    ),
}


def decoder_of(agent: str) -> ModuleType:
    """Return the module that decodes an agent's logs."""
    return importlib.import_module(AGENTS[agent].module)
