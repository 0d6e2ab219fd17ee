"""Calls to the Docker engine: in threads, each with a deadline.

A call that waits does not prove a hung engine: creating a container on a busy disk takes its time.
So a waiting call pings the engine every few seconds, and gives up at once when there is no answer.
No call outlives a frozen engine by more than ten seconds.
"""

import asyncio
import os
import socket
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import docker
import requests
from docker.constants import DEFAULT_UNIX_SOCKET
from docker.errors import APIError, DockerException
from docker.types import CancellableStream

from nodeagent.host.clock import SystemClock
from nodeagent.host.threads import run_in_daemon_thread
from nodeagent.ports import InspectionFindings, RuntimeUnavailableError, StartError
from wire.facts import NodeFault

T = TypeVar("T")

CALL_S: Final = 10
"""For what is answered at once: lists, descriptions."""
WORK_S: Final = 120
"""For what moves files: creating, starting, removing; only while the engine answers."""
STREAM_SILENCE_S: Final = 24 * 3600
CALLS_MAX: Final = 16
"""At the same time; an engine that hangs gets no more calls."""

SILENT_MS: Final = 10_000

ENGINE_ERRORS: Final = (requests.RequestException, DockerException, OSError)
"""All that the SDK raises. `APIError`, an answer of the engine, is a `RequestException` too."""


@dataclass(frozen=True, slots=True)
class LivenessTimings:
    """How soon an engine counts as silent."""

    ping_s: int = 6
    """For the answer to a ping."""
    ping_every_s: float = 3
    """Between pings, while a call waits."""
    silent_ms: int = SILENT_MS


class DockerEngine:
    """One engine at one address; the SDK's clients are safe to share between threads."""

    def __init__(self, host: str, pace: LivenessTimings | None = None) -> None:
        """Use the engine at this address; empty is the one that the environment names."""
        self._host = host
        self._timings = pace or LivenessTimings()
        self._slots = asyncio.Semaphore(CALLS_MAX)
        self._clients: dict[int, docker.DockerClient] = {}
        self._opening = threading.Lock()
        self._pinging: asyncio.Future[bool] | None = None
        self._liveness = EngineLiveness(self._timings.silent_ms)
        self._clock = SystemClock()

    @property
    def host(self) -> str:
        """Its address; empty is the one that the environment names."""
        return self._host

    @property
    def quick_client(self) -> docker.DockerClient:
        """The client for calls that answer at once."""
        return self.client_for(CALL_S)

    @property
    def slow_client(self) -> docker.DockerClient:
        """The client for calls that move files."""
        return self.client_for(WORK_S)

    @property
    def stream_client(self) -> docker.DockerClient:
        """The client for long answers: stops, events, logs of live containers."""
        return self.client_for(STREAM_SILENCE_S)

    def client_for(self, silence_s: int) -> docker.DockerClient:
        """Return the client that waits so long for each next byte; blocks, so call it in a thread.

        Call it for each request: it raises `ConnectionError` while no engine listens.
        """
        require_listener(self._host)
        with self._opening:
            if silence_s not in self._clients:
                # Opening reads the engine's version: that answers at once or not at all.
                opened = connect_engine(self._host, self._timings.ping_s)
                opened.api.timeout = silence_s
                self._clients[silence_s] = opened
            return self._clients[silence_s]

    def close(self) -> None:
        """Close all clients; a later call opens them again."""
        with self._opening:
            opened, self._clients = self._clients, {}
        for client in opened.values():
            client.close()

    async def inspect(self) -> InspectionFindings:
        """Return what keeps the node from working with this engine; the `Inspection` port."""
        return InspectionFindings(faults=self._liveness.report_faults(self._clock.now_ms()))

    async def read_info(self) -> dict[str, Any]:
        """Return the engine's description of itself: folders, drivers, options."""
        return await self.call(lambda: dict(self.quick_client.info()))

    async def read_version(self) -> dict[str, Any]:
        """Return the engine's version and platform."""
        return await self.call(lambda: dict(self.quick_client.version()))

    async def call(self, work: Callable[[], T], deadline_s: float = CALL_S) -> T:
        """Run a call of the SDK; raises its `APIError`, or `RuntimeUnavailableError`."""
        async with self._slots:
            return await self.call_long(work, deadline_s)

    async def call_long(self, work: Callable[[], T], deadline_s: float) -> T:
        """Run a long call, a pull or a stop, outside of the limit on concurrent calls."""
        try:
            async with asyncio.timeout(deadline_s):
                return await self._wait_while_alive(work)
        except APIError:
            raise
        except (TimeoutError, *ENGINE_ERRORS) as error:
            raise RuntimeUnavailableError(f"engine at {self._host}: {error!r}") from error

    async def _wait_while_alive(self, work: Callable[[], T]) -> T:
        """Wait for an answer for as long as the engine is alive at all."""
        if self._liveness.is_silent(self._clock.now_ms()):
            await self._require_alive()
        self._liveness.note_request(self._clock.now_ms())
        answer = run_in_daemon_thread(work, "docker")
        try:
            while True:
                done, _ = await asyncio.wait({answer}, timeout=self._timings.ping_every_s)
                if done:
                    return self._take_answer(answer)
                await self._require_alive()
        finally:
            answer.cancel()

    def _take_answer(self, answer: "asyncio.Future[T]") -> T:
        error = answer.exception()
        if error is None or isinstance(error, APIError | StartError):
            self._liveness.note_answer()
        return answer.result()

    async def _require_alive(self) -> None:
        """Ping the engine; all callers that wait share one ping."""
        if self._pinging is None or self._pinging.done():
            self._liveness.note_request(self._clock.now_ms())
            self._pinging = run_in_daemon_thread(self._ping, "ping")
        await asyncio.wait({self._pinging}, timeout=self._timings.ping_s)
        if not self._pinging.done() or not self._pinging.result():
            raise TimeoutError("the engine does not answer")
        self._liveness.note_answer()

    def _ping(self) -> bool:
        try:
            return bool(self.client_for(self._timings.ping_s).ping())
        except ENGINE_ERRORS:
            return False


@dataclass(slots=True)
class EngineLiveness:
    """Since when an engine has not answered; an error is an answer, too. In ms since boot."""

    silent_ms: int = SILENT_MS
    """After this long without an answer the node takes no new work."""
    waiting_since: int | None = None

    def note_request(self, now: int) -> None:
        """Note a request; only the first unanswered one counts."""
        if self.waiting_since is None:
            self.waiting_since = now

    def note_answer(self) -> None:
        """Note an answer to any request."""
        self.waiting_since = None

    def is_silent(self, now: int) -> bool:
        """Return whether the engine has not answered for too long."""
        return self.waiting_since is not None and now - self.waiting_since >= self.silent_ms

    def report_faults(self, now: int) -> tuple[NodeFault, ...]:
        """Return the fault of an engine that hangs or is gone."""
        if self.waiting_since is None or not self.is_silent(now):
            return ()
        silent_s = (now - self.waiting_since) // 1000
        return (NodeFault(code="engine_silent", detail=f"no answer for {silent_s} s"),)


def connect_engine(host: str, timeout_s: int) -> docker.DockerClient:
    """Return a client of an engine that answers; without a host, of the one in the environment."""
    require_listener(host)
    if host:
        return docker.DockerClient(base_url=host, timeout=timeout_s, version="auto")
    return docker.from_env(timeout=timeout_s, version="auto")


def close_stream(stream: "CancellableStream[Any]") -> None:
    """End a stream from any thread; its reader sees the end."""
    # A stream that ends at this moment has no socket, or a closed one.
    with suppress(AttributeError, OSError):
        stream.close()


def require_listener(host: str) -> None:
    """Raise `ConnectionError` when nothing listens: the SDK leaks sockets that it cannot connect."""
    address = host or os.environ.get("DOCKER_HOST") or DEFAULT_UNIX_SOCKET
    scheme, _, path = address.partition("://")
    if not scheme.endswith("unix"):
        return
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        probe.settimeout(CALL_S)
        if probe.connect_ex(path) != 0:
            raise ConnectionError(f"no engine listens at {path}")


def is_engine_answering(host: str) -> bool:
    """Return whether an engine answers at all."""
    try:
        with closing(connect_engine(host, CALL_S)) as client:
            return bool(client.ping())
    except ENGINE_ERRORS:
        return False
