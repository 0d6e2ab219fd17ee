"""Faults F34 and F35 as the agent meets them: real binding, fake NVML, answers from inside."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pynvml
import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.host.commands import CommandResult
from nodeagent.ports import ProcessScope
from nodeagent.sharing.controller import SharingController
from nodeagent.sharing.modes.timeslice import TimesliceMode
from nodeagent.sharing.monitor import LOST_ANSWERS, LOST_INTERVAL_MS, NodeShareMonitor
from nodeagent.sharing.nvml_client import NvmlClient
from nodeagent.sharing.records import FILE, ShareRecords
from tests.builders.shares import CARD, KEY, FakeExecProbe, a_card, a_share_order, a_slice
from tests.fakes.node_ports import FakeClock
from tests.fakes.nvml.machine import MIB, FakeNvml, fake_nvml, h100
from tests.fakes.sharing import RecordingSupervisor
from wire.words import ExitCause, Isolation

OTHER = ContainerKey("job.1", 1)
PIDS = {KEY: 2**22 + 1, OTHER: 2**22 + 2}
"""Of no process that exists: above every limit of a kernel."""
STEP_MS = 2_000


@dataclass
class Node:
    """A node with two tenants on one card."""

    machine: FakeNvml
    records: ShareRecords
    watch: NodeShareMonitor
    clock: FakeClock
    inside: FakeExecProbe
    tenants: RecordingSupervisor

    def uses(self, **mib: int) -> None:
        rows = zip(PIDS.values(), mib.values(), strict=True)
        self.machine.change(0, process=[f"{pid} {used * MIB} compute" for pid, used in rows])

    async def pass_s(self, seconds: int) -> None:
        for _ in range(seconds * 1000 // STEP_MS):
            self.clock.now += STEP_MS
            await self.watch.check(self.tenants)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[FakeNvml]:
    with fake_nvml(tmp_path, [h100(0)]) as made:
        pynvml.nvmlInit()
        yield made


@pytest.fixture
async def node(tmp_path: Path, machine: FakeNvml) -> Node:
    records, clock, inside = ShareRecords(tmp_path / "sharing"), FakeClock(), FakeExecProbe()
    cards = (a_card(Isolation.TIMESLICE),)
    carver = SharingController(lambda: cards, records, [TimesliceMode(Isolation.TIMESLICE)])
    for slot, (key, pid) in enumerate(PIDS.items()):
        order = replace(a_share_order(a_slice(slot)), key=key)
        await carver.prepare(order)
        await carver.enforce(order, ProcessScope(pid, ""))
    watch = NodeShareMonitor(records, carver, NvmlClient(pynvml), inside, clock)
    return Node(machine, records, watch, clock, inside, RecordingSupervisor({KEY, OTHER}))


async def test_f35_share_that_is_exceeded_is_warned_then_ended_with_its_numbers(node: Node) -> None:
    node.uses(one=4000, other=4500)
    await node.pass_s(30)
    warned = [
        (OTHER, ExitCause.GPU_MEMORY_EXCEEDED, f"4500 MiB used of a share of 4096 MiB on {CARD}")
    ]
    assert node.tenants.warned == warned
    said = f"over_gpu_memory: 4500 MiB used, 4096 MiB granted on {CARD}"
    assert node.tenants.condemned == [(OTHER, ExitCause.GPU_MEMORY_EXCEEDED, said)]


async def test_nothing_is_done_while_the_library_hangs(node: Node) -> None:
    node.uses(one=4000, other=9000)
    node.machine.hang("nvmlDeviceGetComputeRunningProcesses_v3")
    node.watch._nvml._deadline_s = 0.01
    await node.pass_s(30)
    assert (node.tenants.warned, node.tenants.condemned) == ([], [])


async def test_f34_container_that_lost_its_card_is_found_within_a_minute(node: Node) -> None:
    good = CommandResult(0, f"GPU 0: NVIDIA H100 (UUID: {CARD})\n")
    node.inside.answers = {KEY: good, OTHER: CommandResult(255, f"{LOST_ANSWERS[0]}\n")}
    await node.pass_s(60)
    assert node.tenants.condemned == [(OTHER, ExitCause.DEVICE_LOST, LOST_ANSWERS[0])]


@pytest.mark.parametrize(
    "answer", [CommandResult(127, "not found"), CommandResult(124, ""), CommandResult(1, "busy")]
)
async def test_f34_answers_that_mean_nothing_end_nobody(node: Node, answer: CommandResult) -> None:
    node.inside.answers = {KEY: answer, OTHER: answer}
    await node.pass_s(120)
    assert node.tenants.condemned == []
    assert len(node.inside.asked) >= 2 * (120_000 // (LOST_INTERVAL_MS + STEP_MS))


async def test_f34_one_bad_answer_is_not_enough(node: Node) -> None:
    node.inside.answers = {
        KEY: CommandResult(255, LOST_ANSWERS[0]),
        OTHER: CommandResult(0, "GPU 0"),
    }
    await node.pass_s(20)
    node.inside.answers[KEY] = CommandResult(0, "GPU 0")
    await node.pass_s(20)
    node.inside.answers[KEY] = CommandResult(255, LOST_ANSWERS[0])
    await node.pass_s(20)
    assert node.tenants.condemned == []


async def test_shares_of_nobody_are_taken_back(node: Node) -> None:
    node.tenants.keys = {OTHER}
    await node.pass_s(2)
    assert [item.key for item in node.records] == [OTHER]


async def test_a_container_that_has_ended_leaves_nothing_behind_though_its_record_is_unreadable(
    node: Node, tmp_path: Path
) -> None:
    file = tmp_path / "sharing" / f"{KEY.allocation}.{KEY.epoch}" / FILE
    file.write_text("{}")
    node.watch._records = node.records = ShareRecords(tmp_path / "sharing")
    node.watch._sharing = SharingController(
        tuple, node.records, [TimesliceMode(Isolation.TIMESLICE)]
    )
    node.tenants.keys = {OTHER}
    assert node.records.may_be_held(CARD)

    await node.pass_s(2)

    assert not node.records.may_be_held(CARD)
    assert [item.key for item in node.records] == [OTHER]
    assert not file.exists()
