"""A bar on a terminal while logs are read: how much, how fast, how long still."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from agentpprof.ingest.report import Progress

OnProgress = Callable[[Progress], None] | None


@contextmanager
def progress_bar(is_quiet: bool) -> Iterator[OnProgress]:
    """Yield what to tell progress to: a bar on stderr if that is a terminal, else None."""
    if is_quiet or not sys.stderr.isatty():
        yield None
        return
    bar = _Bar()
    try:
        yield bar.update
    finally:
        bar.stop()


class _Bar:
    """Drawn from the second report on, so that a short pass shows none and imports nothing."""

    def __init__(self) -> None:
        self._drawn: Any = None
        self._task: Any = None

    def update(self, progress: Progress) -> None:
        """Draw how far the pass is."""
        if self._drawn is None:
            if progress.bytes_done >= progress.bytes_total:
                return
            self._drawn = _drawn_bar()
            self._task = self._drawn.add_task("reading logs", total=progress.bytes_total)
            self._drawn.start()
        self._drawn.update(self._task, completed=progress.bytes_done)

    def stop(self) -> None:
        """Wipe the bar away."""
        if self._drawn is not None:
            self._drawn.stop()


def _drawn_bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextmanager
def counting_bar(what: str, total: int, is_quiet: bool) -> Iterator[Callable[[], None]]:
    """Yield what to call for each of `total` things that are done; a bar where a terminal is."""
    if is_quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
