"""A folder is copied with the identity in it: its work runs once all the same."""

import asyncio
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from nodeagent.disk.instance import name_instance
from nodeagent.disk.layout import StateLayout
from tests.builders.agent_process import AgentProcess, an_agent
from tests.fakes.portal import a_desired_container
from tests.nodeagent.agent.test_lifecycle import pids
from tests.waiting import PATIENCE_S, wait_until_async
from wire.words import SilenceTerm


def a_copy(agent: AgentProcess) -> AgentProcess:
    """Copy the folder of an agent, and point another configuration at the copy."""
    root = agent.root / "copy"
    shutil.copytree(agent.layout.root, root / "state")
    return AgentProcess(root, agent.portal, {**agent.settings, "storage_dir": str(root / "files")})


async def a_running_job(agent: AgentProcess, script: str) -> None:
    wanted = a_desired_container("job.0", command=("sh", "-c", script))
    agent.portal.want(wanted.model_copy(update={"silence": SilenceTerm.KEEP}))
    await agent.portal.nudge()
    await agent.portal.reported("job.0", phase="running")


async def test_second_agent_of_a_host_does_not_start(tmp_path: Path) -> None:
    async with an_agent(tmp_path) as agent:
        await a_running_job(agent, "exec sleep 1000")
        before = pids(agent)
        second = a_copy(agent)
        ended = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "nodeagent", "run", "--config", str(second.config)],
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert ended.returncode == 2
        assert "agent.second" in ended.stderr
        assert pids(agent) == before
        assert len({beat.instance for beat in agent.portal.heartbeats}) == 1


async def test_copy_that_takes_the_place_of_a_dead_agent_ends_what_that_has_left(
    tmp_path: Path,
) -> None:
    """The portal queues again what the copy does not run: the old work must not go on beside it."""
    async with an_agent(tmp_path) as agent:
        second = a_copy(agent)
        await a_running_job(agent, "(setsid sleep 1000 &); exec sleep 1000")
        agent.end(signal.SIGKILL)
        agent.portal.want()
        seen = len(agent.portal.heartbeats)
        second.start()
        try:
            await wait_until_async(lambda: len(agent.portal.heartbeats) > seen)
            await wait_until_async(lambda: not pids(agent))
            assert agent.portal.heartbeats[-1].containers == ()
        finally:
            second.end(signal.SIGKILL)
            await wait_until_async(lambda: not second.has_watchdog())


def test_copy_of_a_folder_has_a_name_of_its_own(tmp_path: Path) -> None:
    first, moved, copied = (StateLayout(tmp_path / name) for name in ("first", "moved", "copied"))
    first.root.mkdir()
    name = name_instance(first.root, first.instance)
    assert name_instance(first.root, first.instance) == name
    shutil.copytree(first.root, copied.root)
    first.root.rename(moved.root)
    assert name_instance(moved.root, moved.instance) == name
    other = name_instance(copied.root, copied.instance)
    assert other != name
    assert name_instance(copied.root, copied.instance) == other
