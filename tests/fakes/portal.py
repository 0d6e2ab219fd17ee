"""A portal small enough to read: keeps wishes, answers heartbeats, collects reports and logs."""

import asyncio
import base64
import json
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestServer

from tests.waiting import PATIENCE_S, wait_until_async
from wire.codec import decode_from_agent, encode
from wire.logs import LogAck, LogChunk
from wire.messages import (
    Ack,
    ContainerReport,
    Desired,
    DesiredContainer,
    FinishedReport,
    Heartbeat,
    Join,
    Joined,
    Nudge,
    StopGrace,
)
from wire.opening import OPENING_HEADER
from wire.samples import Telemetry
from wire.words import Terms

JOIN_TOKEN = "join-token-of-a-test"
NODE_KEY = "key-of-a-test-node"


@dataclass
class FakePortal:
    """Answers like the real one as long as `is_answering`; settles every end it is told."""

    desired: dict[str, DesiredContainer] = field(default_factory=dict)
    heartbeats: list[Heartbeat] = field(default_factory=list)
    telemetry: list[Telemetry] = field(default_factory=list)
    finished: dict[tuple[str, int], FinishedReport] = field(default_factory=dict)
    logs: dict[tuple[str, int], bytes] = field(default_factory=dict)
    joins: list[Join] = field(default_factory=list)
    node_id: str = field(default_factory=lambda: f"node-{token_hex(8)}")
    retests: dict[str, int] = field(default_factory=dict)
    graces: list[StopGrace] = field(default_factory=list)
    terms: Terms | None = None
    refusals: int = 0
    openings: list[str] = field(default_factory=list)
    """What the agents have said of themselves when they opened their links."""
    is_answering: bool = True
    sockets: list[web.WebSocketResponse] = field(default_factory=list)
    forever: asyncio.Event = field(default_factory=asyncio.Event)
    server: TestServer = field(init=False)

    def __post_init__(self) -> None:
        app = web.Application()
        app.router.add_post("/node/v1/join", self._join)
        app.router.add_get("/node/v1/link", self._link)
        self.server = TestServer(app)

    @property
    def url(self) -> str:
        """Where it listens, once started."""
        return str(self.server.make_url("/"))

    def want(self, *containers: DesiredContainer) -> None:
        """Replace the desired state."""
        self.desired = {item.allocation: item for item in containers}

    async def nudge(self) -> None:
        """Ask every connected agent for a heartbeat now."""
        for socket in self.sockets:
            # A socket of a killed agent may not know yet that it is closed.
            with suppress(ConnectionError):
                await socket.send_str(encode(Nudge()))

    def report(self, allocation: str) -> ContainerReport | None:
        """Return what the newest heartbeat says about an allocation."""
        if not self.heartbeats:
            return None
        return next(
            (item for item in self.heartbeats[-1].containers if item.allocation == allocation),
            None,
        )

    async def reported(
        self, allocation: str, within_s: float = PATIENCE_S, **wanted: object
    ) -> ContainerReport:
        """Wait until the agent reports these values of a container."""

        def look() -> ContainerReport | None:
            report = self.report(allocation)
            is_so = report and all(getattr(report, name) == value for name, value in wanted.items())
            return report if is_so else None

        found: ContainerReport = await wait_until_async(look, within_s=within_s)
        return found

    def end(self, allocation: str, epoch: int = 1) -> FinishedReport | None:
        """Return how a container ended, once it was told."""
        return self.finished.get((allocation, epoch))

    async def _join(self, request: web.Request) -> web.Response:
        message = Join.model_validate_json(await request.text())
        if message.token != JOIN_TOKEN:
            return web.Response(status=403, text=json.dumps({"code": "join_token_invalid"}))
        self.joins.append(message)
        return web.json_response(Joined(node_id=self.node_id, key=NODE_KEY).model_dump())

    async def _link(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Bearer {NODE_KEY}":
            self.refusals += 1
            return web.Response(status=401)
        self.openings.append(request.headers.get(OPENING_HEADER, ""))
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.sockets.append(socket)
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT or not self.is_answering:
                continue
            if (answer := self.answer(frame.data)) is not None:
                await socket.send_str(answer)
        return socket

    def answer(self, frame: str) -> str | None:
        """Return the frame that answers a frame; some need none."""
        message = decode_from_agent(frame)
        if isinstance(message, Telemetry):
            self.telemetry.append(message)
            return None
        if isinstance(message, LogChunk):
            return encode(self._append(message))
        self.heartbeats.append(message)
        for end in message.finished:
            self.finished.setdefault((end.allocation, end.epoch), end)
            known = self.desired.get(end.allocation)
            if known is not None and known.epoch == end.epoch:
                del self.desired[end.allocation]
        acks = [Ack(allocation=item.allocation, epoch=item.epoch) for item in message.finished]
        acks += [Ack(allocation=item.allocation, epoch=item.epoch) for item in message.tombstones]
        return encode(
            Desired(
                seq=message.seq,
                containers=tuple(self.desired.values()),
                acks=tuple(acks),
                retests=self.retests,
                graces=tuple(self.graces),
                terms=self.terms,
            )
        )

    def _append(self, chunk: LogChunk) -> LogAck:
        key = (chunk.allocation, chunk.epoch)
        data = base64.b64decode(chunk.data)
        held = self.logs.get(key, b"")
        self.logs[key] = held[: chunk.offset] + data if chunk.offset <= len(held) else held
        return LogAck(allocation=chunk.allocation, epoch=chunk.epoch, size=len(self.logs[key]))


def a_desired_container(
    allocation: str, *, epoch: int = 1, devices: Any = (), **spec: Any
) -> DesiredContainer:
    """Build a desired container; by default a training that runs for ever."""
    defaults: dict[str, Any] = {
        "kind": "training",
        "workload": allocation.partition(".")[0],
        "name": "test",
        "image": "python",
        "command": ("sleep", "1000"),
        "cpu_milli": 1000,
        "memory_mib": 256,
    }
    return DesiredContainer.model_validate(
        {
            "allocation": allocation,
            "epoch": epoch,
            "devices": devices,
            "spec": {**defaults, **spec},
        }
    )
