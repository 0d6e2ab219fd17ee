"""The agent as users of a node meet it: killed, frozen, restarted, cut off."""

import signal
from pathlib import Path

from nodeagent.host import procfs
from tests.builders.agent_process import AgentProcess, an_agent
from tests.fakes.portal import FakePortal, a_desired_container
from tests.waiting import wait_until_async
from wire.messages import DesiredContainer


async def test_joins_and_reports_its_simulated_cards(tmp_path: Path) -> None:
    async with an_agent(tmp_path) as agent:
        facts = agent.portal.heartbeats[0].facts
        assert [card.simulated for card in facts.accelerators] == [True, True]
        assert (facts.runtime, facts.isolated) == ("process", False)
        assert agent.layout.identity.stat().st_mode & 0o777 == 0o600
        assert len(agent.portal.joins) == 1


async def test_runs_a_script_and_ships_its_whole_log(tmp_path: Path) -> None:
    script = "#!/usr/bin/env python\nimport os\nprint('x' * 200_000)\nprint(os.environ['RANK'])\n"
    async with an_agent(tmp_path) as agent:
        await wish(agent.portal, a_desired_container("job.0", command=(), script=script))
        end = await wait_until_async(lambda: agent.portal.end("job.0"))
        assert (end.cause, end.exit_code) == ("exited", 0)
        expected = b"x" * 200_000 + b"\n0\n"
        await wait_until_async(lambda: agent.portal.logs.get(("job.0", 1)) == expected)
        await wait_until_async(lambda: not list(agent.layout.containers.iterdir()))


async def test_killed_agent_leaves_work_untouched_and_takes_it_up_again(tmp_path: Path) -> None:
    async with an_agent(tmp_path) as agent:
        script = "echo started >> $BERTH_OUTPUT_DIR/starts; exec sleep 1000"
        await wish(agent.portal, a_desired_container("job.0", command=("sh", "-c", script)))
        await wait_until_async(lambda: is_running(agent.portal))
        await wait_until_async((tmp_path / "storage/outputs/job/starts").exists)
        before, last_seq = pids(agent), agent.portal.heartbeats[-1].seq
        for number in (signal.SIGKILL, signal.SIGTERM):
            agent.end(number)
            agent.portal.heartbeats.clear()
            agent.start()
            first = (await wait_until_async(lambda: agent.portal.heartbeats))[0]
            assert [item.allocation for item in first.containers] == ["job.0"]
            assert pids(agent) == before
            assert first.seq > last_seq
            last_seq = agent.portal.heartbeats[-1].seq
        assert (tmp_path / "storage/outputs/job/starts").read_text() == "started\n"


async def test_end_while_the_agent_was_away_is_reported_once_it_is_back(tmp_path: Path) -> None:
    async with an_agent(tmp_path) as agent:
        flag = tmp_path / "go"
        command = ("sh", "-c", f"while [ ! -e {flag} ]; do sleep 0.05; done; exit 7")
        await wish(agent.portal, a_desired_container("job.0", command=command))
        await wait_until_async(lambda: is_running(agent.portal))
        agent.end(signal.SIGKILL)
        flag.touch()
        await wait_until_async(lambda: not pids(agent))
        agent.start()
        end = await wait_until_async(lambda: agent.portal.end("job.0"))
        assert (end.cause, end.exit_code) == ("exited", 7)


async def test_watchdog_ends_the_work_of_a_dead_agent_at_lease_end(tmp_path: Path) -> None:
    async with an_agent(tmp_path) as agent:
        await wish(agent.portal, a_desired_container("job.0"))
        await wait_until_async(lambda: is_running(agent.portal))
        await wait_until_async(agent.has_watchdog)
        agent.end(signal.SIGKILL)
        # As if thirty seconds had passed: the file is all that the watchdog goes by.
        agent.layout.lease.unlink()
        await wait_until_async(lambda: not pids(agent))
        agent.start()
        end = await wait_until_async(lambda: agent.portal.end("job.0"))
        assert end.cause == "lease_ended"


async def test_lost_state_file_starts_nothing_twice(tmp_path: Path) -> None:
    async with an_agent(tmp_path) as agent:
        await wish(agent.portal, a_desired_container("job.0"))
        await wait_until_async(lambda: is_running(agent.portal))
        before = pids(agent)
        agent.end(signal.SIGKILL)
        agent.layout.state.write_text("{ broken")
        seen = len(agent.portal.heartbeats)
        agent.start()
        await wait_until_async(lambda: len(agent.portal.heartbeats) > seen)
        await agent.portal.nudge()
        await wait_until_async(lambda: len(agent.portal.heartbeats) > seen + 1)
        assert pids(agent) == before
        assert agent.portal.heartbeats[seen].seq > agent.portal.heartbeats[seen - 1].seq


async def test_shutdown_ends_everything_and_tells_it_as_vanished(tmp_path: Path) -> None:
    async with an_agent(tmp_path) as agent:
        await wish(agent.portal, a_desired_container("job.0"))
        await wait_until_async(lambda: is_running(agent.portal))
        agent.end()
        assert agent.stop_all() == 0
        assert not pids(agent)
        await wait_until_async(lambda: not agent.has_watchdog())
        agent.start()
        end = await wait_until_async(lambda: agent.portal.end("job.0"))
        assert end.cause == "vanished"


async def test_notebook_answers_through_its_port(tmp_path: Path) -> None:
    async with an_agent(tmp_path) as agent:
        wanted = a_desired_container(
            "note.0",
            kind="environment",
            command=(),
            memory_mib=2048,
            app_token="secret-of-the-notebook",
            base_path="/e/note/",
        )
        await wish(agent.portal, wanted)
        await wait_until_async(lambda: is_running(agent.portal, "note.0"), within_s=60)
        report = agent.portal.report("note.0")
        assert report is not None
        assert report.port is not None
        lines = [argv(item.pid) for item in procfs.list_processes().values()]
        assert not [line for line in lines if b"secret-of-the-notebook" in line]
        agent.end(signal.SIGKILL)
        agent.portal.heartbeats.clear()
        agent.start()
        first = (await wait_until_async(lambda: agent.portal.heartbeats))[0]
        assert [(item.phase, item.port) for item in first.containers] == [("running", report.port)]
        await wish(agent.portal)
        end = await wait_until_async(lambda: agent.portal.end("note.0"))
        assert end.cause == "stopped"


async def wish(portal: FakePortal, *wanted: DesiredContainer) -> None:
    portal.want(*wanted)
    await portal.nudge()


def is_running(portal: FakePortal, allocation: str = "job.0") -> bool:
    report = portal.report(allocation)
    return report is not None and report.phase == "running"


def pids(agent: AgentProcess) -> list[int]:
    """Every process of every container of this node."""
    marker = f"BERTH_CONTAINER={agent.layout.containers}/".encode()
    return sorted(
        item.pid
        for item in procfs.list_processes().values()
        if any(entry.startswith(marker) for entry in procfs.read_environment(item.pid))
    )


def argv(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
