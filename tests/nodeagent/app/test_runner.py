"""The running agent over fakes: what is slow or broken around it never stops the heartbeats."""

import asyncio
from pathlib import Path

from nodeagent.app.container_tasks import ContainerTasks, RunnerCalls
from nodeagent.app.readiness import ReadinessCheck
from nodeagent.core.events import ContainerEnded, Event
from nodeagent.core.state import ContainerKey
from nodeagent.core.timing import Timing
from nodeagent.link.log_shipping import LogShipper
from nodeagent.link.translation import to_reply_event
from tests.builders.fake_node import FakeNode
from tests.fakes import work
from tests.fakes.exec_adapter import FakeExecAdapter
from tests.fakes.node_ports import FakeClock, MemoryLink
from tests.fakes.portal import FakePortal, a_desired_container
from tests.fakes.runtime import FakeContainerHost, FakeRuntime
from tests.fakes.sharing import FakeSharing
from tests.waiting import wait_until_async
from wire.messages import Desired


async def test_work_starts_is_reported_and_ends(tmp_path: Path) -> None:
    node = FakeNode(tmp_path)
    node.portal.want(a_desired_container("job.0", command=work.SPEAKS_AND_EXITS_3))
    async with node.agent():
        await node.beats(3)
        await wait_until_async(lambda: node.portal.end("job.0"))
        await wait_until_async(lambda: node.portal.logs.get(("job.0", 1)) == work.SPOKEN)
        await node.beats(2)
        await wait_until_async(lambda: not node.machine.containers)


async def test_hung_runtime_does_not_hold_heartbeats_up(tmp_path: Path) -> None:
    node = FakeNode(tmp_path)
    async with node.agent():
        await node.beats()
        node.machine.is_hung = True
        node.portal.want(a_desired_container("job.0"))
        await node.beats(5)
        report = node.portal.report("job.0")
        assert report is None or report.phase != "running"


async def test_silent_runtime_is_not_taken_for_an_empty_node(tmp_path: Path) -> None:
    node = FakeNode(tmp_path)
    node.machine.is_hung = True
    async with node.agent():
        await asyncio.sleep(0)
        assert node.portal.heartbeats == []
        node.machine.is_hung = False
        await node.beats()


async def test_nothing_starts_while_the_state_cannot_be_saved(tmp_path: Path) -> None:
    node = FakeNode(tmp_path)
    async with node.agent():
        await node.beats()
        node.states.is_full = True
        node.portal.want(a_desired_container("job.0"))
        await node.beats(3)
        assert node.machine.containers == {}


async def test_nothing_starts_without_its_storage(tmp_path: Path) -> None:
    node = FakeNode(tmp_path, storage_words="storage_gone: /srv lies on / now")
    node.portal.want(a_desired_container("job.0"))
    async with node.agent():
        await node.beats(2)
        end = await wait_until_async(lambda: node.portal.end("job.0"))
        assert (end.cause, end.detail) == ("vanished", node.storage_words)
        assert node.machine.containers == {}


async def test_partitioned_agent_stops_its_work_at_lease_end(tmp_path: Path) -> None:
    node = FakeNode(tmp_path)
    node.portal.want(a_desired_container("job.0"))
    async with node.agent():
        await node.until_reported("job.0", "running")
        node.link.is_cut = True
        node.clock.now = node.lease.until - 1
        await asyncio.sleep(0)
        assert node.machine.containers[ContainerKey("job.0", 1)].end is None
        node.clock.now += Timing().lease_ttl_ms
        await wait_until_async(lambda: node.machine.containers[ContainerKey("job.0", 1)].end)
        node.link.is_cut = False
        await node.beats(2)
        end = node.portal.end("job.0")
        assert end is not None
        assert end.cause == "lease_ended"


async def test_next_agent_takes_up_what_the_last_one_left(tmp_path: Path) -> None:
    node = FakeNode(tmp_path)
    node.portal.want(a_desired_container("job.0"))
    async with node.agent():
        await node.until_reported("job.0", "running")
        container = node.machine.containers[ContainerKey("job.0", 1)]
    node.portal.heartbeats.clear()
    async with node.agent():
        await node.beats(2)
        assert [item.phase for item in node.portal.heartbeats[0].containers] == ["running"]
    assert node.machine.containers == {ContainerKey("job.0", 1): container}
    assert container.end is None


async def test_missing_image_is_an_end_with_its_cause(tmp_path: Path) -> None:
    node = FakeNode(tmp_path)
    node.portal.want(a_desired_container("job.0", image=work.MISSING_IMAGE))
    async with node.agent():
        await node.beats(3)
        end = await wait_until_async(lambda: node.portal.end("job.0"))
        assert end.cause == "image_unavailable"


async def test_unwanted_work_is_stopped(tmp_path: Path) -> None:
    node = FakeNode(tmp_path)
    node.portal.want(a_desired_container("job.0"))
    async with node.agent():
        await node.until_reported("job.0", "running")
        node.portal.want()
        await node.beats(3)
        end = await wait_until_async(lambda: node.portal.end("job.0"))
        assert end.cause == "stopped"


async def test_frozen_agent_does_not_go_on_with_a_start_after_its_lease() -> None:
    machine, told = FakeContainerHost(), list[Event]()
    runtime = FakeRuntime(machine)
    shipper = LogShipper(runtime, MemoryLink(FakePortal()))
    tasks = ContainerTasks(
        runtime,
        shipper,
        FakeClock(),
        RunnerCalls(lambda _, work: work.close(), lambda: False),
        FakeSharing(),
        ReadinessCheck(FakeExecAdapter(machine)),
    )
    tasks.set_event_sink(told.append)
    wish = to_reply_event(Desired(seq=1, containers=(a_desired_container("job.0"),))).desired[0]

    await tasks.start(wish)

    assert machine.containers == {}
    assert [event.end.cause for event in told if isinstance(event, ContainerEnded)] == [
        "lease_ended"
    ]
