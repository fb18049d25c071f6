"""`agentpprof check FILE`: would every reader of pprof files take this one?"""

from pathlib import Path
from typing import Any

import click

from agentpprof.commands.options import debug_option
from agentpprof.commands.sections import OnceCommand
from agentpprof.counts import counted
from agentpprof.encoders.check import check_pprof, decode_pprof
from agentpprof.errors import UsageError
from agentpprof.text.telling import say


@click.command("check", cls=OnceCommand)
@click.argument("path", metavar="FILE")
@debug_option
def command(path: str) -> int:
    """Check a pprof file, whoever made it: what Go's pprof, Parca and Pyroscope refuse or misread.

    Prints what is in it. Exit codes: 0 sound, 1 not, 2 no such file.

    \b
      agentpprof check agent.pb.gz
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path} can't be read ({error.strerror})") from None
    problems = check_pprof(data)
    for problem in problems:
        say(f"{path}: {problem}")
    if problems:
        return 1
    say(f"{path}: sound, {described(decode_pprof(data))}")
    return 0


def described(message: Any) -> str:
    """Return what a sound file holds: samples, and each measure with its sum."""
    texts = message.string_table
    sums = [
        f"{texts[each.type]}/{texts[each.unit]} {sum(s.value[n] for s in message.sample):,}"
        for n, each in enumerate(message.sample_type)
    ]
    return f"{counted(len(message.sample), 'sample')}; {', '.join(sums)}"
