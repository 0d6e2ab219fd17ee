"""The portal's side of the node link in this process: the real rules on a real database.

`NodeLink` on a real server, `receive_heartbeat` behind it, and one thread that sweeps and schedules
as the beat would. What it sees is written down, so that no test depends on when it looks.
"""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import connections

from portal.agentlink import enrolment
from portal.agentlink.session import NodeLink
from portal.common.site_config import get_site_config
from portal.config.node_reports import receive_heartbeat
from portal.inventory.models import Node
from portal.live.broadcast import Broadcaster
from portal.workloads.operations.log_store import store_log
from portal.workloads.sweep import run_sweep
from scheduler.runtime.loop import run_once
from tests.serving import serving
from tests.waiting import PATIENCE_S
from wire.messages import Desired, Heartbeat, Refused

TICK_S: Final = 0.1


@dataclass
class Control:
    """What the portal does, hears and decides."""

    port: int
    heard: list[tuple[UUID, Heartbeat, Desired | Refused]] = field(default_factory=list)
    states: dict[str, list[str]] = field(default_factory=dict)
    """Every word that each node has had, in order."""
    errors: list[str] = field(default_factory=list)
    loop: asyncio.AbstractEventLoop | None = None
    is_over: asyncio.Event = field(default_factory=asyncio.Event)
    _ending: threading.Event = field(default_factory=threading.Event)

    def receive(self, node_id: UUID, message: Heartbeat) -> Desired | Refused:
        """Answer a heartbeat, and remember both."""
        reply = receive_heartbeat(node_id, message)
        self._look()
        self.heard.append((node_id, message, reply))
        return reply

    def refusals(self, code: str) -> int:
        """Return how many heartbeats were refused for this reason."""
        replies = [reply for _, _, reply in self.heard]
        return sum(isinstance(reply, Refused) and reply.code == code for reply in replies)

    def tick(self) -> None:
        """Sweep and schedule for as long as the test lasts."""
        try:
            while not self._ending.wait(TICK_S):
                run_sweep(heartbeat=timedelta(seconds=get_site_config().heartbeat_s))
                self._look()
                run_once()
        except Exception as error:
            self.errors.append(repr(error))
            raise
        finally:
            connections.close_all()

    def end(self) -> None:
        """Stop everything."""
        self._ending.set()
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self.is_over.set)

    def _look(self) -> None:
        for name, state in Node.objects.values_list("name", "state"):
            words = self.states.setdefault(name, [])
            if not words or words[-1] != state:
                words.append(state)


@contextmanager
def a_control() -> Iterator[Control]:
    """Serve the node link on every address, and let the portal live."""
    with socket.create_server(("", 0)) as listener:
        control = Control(int(listener.getsockname()[1]))
        ready = threading.Event()
        server = threading.Thread(target=asyncio.run, args=[_serve(control, listener, ready)])
        ticking = threading.Thread(target=control.tick)
        server.start()
        ticking.start()
        try:
            assert ready.wait(PATIENCE_S)
            yield control
        finally:
            control.end()
            ticking.join()
            server.join()
        assert not control.errors


async def _serve(control: Control, listener: socket.socket, ready: threading.Event) -> None:
    link = NodeLink(
        authenticate=enrolment.authenticate_node,
        receive_heartbeat=control.receive,
        store_log=store_log,
        record_samples=lambda _node, _samples: None,
        subscribe=Broadcaster().subscribe,
    )
    async with serving(link, listener):
        control.loop = asyncio.get_running_loop()
        ready.set()
        await control.is_over.wait()
