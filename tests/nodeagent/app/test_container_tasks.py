"""The tasks around one container: what they tell of starts, pauses and runtimes that fall silent."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from nodeagent.app.container_tasks import ContainerTasks
from nodeagent.core.events import ContainerChanged, ContainerEnded, Event
from nodeagent.core.state import PAUSED_BY_HAND, Container, ContainerKey, DesiredEntry
from nodeagent.disk.container_dir import AppEndpoint
from nodeagent.link.log_shipping import LogShipper
from nodeagent.link.translation import to_reply_event
from nodeagent.ports import RunningContainer
from tests.builders.fake_node import FakeNode
from tests.fakes import work
from tests.fakes.node_ports import FakeClock, MemoryLink
from tests.fakes.portal import FakePortal, a_desired_container
from tests.fakes.runtime import FakeContainer, FakeContainerHost, FakeRuntime
from tests.fakes.sharing import FakeSharing
from tests.fakes.work import an_order
from tests.waiting import wait_until_async
from wire.messages import Desired
from wire.words import ExitCause, Phase

KEY = ContainerKey("job.0", 1)


class RecordedEvents:
    """Tasks on a fake machine, and what they tell."""

    def __init__(self) -> None:
        self.machine = FakeContainerHost()
        self.events: list[Event] = []
        self.spawned: set[asyncio.Task[None]] = set()
        runtime = FakeRuntime(self.machine)
        shipper = LogShipper(runtime, MemoryLink(FakePortal()))
        self.tasks = ContainerTasks(
            runtime, shipper, FakeClock(), self.spawn, lambda: True, FakeSharing()
        )
        self.tasks.set_event_sink(self.events.append)

    def spawn(self, _: str, work: Coroutine[Any, Any, None]) -> None:
        self.spawned.add(asyncio.create_task(work))

    def details(self) -> list[str]:
        return [item.detail for item in self.events if isinstance(item, ContainerChanged)]

    def phases(self) -> list[Phase]:
        return [item.phase for item in self.events if isinstance(item, ContainerChanged)]

    def end(self) -> ContainerEnded | None:
        return next((item for item in self.events if isinstance(item, ContainerEnded)), None)


@pytest.fixture
async def told() -> AsyncIterator[RecordedEvents]:
    told = RecordedEvents()
    yield told
    for task in told.spawned:
        task.cancel()
    await asyncio.gather(*told.spawned, return_exceptions=True)


def a_desired_entry() -> DesiredEntry:
    (wanted,) = to_reply_event(Desired(seq=1, containers=(a_desired_container("job.0"),))).desired
    return wanted


async def test_pause_by_hand_is_told_once_and_so_is_its_end(told: RecordedEvents) -> None:
    told.spawn("start", told.tasks.start(a_desired_entry()))
    await wait_until_async(lambda: KEY in told.machine.containers)
    told.machine.paused = {KEY}
    await told.tasks.discover()
    await told.tasks.discover()
    assert told.details().count(PAUSED_BY_HAND) == 1
    told.machine.paused = set()
    await told.tasks.discover()
    await told.tasks.discover()
    assert told.details()[-1] == ""
    assert told.end() is None


async def test_an_end_is_told_also_when_the_disk_hides_its_checkpoint(told: RecordedEvents) -> None:
    told.spawn("start", told.tasks.start(a_desired_entry()))
    await wait_until_async(lambda: KEY in told.machine.containers)
    told.machine.has_bad_disk = True
    told.machine.finish(KEY, ExitCause.EXITED, 3)
    event = await wait_until_async(told.end)
    assert (event.end.exit_code, event.end.checkpointed_at) == (3, None)


async def test_start_of_unknown_outcome_is_withdrawn_as_the_nodes_fault(
    told: RecordedEvents,
) -> None:
    told.machine.is_deaf = True
    await told.tasks.start(a_desired_entry())
    assert told.machine.containers[KEY].end is not None
    ended = told.end()
    assert ended is not None
    assert ended.end.cause is ExitCause.NODE_FAULT
    assert ended.end.detail.startswith("engine_silent: ")


async def test_start_that_fails_as_nobody_thought_of_is_withdrawn_and_told(
    told: RecordedEvents,
) -> None:
    told.machine.breaks = ["start"]
    await told.tasks.start(a_desired_entry())
    ended = told.end()
    assert ended is not None
    assert (ended.end.cause, KEY in told.tasks.live_keys()) == (ExitCause.NODE_FAULT, False)
    assert ended.end.detail.startswith("engine_failed: ")
    assert told.machine.containers[KEY].end is not None


async def test_end_that_cannot_be_seen_at_once_is_asked_for_again(told: RecordedEvents) -> None:
    told.machine.breaks = ["ended"]
    told.spawn("start", told.tasks.start(a_desired_entry()))
    await wait_until_async(lambda: KEY in told.machine.containers)
    told.machine.finish(KEY, ExitCause.EXITED, 3)
    event = await wait_until_async(told.end)
    assert (event.end.exit_code, told.machine.breaks) == (3, [])


async def test_notebook_runs_also_when_the_disk_does_not_keep_that_it_answered(
    told: RecordedEvents,
) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response()

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    async with TestServer(app) as server:
        container = Container(KEY, (), Phase.STARTING, started_at=1)
        told.machine.containers[KEY] = FakeContainer(an_order(work.SLEEPS))
        told.machine.has_bad_disk = True
        told.tasks.adopt(
            RunningContainer(container, AppEndpoint(server.host, server.port or 0, "/", ""))
        )
        await wait_until_async(lambda: Phase.RUNNING in told.phases())


async def test_progress_of_a_pull_reaches_the_portal(tmp_path: Path) -> None:
    node = FakeNode(tmp_path)
    node.portal.want(a_desired_container("job.0", image=work.SLOW_IMAGE))
    async with node.agent():

        def is_pulling() -> bool:
            node.clock.now += 60
            report = node.portal.report("job.0")
            return report is not None and (report.detail, report.progress_pct) == ("pulling", 42)

        await wait_until_async(is_pulling)
        node.machine.pulled.set()
        await node.until_reported("job.0", "running")
        report = node.portal.report("job.0")
        assert report is not None
        assert (report.detail, report.progress_pct) == ("", None)
