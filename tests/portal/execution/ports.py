"""Ports of the back ends under test: one row each, beside those of `backends`.

`agents` sends what a port takes as frames and requests of the node protocol; `plain` calls the port with
values, as a back end beside `agentlink` would.
"""

import base64
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Final, TypeVar
from uuid import UUID

from rest_framework.test import APIClient

from nodeagent.access.session import AccessError, AccessSession, OutputChannel, TerminalSize
from nodeagent.core.state import ContainerKey
from portal.agentlink import enrolment
from portal.agentlink.logs import append_log
from portal.agentlink.samples import read_samples
from portal.common.errors import ConflictError, NotFoundError
from portal.execution.backends import AGENTS
from portal.execution.logs import GrownLog, LogFile, LogStore
from portal.execution.report import AttemptKey
from portal.execution.samples import NodeSample, SampleStore
from portal.execution.secrets import SecretSource, StartSecret
from portal.execution.streams import (
    CommandEnded,
    EndOfData,
    Shell,
    SignalSent,
    StreamOutput,
    StreamRequest,
    Streams,
    WindowSize,
)
from portal.inventory.models import Node
from portal.telemetry.services import record_samples
from portal.workloads.operations.log_store import store_log
from portal.workloads.operations.start_secrets import reveal_for_start
from tests.portal.access.site import Site
from tests.rest import json_of
from wire import samples as messages
from wire.codec import decode_from_agent, encode
from wire.logs import LogChunk
from wire.values import Message

M = TypeVar("M", bound=Message)

# --- Agents: frames and requests of the node protocol --------------------------------------------


def send_log(node_id: UUID, grown: GrownLog) -> int:
    """Send a chunk as an agent does, and return what is acknowledged."""
    chunk = LogChunk(
        allocation=grown.allocation,
        epoch=grown.epoch,
        offset=grown.offset,
        data=base64.b64encode(grown.data).decode(),
        marks=tuple((mark.offset, mark.at_ms) for mark in grown.marks),
        is_excess=grown.file is LogFile.EXCESS,
        is_events=grown.file is LogFile.EVENTS,
    )
    return append_log(store_log, node_id, _over_the_wire(chunk)).size


def send_samples(node_id: UUID, samples: Sequence[NodeSample]) -> None:
    """Send telemetry as an agent does."""
    told = tuple(messages.Sample.model_validate(asdict(sample)) for sample in samples)
    record_samples(node_id, read_samples(_over_the_wire(messages.Telemetry(samples=told))))


def ask_for_secrets(node_id: UUID, attempt: AttemptKey) -> Sequence[StartSecret]:
    """Ask as an agent does that starts a container."""
    client = APIClient()
    key = enrolment._new_key(Node.objects.get(pk=node_id))
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    body = {"allocation": attempt[0], "epoch": attempt[1]}
    answer = client.post("/node/v1/secrets", body, format="json")
    if answer.status_code == HTTPStatus.NOT_FOUND:
        raise NotFoundError("workload")
    return [StartSecret(**secret) for secret in json_of(answer)["secrets"]]


def _over_the_wire(message: M) -> M:
    received = decode_from_agent(encode(message))
    assert isinstance(received, type(message))
    return received


# --- A back end that speaks plain values ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DirectStream:
    """A stream whose other end is in this process."""

    session: AccessSession

    async def receive(self) -> StreamOutput | EndOfData | CommandEnded:
        """Return what comes next from inside."""
        if (part := await self.session.read()) is None:
            return CommandEnded(await self.session.wait_for_exit())
        return StreamOutput(part[1], part[0] is not OutputChannel.OUTPUT)

    async def write(self, data: bytes) -> None:
        """Send bytes."""
        await self.session.write(data)

    async def send(self, control: WindowSize | SignalSent | EndOfData) -> None:
        """Send what is not data."""
        match control:
            case WindowSize():
                await self.session.resize(TerminalSize(control.columns, control.rows))
            case SignalSent():
                await self.session.send_signal(control.name)
            case EndOfData():
                await self.session.close_input()


@dataclass(frozen=True, slots=True)
class DirectStreams:
    """Opens sessions in the containers of a site without a wire."""

    site: Site

    @asynccontextmanager
    async def open_stream(
        self, node_id: UUID, request: StreamRequest
    ) -> AsyncIterator[DirectStream]:
        """Provide a stream for the block."""
        assert node_id == self.site.work.node.pk
        try:
            session = await self._open(ContainerKey(*request.key), request.what)
        except AccessError as error:
            raise ConflictError(f"stream_{error.code}") from error
        try:
            yield DirectStream(session)
        finally:
            await session.close()

    async def _open(self, key: ContainerKey, what: Shell | int) -> AccessSession:
        doors = self.site.node.doors
        if isinstance(what, int):
            return await doors.open_port(key, what)
        window = TerminalSize(what.columns, what.rows) if what.has_tty else None
        return await doors.open_shell(key, what.command, window)


@dataclass(frozen=True, slots=True)
class PortsUnderTest:
    """How one back end reaches the portal's ports, and the portal its containers."""

    name: str
    store_log: LogStore
    record_samples: SampleStore
    reveal_secrets: SecretSource
    streams: Callable[[Site], Streams]


PORTS: Final = (
    PortsUnderTest(
        AGENTS, send_log, send_samples, ask_for_secrets, lambda site: site.sessions.streams
    ),
    PortsUnderTest("plain", store_log, record_samples, reveal_for_start, DirectStreams),
)
