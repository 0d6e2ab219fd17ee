"""A real agent and a real JupyterLab on a simulated card: parked, its card used by others, back."""

from pathlib import Path
from typing import Any

import pytest

from nodeagent.gpu.simulated import card_uuid
from tests.fakes.portal import FakePortal, a_wish
from tests.nodeagent.agent_process import an_agent, eventually
from wire.messages import ContainerReport, DesiredContainer


def a_lab(name: str, **change: Any) -> DesiredContainer:
    devices = [{"uuid": card_uuid(name, 0), "memory_mib": 1024}]
    wish = a_wish(
        "lab.0",
        devices=devices,
        kind="environment",
        app_token="secret",
        base_path="/e/",
        command=(),
    )
    return wish.model_copy(update=change)


async def said(portal: FakePortal, allocation: str, **wanted: object) -> ContainerReport:
    """Wait until the agent says this of a container."""

    def look() -> ContainerReport | None:
        report = portal.report(allocation)
        is_so = report and all(getattr(report, name) == value for name, value in wanted.items())
        return report if is_so else None

    found: ContainerReport = await eventually(look)
    return found


async def test_card_of_a_parked_notebook_is_used_by_others_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BERTH_AGENT_IDLE__LOOK_S", "0.2")
    monkeypatch.setenv("BERTH_AGENT_TELEMETRY__SAMPLE_S", "1")
    async with an_agent(tmp_path) as agent:
        portal = agent.portal
        name = "test-node"
        lab = a_lab(name)
        portal.want(lab)
        await portal.nudge()
        await said(portal, "lab.0", phase="running", cards="held")
        await eventually(lambda: (seen := portal.report("lab.0")) and seen.used_by)

        portal.want(a_lab(name, is_parked=True))
        await portal.nudge()
        await said(portal, "lab.0", phase="running", cards="away")

        job = a_wish("job.0", devices=[item.model_dump() for item in lab.devices])
        portal.want(a_lab(name, is_parked=True, devices=()), job)
        await portal.nudge()
        await said(portal, "job.0", phase="running")
        await said(portal, "lab.0", phase="running", cards="away")

        portal.want(a_lab(name, is_parked=True, devices=()))
        await portal.nudge()
        await eventually(lambda: portal.end("job.0"))
        portal.want(lab)
        await portal.nudge()
        await said(portal, "lab.0", phase="running", cards="held")
