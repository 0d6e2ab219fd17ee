"""A node's state disk is full while work ends or is stopped: both are known afterwards (F29)."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey, Finished
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.process.fence import ProcessFence
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.runtime import ProcessRuntime
from tests.fakes.work import DEAF, IGNORES_SIGTERM, an_order, ignore_progress
from tests.waiting import wait_until_async
from wire.words import ExitCause

pytestmark = pytest.mark.docker
"""Mounting needs root."""

KEY = ContainerKey("job.0", 1)


@pytest.fixture(params=["size=4m", "size=4m,nr_inodes=100"], ids=["blocks", "inodes"])
def state(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A small file system for the state directory, to be filled by `fill`."""
    folder = tmp_path / "state"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", request.param, "tmpfs", folder], check=True)
    yield folder
    ProcessFence(folder / "containers").kill_all()
    subprocess.run(["umount", "--lazy", folder], check=True)


def fill(folder: Path) -> None:
    """Leave no room for another file, nor for another byte."""
    number = 0
    try:
        while True:
            (folder / f"filler-{number}").write_bytes(b"\0" * 64 * 1024)
            number += 1
    except OSError:
        return


@pytest.fixture
def runtime(state: Path, tmp_path: Path) -> ProcessRuntime:
    settings = ProcessSettings("node", tmp_path / "storage", "127.0.0.1", {}, Path(sys.prefix))
    return ProcessRuntime(state / "containers", settings)


async def test_work_that_ends_meanwhile_has_ended_as_it_did(
    runtime: ProcessRuntime, state: Path, tmp_path: Path
) -> None:
    flag = tmp_path / "go"
    command = ("sh", "-c", f"while [ ! -e {flag} ]; do sleep 0.05; done; exit 7")
    await runtime.start(an_order(command), ignore_progress)
    fill(state)
    flag.touch()
    end = await runtime.wait_for_end(KEY)
    assert (end.cause, end.exit_code) == (ExitCause.EXITED, 7)
    (found,) = await runtime.list_containers()
    assert found == end


async def test_work_that_is_stopped_meanwhile_has_its_grace_and_its_cause(
    runtime: ProcessRuntime, state: Path
) -> None:
    await runtime.start(an_order(IGNORES_SIGTERM), ignore_progress)
    log = ContainerDir(state / "containers", KEY).log_path
    await wait_until_async(lambda: log.read_bytes() == DEAF)
    fill(state)
    await runtime.stop(KEY, ExitCause.STOPPED, 600_000)
    (held,) = await runtime.list_containers()
    assert not isinstance(held, Finished)
    await runtime.stop(KEY, ExitCause.LEASE_ENDED, 0)
    end = await runtime.wait_for_end(KEY)
    assert (end.cause, end.exit_code) == (ExitCause.STOPPED, 137)
