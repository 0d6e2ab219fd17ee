"""The tasks around one container: what they tell of starts, pauses and runtimes that fall silent."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from nodeagent.app.container_tasks import ContainerTasks, RunnerCalls
from nodeagent.app.readiness import ReadinessCheck
from nodeagent.core.events import ContainerChanged, ContainerEnded, Event
from nodeagent.core.state import PAUSED_BY_HAND, Container, ContainerKey, DesiredEntry
from nodeagent.disk.container_dir import AppEndpoint
from nodeagent.link.log_shipping import LogShipper
from nodeagent.link.translation import to_reply_event
from nodeagent.ports import RunningContainer
from tests.builders.fake_node import FakeNode
from tests.fakes import work
from tests.fakes.exec_adapter import FakeExecAdapter
from tests.fakes.node_ports import FakeClock, MemoryLink
from tests.fakes.portal import FakePortal, a_desired_container
from tests.fakes.runtime import SERVED_PORT, FakeContainer, FakeContainerHost, FakeRuntime
from tests.fakes.sharing import FakeSharing
from tests.fakes.work import an_order
from tests.waiting import wait_until_async
from wire.messages import Desired
from wire.words import ExitCause, Phase, Probe

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
            runtime,
            shipper,
            FakeClock(),
            RunnerCalls(self.spawn, lambda: True),
            FakeSharing(),
            ReadinessCheck(FakeExecAdapter(self.machine)),
        )
        self.tasks.set_event_sink(self.events.append)

    def spawn(self, _: str, work: Coroutine[Any, Any, None]) -> None:
        self.spawned.add(asyncio.create_task(work))

    def changes(self) -> list[ContainerChanged]:
        return [item for item in self.events if isinstance(item, ContainerChanged)]

    def details(self) -> list[str]:
        return [item.detail for item in self.changes()]

    def phases(self) -> list[Phase]:
        return [item.phase for item in self.changes()]

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


@asynccontextmanager
async def a_server(*statuses: int) -> AsyncIterator[AppEndpoint]:
    """Serve answers with these statuses, the last one again and again, below the path of a notebook."""
    left = list(statuses)

    async def answer(request: web.Request) -> web.Response:
        assert request.headers["Authorization"] == "token secret"
        return web.Response(status=left.pop(0) if len(left) > 1 else left[0])

    app = web.Application()
    app.router.add_get("/e/lab/api/status", answer)
    async with TestServer(app) as server:
        yield AppEndpoint(server.host, server.port or 0, "/e/lab/", "secret")


def adopt(
    told: RecordedEvents,
    phase: Phase,
    *,
    endpoint: AppEndpoint | None = None,
    probe: Probe | None = None,
) -> None:
    """Follow a container that has not answered yet."""
    is_ready = None if probe is None else False
    container = Container(KEY, (), phase, started_at=1, is_ready=is_ready)
    told.machine.containers.setdefault(KEY, FakeContainer(an_order(work.SLEEPS)))
    told.tasks.adopt(RunningContainer(container, endpoint, probe))


async def test_notebook_runs_also_when_the_disk_does_not_keep_that_it_answered(
    told: RecordedEvents,
) -> None:
    told.machine.has_bad_disk = True
    async with a_server(200) as endpoint:
        adopt(told, Phase.STARTING, endpoint=endpoint)
        await wait_until_async(lambda: Phase.RUNNING in told.phases())


async def test_notebook_without_a_probe_runs_once_it_answers(told: RecordedEvents) -> None:
    """It is of an older agent, or of a portal that names none and takes it for ready when it runs."""
    async with a_server(503, 302, 200) as endpoint:
        adopt(told, Phase.STARTING, endpoint=endpoint)
        await wait_until_async(lambda: len(told.phases()) == 2)
    waiting, ready = told.changes()
    assert (waiting.phase, waiting.is_ready) == (Phase.STARTING, None)
    assert (waiting.detail, waiting.port) == ("waiting_for_http", None)
    assert (ready.phase, ready.is_ready) == (Phase.RUNNING, None)
    assert (ready.detail, ready.port) == ("", endpoint.port)
    assert told.machine.containers[KEY].is_ready


async def test_notebook_with_a_probe_runs_before_it_is_ready(told: RecordedEvents) -> None:
    async with a_server(503, 200) as endpoint:
        adopt(told, Phase.RUNNING, endpoint=endpoint, probe=Probe("/api/status", period_ms=50))
        await wait_until_async(lambda: len(told.phases()) == 2)
    waiting, ready = told.changes()
    assert (waiting.phase, waiting.is_ready) == (Phase.RUNNING, False)
    assert (waiting.detail, waiting.port) == ("waiting_for_http", None)
    assert (ready.phase, ready.is_ready) == (Phase.RUNNING, True)
    assert (ready.detail, ready.port) == ("", endpoint.port)
    assert told.machine.containers[KEY].is_ready


async def test_job_is_asked_at_a_port_inside_it(told: RecordedEvents) -> None:
    told.machine.containers[KEY] = FakeContainer(an_order(work.ANSWERS))
    adopt(told, Phase.RUNNING, probe=Probe("/ready", SERVED_PORT))
    await wait_until_async(lambda: len(told.phases()) == 2)
    assert [item.is_ready for item in told.changes()] == [False, True]


@pytest.mark.parametrize(
    ("command", "path", "port"),
    [
        (work.ANSWERS, "/not-there", SERVED_PORT),
        (work.SERVES, "/ready", SERVED_PORT),
        (work.ANSWERS, "/ready", SERVED_PORT + 1),
    ],
)
async def test_work_that_is_not_ready_in_time_has_failed_to_start(
    told: RecordedEvents, command: tuple[str, ...], path: str, port: int
) -> None:
    told.machine.containers[KEY] = FakeContainer(an_order(command))
    adopt(told, Phase.RUNNING, probe=Probe(path, port, deadline_s=1))
    ended = (await wait_until_async(told.end)).end
    assert ended.cause is ExitCause.START_FAILED
    assert ended.detail == "not_ready: no answer within 1 s"
    assert True not in [item.is_ready for item in told.changes()]


async def test_work_that_ends_before_it_is_ready_has_failed_to_start(told: RecordedEvents) -> None:
    adopt(told, Phase.RUNNING, probe=Probe("/ready", SERVED_PORT))
    await wait_until_async(lambda: told.phases() == [Phase.RUNNING])
    told.machine.finish(KEY, ExitCause.EXITED, 0)
    ended = (await wait_until_async(told.end)).end
    assert ended.cause is ExitCause.START_FAILED
    assert ended.detail == "ended_early: exit code 0 before it was ready"


@pytest.mark.parametrize("probe", [None, Probe("/api/status")])
async def test_work_that_cannot_be_asked_is_ready_when_it_runs(
    told: RecordedEvents, probe: Probe | None
) -> None:
    """A probe without a port asks the server of an environment, and a job has none."""
    adopt(told, Phase.RUNNING, probe=probe)
    await wait_until_async(lambda: told.phases() == [Phase.RUNNING])
    assert [item.is_ready for item in told.changes()] == [None if probe is None else True]


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
