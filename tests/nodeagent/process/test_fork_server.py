"""The fork server under attack: a container that cannot start says so, and the next one starts."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.ports import RunningContainer, StartError
from nodeagent.process import fork_server
from nodeagent.process.fence import ProcessFence
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.runtime import ProcessRuntime
from tests.fakes.work import SLEEPS, an_order, ignore_progress
from tests.waiting import wait_until_async
from wire.words import ExitCause

FIRST, SECOND = ContainerKey("job.0", 1), ContainerKey("job.1", 1)
AGENT = """
import asyncio, os, sys
from pathlib import Path
from tests.nodeagent.process.test_fork_server import FIRST, a_runtime, servers, start
runtime = a_runtime(Path(sys.argv[1]))
asyncio.run(start(runtime, FIRST))
print(*(server.pid for server in servers()), flush=True)
os.kill(os.getpid(), 9)
"""


def a_runtime(folder: Path) -> ProcessRuntime:
    settings = ProcessSettings("node", folder / "storage", "127.0.0.1", {}, Path(sys.prefix))
    return ProcessRuntime(folder / "containers", settings)


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[ProcessRuntime]:
    yield a_runtime(tmp_path)
    ProcessFence(tmp_path / "containers").kill_all()


async def start(runtime: ProcessRuntime, key: ContainerKey) -> None:
    await runtime.start(replace(an_order(SLEEPS), key=key), ignore_progress)


async def live(runtime: ProcessRuntime) -> list[ContainerKey]:
    """Return what runs."""
    found = await runtime.list_containers()
    return [item.container.key for item in found if isinstance(item, RunningContainer)]


def servers() -> set[psutil.Process]:
    """Return the fork servers of this process that live."""
    return {
        child
        for child in psutil.Process().children()
        if child.status() != psutil.STATUS_ZOMBIE
        and any("fork_server" in word for word in child.cmdline())
    }


@pytest.fixture
async def server(runtime: ProcessRuntime) -> psutil.Process:
    """The server of a runtime that has started one container."""
    others = servers()
    await start(runtime, FIRST)
    (found,) = servers() - others
    return found


async def test_a_killed_server_takes_no_work_with_it_and_another_takes_its_place(
    runtime: ProcessRuntime, server: psutil.Process
) -> None:
    server.kill()
    await wait_until_async(lambda: server not in servers())
    await start(runtime, SECOND)
    assert await live(runtime) == [FIRST, SECOND]


async def test_a_frozen_server_fails_the_start_and_leaves_nothing(
    runtime: ProcessRuntime, server: psutil.Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.send_signal(signal.SIGSTOP)
    with monkeypatch.context() as patch:
        patch.setattr(fork_server, "ANSWER_S", 0.1)
        with pytest.raises(StartError) as refusal:
            await start(runtime, SECOND)
    assert refusal.value.cause is ExitCause.START_FAILED
    assert await live(runtime) == [FIRST]
    await start(runtime, SECOND)
    assert await live(runtime) == [FIRST, SECOND]


async def test_the_server_ends_with_a_killed_agent_and_the_work_goes_on(
    runtime: ProcessRuntime, tmp_path: Path
) -> None:
    agent = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", AGENT, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert agent.returncode == -signal.SIGKILL, agent.stderr
    await wait_until_async(lambda: not psutil.pid_exists(int(agent.stdout)))
    assert await live(runtime) == [FIRST]


async def test_a_shim_has_a_session_of_its_own_and_only_its_own_files(
    runtime: ProcessRuntime, server: psutil.Process, tmp_path: Path
) -> None:
    (shim,) = server.children()
    assert os.getsid(shim.pid) == shim.pid
    directory = ContainerDir(tmp_path / "containers", FIRST)
    files = {file.path for file in shim.open_files()}
    assert files == {str(directory.log_path), str(directory.lock_path)}
    assert shim.net_connections("unix") == []
