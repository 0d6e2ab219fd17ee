"""Logs arrive whole whatever is lost, doubled or already there."""

import asyncio
import base64
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from nodeagent.core.state import ContainerKey
from nodeagent.link import log_shipping
from nodeagent.link.log_shipping import UNANSWERED_MAX, ContainerShipper, LogShipper
from tests.fakes.runtime import FakeContainer, FakeContainerHost, FakeRuntime
from tests.fakes.work import SLEEPS, an_order
from tests.waiting import PATIENCE_S, wait_until_async
from wire.log_lines import LOG_BEGINNING
from wire.log_marks import LogMark
from wire.logs import LOG_CHUNK_MAX, LogAck, LogChunk
from wire.messages import FromAgent

KEY = ContainerKey("job.0", 1)


@dataclass
class LossyLink:
    """Stores chunks like the portal; loses every answer whose number is in `lost`."""

    held: bytes = b""
    excess: bytes = b""
    events: bytes = b""
    knows_events: bool = True
    size_max: int = 2**30
    lost: frozenset[int] = frozenset()
    is_open: bool = True
    chunks: list[LogChunk] = field(default_factory=list)
    shipper: LogShipper | ContainerShipper | None = None

    async def run(self, listener: object) -> None:
        """Never called: the shipper only sends."""

    def send(self, message: FromAgent) -> bool:
        assert isinstance(message, LogChunk)
        assert self.shipper is not None
        if not self.is_open:
            return False
        data = base64.b64decode(message.data)
        assert len(data) <= LOG_CHUNK_MAX
        self.chunks.append(message)
        if message.is_events and self.knows_events:
            self.events = max(self.events[: message.offset] + data, self.events, key=len)
        elif message.is_excess:
            self.excess = max(self.excess[: message.offset] + data, self.excess, key=len)
        elif message.offset <= len(self.held):
            whole = self.held[: message.offset] + data
            self.held = max(whole[: self.size_max], self.held, key=len)
        if len(self.chunks) - 1 not in self.lost:
            is_events = message.is_events and self.knows_events
            held = self.excess if message.is_excess else self.events if is_events else self.held
            answer = LogAck(
                allocation=message.allocation,
                epoch=1,
                size=len(held),
                is_excess=message.is_excess,
                is_events=is_events,
            )
            asyncio.get_running_loop().call_soon(self.shipper.accept_ack, answer)
        return True


@asynccontextmanager
async def shipping(link: LossyLink, log: bytes) -> AsyncIterator[FakeContainer]:
    container = FakeContainer(an_order(SLEEPS), log)
    link.shipper = LogShipper(FakeRuntime(FakeContainerHost({KEY: container})), link, ack_s=0.2)
    task = asyncio.create_task(link.shipper.ship(KEY))
    try:
        yield container
    finally:
        task.cancel()
        await asyncio.wait({task})


async def test_long_log_is_shipped_in_chunks() -> None:
    link, log = LossyLink(), bytes(range(256)) * 1000
    async with shipping(link, log):
        await wait_until_async(lambda: link.held == log)
        assert len(link.chunks) == 1 + 4


async def test_growing_log_is_followed_and_ends_with_its_container() -> None:
    link = LossyLink()
    async with shipping(link, b"one\n") as container:
        await wait_until_async(lambda: link.held == b"one\n")
        container.log += b"two\n"
        await wait_until_async(lambda: link.held == b"one\ntwo\n")
        assert link.shipper is not None
        link.shipper.mark_ended(KEY)
        async with asyncio.timeout(PATIENCE_S):
            await link.shipper.wait_shipped(KEY)


async def test_marks_go_with_the_bytes_that_they_are_about() -> None:
    link, log = LossyLink(lost=frozenset({2})), b"x" * (LOG_CHUNK_MAX - 1) + b"\nlast\n"
    async with shipping(link, log) as container:
        container.marks = [LogMark(0, 1_000), LogMark(LOG_CHUNK_MAX, 2_000)]
        await wait_until_async(lambda: link.held == log)
        sent = {chunk.offset: chunk.marks for chunk in link.chunks if chunk.data}
        assert sent == {0: ((0, 1_000),), LOG_CHUNK_MAX: ((LOG_CHUNK_MAX, 2_000),)}


async def test_more_marks_than_fit_are_thinned_out() -> None:
    link = LossyLink()
    async with shipping(link, b"\n" * 5_000) as container:
        container.marks = [LogMark(number, number) for number in range(5_000)]
        await wait_until_async(lambda: len(link.held) == 5_000)
        assert [mark[0] for mark in link.chunks[-1].marks] == list(range(0, 5_000, 5))


async def test_lost_answers_cost_time_not_bytes() -> None:
    link, log = LossyLink(lost=frozenset({0, 1, 3})), b"x" * 200_000
    async with shipping(link, log):
        await wait_until_async(lambda: link.held == log)


async def test_new_agent_goes_on_where_the_portal_is() -> None:
    log = b"a" * LOG_CHUNK_MAX + b"b" * 10
    link = LossyLink(held=log[:LOG_CHUNK_MAX])
    async with shipping(link, log):
        await wait_until_async(lambda: link.held == log)
        assert sum(len(item.data) for item in link.chunks) < 100


async def test_portal_that_takes_no_more_ends_the_shipping() -> None:
    link = LossyLink(size_max=100)
    async with shipping(link, b"x" * 1000):
        await wait_until_async(lambda: link.chunks)
        assert link.shipper is not None
        async with asyncio.timeout(PATIENCE_S):
            await link.shipper.wait_shipped(KEY)
        assert len(link.held) == 100


async def test_log_that_nobody_wants_any_more_is_not_shipped_on() -> None:
    """Each of these would hold one of the few places for all logs of the node."""
    silent = LossyLink(lost=frozenset(range(1000)))
    container = FakeContainer(an_order(SLEEPS), b"log")
    runtime = FakeRuntime(FakeContainerHost({KEY: container}))
    shipper = silent.shipper = LogShipper(runtime, silent, ack_s=0.01)
    shipping_on = asyncio.create_task(shipper.ship(KEY))
    await wait_until_async(lambda: silent.chunks)
    shipper.mark_ended(KEY)
    shipper.forget(KEY)
    async with asyncio.timeout(PATIENCE_S):
        await shipping_on


async def test_a_log_without_a_byte_is_not_sent_and_a_small_one_at_once() -> None:
    """Hundreds of short jobs would wait for each other in the few places for all logs."""
    link = LossyLink()
    async with shipping(link, b"") as container:
        await asyncio.sleep(0)
        assert not link.chunks
        container.log += b"one\n"
        await wait_until_async(lambda: link.held == b"one\n")
    assert [chunk.offset for chunk in link.chunks] == [0]


async def test_a_log_is_kept_as_long_as_the_portal_is_away(monkeypatch: Any) -> None:
    monkeypatch.setattr(log_shipping, "CLOSED_POLL_S", 0.001)
    monkeypatch.setattr(log_shipping, "UNANSWERED_MAX", 2)
    link = LossyLink(is_open=False)
    tries = 0

    async with shipping(link, b"kept\n"):
        assert link.shipper is not None
        real = link.send

        def counted(message: FromAgent) -> bool:
            nonlocal tries
            tries += 1
            return real(message)

        monkeypatch.setattr(link, "send", counted)
        link.shipper.mark_ended(KEY)
        await wait_until_async(lambda: tries > 10)
        link.is_open = True
        async with asyncio.timeout(PATIENCE_S):
            assert await link.shipper.wait_shipped(KEY)
    assert link.held == b"kept\n"


async def test_a_log_that_is_never_acknowledged_is_given_up_once_its_end_is_settled() -> None:
    """Before, the portal may be without its database for a while."""
    link = LossyLink(lost=frozenset(range(1000)))
    container = FakeContainer(an_order(SLEEPS), b"never\n")
    runtime = FakeRuntime(FakeContainerHost({KEY: container}))
    shipper = link.shipper = LogShipper(runtime, link, ack_s=0.001)
    shipping_on = asyncio.create_task(shipper.ship(KEY))
    shipper.mark_ended(KEY)
    await wait_until_async(lambda: len(link.chunks) > 2 * UNANSWERED_MAX)
    async with asyncio.timeout(PATIENCE_S):
        assert not await shipper.wait_shipped(KEY)
        await shipping_on


async def test_metrics_after_a_full_log_follow_it() -> None:
    lines = b"@metrics loss=1\n" * 10_000
    link = LossyLink(held=b"x" * LOG_BEGINNING, lost=frozenset({1}))
    async with shipping(link, link.held) as container:
        container.excess = lines
        assert link.shipper is not None
        await wait_until_async(lambda: len(link.excess) > LOG_CHUNK_MAX)
        link.shipper.mark_ended(KEY)
        async with asyncio.timeout(PATIENCE_S):
            await link.shipper.wait_shipped(KEY)
        assert link.excess == lines


async def test_metrics_arrive_before_the_end_of_a_log_that_repeats_them() -> None:
    line = b"@metrics loss=1\n"
    link = LossyLink(held=b"x" * LOG_BEGINNING)
    async with shipping(link, link.held + b"\n[... left out ...]\n" + line) as container:
        container.excess = line
        assert link.shipper is not None
        link.shipper.mark_ended(KEY)
        async with asyncio.timeout(PATIENCE_S):
            await link.shipper.wait_shipped(KEY)
        assert link.held == container.log
        kinds = [chunk.is_excess for chunk in link.chunks if chunk.data]
        assert kinds == [True, False]


@dataclass
class EventLines:
    """Lines of event files; those of one rank only are ever asked for."""

    lines: bytes = b""
    asked: set[str] = field(default_factory=set)

    async def read_log(self, key: ContainerKey, offset: int, limit: int) -> bytes:
        self.asked.add(key.allocation)
        return self.lines[offset : offset + limit]

    async def read_marks(self, _key: ContainerKey, _begin: int, _end: int, /) -> Sequence[LogMark]:
        return ()

    async def read_excess(self, _key: ContainerKey, _offset: int, _limit: int, /) -> bytes:
        return b""


def a_container_shipper(link: LossyLink, source: EventLines, log: bytes) -> ContainerShipper:
    container = FakeContainer(an_order(SLEEPS), log)
    logs = LogShipper(FakeRuntime(FakeContainerHost({KEY: container})), link, ack_s=0.05)
    events = LogShipper(source, link, ack_s=0.05, is_events=True, poll_s=0.01)
    shipper = link.shipper = ContainerShipper(logs, events)
    return shipper


async def test_lines_of_event_files_are_shipped_beside_the_log_to_their_last() -> None:
    source, link = EventLines(), LossyLink(lost=frozenset({3}))
    shipper = a_container_shipper(link, source, b"log")
    shipping_on = asyncio.create_task(shipper.ship(KEY))
    await wait_until_async(lambda: link.held == b"log" and "job.0" in source.asked)
    assert not any(chunk.is_events for chunk in link.chunks)

    source.lines = b"@metrics step=1 loss=1\n" * 10_000
    await wait_until_async(lambda: len(link.events) > LOG_CHUNK_MAX)
    shipper.mark_ended(KEY)
    async with asyncio.timeout(PATIENCE_S):
        await shipper.wait_shipped(KEY)
        await shipping_on

    assert (link.events, link.held) == (source.lines, b"log")


async def test_a_portal_that_knows_no_event_files_never_takes_them_for_the_log() -> None:
    source, link = EventLines(b"@metrics step=1 loss=1\n"), LossyLink(knows_events=False)
    shipper = a_container_shipper(link, source, b"log")
    shipping_on = asyncio.create_task(shipper.ship(KEY))
    await wait_until_async(lambda: sum(chunk.is_events for chunk in link.chunks) > 2)
    shipper.mark_ended(KEY)
    shipper.forget(KEY)
    async with asyncio.timeout(PATIENCE_S):
        await shipping_on

    assert link.held == b"log"
    assert not any(chunk.data for chunk in link.chunks if chunk.is_events)


async def test_only_the_first_rank_has_event_files() -> None:
    source, link = EventLines(b"@metrics step=1 loss=1\n"), LossyLink()
    shipper, second = a_container_shipper(link, source, b"log"), ContainerKey("job.1", 1)
    shipping_on = asyncio.create_task(shipper.ship(second))
    shipper.mark_ended(second)
    async with asyncio.timeout(PATIENCE_S):
        await shipper.wait_shipped(second)
        await shipping_on

    assert (source.asked, link.events) == (set(), b"")
