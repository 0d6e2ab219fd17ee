"""A real agent, a real JupyterLab and real work on a real card: parked, used by others, back."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

import pytest
from aiohttp import ClientSession

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import AppEndpoint, ContainerDir
from tests.builders.agent_process import AgentProcess, an_agent
from tests.cards.conftest import RealCard
from tests.cards.programs import PROGRAM
from tests.fakes.portal import FakePortal, a_desired_container
from tests.waiting import PATIENCE_S, wait_until, wait_until_async
from wire.messages import DesiredContainer
from wire.samples import ContainerSample
from wire.words import ExitCause

pytestmark = pytest.mark.hardware

HELD_MIB: Final = 4096
USES_THE_CARD: Final = f"""
import sys
sys.path.insert(0, {str(Path(PROGRAM[1]).parent)!r})
from cuda import Cuda
cuda = Cuda()
cuda.hold({HELD_MIB})
print(cuda.crc())
"""
JOB: Final = f"{USES_THE_CARD}cuda.spin(12)\ncuda.wait()\n"


async def run_in_kernel(endpoint: AppEndpoint, kernel: str, code: str) -> str:
    """Run code in a kernel as a notebook's page does, and return what it prints."""
    base = f"http://{endpoint.host}:{endpoint.port}{endpoint.base_path}api/kernels/{kernel}"
    headers = {"Authorization": f"token {endpoint.token}"}
    number, said = token_hex(16), ""
    header = {"msg_id": number, "msg_type": "execute_request", "version": "5.3"}
    request = {
        "header": {**header, "username": "", "session": number},
        "parent_header": {},
        "metadata": {},
        "content": {"code": code, "silent": False},
        "channel": "shell",
    }
    async with (
        ClientSession(headers=headers) as session,
        session.ws_connect(f"{base}/channels", max_msg_size=0) as socket,
    ):
        await socket.send_str(json.dumps(request))
        while True:
            answer: dict[str, Any] = json.loads(await socket.receive_str(timeout=PATIENCE_S))
            if answer["parent_header"].get("msg_id") != number:
                continue
            content = answer["content"]
            assert answer["msg_type"] != "error", content
            if answer["msg_type"] == "stream":
                said += content["text"]
            if answer["msg_type"] == "execute_reply":
                return said.strip()


async def open_kernel(endpoint: AppEndpoint) -> str:
    """Start a kernel in a JupyterLab, and return its number."""
    url = f"http://{endpoint.host}:{endpoint.port}{endpoint.base_path}api/kernels"
    headers = {"Authorization": f"token {endpoint.token}"}
    async with ClientSession(headers=headers) as session, session.post(url, json={}) as made:
        assert made.status == 201
        return str((await made.json())["id"])


def a_lab(card: RealCard, **change: Any) -> DesiredContainer:
    """Return a notebook with the whole card."""
    wish = a_desired_container(
        "lab.0",
        devices=[{"uuid": card.uuid, "memory_mib": 1024}],
        kind="environment",
        app_token="secret",
        base_path="/e/",
        command=(),
        memory_mib=16384,
    )
    return wish.model_copy(update=change)


def endpoint_of(agent: AgentProcess) -> AppEndpoint:
    """Return where the notebook listens."""
    key = ContainerKey("lab.0", 1)
    endpoint = ContainerDir(agent.layout.containers, key).read_endpoint()
    assert endpoint is not None
    return endpoint


async def test_notebook_gives_its_card_to_a_job_and_goes_on_where_it_was(
    card: RealCard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measured: Callable[..., None]
) -> None:
    wait_until(lambda: not card.pids())
    monkeypatch.setenv("BERTH_AGENT_IDLE__CHECK_INTERVAL_S", "0.2")
    monkeypatch.setenv("BERTH_AGENT_TELEMETRY__SAMPLE_S", "1")
    async with an_agent(tmp_path, accelerators="nvidia") as agent:
        portal = agent.portal
        await wait_until_async(lambda: portal.heartbeats[-1].facts.accelerators)
        (facts,) = portal.heartbeats[-1].facts.accelerators
        assert (facts.uuid, facts.health, facts.simulated) == (card.uuid, "ok", False)
        portal.want(a_lab(card))
        await portal.nudge()
        await portal.reported("lab.0", 3 * PATIENCE_S, phase="running", cards="held")

        endpoint = endpoint_of(agent)
        kernel = await open_kernel(endpoint)
        before = await run_in_kernel(endpoint, kernel, USES_THE_CARD)
        await wait_until_async(lambda: (seen := portal.report("lab.0")) and seen.used_by)

        portal.want(a_lab(card, is_parked=True))
        await portal.nudge()
        await portal.reported("lab.0", phase="running", cards="away")
        assert card.pids() == set()

        job = a_desired_container(
            "job.0",
            devices=[{"uuid": card.uuid, "memory_mib": 1024}],
            command=(sys.executable, "-c", JOB),
            memory_mib=16384,
        )
        portal.want(a_lab(card, is_parked=True, devices=()), job)
        await portal.nudge()
        await portal.reported("job.0", phase="running")
        seen = await wait_until_async(lambda: busy_sample(portal, "job.0"))
        measured(sample_of_a_job=seen.model_dump(mode="json"))
        end = await wait_until_async(lambda: portal.end("job.0"))
        assert (end.cause, end.exit_code) == (ExitCause.EXITED, 0)

        portal.want(a_lab(card))
        await portal.nudge()
        report = await portal.reported("lab.0", phase="running", cards="held")
        measured(notebook_is_back=report.cards_words)
        assert report.cards_words == ""
        assert await run_in_kernel(endpoint, kernel, "print(cuda.crc())") == before


def busy_sample(portal: FakePortal, allocation: str) -> ContainerSample | None:
    """Return a measurement of a job that keeps its card busy."""
    samples = [sample for message in portal.telemetry for sample in message.samples]
    for item in (item for sample in samples for item in sample.containers):
        is_busy = (item.gpu_utilisation_pct or 0) > 50
        if item.allocation == allocation and is_busy and (item.gpu_memory_mib or 0) >= HELD_MIB:
            return item
    return None
