"""Shares on a real Docker Engine: the real runtime and gate, a fake NVML below the real binding.

Faults F34 (a container lost its card) and F35 (a share is exceeded), and the intercepting library
in a container that has nothing but a shell.
"""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pynvml
import pytest
from typing_extensions import override

from nodeagent.app.container_tasks import ContainerTasks, RunnerCalls
from nodeagent.app.readiness import ReadinessCheck
from nodeagent.core.events import ContainerChanged, ContainerEnded, Event
from nodeagent.core.state import ContainerKey, DesiredEntry, Finished
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.docker.exec.exec_probe import DockerExecProbe
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.host.clock import SystemClock
from nodeagent.link.log_shipping import LogShipper
from nodeagent.ports import ContainerOrder, Injection, Mount
from nodeagent.sharing.controller import SharingController, SharingMode
from nodeagent.sharing.modes.hami import HamiMode
from nodeagent.sharing.modes.timeslice import TimesliceMode
from nodeagent.sharing.monitor import LOST_ANSWERS, NodeShareMonitor
from nodeagent.sharing.nvml_client import NvmlClient
from nodeagent.sharing.records import ShareRecord, ShareRecords
from tests.builders.shares import CARD, a_card, a_slice
from tests.fakes.c_library import compiler
from tests.fakes.node_ports import FakeClock, MemoryLink
from tests.fakes.nvml.machine import MIB, FakeNvml, fake_nvml, h100
from tests.fakes.portal import FakePortal
from tests.fakes.work import SLEEPS, an_order
from tests.nodeagent.contract.conftest import Node, _docker_node
from tests.waiting import wait_until_async
from wire.words import ExitCause, Isolation, Phase

pytestmark = pytest.mark.docker

ONE, OTHER = ContainerKey("one.0", 1), ContainerKey("other.0", 1)
STEP_MS = 2_000
SMI = "/bin/nvidia-smi"


class WithSmi(TimesliceMode):
    """Time slices in an image that has no program of NVIDIA's: it is mounted."""

    def __init__(self, program: Path) -> None:
        super().__init__(Isolation.TIMESLICE)
        self._program = program

    @override
    async def prepare(self, record: ShareRecord) -> Injection:
        return Injection(mounts=(Mount(self._program, SMI),))


class HamiWithSmi(HamiMode):
    """The library's mode, in such an image."""

    program = Path()

    @override
    async def prepare(self, record: ShareRecord) -> Injection:
        found = await super().prepare(record)
        mounts = (*found.mounts, Mount(self.program, SMI))
        return Injection(env=found.env, mounts=mounts, needs_barrier=found.needs_barrier)


class Headless(SharingController):
    """Hands no card in: this engine has no GPU runtime, and refuses to start with one."""

    @override
    async def prepare(self, order: ContainerOrder) -> Injection:
        return replace(await super().prepare(order), devices=())


@dataclass
class Host:
    """One node with a card, and what became of its containers."""

    node: Node
    root: Path
    machine: FakeNvml
    told: list[Event] = field(default_factory=list)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    clock: FakeClock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        self.records = ShareRecords(self.root / "shares")
        self.program = self.root / "nvidia-smi"
        self.says("echo GPU 0")
        assert isinstance(self.node.runtime, DockerRuntime)
        runtime = self.node.runtime
        self.inside = DockerExecProbe(runtime._containers._node, runtime._engine)

    def says(self, line: str) -> None:
        """Let the program in every container say something else."""
        self.program.write_text(f"#!/bin/sh\n{line}\n")
        self.program.chmod(0o755)

    def with_mode(self, mode: SharingMode) -> None:
        """Start an agent whose card is shared in one way."""
        cards = (a_card(mode.isolation),)
        self.sharing = Headless(lambda: cards, self.records, [mode])
        link = MemoryLink(FakePortal())
        shipper = LogShipper(self.node.runtime, link)
        self.agent = ContainerTasks(
            self.node.runtime,
            shipper,
            SystemClock(),
            RunnerCalls(self._spawn, lambda: True),
            self.sharing,
            ReadinessCheck(self.node.exec_adapter),
        )
        self.agent.set_event_sink(self.told.append)
        self.watch = NodeShareMonitor(
            self.records, self.sharing, NvmlClient(pynvml), self.inside, self.clock
        )

    async def run(self, key: ContainerKey, slot: int, command: tuple[str, ...] = SLEEPS) -> None:
        """Start a container with a slice, and return when it runs or has ended."""
        spec = an_order(command, tenant="lab").spec.model_dump_json()
        self._spawn("start", self.agent.start(DesiredEntry(key, (a_slice(slot),), spec)))
        await wait_until_async(lambda: self.runs(key) or self.end(key) is not None)

    def runs(self, key: ContainerKey) -> bool:
        return any(
            isinstance(event, ContainerChanged) and (event.key, event.phase) == (key, Phase.RUNNING)
            for event in self.told
        )

    def end(self, key: ContainerKey) -> Finished | None:
        ends = [event.end for event in self.told if isinstance(event, ContainerEnded)]
        return next((end for end in ends if end.key == key), None)

    async def pass_s(self, seconds: int) -> None:
        for _ in range(seconds * 1000 // STEP_MS):
            self.clock.now += STEP_MS
            await self.watch.check(self.agent)

    def _spawn(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name=name)
        self.tasks.add(task)


@pytest.fixture
async def host(tmp_path: Path, docker_host: str) -> AsyncIterator[Host]:
    with fake_nvml(tmp_path, [h100(0)]) as machine:
        pynvml.nvmlInit()
        for node in _docker_node(tmp_path, docker_host):
            made = Host(node, tmp_path, machine)
            yield made
            for task in made.tasks:
                task.cancel()
            await asyncio.gather(*made.tasks, return_exceptions=True)


async def test_f35_exceeded_share_ends_that_container_alone_with_its_numbers(host: Host) -> None:
    host.with_mode(WithSmi(host.program))
    await host.run(ONE, 0)
    await host.run(OTHER, 1)
    pids = {item.key: item.scope.pid for item in host.records if item.scope}
    used = {ONE: 4000, OTHER: 5000}
    host.machine.change(
        0, process=[f"{pid} {used[key] * MIB} compute" for key, pid in pids.items()]
    )
    await host.pass_s(30)
    end = await wait_until_async(lambda: host.end(OTHER))
    assert end.cause is ExitCause.GPU_MEMORY_EXCEEDED
    assert end.detail == f"over_gpu_memory: 5000 MiB used, 4096 MiB granted on {CARD}"
    assert host.end(ONE) is None
    # Its share was taken back with its end; the other one's is still on record.
    assert [item.key for item in host.records] == [ONE]


async def test_f34_container_that_lost_its_card_ends_with_that_cause(host: Host) -> None:
    host.with_mode(WithSmi(host.program))
    await host.run(ONE, 0)
    await host.pass_s(60)
    assert host.end(ONE) is None
    host.says(f"echo '{LOST_ANSWERS[0]}'; exit 255")
    await host.pass_s(60)
    end = await wait_until_async(lambda: host.end(ONE))
    assert (end.cause, end.detail) == (ExitCause.DEVICE_LOST, LOST_ANSWERS[0])


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library that intercepts nothing, so that every program can load it."""
    made, source = tmp_path / "libvgpu.so", tmp_path / "empty.c"
    source.write_text("int berth_test_library;\n")
    cc = compiler()
    assert cc is not None
    subprocess.run([cc, "-shared", "-fPIC", "-o", str(made), str(source)], check=True)
    return made


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("echo ${CUDA_DEVICE_MEMORY_LIMIT_0%m}", None),
        ("echo 81559", ExitCause.ISOLATION_UNAVAILABLE),
    ],
)
async def test_library_is_loaded_and_proven_before_the_work(
    host: Host, library: Path, line: str, cause: ExitCause | None
) -> None:
    mode = HamiWithSmi(library, host.records, host.inside)
    mode.program = host.program
    host.says(line)
    host.with_mode(mode)
    await host.run(ONE, 0, ("sh", "-c", "tail -n1 /etc/ld.so.preload; sleep 1000"))
    end = host.end(ONE)
    if cause is None:
        assert end is None
        place = ContainerDir(host.root / "containers", ONE)
        await wait_until_async(lambda: place.read_log(0, 1000) == b"/berth/libvgpu.so\n")
    else:
        assert end is not None
        assert (end.cause, list(host.records)) == (cause, [])
        assert await host.node.runtime.list_containers() == ()
