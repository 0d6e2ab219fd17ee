"""The shim under attack: whatever happens to it, nothing of its container is left."""

import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from nodeagent.core.lease import ends_with_lease
from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.host import procfs
from nodeagent.process import control
from nodeagent.process.fence import ProcessFence
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.runtime import ProcessRuntime
from tests.fakes.work import FILLS_MEMORY, SLEEPS, an_order, ignore_progress
from tests.waiting import wait_until_async
from wire.words import ExitCause, SilenceTerm

KEY = ContainerKey("job.0", 1)
NICE_MAX = 19
FAMILY = (
    "sh",
    "-c",
    "sleep 1001 & (setsid sleep 1002 &) ; (setsid sh -c 'sleep 1003 & sleep 1004' &) ; wait",
)


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[ProcessRuntime]:
    settings = ProcessSettings("node", tmp_path / "storage", "127.0.0.1", {}, Path(sys.prefix))
    yield ProcessRuntime(tmp_path / "containers", settings)
    ProcessFence(tmp_path / "containers").kill_all()


@pytest.fixture
def place(tmp_path: Path) -> ContainerDir:
    return ContainerDir(tmp_path / "containers", KEY)


def zombies_below(shim: int) -> list[int]:
    table = procfs.list_processes()
    return [item.pid for item in table.values() if item.parent == shim and item.is_zombie]


async def a_family(runtime: ProcessRuntime, place: ContainerDir) -> int:
    """Start processes that try to get away, and return the shim's number."""
    await runtime.start(an_order(FAMILY), ignore_progress)
    await wait_until_async(
        lambda: len(procfs.find_by_environment(control.container_marker(place))) >= 6
    )
    number = control.find_shim_pid(place)
    assert number is not None
    return number


async def test_stop_reaches_processes_that_left_the_session(
    runtime: ProcessRuntime, place: ContainerDir
) -> None:
    await a_family(runtime, place)
    await runtime.stop(KEY, ExitCause.STOPPED, 5_000)
    assert (await runtime.wait_for_end(KEY)).cause is ExitCause.STOPPED
    assert procfs.find_by_environment(control.container_marker(place)) == []


async def test_killed_shim_takes_its_container_with_it(
    runtime: ProcessRuntime, place: ContainerDir
) -> None:
    os.kill(await a_family(runtime, place), signal.SIGKILL)
    end = await runtime.wait_for_end(KEY)
    assert (end.cause, end.exit_code) == (ExitCause.VANISHED, None)
    assert procfs.find_by_environment(control.container_marker(place)) == []


async def test_frozen_shim_is_killed_by_force(runtime: ProcessRuntime, place: ContainerDir) -> None:
    os.kill(await a_family(runtime, place), signal.SIGSTOP)
    place.stops.write_order(ExitCause.LEASE_ENDED, 0)
    control.kill_container(place)
    assert (await runtime.wait_for_end(KEY)).cause is ExitCause.LEASE_ENDED
    assert procfs.find_by_environment(control.container_marker(place)) == []


async def test_work_that_is_killed_before_a_frozen_shim_reads_its_order_ended_by_the_order(
    runtime: ProcessRuntime, place: ContainerDir
) -> None:
    shim = await a_family(runtime, place)
    os.kill(shim, signal.SIGSTOP)
    place.stops.write_order(ExitCause.LEASE_ENDED, 0)
    procfs.kill_descendants(shim)
    control.kill_container(place)
    end = await runtime.wait_for_end(KEY)
    assert (end.cause, end.exit_code) == (ExitCause.LEASE_ENDED, 137)


async def test_process_number_of_somebody_else_is_never_signalled(
    runtime: ProcessRuntime, place: ContainerDir
) -> None:
    await runtime.start(an_order(("true",)), ignore_progress)
    await runtime.wait_for_end(KEY)
    # As if the shim's number had been given to another process: here, to this test.
    place.lock_path.write_text(str(os.getpid()), encoding="ascii")
    control.request_stop(place, ExitCause.STOPPED, 0)
    control.kill_container(place)
    assert control.find_shim_pid(place) is None


async def test_orphan_that_becomes_a_child_of_the_shim_is_reaped(
    runtime: ProcessRuntime, place: ContainerDir
) -> None:
    script = "(sh -c 'sleep 0.1' &) ; sleep 1000"
    await runtime.start(an_order(("sh", "-c", script)), ignore_progress)
    number = control.find_shim_pid(place)
    assert number is not None
    await wait_until_async(lambda: len(procfs.list_family(number)) == 2)
    await wait_until_async(lambda: not zombies_below(number))


async def test_too_much_memory_is_told_by_a_code_and_its_numbers(runtime: ProcessRuntime) -> None:
    await runtime.start(an_order(FILLS_MEMORY), ignore_progress)
    end = await runtime.wait_for_end(KEY)
    assert re.fullmatch(r"over_memory: \d+ MiB used, \d+ MiB granted", end.detail)


async def test_core_files_are_off_and_the_environment_is_not_the_agent_s(
    runtime: ProcessRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_AGENT", "x")
    command = ("sh", "-c", "ulimit -c; echo [$SECRET_OF_THE_AGENT]; nice; pwd")
    await runtime.start(an_order(command), ignore_progress)
    await runtime.wait_for_end(KEY)
    core, secret, nice, folder = (await runtime.read_log(KEY, 0, 1000)).decode().split()
    assert (core, secret) == ("0", "[]")
    assert int(nice) >= min(os.nice(0) + 5, NICE_MAX)
    assert folder.endswith("storage/outputs/job")


async def test_container_directory_is_for_its_owner_only(
    runtime: ProcessRuntime, place: ContainerDir
) -> None:
    await runtime.start(an_order(SLEEPS), ignore_progress)
    assert place.path.stat().st_mode & 0o777 == 0o700
    for path in place.path.iterdir():
        assert path.is_dir() or path.stat().st_mode & 0o077 == 0


async def test_full_disk_keeps_no_lease_from_ending(
    runtime: ProcessRuntime, place: ContainerDir
) -> None:
    await a_family(runtime, place)
    (place.path / f".stop.json.{os.getpid()}").mkdir()
    assert ProcessFence(place.path.parent).stop_all(ExitCause.LEASE_ENDED, 5_000) == 1
    assert (await runtime.wait_for_end(KEY)).cause is ExitCause.KILLED
    assert procfs.find_by_environment(control.container_marker(place)) == []


async def test_full_disk_keeps_no_end_from_being_told(
    runtime: ProcessRuntime, place: ContainerDir
) -> None:
    number = await a_family(runtime, place)
    (place.path / f".status.json.{os.getpid()}").mkdir()
    os.kill(number, signal.SIGKILL)
    assert (await runtime.wait_for_end(KEY)).detail == "shim_lost"


async def test_fence_spares_what_is_not_meant(runtime: ProcessRuntime, place: ContainerDir) -> None:
    await runtime.start(replace(an_order(SLEEPS), silence=SilenceTerm.KEEP), ignore_progress)
    fence = ProcessFence(place.path.parent)
    assert fence.stop_all(ExitCause.LEASE_ENDED, 0, ends_with_lease) == 0
    fence.kill_all(ends_with_lease)
    assert fence.count_live() == 1
    assert fence.stop_all(ExitCause.TIME_LIMIT, 0, lambda key, _: key == KEY) == 1
    assert (await runtime.wait_for_end(KEY)).cause is ExitCause.TIME_LIMIT
