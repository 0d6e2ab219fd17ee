"""Sharing inside of the agent: around every start and end, and in what the portal is told."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from nodeagent.app.stop_warnings import GRACE_MS
from nodeagent.core.state import ContainerKey
from nodeagent.ports import ContainerSupervisor
from tests.builders.fake_node import FakeNode
from tests.fakes.portal import a_desired_container
from tests.fakes.sharing import FakeSharing
from tests.waiting import wait_until_async
from wire.messages import DesiredContainer
from wire.words import ExitCause

KEY = ContainerKey("job.0", 1)
SLICE = {"uuid": "GPU-1", "slot": 0, "slices": 8, "memory_mib": 4096, "isolation": "hami"}


def a_share(**device: object) -> DesiredContainer:
    return a_desired_container("job.0", devices=({**SLICE, **device},))


@dataclass
class Watcher:
    """Hands whoever runs the containers out to the test."""

    tenants: list[ContainerSupervisor] = field(default_factory=list)

    async def run(self, supervisor: ContainerSupervisor) -> None:
        self.tenants.append(supervisor)
        await asyncio.Event().wait()


async def test_isolation_in_force_is_reported(tmp_path: Path) -> None:
    node = FakeNode(tmp_path)
    node.portal.want(a_share())
    async with node.agent():
        await node.until_reported("job.0", "running")
        report = node.portal.report("job.0")
        assert report is not None
        assert report.isolation == "cgroup"
        assert list(node.sharing.enforced) == [KEY]


@pytest.mark.parametrize(
    ("sharing", "device"),
    [(FakeSharing(), {"isolation": "mig"}), (FakeSharing(is_broken=True), {})],
)
async def test_share_that_does_not_hold_ends_the_start_and_leaves_nothing(
    tmp_path: Path, sharing: FakeSharing, device: dict[str, object]
) -> None:
    node = FakeNode(tmp_path, sharing=sharing)
    node.portal.want(a_share(**device))
    async with node.agent():
        await node.beats(3)
        end = await wait_until_async(lambda: node.portal.end("job.0"))
        assert end.cause == "isolation_unavailable"
        assert (node.machine.containers, sharing.fitted) == ({}, set())


async def test_limits_are_taken_back_with_the_end(tmp_path: Path) -> None:
    node = FakeNode(tmp_path)
    node.portal.want(a_share())
    async with node.agent():
        await node.until_reported("job.0", "running")
        node.portal.want()
        await node.beats(3)
        await wait_until_async(lambda: node.portal.end("job.0"))
        assert (node.sharing.fitted, node.sharing.enforced) == (set(), {})


async def test_container_stopped_for_a_cause_ends_with_it_and_its_detail(tmp_path: Path) -> None:
    watcher = Watcher()
    node = FakeNode(tmp_path, shares=watcher)
    node.portal.want(a_share())
    async with node.agent():
        await node.until_reported("job.0", "running")
        (tenants,) = await wait_until_async(lambda: watcher.tenants)
        assert list(tenants.live_keys()) == [KEY]
        await tenants.stop_for(
            KEY, ExitCause.GPU_MEMORY_EXCEEDED, "5000 MiB used, 4096 MiB granted"
        )
        await node.beats(3)
        end = await wait_until_async(lambda: node.portal.end("job.0"))
        assert (end.cause, end.detail) == (
            "gpu_memory_exceeded",
            "5000 MiB used, 4096 MiB granted",
        )


async def test_warning_names_the_cause_the_numbers_and_the_time(tmp_path: Path) -> None:
    watcher = Watcher()
    node = FakeNode(tmp_path, shares=watcher)
    node.portal.want(a_share())
    async with node.agent():
        await node.until_reported("job.0", "running")
        (tenants,) = await wait_until_async(lambda: watcher.tenants)
        await tenants.warn_for(KEY, ExitCause.GPU_MEMORY_EXCEEDED, "5000 MiB")
        ((key, notice),) = node.machine.notices
        assert key == KEY
        assert notice.reason == "gpu_memory_exceeded: 5000 MiB"
        assert notice.deadline - notice.stop_at == GRACE_MS
