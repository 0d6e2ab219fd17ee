"""The real agent, its watchdog and the shims keep the deadline that work was told, whoever is killed."""

import json
import signal
from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.lease_file import LeaseFile
from nodeagent.disk.notices import NOTICE_NAME, NoticeFiles
from nodeagent.host.clock import read_boot_id
from tests.builders.agent_process import AgentProcess, an_agent
from tests.fakes.portal import a_desired_container
from tests.waiting import wait_until_async
from wire.messages import StopGrace, TimeLimit
from wire.words import SilenceTerm, Terms

KEY = ContainerKey("job.0", 1)
DEAF = ("sh", "-c", "trap : TERM USR1; while :; do sleep 0.1; done")
"""Hears every warning, and goes on."""
QUICK = Terms(heartbeat_ms=500, lease_ttl_ms=1_000, lease_grace_ms=3_000)


def told(agent: AgentProcess) -> dict[str, int]:
    """Return what the work was told of its stop; empty before."""
    notice = NoticeFiles(ContainerDir(agent.layout.containers, KEY)).notice_dir / NOTICE_NAME
    content: dict[str, int] = json.loads(notice.read_text()) if notice.exists() else {}
    return content


@pytest.mark.parametrize(
    ("notice_s", "sent"), [(0, ""), (2, "SIGUSR1"), (2, "")], ids=["SIGTERM", "SIGUSR1", "none"]
)
async def test_agent_that_is_killed_within_the_grace_changes_nothing_of_it(
    tmp_path: Path, notice_s: int, sent: str
) -> None:
    async with an_agent(tmp_path) as agent:
        wanted = a_desired_container("job.0", command=DEAF)
        agent.portal.want(wanted.model_copy(update={"silence": SilenceTerm.KEEP}))
        await agent.portal.nudge()
        await agent.portal.reported("job.0", phase="running")

        agent.portal.want()
        agent.portal.graces = [
            StopGrace.model_validate(
                {
                    "allocation": "job.0",
                    "epoch": 1,
                    "seconds": 4,
                    "notice_s": notice_s,
                    "signal": sent,
                    "reason": "preempted",
                }
            )
        ]
        await agent.portal.nudge()
        notice = await wait_until_async(lambda: told(agent))
        agent.end(signal.SIGKILL)
        agent.start()

        end = await wait_until_async(lambda: agent.portal.end("job.0"))
        assert end.cause == "stopped"
        assert end.finished_at >= notice["deadline"] * 1000


async def test_watchdog_of_a_dead_agent_gives_the_grace_of_the_limit(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    command = ("sh", "-c", f"trap 'touch {heard}' TERM; while :; do sleep 0.1; done")
    async with an_agent(tmp_path) as agent:
        agent.portal.terms = QUICK
        limit = TimeLimit(remaining_s=1, grace_s=5)
        wanted = a_desired_container("job.0", command=command)
        agent.portal.want(wanted.model_copy(update={"silence": SilenceTerm.KEEP, "limit": limit}))
        await agent.portal.nudge()
        await agent.portal.reported("job.0", phase="running")
        await wait_until_async(agent.has_watchdog)
        agent.end(signal.SIGKILL)
        lease = LeaseFile(agent.layout.lease, read_boot_id()).read()

        ended = ContainerDir(agent.layout.containers, KEY)
        end = await wait_until_async(lambda: ended.read_status().end)
        order = ended.stops.read_order()
        assert order is not None
        assert (end.cause, end.detail) == ("time_limit", "killed_after_grace")
        assert order.deadline >= lease.deadlines[KEY].at + limit.grace_s * 1000
        assert heard.exists()
