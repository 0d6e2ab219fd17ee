"""The NVML driver over the real binding and the fake library: F30 and F33 as far as it sees them."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pynvml
import pytest

from nodeagent.card_ports import CardProcess, CardReading, CardReadings
from nodeagent.gpu.drivers.nvidia import NvidiaDriver
from tests.fakes.nvml.machine import MIB, Card, FakeNvml, h100, t4, uuid_of
from tests.waiting import PATIENCE_S, wait_until_async

pytestmark = pytest.mark.nvml

SHORT_S = 0.05


@contextmanager
def a_driver(deadline_s: float = PATIENCE_S) -> Iterator[NvidiaDriver]:
    driver = NvidiaDriver(pynvml, deadline_s)
    try:
        yield driver
    finally:
        driver.close()


@pytest.fixture
def driver(machine: FakeNvml) -> Iterator[NvidiaDriver]:
    with a_driver() as made:
        yield made


async def looks(driver: NvidiaDriver) -> dict[str, CardReading]:
    return {item.facts.uuid: item for item in (await driver.read({}, {})).cards}


async def health(driver: NvidiaDriver) -> list[tuple[str, str]]:
    """Return health and fault of every card, in the order of the numbers they were made with."""
    found = await looks(driver)
    return [(found[uuid_of(n)].facts.health.value, found[uuid_of(n)].facts.fault) for n in range(3)]


async def wait_until_ok(driver: NvidiaDriver) -> CardReadings:
    """Read until all cards are ok."""

    async def ok_readings() -> CardReadings | None:
        found = await driver.read({}, {})
        is_ok = found.cards and all(item.facts.health == "ok" for item in found.cards)
        return found if is_ok else None

    readings: CardReadings = await wait_until_async(ok_readings)
    return readings


async def test_a_card_is_told_as_it_is(machine: FakeNvml, driver: NvidiaDriver) -> None:
    machine.change(0, utilisation=57, memory_used=1024 * MIB, temperature_c=64)
    read = await driver.read({}, {})
    card = read.cards[0].facts
    assert (card.uuid, card.index, card.vendor) == (uuid_of(0), 0, "nvidia")
    assert (card.model, card.memory_mib) == ("NVIDIA H100 80GB HBM3", 81559)
    assert (card.utilisation_pct, card.memory_used_mib, card.simulated) == (57, 1024, False)
    assert (card.power_mw, card.energy_mj, card.temperature_c) == (71000, 4000000000, 64)
    assert (card.driver, read.driver, read.faults) == ("615.71.05", "615.71.05", ())


async def test_what_a_card_cannot_tell_is_empty_never_zero(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    for key in ("utilisation", "power_mw", "energy_mj", "temperature_c"):
        machine.change(2, **{key: None})
    card = (await looks(driver))[uuid_of(2)].facts
    assert (card.utilisation_pct, card.power_mw, card.energy_mj) == (None, None, None)
    assert (card.temperature_c, card.mig, card.health) == (None, (), "ok")
    # Without the newer call, what the driver keeps for itself counts as used.
    assert card.memory_used_mib == 449


async def test_a_sick_sensor_is_no_reason_to_give_a_card_up(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    machine.change(0, fail="nvmlDeviceGetTemperature 999")
    card = (await looks(driver))[uuid_of(0)].facts
    assert (card.health, card.temperature_c) == ("ok", None)


async def test_processes_of_all_kinds_are_seen_once_each(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    processes = [f"11 {64 * MIB} compute 30", f"11 {96 * MIB} mps", "12 - graphics"]
    machine.change(0, process=processes)
    found = await looks(driver)
    assert found[uuid_of(0)].processes == (CardProcess(11, 96, 30), CardProcess(12, None, 0))
    assert found[uuid_of(1)].processes == ()


async def test_f30_a_lost_card_is_gone_and_the_others_go_on(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    await driver.read({}, {})
    machine.lose(0)
    assert await health(driver) == [("gone", "gpu_lost"), ("ok", ""), ("ok", "")]
    card = (await looks(driver))[uuid_of(0)].facts
    assert (card.model, card.memory_used_mib, card.power_mw) == (
        "NVIDIA H100 80GB HBM3",
        None,
        None,
    )
    machine.change(0, lost=None)
    assert await health(driver) == [("ok", "")] * 3


async def test_f30_a_card_that_was_lost_before_anybody_knew_it_is_told_as_unreadable(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    machine.lose(1)
    read = await driver.read({}, {})
    assert [item.facts.uuid for item in read.cards] == [uuid_of(0), uuid_of(2)]
    assert [(fault.code, fault.is_blocking) for fault in read.faults] == [
        ("card_unreadable", False)
    ]


async def test_a_card_with_another_error_is_bad_and_may_recover(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    await driver.read({}, {})
    machine.change(0, fail="nvmlDeviceGetMemoryInfo 999")
    machine.change(0, fail=["nvmlDeviceGetMemoryInfo 999", "nvmlDeviceGetMemoryInfo_v2 999"])
    machine.change(2, fail="nvmlDeviceGetName 16")
    assert await health(driver) == [
        ("bad", "nvml_error_999"),
        ("ok", ""),
        ("bad", "reset_required"),
    ]
    machine.change(0, fail=None)
    machine.change(2, fail=None)
    assert await health(driver) == [("ok", "")] * 3


async def test_f33_cards_keep_their_identity_when_everything_else_about_them_changes(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    await driver.read({}, {})
    bigger: Card = {"memory_total": 94 * 1024 * MIB, "minor": 7, "pci": "00000000:77:00.0"}
    machine.cards = [t4(2), h100(1), h100(0, **bigger)]
    machine.reboot()
    found = await looks(driver)
    assert [found[uuid_of(n)].facts.index for n in range(3)] == [2, 1, 0]
    assert [found[uuid_of(n)].facts.memory_mib for n in range(3)] == [96256, 81559, 15360]
    assert {item.facts.health for item in found.values()} == {"ok"}


async def test_a_card_that_was_taken_out_is_gone_and_a_new_one_joins(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    await driver.read({}, {})
    machine.cards = [h100(0), h100(9), t4(2)]
    machine.write()
    found = await looks(driver)
    assert (found[uuid_of(1)].facts.health, found[uuid_of(1)].facts.fault) == (
        "gone",
        "gpu_missing",
    )
    assert found[uuid_of(9)].facts.health == "ok"


async def test_f33_a_reloaded_driver_is_asked_anew(machine: FakeNvml, driver: NvidiaDriver) -> None:
    await driver.read({}, {})
    machine.values["driver"] = "620.10"
    machine.reload_driver()
    read = await driver.read({}, {})
    assert (read.driver, read.faults) == ("620.10", ())
    assert [item.facts.health for item in read.cards] == ["ok"] * 3


async def test_f33_a_driver_that_is_being_replaced_blocks_the_node(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    await driver.read({}, {})
    machine.change(fail="* 18")
    read = await driver.read({}, {})
    assert [(fault.code, fault.is_blocking) for fault in read.faults] == [("driver_mismatch", True)]
    assert {(item.facts.health.value, item.facts.fault) for item in read.cards} == {
        ("bad", "driver_mismatch")
    }
    machine.change(fail=None)
    await wait_until_ok(driver)


async def test_f33_hung_library_marks_the_cards_and_holds_nobody_up(machine: FakeNvml) -> None:
    with a_driver(SHORT_S) as driver:
        await wait_until_ok(driver)
        machine.hang()
        for _ in range(3):
            read = await driver.read({}, {})
            assert [(fault.code, fault.is_blocking) for fault in read.faults] == [
                ("nvml_hangs", True)
            ]
            assert {(item.facts.health.value, item.facts.fault) for item in read.cards} == {
                ("bad", "nvml_hangs")
            }
        assert [item.name for item in threading.enumerate()].count("nvml") == 1
        machine.change(hang=None)
        assert (await wait_until_ok(driver)).faults == ()


async def test_f33_a_single_card_that_hangs_is_a_hanging_library(machine: FakeNvml) -> None:
    with a_driver(SHORT_S) as driver:
        await wait_until_ok(driver)
        machine.hang(card=1)
        assert [fault.code for fault in (await driver.read({}, {})).faults] == ["nvml_hangs"]
        machine.change(1, hang=None)
        await wait_until_ok(driver)


async def test_xids_are_told_at_once_and_once(machine: FakeNvml, driver: NvidiaDriver) -> None:
    await driver.read({}, {})
    await asyncio.to_thread(driver.watching.wait, PATIENCE_S)
    machine.xid(1, 31)
    async with asyncio.timeout(PATIENCE_S):
        await driver.wait_for_event()
    found = await looks(driver)
    assert [found[uuid_of(n)].xids for n in range(3)] == [(), (31,), ()]
    assert [item.xids for item in (await looks(driver)).values()] == [(), (), ()]


async def test_f30_an_xid_of_a_card_that_is_lost_with_it_is_still_told(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    await driver.read({}, {})
    await asyncio.to_thread(driver.watching.wait, PATIENCE_S)
    machine.xid(0, 79)
    async with asyncio.timeout(PATIENCE_S):
        await driver.wait_for_event()
    machine.lose(0)
    card = (await looks(driver))[uuid_of(0)]
    assert (card.facts.health, card.xids) == ("gone", (79,))


async def test_memory_errors_and_failed_remaps_are_seen(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    machine.change(0, remapped="0 1 0 1", ecc_uncorrected=3)
    machine.change(2, ecc_uncorrected=2)
    found = await looks(driver)
    # A card that has replaced its broken rows, or failed to, says so itself.
    assert (found[uuid_of(0)].has_remap_failed, found[uuid_of(0)].ecc_uncorrected) == (True, 0)
    assert (found[uuid_of(2)].has_remap_failed, found[uuid_of(2)].ecc_uncorrected) == (False, 2)


@pytest.mark.parametrize(
    ("advice", "fault"), [(0, ""), (1, "reset_required"), (2, "reboot_required"), (3, "")]
)
async def test_f31_what_the_driver_advises_keeps_work_away(
    machine: FakeNvml, driver: NvidiaDriver, advice: int, fault: str
) -> None:
    machine.change(0, recovery=advice)
    found = await looks(driver)
    assert [(found[uuid_of(n)].facts.health, found[uuid_of(n)].facts.fault) for n in range(2)] == [
        ("bad" if fault else "ok", fault),
        ("ok", ""),
    ]


async def test_partitions_are_told_with_profile_size_and_place(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    cut: Card = {"mig_mode": 1, "instance": ["1 9 4", "2 19 0"], "compute": ["1 0", "2 1"]}
    machine.change(0, **cut)
    card = (await looks(driver))[uuid_of(0)].facts
    assert [(part.profile, part.memory_mib, part.start) for part in card.mig] == [
        ("3g.40gb", 40448, 4),
        ("1g.10gb", 9984, 0),
    ]
    assert all(part.uuid.startswith("MIG-") for part in card.mig)
    assert (card.utilisation_pct, card.health) == (None, "ok")
    machine.change(0, instance=["1 0 0"], compute=["1 0"])
    after = (await looks(driver))[uuid_of(0)].facts
    assert [part.profile for part in after.mig] == ["7g.80gb"]


async def test_cards_on_one_switch_are_an_island_and_a_card_without_links_is_none(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    found = await looks(driver)
    assert [found[uuid_of(n)].facts.island for n in range(3)] == [0, 0, 1]


async def test_direct_links_make_islands_of_those_they_reach(
    machine: FakeNvml, driver: NvidiaDriver
) -> None:
    buses = [f"00000000:{0x19 + n:02X}:00.0" for n in range(4)]
    ends = [buses[3], buses[2], buses[1], buses[0]]
    machine.cards = [h100(n, nvlink=[f"0 {ends[n]}"]) for n in range(4)]
    machine.write()
    found = await looks(driver)
    assert [found[uuid_of(n)].facts.island for n in range(4)] == [0, 1, 1, 0]
