"""Python's search for cyclic garbage, paused where it only costs time."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collection() -> Iterator[None]:
    """Pause the search while many rows are made: none is cyclic, and each search walks them all.

    It takes a tenth of indexing and up to half of encoding a large profile.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
