"""Plant marks in every field of logs, and find them in outputs whatever they are wrapped in."""

import base64
import binascii
import contextlib
import gzip
import html
import json
import re
import secrets
import string
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from builders import Record

from agentpprof.encoders.check import decode_pprof

# Keys whose values tie records together or say what they are: marked one at a time.
STRUCTURE = frozenset(
    [
        "type",
        "role",
        "uuid",
        "parentUuid",
        "sessionId",
        "session_id",
        "id",
        "timestamp",
        "tool_use_id",
        "message_id",
        "call_id",
        "turn_id",
        "name",
        "stop_reason",
        "model",
        "cwd",
        "arguments",
        "input",
        "phase",
        "status",
        "requestId",
        "agentId",
        "isSidechain",
        "operation",
        "userType",
        "version",
        "subtype",
        "level",
        "source",
    ]
)


class Marks:
    """Marks of one test: each is a random word that stands nowhere else."""

    def __init__(self) -> None:
        """Begin without any."""
        self.where: dict[str, str] = {}

    def new(self, where: str) -> str:
        """Return a new mark for a place."""
        mark = "zq" + "".join(secrets.choice(string.ascii_lowercase) for _ in range(14))
        self.where[mark] = where
        return mark

    def text(self, where: str) -> str:
        """Return a text with marks at both ends, in the middle encoded."""
        mark = self.new(where)
        packed = base64.b64encode(self.new(f"{where} (base64)").encode()).decode()
        percent = "".join(f"%{ord(letter):02x}" for letter in self.new(f"{where} (percent)"))
        entity = "".join(f"&#{ord(letter)};" for letter in self.new(f"{where} (entities)"))
        return f"{mark} {packed} {percent} {entity} {mark.upper()}, said it"

    def found_in(self, data: bytes) -> dict[str, str]:
        """Return mark -> place of the marks that stand in `data`, in any wrapping."""
        seen = "\n".join(_unwrapped(data)).lower()
        return {mark: where for mark, where in self.where.items() if mark in seen}


def marked(record: Record, marks: Marks, kind: str) -> Record:
    """Return a record in which every text and number of no structure is a mark, with new keys."""

    def change(value: Any, path: str, key: str) -> Any:
        if isinstance(value, dict):
            changed = {name: change(each, f"{path}.{name}", name) for name, each in value.items()}
            return {**changed, "unknownField": marks.text(f"{path}.unknownField")}
        if isinstance(value, list):
            return [change(each, f"{path}[]", key) for each in value]
        if isinstance(value, str) and key == "command":
            return f"ls '{marks.text(path)}'"  # the first word is a program, which is shown
        if isinstance(value, str) and key not in STRUCTURE:
            return marks.text(path)
        return value

    changed: Record = change(record, kind, "")
    return changed


def with_one_marked(records: list[Record], key: str, end: str) -> list[Record]:
    """Return records in which every text at `key` ends with `end`."""

    def change(value: Any, name: str) -> Any:
        if isinstance(value, dict):
            return {each: change(inner, each) for each, inner in value.items()}
        if isinstance(value, list):
            return [change(each, name) for each in value]
        return value + end if isinstance(value, str) and name == key else value

    return [change(record, "") for record in records]


def _unwrapped(data: bytes) -> Iterator[str]:
    """Yield what `data` says, plain and taken out of every wrapping."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    texts = [data.decode("utf-8", "replace"), data.decode("latin-1")]
    with contextlib.suppress(ValueError):  # no pprof
        texts += list(decode_pprof(data).string_table)
    with contextlib.suppress(ValueError):  # no JSON
        texts.append(json.dumps(json.loads(data), ensure_ascii=False))
    for text in texts:
        yield text
        plain = unquote(html.unescape(text))
        yield plain
        yield plain.replace("_", "").replace(" ", "")
        for run in re.findall(r"[A-Za-z0-9+/]{12,}={0,2}", plain):
            for start in range(4):
                try:
                    cut = run[start : start + (len(run) - start) // 4 * 4]
                    yield base64.b64decode(cut).decode("utf-8", "replace")
                except (binascii.Error, ValueError):
                    continue
