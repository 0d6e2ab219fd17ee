"""A real web server that speaks like one of models, keeps its own books, and misbehaves on request."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.serving import free_socket, port_of


@dataclass
class ModelServer:
    """One replica. Bodies say what it does: `tokens` how many, `die_after` or `stop_after` how many of them."""

    port: int = 0
    served: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    """Of what it has sent, by its own count."""
    open: int = 0
    most_open: int = 0
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    is_broken: bool = False
    """It closes every connection without an answer, to probes, too."""
    is_empty: bool = False
    """It answers 200 without content."""
    queue: int | None = None
    """What its metrics say of requests that wait inside it; None has no metrics."""
    status: int = 200
    more_headers: dict[str, str] = field(default_factory=dict)
    """Of answers to anything but chats."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    """Answers wait for it."""

    def __post_init__(self) -> None:
        self.gate.set()

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """Answer a chat, whole or as a stream."""
        asked = json.loads(await request.read())
        self.asked.append(asked)
        self.headers.append(dict(request.headers))
        self._enter(request)
        try:
            if asked.get("stream"):
                return await self._stream(request, asked)
            await self.gate.wait()
            if self.is_empty:
                return web.Response(content_type="application/json")
            if self.status != 200:
                return web.json_response({"error": "busy"}, status=self.status)
            self.served += 1
            return web.json_response({"choices": [{}], "usage": self._usage(asked)})
        finally:
            self.open -= 1

    async def metrics(self, request: web.Request) -> web.StreamResponse:
        """Tell the queue as llama.cpp's server does."""
        if self.is_broken:
            cut(request)
        if self.queue is None:
            return web.Response(status=404)
        kind = "# TYPE llamacpp:requests_deferred gauge"
        return web.Response(text=f"{kind}\nllamacpp:requests_deferred {self.queue}\n")

    async def plain(self, request: web.Request) -> web.StreamResponse:
        """Answer anything else with what came, once the gate is open."""
        self._enter(request)
        try:
            await self.gate.wait()
            body = await request.read()
            self.served += 1
            document = {"path": request.raw_path, "size": len(body)}
            return web.json_response(document, headers=self.more_headers)
        finally:
            self.open -= 1

    def _enter(self, request: web.Request) -> None:
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        if self.is_broken:
            self.open -= 1
            cut(request)
            raise asyncio.CancelledError

    def _usage(self, asked: dict[str, Any]) -> dict[str, int]:
        prompt, completion = len(asked["messages"]), asked.get("tokens", 3)
        self.prompt_tokens += prompt
        self.completion_tokens += completion
        return {"prompt_tokens": prompt, "completion_tokens": completion}

    async def _stream(self, request: web.Request, asked: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        if self.is_empty:
            return response
        await _send(response, {"choices": [{"delta": {"role": "assistant"}}], "usage": None})
        for number in range(asked.get("tokens", 3)):
            if number == asked.get("die_after"):
                cut(request)
                return response
            if number == asked.get("stop_after"):
                return response
            await _send(
                response, {"choices": [{"delta": {"content": f"{number} "}}], "usage": None}
            )
            if "die_after" in asked or "stop_after" in asked:
                self.completion_tokens += 1
            await self.gate.wait()
        usage = self._usage(asked)
        if asked.get("stream_options", {}).get("include_usage"):
            await _send(response, {"choices": [], "usage": usage})
        await response.write(b"data: [DONE]\n\n")
        self.served += 1
        return response


def cut(request: web.Request) -> None:
    """End the connection of a request as a process does that is killed: what was sent still arrives."""
    assert request.transport is not None
    request.transport.close()


async def _send(response: web.StreamResponse, document: dict[str, Any]) -> None:
    await response.write(b"data: " + json.dumps(document).encode() + b"\n\n")


@asynccontextmanager
async def model_server() -> AsyncIterator[ModelServer]:
    """Run a server for the length of the block."""
    model, listener = ModelServer(), free_socket()
    model.port = port_of(listener)
    app = web.Application(client_max_size=2**30)
    app.router.add_post("/v1/chat/completions", model.chat)
    app.router.add_get("/metrics", model.metrics)
    app.router.add_route("*", "/{rest:.*}", model.plain)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.SockSite(runner, listener).start()
    try:
        yield model
    finally:
        model.gate.set()
        await runner.cleanup()
