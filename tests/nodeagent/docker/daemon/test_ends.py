"""How work ends when something goes wrong, and what people do past the platform (F27, F28)."""

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid1

import pytest

from nodeagent.core.state import PAUSED_BY_HAND, ContainerKey, Finished
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.ports import RunningContainer
from tests.fakes import work
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.docker.daemon.conftest import FaultyNode
from tests.tiny_image import IMAGE
from tests.waiting import PATIENCE_S
from wire.words import ExitCause

pytestmark = pytest.mark.docker

KEY = ContainerKey("job.0", 1)
FILLS_DISK = ("sh", "-c", "cat /dev/zero > /outputs/zeros")
FORKS = ("sh", "-c", "while sleep 1000 & do :; done")
PROCESSES = 20


async def ended(runtime: DockerRuntime) -> Finished:
    async with asyncio.timeout(PATIENCE_S):
        return await runtime.wait_for_end(KEY)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for one MiB."""
    folder = tmp_path / "storage"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


async def test_f27_work_that_fills_the_disk_ends_with_that_cause(
    node: FaultyNode, small_disk: Path
) -> None:
    runtime = node.runtime()
    await runtime.start(an_order(FILLS_DISK), ignore_progress)
    assert (await ended(runtime)).cause is ExitCause.DISK_FULL


async def test_f27_fork_bomb_meets_its_limit_and_leaves_nothing(node: FaultyNode) -> None:
    runtime = node.runtime(processes_max=PROCESSES)
    await runtime.start(an_order(FORKS), ignore_progress)
    end = await ended(runtime)
    assert (end.cause, end.exit_code) == (ExitCause.EXITED, 2)
    assert b"fork" in await runtime.read_log(KEY, 0, 1000)


async def test_f28_container_removed_by_hand_has_vanished(node: FaultyNode) -> None:
    runtime = node.runtime()
    await runtime.start(an_order(work.SLEEPS), ignore_progress)
    with node.daemon.client() as client:
        (name,) = node.ids()
        client.api.remove_container(name, force=True)
    assert (await ended(runtime)).cause is ExitCause.VANISHED


async def test_f27_container_killed_by_hand_says_so(node: FaultyNode) -> None:
    runtime = node.runtime()
    await runtime.start(an_order(work.SLEEPS), ignore_progress)
    with node.daemon.client() as client:
        (name,) = node.ids()
        client.api.kill(name, "SIGKILL")
    end = await ended(runtime)
    assert (end.cause, end.detail) == (ExitCause.KILLED, "SIGKILL")


async def test_f28_strange_containers_are_never_touched(node: FaultyNode) -> None:
    strange = f"strange-{uuid1()}"
    with node.daemon.client() as client:
        client.containers.run(
            IMAGE,
            list(work.SLEEPS),
            name=strange,
            labels={"berth.node": "another"},
            network_mode="host",
            detach=True,
        )
        runtime = node.runtime()
        assert await runtime.list_containers() == ()
        await runtime.stop(KEY, ExitCause.STOPPED, 0)
        found = client.containers.get(strange)
        assert found.status == "running"
        found.remove(force=True)


async def test_f28_renamed_container_is_still_ours(node: FaultyNode) -> None:
    runtime = node.runtime()
    await runtime.start(an_order(work.SLEEPS), ignore_progress)
    with node.daemon.client() as client:
        (name,) = node.ids()
        client.api.rename(name, f"renamed-{uuid1()}")
    (held,) = await runtime.list_containers()
    assert isinstance(held, RunningContainer)
    await runtime.stop(KEY, ExitCause.STOPPED, 1_000)
    assert (await ended(runtime)).cause is ExitCause.STOPPED
    await runtime.remove(KEY)
    assert node.ids() == set()


async def test_f28_paused_container_keeps_what_it_holds_and_is_told(node: FaultyNode) -> None:
    runtime = node.runtime()
    await runtime.start(an_order(work.SLEEPS), ignore_progress)
    with node.daemon.client() as client:
        (name,) = node.ids()
        client.api.pause(name)
    (held,) = await runtime.list_containers()
    assert isinstance(held, RunningContainer)
    assert held.container.detail == PAUSED_BY_HAND
    await runtime.stop(KEY, ExitCause.STOPPED, 1_000)
    assert (await ended(runtime)).cause is ExitCause.STOPPED


async def test_lost_directories_are_made_again_from_what_the_engine_knows(
    node: FaultyNode,
) -> None:
    runtime = node.runtime()
    await runtime.start(an_order(work.SLEEPS), ignore_progress)
    await runtime.start(an_order(work.SPEAKS_AND_EXITS_3, epoch=2), ignore_progress)
    await runtime.wait_for_end(ContainerKey("job.0", 2))
    (before, _) = await runtime.list_containers()
    shutil.rmtree(node.root / "containers")

    (held, end) = await node.runtime().list_containers()
    assert isinstance(before, RunningContainer)
    assert isinstance(held, RunningContainer)
    assert isinstance(end, Finished)
    assert (held.container.key, held.container.phase) == (KEY, before.container.phase)
    assert (end.key, end.cause, end.exit_code) == (ContainerKey("job.0", 2), ExitCause.EXITED, 3)


async def test_stop_that_nobody_saw_through_is_enforced_by_the_next_agent(
    node: FaultyNode,
) -> None:
    runtime = node.runtime()
    await runtime.start(an_order(work.IGNORES_SIGTERM), ignore_progress)
    slow = asyncio.create_task(runtime.stop(KEY, ExitCause.STOPPED, 1_000))
    await asyncio.sleep(0)
    slow.cancel()
    assert (await ended(node.runtime())).cause is ExitCause.STOPPED
