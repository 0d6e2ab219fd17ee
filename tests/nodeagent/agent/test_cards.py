"""F30 and F33, and strangers on cards (F28): a real agent, real processes, the fake NVML."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nodeagent.host import procfs
from tests.builders.agent_process import AgentProcess, an_agent
from tests.fakes.nvml.machine import MIB, FakeNvml, fake_nvml, h100, uuid_of
from tests.fakes.portal import FakePortal, a_desired_container
from tests.waiting import wait_until_async
from wire.facts import AcceleratorFacts
from wire.messages import DesiredContainer

pytestmark = pytest.mark.nvml


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeNvml]:
    with fake_nvml(tmp_path, [h100(0), h100(1), h100(2)]) as made:
        for name, value in made.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("BERTH_AGENT_TELEMETRY__SAMPLE_S", "1")
        monkeypatch.setenv("BERTH_AGENT_TELEMETRY__SEND_S", "5")
        monkeypatch.setenv("BERTH_AGENT_CARDS_DEADLINE_S", "0.5")
        yield made


def a_job(name: str, card: int, **spec: Any) -> DesiredContainer:
    device = {"uuid": uuid_of(card), "memory_mib": 81559}
    return a_desired_container(f"{name}.0", devices=[device], **spec)


def card(portal: FakePortal, number: int) -> AcceleratorFacts | None:
    """Return what the newest heartbeat says of a card, if it says anything."""
    facts = portal.heartbeats[-1].facts.accelerators
    return next((item for item in facts if item.uuid == uuid_of(number)), None)


def state(portal: FakePortal, number: int) -> tuple[str, str]:
    found = card(portal, number)
    return ("", "") if found is None else (found.health.value, found.fault)


def faults(portal: FakePortal) -> set[str]:
    return {fault.code for fault in portal.heartbeats[-1].facts.faults}


async def run(portal: FakePortal, *jobs: DesiredContainer) -> None:
    """Let jobs run, once the cards are known: nothing starts on a card that nobody has seen."""
    await wait_until_async(lambda: {state(portal, number) for number in range(3)} == {("ok", "")})
    portal.want(*jobs)
    await portal.nudge()
    names = {job.allocation for job in jobs}
    await wait_until_async(lambda: {phase(portal, name) for name in names} == {"running"})


def phase(portal: FakePortal, allocation: str) -> str:
    report = portal.report(allocation)
    return "" if report is None else report.phase.value


def process_of(agent: AgentProcess, allocation: str) -> int:
    """Return the number of a process in a container."""
    marker = f"BERTH_CONTAINER={agent.layout.containers / allocation}.1".encode()
    found = [pid for pid in procfs.list_processes() if marker in procfs.read_environment(pid)]
    return max(found)


async def test_f30_a_lost_card_ends_its_own_work_and_nothing_else(
    tmp_path: Path, machine: FakeNvml
) -> None:
    async with an_agent(tmp_path) as agent:
        portal, flag = agent.portal, tmp_path / "go"
        dying = ("sh", "-c", f"while [ ! -e {flag} ]; do sleep 0.05; done; exit 7")
        await run(portal, a_job("hit", 0), a_job("safe", 1), a_job("dies", 2, command=dying))
        assert [item.simulated for item in portal.heartbeats[-1].facts.accelerators] == [False] * 3

        # Work that notices before the agent does is not blamed.
        machine.lose(2)
        flag.touch()
        assert (await wait_until_async(lambda: portal.end("dies.0"))).cause == "device_lost"

        machine.xid(0, 79)
        machine.lose(0)
        end = await wait_until_async(lambda: portal.end("hit.0"))
        assert end.cause == "device_lost"
        assert end.detail.startswith(uuid_of(0))
        await wait_until_async(lambda: state(portal, 0) == ("gone", "xid_79"))
        await wait_until_async(lambda: "reboot_needed" in faults(portal))
        assert (phase(portal, "safe.0"), state(portal, 1)) == ("running", ("ok", ""))

        # Back without a reboot: a new agent does not trust it either.
        machine.change(0, lost=None)
        agent.end()
        portal.heartbeats.clear()
        agent.start()
        await wait_until_async(lambda: portal.heartbeats and state(portal, 1) == ("ok", ""))
        assert state(portal, 0) == ("gone", "xid_79")

        # Its operator has reset it, and says so: it is judged by what is seen now.
        portal.retests = {uuid_of(0): 1}
        await portal.nudge()
        await wait_until_async(lambda: state(portal, 0) == ("ok", ""))
        told = portal.heartbeats[-1].facts
        assert told.accelerators[0].retested == 1
        await wait_until_async(lambda: "reboot_needed" not in faults(portal))


async def test_c7_a_card_changes_hands_only_when_its_memory_is_back(
    tmp_path: Path, machine: FakeNvml
) -> None:
    async with an_agent(tmp_path) as agent:
        portal = agent.portal
        await run(portal, a_job("first", 0))
        machine.change(0, memory_used=20_000 * MIB)
        portal.want(a_job("next", 0))
        await portal.nudge()
        assert (await wait_until_async(lambda: portal.end("first.0"))).cause == "stopped"
        await wait_until_async(lambda: phase(portal, "next.0") == "starting")
        with pytest.raises(ValueError, match="empty"):
            process_of(agent, "next.0")
        machine.change(0, memory_used=0)
        await wait_until_async(lambda: phase(portal, "next.0") == "running")


async def test_f33_an_agent_starts_and_goes_on_while_nvml_hangs(
    tmp_path: Path, machine: FakeNvml
) -> None:
    machine.hang("nvmlInitWithFlags")
    async with an_agent(tmp_path) as agent:
        portal = agent.portal
        assert portal.heartbeats[0].facts.accelerators == ()
        assert "nvml_hangs" in faults(portal)
        machine.change(hang=None)
        await run(portal, a_job("job", 0))
        await wait_until_async(lambda: "nvml_hangs" not in faults(portal))

        machine.hang()
        await wait_until_async(lambda: "nvml_hangs" in faults(portal))
        told = portal.heartbeats[-1].facts.accelerators[0]
        assert (told.health, told.fault) == ("bad", "nvml_hangs")
        assert (told.uuid, told.model) == (uuid_of(0), "NVIDIA H100 80GB HBM3")
        portal.heartbeats.clear()
        await portal.nudge()
        await wait_until_async(lambda: len(portal.heartbeats) > 1)
        assert phase(portal, "job.0") == "running"

        machine.change(hang=None)
        await wait_until_async(lambda: state(portal, 0) == ("ok", ""))
        await wait_until_async(lambda: "nvml_hangs" not in faults(portal))


async def test_f28_a_stranger_makes_a_card_dirty_and_own_work_is_measured(
    tmp_path: Path, machine: FakeNvml
) -> None:
    async with an_agent(tmp_path) as agent:
        portal = agent.portal
        await run(portal, a_job("job", 0))
        own = process_of(agent, "job.0")
        stranger = await asyncio.create_subprocess_exec("sleep", "1000")
        try:
            machine.change(0, process=[f"{own} {512 * MIB} compute 40"])
            machine.change(1, process=[f"{stranger.pid} {64 * MIB} compute 10"])
            await wait_until_async(lambda: state(portal, 1) == ("dirty", "foreign_process"))
            await wait_until_async(lambda: state(portal, 0) == ("ok", ""))
            await wait_until_async(lambda: measured(portal) == (512, 40))
        finally:
            stranger.kill()
            await stranger.wait()


async def test_an_agent_tells_what_its_host_uses(tmp_path: Path, machine: FakeNvml) -> None:
    async with an_agent(tmp_path) as agent:
        await wait_until_async(lambda: len(agent.portal.telemetry) > 0)
        host = agent.portal.telemetry[0].samples[-1].host

    assert host is not None
    assert host.cpus == os.cpu_count()
    assert host.cpu_ms
    assert 0 < (host.memory_used_mib or 0) < (host.memory_mib or 0)
    assert 0 < (host.disk_used_mib or 0) < (host.disk_mib or 0)


def measured(portal: FakePortal) -> tuple[int | None, int | None]:
    """Return what the newest sample says that the one container uses of its card."""
    samples = [one for sent in portal.telemetry for one in sent.samples if one.containers]
    if not samples:
        return None, None
    newest = samples[-1].containers[0]
    return newest.gpu_memory_mib, newest.gpu_utilisation_pct
