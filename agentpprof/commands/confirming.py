"""Ask before something is done that can't be undone."""

import click

from agentpprof.errors import AgentPprofError


def confirm(question: str) -> None:
    """Ask on stderr; raises AgentPprofError where the answer is no, or nobody is there to answer.

    Ctrl-C goes through, as `click.Abort`.
    """
    try:
        if click.confirm(question, err=True):
            return
    except click.Abort as abort:
        if not isinstance(abort.__context__, EOFError):
            raise
        click.echo(err=True)
        raise AgentPprofError("nobody answered, so nothing was done: add --yes") from None
    raise AgentPprofError("the answer was no, so nothing was done")
