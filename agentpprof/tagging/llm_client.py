"""The one door to a model's server: `/v1/chat/completions` of llama.cpp or anything alike.

Loopback unless a person allows more (checked where options are read), no redirects, no proxies of
the environment, an end for every request and for every answer's size. Errors say what to do and
hold nothing that was sent or received.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Final, Self

import httpx

from agentpprof.tagging.llm_prompts import MAX_TOKENS, Message, answer_text
from agentpprof.tagging.llm_server import (
    BrokenError,
    RequestError,
    Server,
    ServerError,
    TooLongError,
)

_MAX_ANSWER_BYTES: Final = 1 << 20
_POLL_SECONDS: Final = 0.1
_MAX_PARALLEL: Final = 64
_NAME_LENGTH: Final = 200
_KEY_PLACES: Final = "AGENTPPROF_LLM_KEY or a file for --llm-key-file"


class LlmClient:
    """Requests to one server; an async context."""

    def __init__(self, server: Server, transport: httpx.AsyncBaseTransport | None = None) -> None:
        """Take the server; a test may give its own transport."""
        self._server = server
        self._has_extras = True  # grammar and thinking; dropped for servers that refuse them
        self._has_answered = False
        headers = {"Accept-Encoding": "identity", "User-Agent": "agentpprof"}
        if server.key:
            headers["Authorization"] = f"Bearer {server.key}"
        self._http = httpx.AsyncClient(
            transport=transport,
            headers=headers,
            timeout=httpx.Timeout(server.timeout_seconds),
            limits=httpx.Limits(max_connections=_MAX_PARALLEL),
            # Without TLS there is nothing to verify, and reading the certificates takes 0.1 s.
            verify=server.url.startswith("https:"),
            follow_redirects=False,
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        """Begin; nothing is sent yet."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def wait_until_ready(self, on_loading: Callable[[], None] = lambda: None) -> None:
        """Wait while the server loads its model; raises ServerError where nobody answers."""
        clock = asyncio.get_running_loop().time
        until = clock() + self._server.loading_seconds
        told = False
        while True:
            status, _ = await self._get_or_fail("/health")
            if status != 503:  # a server without /health is asked all the same
                return
            if clock() > until:
                raise ServerError(
                    f"{self._place} is still loading its model: try again when it is done"
                )
            if not told:
                on_loading()
                told = True
            await asyncio.sleep(_POLL_SECONDS)

    async def model_name(self) -> str:
        """Return the model as the server names it, else as the person does."""
        status, document = await self._get_or_fail("/v1/models")
        if status in (401, 403):
            raise ServerError(self._refused(status))
        data = document.get("data") if isinstance(document, dict) else None
        names = [each.get("id") for each in data or () if isinstance(each, dict)]
        known = [name for name in names if isinstance(name, str) and name]
        chosen = known[0] if len(known) == 1 else self._server.model
        # A file's folder is the machine's business, and no part of what the model is.
        return chosen.replace("\\", "/").rsplit("/", 1)[-1][:_NAME_LENGTH] or self._server.model

    async def slots(self) -> int:
        """Return how many requests the server works on at a time; 1 where it does not say."""
        _, document = await self._get_or_fail("/props")
        found = document.get("total_slots") if isinstance(document, dict) else None
        if not isinstance(found, int):
            return 1
        return min(max(found, 1), _MAX_PARALLEL)

    async def ask(self, messages: list[Message], grammar: str) -> tuple[str, bool]:
        """Return (answer, whether it is whole); raises RequestError or ServerError."""
        path, extras = "/v1/chat/completions", self._extras(grammar)
        body = self._body(messages)
        status, document = await self._send("POST", path, {**body, **extras})
        if status in (400, 422) and extras and not (self._has_answered or _is_too_long(document)):
            # Other servers may refuse fields that they don't know.
            plain = await self._send("POST", path, body)
            if plain[0] == 200:
                self._has_extras = False
                status, document = plain
        self._check(status, document)
        found = answer_text(document)
        if found is None:
            raise RequestError(f"{self._place} gave an answer that is no chat completion")
        self._has_answered = True
        return found

    def _body(self, messages: list[Message]) -> dict[str, Any]:
        return {
            "model": self._server.model,
            "messages": messages,
            "temperature": 0,
            "max_tokens": MAX_TOKENS,
            "stream": False,
        }

    def _extras(self, grammar: str) -> dict[str, Any]:
        """Return what llama.cpp knows and others may not."""
        if not self._has_extras:
            return {}
        # A grammar binds the thinking as well, and the answer then stays empty.
        return {"grammar": grammar, "chat_template_kwargs": {"enable_thinking": False}}

    async def _get_or_fail(self, path: str) -> tuple[int, Any]:
        """Ask before the first question: what goes wrong here ends the run."""
        try:
            status, document = await self._send("GET", path)
        except RequestError as error:
            raise ServerError(str(error)) from None
        if 300 <= status < 400:
            self._check(status, document)
        return status, document

    async def _send(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send one request; the whole of it, answer included, ends after the timeout."""
        seconds = self._server.timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                url = self._server.url + path
                async with self._http.stream(method, url, json=body) as response:
                    return response.status_code, _document(await self._read(response))
        except (TimeoutError, httpx.TimeoutException):
            raise RequestError(
                f"{self._place} gave no answer within {seconds:g} s: raise --timeout, use a "
                "smaller model, or lower --llm-parallel"
            ) from None
        except httpx.ConnectError:
            raise ServerError(
                f"nobody answers at {self._server.url}: start the server (llama-server "
                "-m model.gguf --port 8080), or name another with --llama-url"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise BrokenError(
                f"{self._place} broke off ({type(error).__name__}): look whether it still runs"
            ) from None

    async def _read(self, response: httpx.Response) -> bytes:
        """Read an answer, but no more than any answer takes, packed or not."""
        data = bytearray()
        async for chunk in response.aiter_raw():
            data += chunk
            if len(data) > _MAX_ANSWER_BYTES:
                raise ServerError(
                    f"{self._place} sends more than {_MAX_ANSWER_BYTES >> 20} MiB for one word: "
                    "it is no llama.cpp server; check --llama-url"
                )
        return bytes(data)

    def _check(self, status: int, document: Any) -> None:
        """Raise what a status means."""
        if status == 200:
            return
        if 300 <= status < 400:
            raise ServerError(
                f"{self._place} wants to send us elsewhere (HTTP {status}), which is not followed: "
                "name the right address with --llama-url"
            )
        if status in (401, 403):
            raise ServerError(self._refused(status))
        if status in (404, 405):
            raise ServerError(
                f"{self._place} has no /v1/chat/completions (HTTP {status}): check --llama-url"
            )
        if status == 400 and _is_too_long(document):
            raise TooLongError(
                f"the context of {self._place} is too small for a prompt: give it more (-c), or "
                "fewer slots (--parallel)"
            )
        raise RequestError(f"{self._place} refused a request (HTTP {status}): look into its log")

    def _refused(self, status: int) -> str:
        what = "refuses the key" if self._server.key else "wants a key"
        return f"{self._place} {what} (HTTP {status}): put it into {_KEY_PLACES}"

    @property
    def _place(self) -> str:
        return f"the server at {self._server.url}"


def _document(data: bytes) -> Any:
    """Return the JSON that an answer holds, None where it holds none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _is_too_long(document: Any) -> bool:
    """Say whether a refusal is that of a context too small."""
    error = document.get("error") if isinstance(document, dict) else None
    return isinstance(error, dict) and (
        error.get("type") == "exceed_context_size_error"
        or error.get("code") == "context_length_exceeded"
    )
