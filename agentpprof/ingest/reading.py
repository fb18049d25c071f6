"""Decode and assemble the pieces of one file, carrying both states by hand."""

import os
import zlib
from pathlib import PurePath
from types import ModuleType
from typing import Any

import msgspec

from agentpprof.agents.facts import BadLineFact, Where
from agentpprof.errors import DamagedError
from agentpprof.ingest import reader
from agentpprof.ingest.assemble import assemble
from agentpprof.ingest.reader import Piece
from agentpprof.ingest.rows import FileRows
from agentpprof.ingest.state import STATE_VERSION, AssemblyState, state_for_saving
from agentpprof.models import LogFile
from agentpprof.store.writer import FileRead

_COMPRESSION = 1  # the states are small and written often


class FileReading:
    """The reading of one file, from its stored state on."""

    def __init__(
        self, log_file: LogFile, decoder: ModuleType, version: int, state: bytes | None
    ) -> None:
        self._log_file = log_file
        self._decoder = decoder
        self._version = version
        # Ids are made from names of files, and ids are text: bytes that are none are replaced.
        self._path = os.fsencode(log_file.path).decode("utf-8", "replace")
        self._decoder_state, self._assembly_state = decode_state(state, decoder, self._path)

    def add(self, piece: Piece, base_offset: int) -> FileRead:
        """Return what one piece adds, with the state behind it."""
        facts, self._decoder_state = self._decoder.decode(
            piece.data, piece.offset, self._path, self._decoder_state
        )
        where = Where(PurePath(self._path).stem)
        facts += [
            BadLineFact(where, offset, None, length, "too_long")
            for offset, length in piece.too_long
        ]
        rows, self._assembly_state = assemble(facts, self._assembly_state, self._log_file.agent)
        # Broken off before its last piece, a file must look changed to the next pass.
        log_file = self._log_file if piece.is_last else self._log_file._replace(mtime_ns=-1)
        return FileRead(
            log_file,
            piece.checkpoint,
            self._version,
            encode_state(self._decoder_state, self._assembly_state),
            rows,
            base_offset,
        )

    def is_record(self, tail: Piece) -> bool:
        """Say whether a tail is a record whatever is written behind it.

        Other objects count as damage where something is glued to them, so they wait for a newline.
        """
        glued = tail.data[:-1] + b"?\n"
        facts, _ = self._decoder.decode(glued, tail.offset, self._path, self._decoder_state)
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


def encode_state(decoder_state: Any, assembly_state: AssemblyState) -> bytes:
    """Return both states as compressed JSON."""
    raw = msgspec.json.encode([decoder_state, state_for_saving(assembly_state)])
    return zlib.compress(raw, _COMPRESSION)


def decode_state(state: bytes | None, decoder: ModuleType, path: str) -> tuple[Any, AssemblyState]:
    """Return both states from what was stored, or those of a file's first byte."""
    if state is None:
        return decoder.initial_state(path), AssemblyState()
    try:
        raw = zlib.decompress(state)  # it checks a sum: what passes is what was written
    except zlib.error:
        raise DamagedError from None
    decoder_raw, assembly_raw = msgspec.json.decode(raw, type=list[msgspec.Raw])
    assembly_state = msgspec.json.decode(assembly_raw, type=AssemblyState)
    if assembly_state.version != STATE_VERSION:
        raise ValueError("a state of another version needs a higher parser version")
    return msgspec.json.decode(decoder_raw, type=decoder.State), assembly_state
