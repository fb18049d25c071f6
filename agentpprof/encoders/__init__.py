"""Output formats: one file each, all `encode(profile, options) -> bytes`, no I/O.

A new format is one file with such a function and one line in `_FORMATS`. The files are imported
when they first encode, so that a run that writes folded text never loads protobuf.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import PurePath
from typing import NamedTuple

from agentpprof.errors import UsageError
from agentpprof.models import OutputOptions, Profile

Encode = Callable[[Profile, OutputOptions], bytes]


class Encoder(NamedTuple):
    """One output format: what its files are called and which module writes it."""

    name: str
    module: str
    extensions: tuple[str, ...]  # the usual one first
    description: str

    def encode(self, profile: Profile, options: OutputOptions) -> bytes:
        """Return the whole file; equal profiles give equal bytes."""
        encode: Encode = import_module(f"{__name__}.{self.module}").encode
        return encode(profile, options)


_FORMATS = (
    Encoder("pprof", "pprof", (".pb.gz", ".pb"), "for go tool pprof, speedscope, Pyroscope"),
    Encoder("folded", "folded", (".folded",), "one line a stack, for flamegraph.pl and inferno"),
    Encoder("svg", "svg", (".svg",), "interactive flame graph in one file, for any browser"),
    Encoder("json", "json_", (".json",), "stacks and sessions as data, for scripts"),
    Encoder(
        "speedscope", "speedscope", (".speedscope.json",), "all views in one file, for speedscope"
    ),
)
ENCODERS: dict[str, Encoder] = {encoder.name: encoder for encoder in _FORMATS}


def encoder(name: str) -> Encoder:
    """Return the encoder called `name`, or say which there are."""
    try:
        return ENCODERS[name]
    except KeyError:
        known = ", ".join(ENCODERS)
        raise UsageError(f"unknown format {name!r}; known formats: {known}") from None


def format_of_path(path: str) -> str | None:
    """Return the format that a file's name asks for, or None where the name says nothing.

    Only the last part of the path counts, in upper or lower case. The longest extension wins, and
    something must stand before it: `a.pb.gz` is pprof, `a.gz` and a file called `.svg` are nothing.
    Raises UsageError for another format's name with `.gz` behind it.
    """
    extension = _extension_of(path)
    if extension is None:
        plain = path[:-3] if path.lower().endswith(".gz") else path[:-1]
        if path[-1:].lower() == "z" and (inner := _extension_of(plain)):
            raise UsageError(f"{path}: only pprof is packed; write {inner} or .pb.gz")
        return None
    return next(name for name, each in ENCODERS.items() if extension in each.extensions)


def gzip_of_path(path: str) -> bool:
    """Tell whether pprof bytes for this path are packed: all but those for a plain `.pb`."""
    return _extension_of(path) != ".pb"


def _extension_of(path: str) -> str | None:
    """Return the longest known extension of the file's name."""
    name = PurePath(path).name.lower()
    known = [extension for each in ENCODERS.values() for extension in each.extensions]
    fitting = [each for each in known if name.endswith(each) and len(name) > len(each)]
    return max(fitting, key=len, default=None)
