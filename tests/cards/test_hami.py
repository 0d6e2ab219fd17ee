"""An intercepting library on a real card: what a program sees and gets.

Collected where `BERTH_CARDS_HAMI` names a `libvgpu.so`: HAMi-core, as its own build script makes it.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.host.commands import CommandResult, HostCommandRunner
from nodeagent.ports import Injection, ProcessScope
from nodeagent.sharing.exec_probe import PROBE_S
from nodeagent.sharing.modes.hami import HamiMode
from nodeagent.sharing.records import ShareRecords
from tests.builders.shares import FakeExecProbe
from tests.cards.conftest import RealCard, share_record
from tests.cards.programs import CudaError, a_program, in_mounts
from wire.words import Isolation

pytestmark = pytest.mark.hardware

SHARE_MIB = 8192
SCOPE = ProcessScope(1, "")


class ProbeInMounts:
    """Runs a probe as in the container: with what is mounted there."""

    def __init__(self, injection: Injection) -> None:
        self._injection = injection

    async def run_probe(
        self, key: ContainerKey, argv: Sequence[str], within_s: float = PROBE_S
    ) -> CommandResult:
        command = in_mounts(self._injection, argv)
        return await HostCommandRunner().run(command, env=self._injection.env, within_s=within_s)


async def test_intercepting_library_holds_a_program_to_its_share(
    card: RealCard, tmp_path: Path, measured: Callable[..., None]
) -> None:
    library = Path(os.environ["BERTH_CARDS_HAMI"])
    records = ShareRecords(tmp_path / "sharing")
    record = share_record(card.share(SHARE_MIB), Isolation.HAMI)
    records.save(record)
    injection = await HamiMode(library, records, FakeExecProbe()).prepare(record)
    await HamiMode(library, records, ProbeInMounts(injection)).enforce(record, SCOPE)
    async with a_program(injection) as program:
        free, total = await program.tell("memory")
        assert await program.tell("hold", SHARE_MIB // 2) == SHARE_MIB // 2
        with pytest.raises(CudaError, match="CUDA_ERROR_OUT_OF_MEMORY"):
            await program.tell("hold", SHARE_MIB)
        measured(hami={"shows_mib": [free, total]})
        assert total == SHARE_MIB
        assert await program.tell("crc")
