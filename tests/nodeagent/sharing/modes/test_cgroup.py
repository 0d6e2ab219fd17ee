"""Limits by cgroup: through the real binding on the fake NVML, and by `nvidia-smi`."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pynvml
import pytest
from typing_extensions import override

from nodeagent.ports import ProcessScope, StartError
from nodeagent.sharing.controller import SharingController
from nodeagent.sharing.modes.cgroup import CgroupMode
from nodeagent.sharing.modes.memory_limits import (
    CgroupMemoryLimits,
    HostMemoryLimiter,
    MemoryLimiter,
    NvmlMemoryLimiter,
    SmiMemoryLimiter,
)
from nodeagent.sharing.nvml_client import UNLIMITED, NvmlClient
from nodeagent.sharing.records import ShareRecords
from tests.builders.shares import CARD, KEY, FakeGpuHost, a_card, a_share_order, a_slice
from tests.fakes.nvml.machine import MIB, FakeNvml, fake_nvml, h100, t4
from wire.words import ExitCause, Isolation

SCOPE = ProcessScope(4711, "system.slice/docker-abc.scope")
NAMESPACE = "/sys/fs/cgroup/system.slice/docker-abc.scope"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[FakeNvml]:
    with fake_nvml(tmp_path, [h100(0), t4(1)]) as made:
        pynvml.nvmlInit()
        yield made


def sharing(root: Path, limits: MemoryLimiter) -> SharingController:
    cards = (a_card(Isolation.CGROUP),)
    return SharingController(lambda: cards, ShareRecords(root / "sharing"), [CgroupMode(limits)])


async def test_guarantee_and_ceiling_are_set_read_back_and_taken_back(
    machine: FakeNvml, tmp_path: Path
) -> None:
    carver = sharing(tmp_path, NvmlMemoryLimiter(NvmlClient(pynvml)))
    order = a_share_order(a_slice(ceiling=8192, required=Isolation.CGROUP))
    injection = await carver.prepare(order)
    assert (injection.isolation, injection.needs_barrier) == ("cgroup", True)
    assert machine.set_by_callers(0, "limit") == []
    await carver.enforce(order, SCOPE)
    assert machine.set_by_callers(0, "limit") == [f"{NAMESPACE} {4096 * MIB} {8192 * MIB}"]
    # Another agent, after a restart, takes them back: what was set is on record.
    await sharing(tmp_path, NvmlMemoryLimiter(NvmlClient(pynvml))).release(KEY)
    assert machine.set_by_callers(0, "limit")[-1] == f"{NAMESPACE} 0 {UNLIMITED}"


async def test_without_a_ceiling_the_guarantee_is_the_limit(
    machine: FakeNvml, tmp_path: Path
) -> None:
    carver = sharing(tmp_path, NvmlMemoryLimiter(NvmlClient(pynvml)))
    order = a_share_order(a_slice())
    await carver.prepare(order)
    await carver.enforce(order, SCOPE)
    assert machine.set_by_callers(0, "limit") == [f"{NAMESPACE} {4096 * MIB} {4096 * MIB}"]


async def test_card_that_refuses_limits_ends_the_start(machine: FakeNvml, tmp_path: Path) -> None:
    machine.change(0, memory_limits=None)
    carver = sharing(tmp_path, NvmlMemoryLimiter(NvmlClient(pynvml)))
    order = a_share_order(a_slice())
    await carver.prepare(order)
    with pytest.raises(StartError) as caught:
        await carver.enforce(order, SCOPE)
    assert caught.value.cause is ExitCause.ISOLATION_UNAVAILABLE


async def test_limits_that_read_back_differently_end_the_start(tmp_path: Path) -> None:
    class Forgetful(SmiMemoryLimiter):
        @override
        async def read_limits(self, uuid: str, namespace: str) -> CgroupMemoryLimits:
            return replace(await super().read_limits(uuid, namespace), hard_mib=None)

    carver = sharing(tmp_path, Forgetful(FakeGpuHost()))
    order = a_share_order(a_slice())
    await carver.prepare(order)
    with pytest.raises(StartError, match="read back"):
        await carver.enforce(order, SCOPE)


async def test_container_without_a_cgroup_of_its_own_is_refused(tmp_path: Path) -> None:
    carver = sharing(tmp_path, SmiMemoryLimiter(FakeGpuHost()))
    order = a_share_order(a_slice())
    await carver.prepare(order)
    with pytest.raises(StartError, match="no cgroup of its own"):
        await carver.enforce(order, ProcessScope(4711, ""))


async def test_smi_says_the_same_in_whole_mib(tmp_path: Path) -> None:
    host = FakeGpuHost()
    carver = sharing(tmp_path, SmiMemoryLimiter(host))
    order = a_share_order(a_slice(ceiling=8192))
    await carver.prepare(order)
    await carver.enforce(order, SCOPE)
    assert host.limits == {(CARD, NAMESPACE): ("4096", "8192")}
    await carver.release(KEY)
    assert host.limits == {(CARD, NAMESPACE): ("0", "max")}
    await carver.release(KEY)


async def test_binding_is_asked_first(machine: FakeNvml) -> None:
    assert isinstance(
        HostMemoryLimiter(pynvml, NvmlClient(pynvml), FakeGpuHost()).limiter, NvmlMemoryLimiter
    )
    assert isinstance(
        HostMemoryLimiter(object(), NvmlClient(pynvml), FakeGpuHost()).limiter, SmiMemoryLimiter
    )
