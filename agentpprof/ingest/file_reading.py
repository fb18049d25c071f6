"""Decode and assemble the pieces of one file, carrying both states by hand."""

import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

import msgspec

from agentpprof.agents import Decoder
from agentpprof.agents.facts import BadLineFact, Where
from agentpprof.errors import AgentPprofError, DamagedError
from agentpprof.ingest import reader
from agentpprof.ingest.assemble import assemble
from agentpprof.ingest.reader import Piece
from agentpprof.ingest.state import STATE_VERSION, AssemblyState, state_for_saving
from agentpprof.models import LogFile
from agentpprof.store.rows import FileRows
from agentpprof.store.writer import FileRead

_COMPRESSION = 1  # the states are small and written often


class ForeignStateError(Exception):
    """A stored state is another release's, so its file has to be read from the start."""


class _TrippedError(Exception):
    """What a log says trips our own code; the states are no more what they were."""


@contextmanager
def _noticed() -> Iterator[None]:
    """Raise _TrippedError for what nobody foresaw: a log must not block the index for good."""
    try:
        yield
    except (AgentPprofError, MemoryError):
        raise
    except Exception as error:
        raise _TrippedError from error


class FileReading:
    """The reading of one file, from its stored state on."""

    def __init__(
        self, log_file: LogFile, decoder: Decoder, version: int, state: bytes | None
    ) -> None:
        self._log_file = log_file
        self._decoder = decoder
        self._version = version
        # Ids are made from names of files, and ids are text: bytes that are none are replaced.
        self._path = os.fsencode(log_file.path).decode("utf-8", "replace")
        self._state: bytes | None  # both states behind what was read, as they are stored
        self._decoder_state: Any
        self._assembly_state: AssemblyState
        self._go_back_to(state)

    def add(self, piece: Piece, base_offset: int) -> FileRead:
        """Return what one piece adds, with the state behind it."""
        too_long = self._bad_lines(piece.too_long, "too_long")
        try:
            rows = self._rows_of(piece.data, piece.offset, too_long)
        except _TrippedError:
            data, blanked = self._without_what_trips(piece)
            bad = [*too_long, *self._bad_lines(blanked, "not_understood")]
            rows = self._rows_of(data, piece.offset, bad)
        # Broken off before its last piece, a file must look changed to the next pass.
        log_file = self._log_file if piece.is_last else self._log_file._replace(mtime_ns=-1)
        return FileRead(
            log_file,
            piece.checkpoint,
            self._version,
            self._state or b"",
            rows,
            base_offset,
        )

    def _rows_of(self, data: bytes, offset: int, bad: list[BadLineFact]) -> FileRows:
        """Decode and assemble whole lines, carrying both states on; raises _TrippedError."""
        with _noticed():
            facts, self._decoder_state = self._decoder.decode(
                data, offset, self._path, self._decoder_state
            )
            facts += bad
            rows, self._assembly_state = assemble(facts, self._assembly_state, self._log_file.agent)
            self._state = encode_state(self._decoder_state, self._assembly_state)
        return rows

    def _bad_lines(self, spans: Iterable[tuple[int, int]], reason: str) -> list[BadLineFact]:
        """Return facts for lines that were passed over, of (offset, length)."""
        where = Where(PurePath(self._path).stem)
        return [BadLineFact(where, offset, None, length, reason) for offset, length in spans]

    def _without_what_trips(self, piece: Piece) -> tuple[bytes, list[tuple[int, int]]]:
        """Return a piece's data with the lines that our own code stumbles over blanked, and those.

        The states stand where they stood before the piece, at the end as at the beginning.
        """
        before = self._state
        self._go_back_to(before)
        lines, blanked, offset = piece.data.split(b"\n"), [], piece.offset
        for number, line in enumerate(lines[:-1]):
            known = self._state
            try:
                self._rows_of(line + b"\n", offset, [])
            except _TrippedError:
                self._go_back_to(known)
                blanked.append((offset, len(line) + 1))
                lines[number] = b" " * len(line)
            offset += len(line) + 1
        self._go_back_to(before)
        return b"\n".join(lines), blanked

    def _go_back_to(self, state: bytes | None) -> None:
        """Take both states from what was encoded, or those of a file's first byte."""
        self._state = state
        self._decoder_state, self._assembly_state = decode_state(state, self._decoder, self._path)

    def is_record(self, tail: Piece) -> bool:
        """Say whether a tail is a record whatever is written behind it.

        Other objects count as damage where something is glued to them, so they wait for a newline.
        """
        glued = tail.data[:-1] + b"?\n"
        try:
            with _noticed():
                facts, _ = self._decoder.decode(glued, tail.offset, self._path, self._decoder_state)
        except _TrippedError:
            return False  # add is asked once the line is whole
        return not any(
            isinstance(fact, BadLineFact) and fact.offset == tail.offset for fact in facts
        )

    def add_sidecar(self, rows: FileRows) -> None:
        """Add the links that a small file beside the log tells of, where the agent writes one."""
        path = self._decoder.sidecar_path(self._path)
        data = reader.read_small_file(path) if path is not None else None
        if data is None:
            return
        facts = self._decoder.decode_sidecar(data, self._path)
        linked, _ = assemble(facts, AssemblyState(), self._log_file.agent)
        rows.spawns |= linked.spawns
        rows.agent_types |= linked.agent_types


def continued(
    log_file: LogFile, decoder: Decoder, version: int, state: bytes | None
) -> FileReading | None:
    """Return the reading of a file from its stored state on, None where that can't be gone on with.

    There is none, or it is another release's: then the file has to be read from its start.
    """
    if state is None:
        return None
    try:
        return FileReading(log_file, decoder, version, state)
    except ForeignStateError:
        return None


def encode_state(decoder_state: Any, assembly_state: AssemblyState) -> bytes:
    """Return both states as compressed JSON."""
    raw = msgspec.json.encode([decoder_state, state_for_saving(assembly_state)])
    return zlib.compress(raw, _COMPRESSION)


def decode_state(state: bytes | None, decoder: Decoder, path: str) -> tuple[Any, AssemblyState]:
    """Return both states from what was stored, or those of a file's first byte."""
    if state is None:
        return decoder.initial_state(path), AssemblyState()
    try:
        raw = zlib.decompress(state)  # it checks a sum: what passes is what was written
    except zlib.error:
        raise DamagedError from None
    try:
        decoder_raw, assembly_raw = msgspec.json.decode(raw, type=list[msgspec.Raw])
        assembly_state = msgspec.json.decode(assembly_raw, type=AssemblyState)
        decoder_state = msgspec.json.decode(decoder_raw, type=decoder.State)
    except msgspec.DecodeError:
        raise ForeignStateError from None
    if assembly_state.version != STATE_VERSION:
        raise ForeignStateError
    return decoder_state, assembly_state
