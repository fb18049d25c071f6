"""What a tool call means: the record that `semantics.tools.describe_call` returns."""

from msgspec import Struct


class Meaning(Struct, frozen=True, gc=False):
    """What one tool call means, from its name and input alone.

    `object` is an absolute path in normal form where `object_kind` is `path` (relative only if
    the working folder is not known), else a name. `paths` and `hosts` are pairs with an access.
    """

    action: str
    object_kind: str
    object: str
    category: str = "tool"
    cmd: str = ""
    effect: str = "process"
    process: str = ""  # programs of a shell call joined by blanks, outermost first
    paths: tuple[tuple[str, str], ...] = ()
    hosts: tuple[tuple[str, str], ...] = ()
    command: str = ""  # the text that rules on `command` see
    skill: str = ""  # the skill that this call starts
    agent_type: str = ""  # the kind of sub-agent that this call starts
    answers: bool = False  # an exit code 1 of this call is an answer ("no match"), no error
