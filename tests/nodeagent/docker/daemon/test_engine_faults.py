"""The engine crashes and hangs under living containers (F25)."""

import asyncio
import gc
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.docker.fence import DockerFence
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.ports import RunningContainer, RuntimeUnavailableError
from tests.fakes import work
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.docker.daemon.conftest import QUICK, FaultyNode
from tests.waiting import PATIENCE_S, wait_until, wait_until_async
from wire.facts import NodeFault
from wire.words import ExitCause

pytestmark = pytest.mark.docker

KEY = ContainerKey("job.0", 1)
SPEAKS_AND_SLEEPS = ("sh", "-c", "echo up; exec sleep 1000")
"""Who hears it knows that a signal will be heard as well."""


FORGETS_SOCKETS = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
"""The SDK does not close what it was just opening when the engine went away in good order."""


@pytest.fixture
def collected() -> Iterator[None]:
    """Let the sockets that the SDK has forgotten be closed within the test that made them."""
    yield
    gc.collect()


def pids(node: FaultyNode) -> set[int]:
    with node.daemon.client() as client:
        found: list[dict[str, Any]] = [client.api.inspect_container(name) for name in node.ids()]
    return {item["State"]["Pid"] for item in found}


async def wait_for_containers(runtime: DockerRuntime) -> tuple[Any, ...]:
    """List the containers as soon as the engine answers again."""

    async def containers() -> tuple[Any, ...]:
        try:
            return await runtime.list_containers()
        except RuntimeUnavailableError:
            return ()

    found: tuple[Any, ...] = await wait_until_async(containers)
    return found


async def wait_for_output(runtime: DockerRuntime) -> None:
    """Wait until the work has written its first line."""
    await wait_until_async(lambda: runtime.read_log(KEY, 0, 100))


async def wait_for_faults(engine: DockerEngine) -> tuple[NodeFault, ...]:
    """Wait until the engine is reported as silent."""

    async def faults() -> tuple[NodeFault, ...]:
        return (await engine.inspect()).faults

    found: tuple[NodeFault, ...] = await wait_until_async(faults)
    return found


async def test_f25_containers_outlive_a_killed_engine_and_go_on_as_they_were(
    node: FaultyNode,
) -> None:
    runtime = node.runtime()
    for epoch in (1, 2, 3):
        await runtime.start(an_order(work.SLEEPS, epoch=epoch), ignore_progress)
    waiting = asyncio.create_task(runtime.wait_for_end(KEY))
    before = pids(node)
    node.daemon.kill()
    with pytest.raises(RuntimeUnavailableError):
        await runtime.list_containers()
    await asyncio.to_thread(node.daemon.start)

    held = await wait_for_containers(node.runtime())
    assert [type(item) for item in held] == [RunningContainer] * 3
    assert pids(node) == before
    assert not waiting.done()
    await wait_for_containers(runtime)
    await runtime.stop(KEY, ExitCause.STOPPED, 5_000)
    async with asyncio.timeout(PATIENCE_S):
        assert (await waiting).cause is ExitCause.STOPPED


@FORGETS_SOCKETS
async def test_f25_containers_outlive_an_orderly_restart_of_the_engine(
    collected: None, node: FaultyNode
) -> None:
    runtime = node.runtime()
    await runtime.start(an_order(work.SLEEPS), ignore_progress)
    waiting = asyncio.create_task(runtime.wait_for_end(KEY))
    before = pids(node)
    await asyncio.to_thread(node.daemon.end)
    with pytest.raises(RuntimeUnavailableError):
        await runtime.list_containers()
    await asyncio.to_thread(node.daemon.start)

    held = await wait_for_containers(runtime)
    assert [type(item) for item in held] == [RunningContainer]
    assert pids(node) == before
    assert not waiting.done()
    await runtime.stop(KEY, ExitCause.STOPPED, 5_000)
    async with asyncio.timeout(PATIENCE_S):
        assert (await waiting).cause is ExitCause.STOPPED


@FORGETS_SOCKETS
async def test_f25_engine_without_live_restore_takes_work_along_and_the_node_goes_on(
    collected: None, node: FaultyNode
) -> None:
    await asyncio.to_thread(restart, node, is_live_restore=False)
    try:
        runtime = node.runtime()
        await runtime.start(an_order(SPEAKS_AND_SLEEPS), ignore_progress)
        await wait_for_output(runtime)
        waiting = asyncio.create_task(runtime.wait_for_end(KEY))
        await asyncio.to_thread(restart, node, is_live_restore=False)
        async with asyncio.timeout(PATIENCE_S):
            end = await waiting
        assert (end.cause, end.detail) == (ExitCause.KILLED, "SIGTERM")
        await runtime.start(an_order(work.SLEEPS, epoch=2), ignore_progress)
        assert [type(item) for item in await runtime.list_containers()].count(RunningContainer) == 1
    finally:
        await asyncio.to_thread(restart, node, is_live_restore=True)


def restart(node: FaultyNode, *, is_live_restore: bool) -> None:
    """Restart the engine in good order, with or without care for what runs."""
    node.daemon.end()
    node.daemon.is_live_restore = is_live_restore
    node.daemon.start()


async def test_f25_frozen_engine_holds_no_call_and_makes_the_node_unready(node: FaultyNode) -> None:
    await node.runtime().start(an_order(work.SLEEPS), ignore_progress)
    runtime = node.runtime(QUICK)
    node.daemon.signal(signal.SIGSTOP)
    try:
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(RuntimeUnavailableError):
                await runtime.list_containers()
        found = await wait_for_faults(node.engines[-1])
    finally:
        node.daemon.signal(signal.SIGCONT)
    assert [(fault.code, fault.is_blocking) for fault in found] == [("engine_silent", True)]
    assert len(await wait_for_containers(runtime)) == 1
    assert (await node.engines[-1].inspect()).faults == ()


async def test_f25_create_that_the_engine_took_while_frozen_leaves_no_second_container(
    node: FaultyNode,
) -> None:
    runtime = node.runtime(QUICK)

    def freeze(step: str, _: int | None = None) -> None:
        if step == "creating":
            node.daemon.signal(signal.SIGSTOP)

    try:
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(RuntimeUnavailableError):
                await runtime.start(an_order(work.SLEEPS), freeze)
    finally:
        node.daemon.signal(signal.SIGCONT)
    patient = node.runtime()
    await wait_for_containers(patient)
    await patient.stop(KEY, ExitCause.START_FAILED, 0)
    async with asyncio.timeout(PATIENCE_S):
        await patient.wait_for_end(KEY)
        await patient.remove(KEY)
        # The engine may carry the create out after everything else was cleared away.
        while node.ids():
            await patient.list_containers()
    await patient.start(an_order(work.SLEEPS, epoch=2), ignore_progress)
    assert len(node.ids()) == 1


async def test_f25_lease_that_ends_while_the_engine_hangs_ends_the_work_all_the_same(
    node: FaultyNode,
) -> None:
    runtime = node.runtime()
    await runtime.start(an_order(work.SLEEPS), ignore_progress)
    await runtime.start(an_order(work.IGNORES_SIGTERM, epoch=2), ignore_progress)
    found = pids(node)
    fence = DockerFence(node.root / "containers", node.daemon.url, node.name, list_s=1)
    node.daemon.signal(signal.SIGSTOP)
    try:
        assert await asyncio.to_thread(fence.stop_all, ExitCause.LEASE_ENDED, 0) > 0
        await asyncio.to_thread(fence.kill_all)
        await asyncio.to_thread(wait_until, lambda: not any(is_running(pid) for pid in found))
        assert await asyncio.to_thread(fence.count_live) == 1
    finally:
        node.daemon.signal(signal.SIGCONT)
    for epoch in (1, 2):
        async with asyncio.timeout(PATIENCE_S):
            end = await runtime.wait_for_end(ContainerKey("job.0", epoch))
        assert end.cause is ExitCause.LEASE_ENDED
    assert await asyncio.to_thread(replace(fence, list_s=60).count_live) == 0


def is_running(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
