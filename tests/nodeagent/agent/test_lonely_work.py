"""Agent and watchdog are killed together: each container's own shim goes by the lease."""

import asyncio
import os
import re
import signal
import sys
from dataclasses import replace
from pathlib import Path

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.lease_file import LeaseFile
from nodeagent.host.clock import read_boot_id
from nodeagent.host.procfs import find_processes
from nodeagent.process.control import is_alive
from tests.builders.agent_process import AgentProcess, an_agent
from tests.fakes.portal import a_desired_container
from tests.waiting import wait_until_async
from wire.messages import TimeLimit
from wire.words import ExitCause, SilenceTerm, Terms

WATCHDOG = re.compile(r"nodeagent\.process\.watchdog")
QUICK = Terms(heartbeat_ms=500, lease_ttl_ms=2_000, lease_grace_ms=3_000)


def container(agent: AgentProcess, allocation: str) -> ContainerDir:
    return ContainerDir(agent.layout.containers, ContainerKey(allocation, 1))


async def run_and_kill_both(agent: AgentProcess) -> None:
    """Let three kinds of work run, and kill the agent with its watchdog."""
    agent.portal.terms = QUICK
    limits = {"limited.0": TimeLimit(remaining_s=3600, grace_s=1)}
    terms = {"kept.0": SilenceTerm.KEEP, "limited.0": SilenceTerm.KEEP}
    agent.portal.want(
        *(
            a_desired_container(name).model_copy(
                update={
                    "silence": terms.get(name, SilenceTerm.REPLACE),
                    "limit": limits.get(name),
                }
            )
            for name in ("kept.0", "limited.0", "replaced.0")
        )
    )
    await agent.portal.nudge()
    for name in ("kept.0", "limited.0", "replaced.0"):
        await agent.portal.reported(name, phase="running")
    await wait_until_async(agent.has_watchdog)
    for number in find_processes(WATCHDOG, str(agent.layout.root)):
        os.kill(number, signal.SIGSTOP)
    agent.end(signal.SIGKILL)
    for number in find_processes(WATCHDOG, str(agent.layout.root)):
        os.kill(number, signal.SIGKILL)


async def test_what_may_be_replaced_ends_and_what_is_kept_goes_on(tmp_path: Path) -> None:
    async with an_agent(tmp_path) as agent:
        await run_and_kill_both(agent)
        replaced = container(agent, "replaced.0")
        end = await wait_until_async(lambda: replaced.read_status().end)
        assert end.cause is ExitCause.LEASE_ENDED
        assert is_alive(container(agent, "kept.0"))

        # As if an hour had passed: the file is all that the shims go by.
        file = LeaseFile(agent.layout.lease, read_boot_id())
        lease = file.read()
        file.write(
            replace(
                lease, deadlines={key: replace(it, at=0) for key, it in lease.deadlines.items()}
            )
        )
        limited = container(agent, "limited.0")
        end = await wait_until_async(lambda: limited.read_status().end)
        assert end.cause is ExitCause.TIME_LIMIT
        assert is_alive(container(agent, "kept.0"))
        assert not agent.has_watchdog()


async def test_watchdog_that_is_a_service_takes_over(tmp_path: Path) -> None:
    async with an_agent(tmp_path) as agent:
        await wait_until_async(agent.has_watchdog)
        service = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "nodeagent", "watchdog", "--config", str(agent.config)
        )
        agent.end(signal.SIGKILL)

        def is_its_own_gone() -> bool:
            found = find_processes(WATCHDOG, str(agent.layout.root))
            for number in found:
                os.kill(number, signal.SIGKILL)
            return not found

        await wait_until_async(is_its_own_gone)
        await wait_until_async(agent.has_watchdog)
        service.kill()
        await service.wait()
