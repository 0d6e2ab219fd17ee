"""A real agent and a real JupyterLab on a card of the fake NVML: parked, its card used by others, back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from aiohttp import ClientSession

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.host import procfs
from tests.builders.agent_process import AgentProcess, an_agent
from tests.fakes.nvml.machine import MIB, FakeNvml, fake_nvml, h100, uuid_of
from tests.fakes.portal import a_desired_container
from tests.waiting import PATIENCE_S, wait_until_async
from wire.messages import DesiredContainer

pytestmark = pytest.mark.nvml

CARD: Final = [{"uuid": uuid_of(0), "memory_mib": 1024}]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeNvml]:
    """One card, looked at every second."""
    with fake_nvml(tmp_path, [h100(0)]) as made:
        for name, value in made.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("BERTH_AGENT_IDLE__CHECK_INTERVAL_S", "0.2")
        monkeypatch.setenv("BERTH_AGENT_TELEMETRY__SAMPLE_S", "1")
        yield made


def a_lab(**change: Any) -> DesiredContainer:
    wish = a_desired_container(
        "lab.0",
        devices=CARD,
        kind="environment",
        app_token="secret",
        base_path="/e/",
        command=(),
    )
    return wish.model_copy(update=change)


def processes_of(agent: AgentProcess, allocation: str) -> set[int]:
    """Return the processes of a container."""
    marker = f"BERTH_CONTAINER={agent.layout.containers / allocation}.1".encode()
    return {pid for pid in procfs.list_processes() if marker in procfs.read_environment(pid)}


async def open_terminal(agent: AgentProcess) -> int:
    """Start a shell in the notebook as its page does, and return its number."""
    endpoint = ContainerDir(agent.layout.containers, ContainerKey("lab.0", 1)).read_endpoint()
    assert endpoint is not None
    before = processes_of(agent, "lab.0")
    url = f"http://{endpoint.host}:{endpoint.port}{endpoint.base_path}api/terminals"
    headers = {"Authorization": f"token {endpoint.token}"}
    async with ClientSession(headers=headers) as session, session.post(url, json={}) as made:
        assert made.status == 200
    (shell,) = await wait_until_async(lambda: processes_of(agent, "lab.0") - before)
    return int(shell)


async def test_card_of_a_parked_notebook_is_used_by_others_kept_free_of_it_and_comes_back(
    tmp_path: Path, machine: FakeNvml
) -> None:
    async with an_agent(tmp_path) as agent:
        portal = agent.portal
        await wait_until_async(lambda: portal.heartbeats[-1].facts.accelerators)
        portal.want(a_lab())
        await portal.nudge()
        # JupyterLab starts by importing half a thousand modules, whatever else is busy here.
        await portal.reported("lab.0", 3 * PATIENCE_S, phase="running", cards="held")
        await wait_until_async(lambda: (seen := portal.report("lab.0")) and seen.used_by)

        portal.want(a_lab(is_parked=True))
        await portal.nudge()
        await portal.reported("lab.0", phase="running", cards="away")

        job = a_desired_container("job.0", devices=CARD)
        portal.want(a_lab(is_parked=True, devices=()), job)
        await portal.nudge()
        await portal.reported("job.0", phase="running")

        # A program in its terminal takes the card of the next tenant: it is ended, and nothing else.
        stray, tenant = await open_terminal(agent), min(processes_of(agent, "job.0"))
        machine.change(0, process=[f"{pid} {64 * MIB} compute" for pid in (stray, tenant)])
        await wait_until_async(lambda: stray not in processes_of(agent, "lab.0"))
        assert tenant in processes_of(agent, "job.0")
        machine.change(0, process=[f"{tenant} {64 * MIB} compute"])
        await portal.reported("lab.0", phase="running", cards="away")
        await portal.reported("job.0", phase="running")

        portal.want(a_lab(is_parked=True, devices=()))
        await portal.nudge()
        await wait_until_async(lambda: portal.end("job.0"))
        machine.change(0, process=None)
        portal.want(a_lab())
        await portal.nudge()
        await portal.reported("lab.0", phase="running", cards="held")
