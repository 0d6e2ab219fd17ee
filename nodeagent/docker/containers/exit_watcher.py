"""Wakes waiters for the end of a container by the engine's events.

Events only make it faster: each waiter also polls every few seconds, so a lost event or a broken
stream costs seconds and never an end.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

import structlog
from docker.types import CancellableStream

from nodeagent.core.state import ContainerKey
from nodeagent.docker.containers.node_containers import NodeContainers
from nodeagent.docker.containers.ownership import parse_key
from nodeagent.docker.engine.client import ENGINE_ERRORS, close_stream

log = structlog.get_logger()

POLL_S: Final = 5.0
"""Between polls while the event stream is open."""
POLL_WITHOUT_EVENTS_S: Final = 0.5
"""Between polls while there is no event stream."""
RECHECK_AFTER_EVENT_S: Final = (0.05, 0.1, 0.2, 0.5, 1.0, 1.0)
"""Between polls after an event: the engine may report an end before it can describe it."""
REOPEN_S: Final = 1.0
SUBSCRIBING_S: Final = 2.0
"""How far back a stream begins; an event that is read twice costs one poll more."""


@dataclass(slots=True)
class ExitWaiter:
    """One waiter for the end of a container."""

    key: ContainerKey
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    quick_looks_left: int = 0
    """Polls left that are made soon."""


class ExitWatcher:
    """One thread reads the engine's events, for as long as there are waiters."""

    def __init__(self, containers: NodeContainers) -> None:
        self._containers = containers
        self._waiters: list[ExitWaiter] = []
        self._reader: _EventReader | None = None

    @contextmanager
    def register(self, key: ContainerKey) -> Iterator[ExitWaiter]:
        """Be woken by events of this container for the length of a block."""
        waiter = ExitWaiter(key)
        self._waiters.append(waiter)
        if self._reader is None:
            self._reader = _EventReader(self._containers, asyncio.get_running_loop(), self._wake)
        try:
            yield waiter
        finally:
            self._waiters.remove(waiter)
            if not self._waiters:
                self._reader.close()
                self._reader = None

    async def wait(self, waiter: ExitWaiter) -> None:
        """Wait until the next poll is due."""
        is_blind = self._reader is None or not self._reader.is_open
        seconds = POLL_WITHOUT_EVENTS_S if is_blind else POLL_S
        if waiter.quick_looks_left > 0:
            seconds = RECHECK_AFTER_EVENT_S[-waiter.quick_looks_left]
            waiter.quick_looks_left -= 1
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await waiter.woken.wait()
        waiter.woken.clear()

    def _wake(self, key: ContainerKey | None) -> None:
        """Wake the waiters of this container; without a key, all of them."""
        for waiter in self._waiters:
            if key is None or waiter.key == key:
                waiter.quick_looks_left = (
                    len(RECHECK_AFTER_EVENT_S) if key else waiter.quick_looks_left
                )
                waiter.woken.set()


class _EventReader:
    """The thread with the event stream; it reopens the stream until it is closed."""

    def __init__(
        self,
        containers: NodeContainers,
        loop: asyncio.AbstractEventLoop,
        ring: Callable[[ContainerKey | None], None],
    ) -> None:
        self.is_open = False
        self._containers = containers
        self._loop = loop
        self._wake = ring
        self._closed = threading.Event()
        self._guard = threading.Lock()
        self._stream: CancellableStream[Any] | None = None
        threading.Thread(target=self._run, name="docker events", daemon=True).start()

    def close(self) -> None:
        """End the thread; it may take a moment longer when it is just connecting."""
        self._closed.set()
        with self._guard:
            if self._stream is not None:
                close_stream(self._stream)

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                self._read()
            except ENGINE_ERRORS as error:
                log.info("events.broken", error=str(error))
            except (
                Exception
            ):  # half an event of an engine that crashed, as any library may report it
                log.exception("events.broken")
            self._set_open(is_open=False)
            self._closed.wait(REOPEN_S)

    def _read(self) -> None:
        """Read one event stream to its end; first wakes all waiters, as it may have missed events."""
        filters = {"type": "container", **self._containers.label_filter}
        client = self._containers.engine.stream_client
        # The engine answers before it subscribes to its own events: ask for those in between as
        # well.
        since = int(time.time() - SUBSCRIBING_S)
        stream = client.events(since=since, filters=filters, decode=True)
        with self._guard:
            self._stream = stream
        if self._closed.is_set():
            close_stream(stream)
        try:
            self._set_open(is_open=True)
            for event in stream:
                self._notify(parse_key(event["Actor"]["Attributes"]))
        finally:
            with self._guard:
                self._stream = None
            close_stream(stream)

    def _set_open(self, *, is_open: bool) -> None:
        self.is_open = is_open
        self._notify(None)

    def _notify(self, key: ContainerKey | None) -> None:
        # The agent may end at any moment.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._wake, key)
