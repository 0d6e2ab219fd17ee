"""What the agent reads of a real card: load, memory, processes, faults; and a dump of all of it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pynvml
import pytest

from nodeagent.card_ports import CardReading
from nodeagent.gpu.drivers.nvidia import NvidiaDriver
from nodeagent.gpu.health.evaluation import CardObservation, CardState, evaluate_health
from tests.cards.conftest import RealCard
from tests.cards.programs import CudaError, a_program
from tests.fakes.nvml.machine import nvml_from_dump
from tests.waiting import wait_until, wait_until_async
from wire.facts import AcceleratorHealth

pytestmark = pytest.mark.hardware

TOOL = Path(__file__).parents[2] / "deploy" / "tools" / "nvml-dump"
HELD_MIB = 4096


@pytest.fixture
async def driver(card: RealCard) -> AsyncIterator[NvidiaDriver]:
    reader = NvidiaDriver(pynvml)
    yield reader
    reader.close()


async def read(driver: NvidiaDriver) -> CardReading:
    """Return the one card's reading."""
    readings = await driver.read({}, {})
    assert not readings.faults
    (reading,) = readings.cards
    return reading


async def test_unused_card_is_healthy_and_measured(
    card: RealCard, driver: NvidiaDriver, measured: Callable[..., None]
) -> None:
    wait_until(lambda: not card.pids())
    reading = await read(driver)
    facts = reading.facts
    assert (facts.uuid, facts.model, facts.driver) == (card.uuid, card.model, card.driver)
    assert (facts.health, facts.fault, reading.processes) == (AcceleratorHealth.OK, "", ())
    assert facts.memory_mib > 1024
    for value in (facts.power_mw, facts.energy_mj, facts.temperature_c, facts.utilisation_pct):
        assert value is not None
    measured(unused=facts.model_dump(mode="json"), ecc=reading.ecc_uncorrected)


async def test_work_is_seen_with_its_process_memory_and_load(
    card: RealCard, driver: NvidiaDriver, measured: Callable[..., None]
) -> None:
    before = await read(driver)
    async with a_program() as program:
        assert await program.tell("hold", HELD_MIB) == HELD_MIB
        await program.tell("spin", 15)

        async def busy() -> CardReading | None:
            seen = await read(driver)
            mine = [item for item in seen.processes or () if item.pid == program.pid]
            loads.append(
                ((mine[0].utilisation_pct or 0) if mine else 0, seen.facts.utilisation_pct)
            )
            return seen if min(value or 0 for value in loads[-1]) > 90 else None

        loads: list[tuple[int, int | None]] = []
        seen: CardReading = await wait_until_async(busy, every_s=0.2)
        (process,) = seen.processes or ()
        assert process.pid == program.pid
        assert HELD_MIB <= (process.memory_mib or 0) < HELD_MIB + 2048
        assert seen.facts.memory_used_mib is not None
        assert seen.facts.memory_used_mib >= HELD_MIB
        measured(busy=seen.facts.model_dump(mode="json"), process=repr(process), loads=loads)
        await program.tell("wait")
    after = await read(driver)
    assert after.processes == ()
    assert before.facts.energy_mj is not None
    assert after.facts.energy_mj is not None
    assert after.facts.energy_mj > before.facts.energy_mj
    assert (after.facts.memory_used_mib or 0) < HELD_MIB


async def test_fault_of_a_program_is_reported_and_not_the_cards(
    card: RealCard, driver: NvidiaDriver, measured: Callable[..., None]
) -> None:
    await read(driver)
    assert await asyncio.to_thread(driver.watching.wait, 30)
    async with a_program() as program:
        await program.tell("memory")
        with pytest.raises(CudaError, match="CUDA_ERROR_ILLEGAL_ADDRESS"):
            await program.tell("fault")
    async with asyncio.timeout(30):
        await driver.wait_for_event()
    reading = await read(driver)
    measured(xids_of_an_illegal_address=list(reading.xids))
    assert set(reading.xids) <= {13, 31}
    assert reading.xids
    seen = CardObservation(reading.facts.health, reading.facts.fault, reading.xids)
    assert evaluate_health(CardState(), seen, 0).health is AcceleratorHealth.OK


def test_dump_of_the_card_is_what_the_fake_library_answers(card: RealCard, tmp_path: Path) -> None:
    wait_until(lambda: not card.pids())
    command = [sys.executable, str(TOOL), "--anonymous"]
    real = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if folder := os.environ.get("BERTH_CARDS_REPORT"):
        Path(folder).with_suffix(".nvml.json").write_text(real, encoding="utf-8")
    fake = nvml_from_dump(tmp_path / "state", real)
    plain = [sys.executable, str(TOOL)]
    again = subprocess.run(
        plain, env={**os.environ, **fake.environment}, check=True, capture_output=True, text=True
    ).stdout
    assert again == real
