"""A real llama.cpp server for tests: its own process, and a tiny model of random weights.

The model is written here: GGUF version 3, llama architecture, one layer of width 32, 286 tokens
(3 special ones, 256 bytes, ▁ and a to z). It obeys a grammar and makes no sense, in 2 ms a word.
"""

import contextlib
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

WIDTH, INNER, HEADS, CONTEXT = 32, 64, 2, 8192
_TEMPLATE = (
    "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)
_UINT32, _INT32, _FLOAT32, _STRING, _ARRAY = 4, 5, 6, 8, 9
_ALIGNMENT = 32


def write_model(path: Path, seed: int = 1) -> Path:
    """Write the model to `path`; the same seed gives the same bytes."""
    source = random.Random(seed)
    shapes = _shapes()
    infos, data = b"", b""
    for name, shape in shapes.items():
        infos += _text(name) + struct.pack("<I", len(shape))
        infos += b"".join(struct.pack("<Q", size) for size in shape)
        infos += struct.pack("<IQ", 0, len(data))
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        is_norm = name.endswith("norm.weight")
        values = [1.0] * count if is_norm else [source.gauss(0, 0.3) for _ in range(count)]
        data += struct.pack(f"<{count}f", *values)
        data += bytes(-len(data) % _ALIGNMENT)
    settings = _settings()
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(settings))
    head += b"".join(_text(name) + value for name, value in settings.items()) + infos
    path.write_bytes(head + bytes(-len(head) % _ALIGNMENT) + data)
    return path


def _shapes() -> dict[str, tuple[int, ...]]:
    tokens = len(_tokens()[0])
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (WIDTH, tokens),
        "output_norm.weight": (WIDTH,),
        "output.weight": (WIDTH, tokens),
        "blk.0.attn_norm.weight": (WIDTH,),
        "blk.0.ffn_norm.weight": (WIDTH,),
        "blk.0.ffn_gate.weight": (WIDTH, INNER),
        "blk.0.ffn_up.weight": (WIDTH, INNER),
        "blk.0.ffn_down.weight": (INNER, WIDTH),
    }
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        shapes[f"blk.0.{part}.weight"] = (WIDTH, WIDTH)
    return shapes


def _tokens() -> tuple[list[str], list[int]]:
    """Return the tokens and their types: unknown, control, byte, normal."""
    letters = ["▁", *map(chr, range(ord("a"), ord("z") + 1))]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters]
    return tokens, [2, 3, 3, *[6] * 256, *[1] * len(letters)]


def _settings() -> dict[str, bytes]:
    tokens, types = _tokens()
    return {
        "general.architecture": _typed_text("llama"),
        "general.name": _typed_text("random"),
        "llama.context_length": _number(CONTEXT),
        "llama.embedding_length": _number(WIDTH),
        "llama.block_count": _number(1),
        "llama.feed_forward_length": _number(INNER),
        "llama.attention.head_count": _number(HEADS),
        "llama.rope.dimension_count": _number(WIDTH // HEADS),
        "llama.attention.layer_norm_rms_epsilon": struct.pack("<If", _FLOAT32, 1e-5),
        "tokenizer.ggml.model": _typed_text("llama"),
        "tokenizer.ggml.tokens": _array(_STRING, [_text(token) for token in tokens]),
        "tokenizer.ggml.scores": _array(_FLOAT32, [struct.pack("<f", -float(n)) for n in types]),
        "tokenizer.ggml.token_type": _array(_INT32, [struct.pack("<i", n) for n in types]),
        "tokenizer.ggml.bos_token_id": _number(1),
        "tokenizer.ggml.eos_token_id": _number(2),
        "tokenizer.ggml.unknown_token_id": _number(0),
        "tokenizer.chat_template": _typed_text(_TEMPLATE),
    }


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _typed_text(text: str) -> bytes:
    return struct.pack("<I", _STRING) + _text(text)


def _number(value: int) -> bytes:
    return struct.pack("<II", _UINT32, value)


def _array(kind: int, items: Sequence[bytes]) -> bytes:
    return struct.pack("<IIQ", _ARRAY, kind, len(items)) + b"".join(items)


class LlamaServer:
    """A running server; `kill` ends it as a crash would."""

    def __init__(
        self, model: Path, *, slots: int = 2, context: int = 8192, key: str = "", alias: str = ""
    ) -> None:
        """Start it; `wait` until it answers."""
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.key = key
        settings = {
            "model": str(model),
            "port": self.port,
            "slots": slots,
            "context": context,
            "key": key,
            "alias": alias,
        }
        self._process = subprocess.Popen(
            [sys.executable, __file__, json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        assert self._process.stdin is not None

    def wait(self, seconds: float = 60.0) -> "LlamaServer":
        """Wait until the model is loaded."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            assert self._process.poll() is None, "the server ended by itself"
            with contextlib.suppress(OSError):
                self.get("/health")
                return self
            time.sleep(0.02)
        raise AssertionError("the server did not become ready")

    def get(self, path: str) -> Any:
        """Return what the server says of itself."""
        request = urllib.request.Request(self.url + path)
        if self.key:
            request.add_header("Authorization", f"Bearer {self.key}")
        with urllib.request.urlopen(request, timeout=10) as response:
            data = response.read()
        return json.loads(data) if data[:1] in b"{[" else data.decode()

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGKILL)
        self._process.wait(timeout=10)
        self._process.stdin.close()

    def stop(self) -> None:
        """End it as its owner does."""
        self._process.stdin.close()
        if self._process.poll() is None:
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.kill()

    def pause(self) -> None:
        """Let it answer nothing until `go_on`."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it answer again."""
        self._process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def running(model: Path, **settings: Any) -> Iterator[LlamaServer]:
    """Run a server that answers, and end it."""
    server = LlamaServer(model, **settings)
    try:
        yield server.wait()
    finally:
        server.stop()


class Recorder:
    """A door before a server that remembers every request: (method, path, body, headers)."""

    def __init__(self, url: str) -> None:
        """Open it; `forward` may be set to change what comes back."""
        self.requests: list[tuple[str, str, bytes, dict[str, str]]] = []
        self._answers: list[int] = []
        self.on_chat: Callable[[int], None] = lambda number: None
        recorder = self

        class Door(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # one packet an answer: two wait for each other

            def do_GET(self) -> None:
                self._pass_on(b"")

            def do_POST(self) -> None:
                self._pass_on(self.rfile.read(int(self.headers["Content-Length"])))

            def _pass_on(self, body: bytes) -> None:
                entry = (self.command, self.path, body, dict(self.headers))
                recorder.requests.append(entry)
                if self.command == "POST":
                    recorder.on_chat(len(recorder.chats()))
                request = urllib.request.Request(url + self.path, body or None)
                request.add_header("Content-Type", "application/json")
                if "Authorization" in self.headers:
                    request.add_header("Authorization", self.headers["Authorization"])
                try:
                    with urllib.request.urlopen(request, timeout=30) as response:
                        status, data = response.status, response.read()
                except urllib.error.HTTPError as error:
                    status, data = error.code, error.read()
                except OSError:
                    self.close_connection = True
                    return
                if self.command == "POST" and status == 200:
                    recorder._answers.append(status)
                with contextlib.suppress(OSError):  # whoever asked may have gone
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def chats(self) -> list[dict[str, Any]]:
        """Return the bodies of all questions."""
        return [json.loads(body) for method, _, body, _ in self.requests if method == "POST"]

    @property
    def answered(self) -> int:
        """How many questions the server has answered."""
        return len(self._answers)

    def close(self) -> None:
        """Close the door."""
        self._server.shutdown()
        self._server.server_close()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def serve(settings: dict[str, Any]) -> None:
    """Be the server, until stdin ends."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = settings["model"]
    parameters.n_ctx = settings["context"]
    parameters.n_parallel = settings["slots"]
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = settings["port"]
    parameters.warmup = False
    parameters.verbosity = -1
    parameters.endpoint_slots = parameters.endpoint_props = parameters.endpoint_metrics = True
    parameters.cpuparams.n_threads = 1  # two threads on two cores spin against each other
    parameters.cpuparams_batch.n_threads = 1
    if settings["key"]:
        parameters.api_keys = [settings["key"]]
    if settings["alias"]:
        parameters.model_alias = {settings["alias"]}
    server = xllamacpp.Server(parameters)
    sys.stdin.buffer.read()
    del server


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))
    os._exit(0)  # what the library leaves to be torn down may hang
