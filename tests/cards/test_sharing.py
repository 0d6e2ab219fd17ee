"""Limits on a real card: by MPS, by an intercepting library, and by measuring what is used.

No test changes a setting of the card: the compute mode stays, so what the agent does about it is
answered here.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pynvml
import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.host.commands import DEADLINE_S, CommandResult, HostCommandRunner
from nodeagent.ports import Injection, ProcessScope, StartError
from nodeagent.sharing.controller import SharingController
from nodeagent.sharing.modes.mps import MpsMode
from nodeagent.sharing.modes.mps_daemon import MpsDaemons
from nodeagent.sharing.modes.mps_namespaces import MpsNamespaces
from nodeagent.sharing.modes.timeslice import TimesliceMode
from nodeagent.sharing.monitor import NodeShareMonitor
from nodeagent.sharing.nvml_client import NvmlClient, supports_memory_limits
from nodeagent.sharing.records import ShareRecords
from tests.builders.shares import FakeExecProbe, a_share_order
from tests.cards.conftest import RealCard, share_record
from tests.cards.programs import CudaError, a_program
from tests.fakes.node_ports import FakeClock
from tests.fakes.sharing import RecordingSupervisor
from tests.waiting import wait_until
from wire.words import Device, ExitCause, Isolation

pytestmark = pytest.mark.hardware

SHARE_MIB: Final = 8192
OUT_OF_MEMORY: Final = "CUDA_ERROR_OUT_OF_MEMORY"
SCOPE: Final = ProcessScope(1, "")


class Commands:
    """The host's programs, of which none changes the compute mode."""

    def __init__(self) -> None:
        self._host = HostCommandRunner()
        self.answers: list[tuple[str, int, str]] = []

    async def run(
        self,
        argv: Sequence[str],
        *,
        text: str = "",
        env: Mapping[str, str] | None = None,
        within_s: float = DEADLINE_S,
    ) -> CommandResult:
        if argv[0] == "nvidia-smi" and "-c" in argv:
            return CommandResult(0, "")
        result = await self._host.run(argv, text=text, env=env, within_s=within_s)
        self.answers.append((text.strip() or " ".join(argv), result.code, result.output.strip()))
        if "--query-gpu=compute_mode" in argv:
            return CommandResult(0, "Exclusive_Process\n")
        return result


@pytest.fixture
def commands(measured: Callable[..., None], request: pytest.FixtureRequest) -> Iterator[Commands]:
    used = Commands()
    yield used
    measured(**{request.node.name: used.answers})


@pytest.fixture
def state() -> Iterator[Path]:
    """Return a folder with a short name, as sockets need it."""
    with TemporaryDirectory(prefix="berth") as name:
        yield Path(name)


@pytest.fixture
async def mps(card: RealCard, commands: Commands, state: Path) -> AsyncIterator[SharingController]:
    """The card, shared by an MPS daemon; none is left afterwards."""
    wait_until(lambda: not card.pids())
    records = ShareRecords(state / "sharing")
    modes = [MpsMode(state / "mps", records, commands)]
    controller = SharingController(lambda: (card.facts(Isolation.MPS),), records, modes)
    yield controller
    for record in records:
        await controller.release(record.key)
    wait_until(lambda: not card.pids())


async def share(controller: SharingController, allocation: str, device: Device) -> Injection:
    """Return what a container with this share gets, once the share is verified."""
    order = a_share_order(device, allocation=allocation)
    injection = await controller.prepare(order)
    await controller.enforce(order, SCOPE)
    return injection


async def test_mps_server_holds_every_client_to_its_share(
    card: RealCard, mps: SharingController, measured: Callable[..., None]
) -> None:
    async with a_program() as alone:
        whole = await alone.tell("multiprocessors")
    one = await share(mps, "job.0", card.share(SHARE_MIB))
    async with a_program(one) as program:
        mine = await program.tell("multiprocessors")
        assert await program.tell("hold", SHARE_MIB // 2) == SHARE_MIB // 2
        free, total = await program.tell("memory")
        with pytest.raises(CudaError, match=OUT_OF_MEMORY):
            await program.tell("hold", SHARE_MIB)
        assert await program.tell("crc")
        used = await NvmlClient(pynvml).used_mib(card.uuid)
        measured(
            mps={
                "multiprocessors": [mine, whole],
                "shows_mib": [free, total],
                "of_each_process": dict(used),
                "program": program.pid,
            }
        )
        assert mine <= whole * 26 // 100
        assert used[program.pid] >= SHARE_MIB // 2


async def test_mps_clients_share_a_server_and_a_fault(
    card: RealCard, mps: SharingController, measured: Callable[..., None]
) -> None:
    one = await share(mps, "job.0", card.share(SHARE_MIB))
    other = await share(mps, "job.1", card.share(SHARE_MIB, slot=1))
    async with a_program(one) as faulty, a_program(other) as bystander:
        await faulty.tell("hold", 256)
        await bystander.tell("hold", 256)
        await bystander.tell("spin", 3)
        with pytest.raises(CudaError):
            await faulty.tell("fault")
        try:
            seen = f"crc {await bystander.tell('crc')}"
        except CudaError as error:
            seen = str(error)
        measured(mps_bystander_of_a_fault=seen)
    # The next client of the same server works.
    async with a_program(other) as later:
        assert await later.tell("hold", 256) == 256


async def test_mps_namespaces_are_refused_by_an_older_driver(
    card: RealCard, commands: Commands, state: Path
) -> None:
    assert int(card.driver.split(".", maxsplit=1)[0]) < 615, "this driver has them: write its test"
    assert not supports_memory_limits(pynvml)
    namespaces = MpsNamespaces(state / "mps", ShareRecords(state / "sharing"), commands)
    record = share_record(card.share(SHARE_MIB), Isolation.CGROUP)
    with pytest.raises(StartError, match="does not know these options") as caught:
        await namespaces.prepare(record)
    assert caught.value.cause is ExitCause.ISOLATION_UNAVAILABLE
    await namespaces.release(record)
    wait_until(lambda: not card.pids())


async def test_folder_that_is_too_long_for_a_socket_is_named(
    card: RealCard, commands: Commands, state: Path
) -> None:
    daemons = MpsDaemons(state / ("long" * 20), commands)
    with pytest.raises(StartError, match="choose a shorter state_dir"):
        await daemons.start(card.uuid)


async def test_monitor_stops_who_takes_more_than_its_share(
    card: RealCard, tmp_path: Path, measured: Callable[..., None]
) -> None:
    records, clock = ShareRecords(tmp_path / "sharing"), FakeClock()
    controller = SharingController(
        lambda: (card.facts(Isolation.TIMESLICE),), records, [TimesliceMode()]
    )
    keys = [ContainerKey("job.0", 1), ContainerKey("job.1", 1)]
    orders = [
        a_share_order(card.share(SHARE_MIB, slot=slot), allocation=key.allocation)
        for slot, key in enumerate(keys)
    ]
    supervisor = RecordingSupervisor(set(keys))
    monitor = NodeShareMonitor(records, controller, NvmlClient(pynvml), FakeExecProbe(), clock)
    async with AsyncExitStack() as stack:
        programs = [await stack.enter_async_context(a_program()) for _ in keys]
        for order, program, mib in zip(orders, programs, (4096, 12288), strict=True):
            await controller.prepare(order)
            await controller.enforce(order, ProcessScope(program.pid, ""))
            await program.tell("hold", mib)
        for _ in range(11):
            clock.now += 2_000
            await monitor.check(supervisor)
    measured(over_its_share=[repr(item) for item in supervisor.condemned])
    assert [key for key, _, _ in supervisor.warned] == [keys[1]]
    assert [(key, cause) for key, cause, _ in supervisor.condemned] == [
        (keys[1], ExitCause.GPU_MEMORY_EXCEEDED)
    ]
