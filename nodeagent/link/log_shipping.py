"""Ships every byte of every container's log to the portal, at least once."""

import asyncio
import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import structlog

from nodeagent.core.state import ContainerKey
from nodeagent.ports import Link
from wire.log_lines import LOG_BEGINNING
from wire.log_marks import LogMark, thin_out
from wire.logs import LOG_CHUNK_MAX, LogAck, LogChunk

log = structlog.get_logger()

POLL_S: Final = 0.25
"""Between reads of a log that does not grow."""
EVENTS_POLL_S: Final = 2.0
"""The same of event files, which their writers flush every few seconds."""
CLOSED_POLL_S: Final = 1.0
"""Between attempts to send while the link is closed."""
ACK_S: Final = 5.0
UNANSWERED_MAX: Final = 60
"""Chunks in succession, five minutes of them, that an open link took and the portal did not acknowledge after
it had settled the end of their work. Then the log is given up, or one that is never taken would stay."""
ASKED_FIRST: Final = 4096
"""With more bytes than that, the portal is asked how much it has before any are sent."""
CHUNKS_IN_FLIGHT: Final = 4
"""Over all containers, so that a large log never delays a heartbeat for long."""


@dataclass(slots=True)
class LogShipment:
    """How far one log has come; `acked` is unknown until the portal has sent its size."""

    acked: int | None = None
    excess_acked: int = 0
    """The same of the metrics lines that came after its beginning."""
    is_over: bool = False
    """The portal accepts no more of this log, or its container was removed."""
    is_awaited: bool = False
    """The portal has settled the end: its container is removed as soon as the log has arrived."""
    unanswered: int = 0
    """Chunks in succession that were not acknowledged since then."""
    is_given_up: bool = False
    """Not all of it has arrived, and no more is sent."""
    has_ended: asyncio.Event = field(default_factory=asyncio.Event)
    is_shipped: asyncio.Event = field(default_factory=asyncio.Event)
    pending_ack: "asyncio.Future[int] | None" = None
    sends_excess: bool = False
    """What is being sent, of which the acknowledgement is waited for."""


class LogSource(Protocol):
    """What is shipped: the log of each container, or metrics lines that are kept like one."""

    async def read_log(self, key: ContainerKey, offset: int, limit: int, /) -> bytes:
        """Return bytes from `offset` on; empty at the present end."""

    async def read_marks(self, key: ContainerKey, begin: int, end: int, /) -> Sequence[LogMark]:
        """Return when the lines that begin in these bytes were written, as far as known."""

    async def read_excess(self, key: ContainerKey, offset: int, limit: int, /) -> bytes:
        """Return the same of the metrics lines that came after its beginning."""


class Shipper(Protocol):
    """Ships what belongs to each container until all of it has arrived."""

    async def ship(self, key: ContainerKey) -> None:
        """Ship until the container has ended and everything has arrived."""

    def mark_ended(self, key: ContainerKey) -> None:
        """Note that there will be no more."""

    async def wait_shipped(self, key: ContainerKey) -> bool:
        """Wait until everything has arrived, or is given up; return whether it has arrived."""

    def forget(self, key: ContainerKey) -> None:
        """Drop what is left of a container that is removed."""


class LogShipper:
    """One task per container; the portal's file size counts, also after a restart."""

    def __init__(
        self,
        source: LogSource,
        link: Link,
        ack_s: float = ACK_S,
        *,
        is_events: bool = False,
        poll_s: float = POLL_S,
    ) -> None:
        """Ship from this source; `is_events`: the lines of event files, of which most jobs have none."""
        self._source = source
        self._link = link
        self._ack_s = ack_s
        self._is_events = is_events
        self._poll_s = poll_s
        self._shipments: dict[ContainerKey, LogShipment] = {}
        self._slots = asyncio.Semaphore(CHUNKS_IN_FLIGHT)

    async def ship(self, key: ContainerKey) -> None:
        """Ship a container's log until it has ended and everything has arrived."""
        shipment = self._shipments.setdefault(key, LogShipment())
        try:
            await self._ship_all(key, shipment)
        except Exception:  # its container would wait for it for ever
            shipment.is_given_up = True
            shipment.is_shipped.set()
            raise
        shipment.is_shipped.set()

    async def _ship_all(self, key: ContainerKey, shipment: LogShipment) -> None:
        while not shipment.is_over:
            has_ended = shipment.has_ended.is_set()
            offset = shipment.acked or 0
            data = await self._read(key, offset)
            # Metrics go before the end of the log that holds the last of them, and was read first.
            if offset >= LOG_BEGINNING and await self._ship_excess(key, shipment):
                continue
            if not data:
                if has_ended:
                    break
                await _pause(shipment.has_ended, self._poll_s)
                continue
            if shipment.acked is None and (self._is_events or len(data) > ASKED_FIRST):
                # The answer says where to continue, or that a portal does not know the lines of event files.
                data = b""
            await self._send(key, shipment, offset, data)

    def mark_ended(self, key: ContainerKey) -> None:
        """Note that the log will not grow any more."""
        self._shipments.setdefault(key, LogShipment()).has_ended.set()

    async def wait_shipped(self, key: ContainerKey) -> bool:
        """Wait until the whole log has arrived, or is given up; return whether it has arrived."""
        shipment = self._shipments.get(key)
        if shipment is None:
            return True
        shipment.is_awaited = True
        await shipment.is_shipped.wait()
        return not shipment.is_given_up

    def forget(self, key: ContainerKey) -> None:
        """Drop the shipment of a container that is removed, and end it.

        A portal that never acknowledges one log would otherwise be sent it indefinitely, in a slot
        that other logs wait for.
        """
        shipment = self._shipments.pop(key, None)
        if shipment is not None:
            shipment.is_over = True
            shipment.has_ended.set()

    def accept_ack(self, message: LogAck) -> None:
        """Continue from the size that the portal reports."""
        shipment = self._shipments.get(ContainerKey(message.allocation, message.epoch))
        if (
            shipment is not None
            and shipment.pending_ack is not None
            and not shipment.pending_ack.done()
            and shipment.sends_excess == message.is_excess
        ):
            shipment.pending_ack.set_result(message.size)

    async def _ship_excess(self, key: ContainerKey, shipment: LogShipment) -> bool:
        """Send the next metrics lines that came after its beginning; return whether it took any."""
        offset = shipment.excess_acked
        try:
            data = await self._source.read_excess(key, offset, LOG_CHUNK_MAX)
        except OSError as error:
            log.warning("log.unreadable", allocation=key.allocation, error=str(error))
            return False
        if not data:
            return False
        size = await self._exchange(key, shipment, offset, data, is_excess=True)
        shipment.excess_acked = offset if size is None else size
        return size is not None

    async def _read(self, key: ContainerKey, offset: int) -> bytes:
        """Return the next part of a log; empty after a disk error, so that it is read again."""
        try:
            return await self._source.read_log(key, offset, LOG_CHUNK_MAX)
        except OSError as error:
            log.warning("log.unreadable", allocation=key.allocation, error=str(error))
            return b""

    async def _read_marks(self, key: ContainerKey, begin: int, end: int) -> Sequence[LogMark]:
        """Return when these bytes were written; a disk error must not keep the bytes themselves back."""
        try:
            return thin_out(await self._source.read_marks(key, begin, end))
        except OSError as error:
            log.warning("log.unreadable", allocation=key.allocation, error=str(error))
            return ()

    async def _send(
        self, key: ContainerKey, shipment: LogShipment, offset: int, data: bytes
    ) -> None:
        """Send one chunk and wait for its acknowledgement; without one it is sent again."""
        size = await self._exchange(key, shipment, offset, data, is_excess=False)
        if size is None:
            return
        if data and size <= offset:
            log.info("log.full", allocation=key.allocation, epoch=key.epoch, size=size)
            shipment.is_over = True
        shipment.acked = size

    async def _exchange(
        self, key: ContainerKey, shipment: LogShipment, offset: int, data: bytes, *, is_excess: bool
    ) -> int | None:
        """Send bytes and return the size that the portal has; None without an acknowledgement."""
        text = base64.b64encode(data).decode("ascii")
        marks = () if is_excess else await self._read_marks(key, offset, offset + len(data))
        async with self._slots:
            shipment.pending_ack = asyncio.get_running_loop().create_future()
            shipment.sends_excess = is_excess
            is_sent = self._link.send(
                LogChunk(
                    **key._asdict(),
                    offset=offset,
                    data=text,
                    marks=tuple(marks),
                    is_excess=is_excess,
                    is_events=self._is_events,
                )
            )
            size = await self._wait_for_ack(shipment.pending_ack) if is_sent else None
        if is_sent:
            self._count_answer(shipment, is_answered=size is not None)
        else:
            # Others may have the slot. While the portal is away, nothing is given up.
            await asyncio.sleep(CLOSED_POLL_S)
        return size

    async def _wait_for_ack(self, ack: "asyncio.Future[int]") -> int | None:
        try:
            async with asyncio.timeout(self._ack_s):
                return await ack
        except TimeoutError:
            return None

    def _count_answer(self, shipment: LogShipment, *, is_answered: bool) -> None:
        if is_answered or not shipment.is_awaited:
            shipment.unanswered = 0
            return
        shipment.unanswered += 1
        if shipment.unanswered >= UNANSWERED_MAX:
            shipment.is_over = shipment.is_given_up = True


class ContainerShipper:
    """Ships the log of each container, and the lines of the event files of those that may have some."""

    def __init__(self, logs: LogShipper, events: LogShipper) -> None:
        self._logs = logs
        self._events = events

    async def ship(self, key: ContainerKey) -> None:
        """Ship both until the container has ended and everything has arrived."""
        await asyncio.gather(*(shipper.ship(key) for shipper in self._of(key)))

    def mark_ended(self, key: ContainerKey) -> None:
        """Note that neither will grow any more."""
        for shipper in self._of(key):
            shipper.mark_ended(key)

    async def wait_shipped(self, key: ContainerKey) -> bool:
        """Wait until both have arrived, or are given up; return whether all has arrived."""
        return all([await shipper.wait_shipped(key) for shipper in self._of(key)])

    def forget(self, key: ContainerKey) -> None:
        """Drop the shipments of a container that is removed."""
        for shipper in self._of(key):
            shipper.forget(key)

    def accept_ack(self, message: LogAck) -> None:
        """Continue from the size that the portal reports."""
        (self._events if message.is_events else self._logs).accept_ack(message)

    def _of(self, key: ContainerKey) -> tuple[LogShipper, ...]:
        """Return what ships of a container: all ranks of a job write event files into one folder."""
        is_first = key.allocation.endswith(".0")
        return (self._logs, self._events) if is_first else (self._logs,)


async def _pause(until: asyncio.Event, seconds: float) -> None:
    """Wait a moment, or less when the container ends meanwhile."""
    try:
        async with asyncio.timeout(seconds):
            await until.wait()
    except TimeoutError:
        return
