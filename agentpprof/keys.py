"""Hashes of 64 bits: the keys of operations and sessions, and of the texts that tags belong to."""

import struct
from hashlib import blake2b

_HASHER = blake2b(digest_size=8)  # a copy costs less than to read the arguments each time
_AS_KEY = struct.Struct(">q").unpack


def key_of(agent: str, kind: str, natural_id: str) -> int:
    """Return the 64-bit key of a natural id; `kind` is session, prompt, llm or tool."""
    return hash_of(f"{agent}\0{kind}\0{natural_id}")


def hash_of(text: str) -> int:
    """Return the 64-bit hash of a text, the key of its tags."""
    raw = text.encode() if text.isascii() else text.encode("utf-8", "surrogatepass")
    hasher = _HASHER.copy()
    hasher.update(raw)
    key: int = _AS_KEY(hasher.digest())[0]
    return key
