"""One contract for every driver of cards: NVIDIA's over the fake NVML, other vendors', simulated."""

import asyncio
import importlib
import json
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pynvml
import pytest
from typing_extensions import override

from nodeagent.card_ports import CardReading, CardReadings, GpuDriver
from nodeagent.gpu.drivers.community import CommunityDriver, load_detector
from nodeagent.gpu.drivers.nvidia import NvidiaDriver
from nodeagent.gpu.drivers.selection import SelectedDriver
from nodeagent.gpu.drivers.simulated import CardDescription, SimulatedDriver
from tests.fakes.nvml.machine import FakeNvml, fake_nvml, h100
from tests.waiting import PATIENCE_S, wait_until_async

SHORT_S: Final = 0.2
STUB: Final = """
import json, pathlib, threading, types
def detect_devices(fast=True, manufacturer=None, usage=True):
    state = pathlib.Path(__file__).with_name("state.json")
    while (found := json.loads(state.read_text()))["hangs"]:
        threading.Event().wait(0.01)
    return [types.SimpleNamespace(**card) for card in found["cards"]]
"""


class Bench(ABC):
    """Two cards behind one driver, and hands to break them."""

    vendor: str
    is_simulated = False

    @abstractmethod
    def driver(self, deadline_s: float = PATIENCE_S) -> GpuDriver:
        """Return what a new agent on this machine gets."""

    @abstractmethod
    def lose(self) -> None:
        """Let the first card be gone."""

    @abstractmethod
    def hang(self) -> None:
        """Let the driver not answer."""

    @abstractmethod
    def heal(self) -> None:
        """Let everything be in order again."""


class NvidiaBench(Bench):
    vendor = "nvidia"

    def __init__(self, machine: FakeNvml) -> None:
        self._machine = machine
        self.made: list[NvidiaDriver] = []

    @override
    def driver(self, deadline_s: float = PATIENCE_S) -> GpuDriver:
        self.made.append(NvidiaDriver(pynvml, deadline_s))
        return self.made[-1]

    @override
    def lose(self) -> None:
        self._machine.lose(0)

    @override
    def hang(self) -> None:
        self._machine.hang()

    @override
    def heal(self) -> None:
        self._machine.change(0, lost=None)
        self._machine.change(hang=None)


class SimulatedBench(Bench):
    vendor = "simulated"
    is_simulated = True

    def __init__(self, folder: Path) -> None:
        self._control = folder / "orders.toml"

    @override
    def driver(self, deadline_s: float = PATIENCE_S) -> GpuDriver:
        return SimulatedDriver("node", [CardDescription("Paper", 1024)] * 2, self._control)

    @override
    def lose(self) -> None:
        self._control.write_text('[cards.0]\nhealth = "gone"\nfault = "gpu_lost"\n')

    @override
    def hang(self) -> None:
        self._control.write_text("hangs = true\n")

    @override
    def heal(self) -> None:
        self._control.unlink()


class CommunityBench(Bench):
    vendor = "ascend"

    def __init__(self, folder: Path) -> None:
        self._state = folder / "state.json"
        cards = [self._card(number) for number in range(2)]
        self._fine = {"hangs": False, "cards": cards}
        self.heal()

    def _card(self, number: int) -> dict[str, object]:
        return {
            "manufacturer": self.vendor,
            "index": number,
            "name": "Ascend910B",
            "uuid": f"0A1B2C3D {number}",
            "driver_version": "24.1",
            "cores_utilization": 12.5,
            "memory": 65536,
            "memory_used": 512,
            "memory_status": "healthy",
            "temperature": 41.0,
            "power_used": 92.3,
            "appendix": {"bdf": f"0000:C{number}:00.0", "physical_id": number + 4},
        }

    @override
    def driver(self, deadline_s: float = PATIENCE_S) -> GpuDriver:
        return CommunityDriver(load_detector(self._state.parent), deadline_s)

    def _write(self, **change: object) -> None:
        scratch = self._state.with_suffix(".new")
        scratch.write_text(json.dumps({**self._fine, **change}))
        scratch.replace(self._state)

    @override
    def lose(self) -> None:
        cards = self._fine["cards"]
        assert isinstance(cards, list)
        self._write(cards=cards[1:])

    @override
    def hang(self) -> None:
        self._write(hangs=True)

    @override
    def heal(self) -> None:
        self._write()


@contextmanager
def _nvidia(folder: Path) -> Iterator[Bench]:
    with fake_nvml(folder, [h100(0), h100(1)]) as machine:
        bench = NvidiaBench(machine)
        yield bench
        for driver in bench.made:
            driver.close()


@contextmanager
def _community(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """The optional package is not installed here: a stub of its one function stands in."""
    package = folder / "gpustack_runtime"
    (package / "detector").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "detector" / "__init__.py").write_text(STUB)
    monkeypatch.syspath_prepend(folder)
    importlib.invalidate_caches()
    bench = CommunityBench(package / "detector")
    yield bench
    bench.heal()
    for thread in threading.enumerate():
        if thread.name == "cards":
            thread.join(PATIENCE_S)
    for name in [name for name in sys.modules if name.startswith("gpustack_runtime")]:
        del sys.modules[name]


@pytest.fixture(params=["simulated", "community", pytest.param("nvidia", marks=pytest.mark.nvml)])
def bench(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Bench]:
    if request.param == "simulated":
        yield SimulatedBench(tmp_path)
    elif request.param == "community":
        with _community(tmp_path, monkeypatch) as made:
            yield made
    else:
        with _nvidia(tmp_path) as made:
            yield made


async def read(driver: GpuDriver) -> CardReadings:
    return await driver.read({}, {})


async def wait_until_ok(driver: GpuDriver) -> CardReadings:
    """Read until both cards are ok."""

    async def ok_readings() -> CardReadings | None:
        found = await read(driver)
        return found if states(found) == ["ok", "ok"] else None

    readings: CardReadings = await wait_until_async(ok_readings)
    return readings


def states(found: CardReadings) -> list[str]:
    """Return the health of the cards, in the order of their identities."""
    return [look.facts.health.value for look in by_uuid(found)]


def by_uuid(found: CardReadings) -> list[CardReading]:
    return sorted(found.cards, key=lambda look: look.facts.uuid)


async def test_cards_say_what_they_are_and_are_the_same_for_the_next_agent(bench: Bench) -> None:
    first, again, other = bench.driver(), bench.driver(), bench.driver()
    found = await read(first)
    cards = [look.facts for look in found.cards]
    assert len({card.uuid for card in cards}) == 2
    assert {card.vendor for card in cards} == {bench.vendor}
    assert all(card.memory_mib > 0 and card.model and card.driver for card in cards)
    assert {card.simulated for card in cards} == {bench.is_simulated}
    assert {(card.health.value, card.fault) for card in cards} == {("ok", "")}
    assert (found.faults, found.driver) == ((), cards[0].driver)
    for driver in (first, again, other):
        assert {look.facts.uuid for look in (await read(driver)).cards} == {
            card.uuid for card in cards
        }


async def test_a_lost_card_is_told_as_gone_without_figures_and_may_come_back(bench: Bench) -> None:
    driver = bench.driver()
    before = {look.facts.uuid: look.facts for look in (await read(driver)).cards}
    bench.lose()
    for _ in range(2):
        found = await read(driver)
        assert sorted(states(found)) == ["gone", "ok"]
        assert found.faults == ()
        (gone,) = (look.facts for look in found.cards if look.facts.health == "gone")
        assert gone.fault
        assert (gone.utilisation_pct, gone.memory_used_mib) == (None, None)
        assert (gone.model, gone.memory_mib) == (
            before[gone.uuid].model,
            before[gone.uuid].memory_mib,
        )
    bench.heal()
    assert states(await read(driver)) == ["ok", "ok"]


async def test_a_driver_that_hangs_is_told_in_time_and_keeps_who_the_cards_are(
    bench: Bench,
) -> None:
    driver = bench.driver(SHORT_S)
    before = {look.facts.uuid for look in (await wait_until_ok(driver)).cards}
    bench.hang()
    for _ in range(2):
        async with asyncio.timeout(PATIENCE_S):
            found = await read(driver)
        assert [(fault.code, fault.is_blocking) for fault in found.faults] == [("nvml_hangs", True)]
        assert {look.facts.uuid for look in found.cards} == before
        assert {(look.facts.health.value, look.facts.fault) for look in found.cards} == {
            ("bad", "nvml_hangs")
        }
    bench.heal()
    assert (await wait_until_ok(driver)).faults == ()


async def test_no_news_is_no_news(bench: Bench) -> None:
    driver = bench.driver()
    await read(driver)
    news = asyncio.ensure_future(driver.wait_for_event())
    await read(driver)
    assert not news.done()
    news.cancel()


@pytest.fixture
def selected(bench: Bench) -> Iterator[SelectedDriver]:
    """What an agent gets that was told nothing, on the machine of the bench."""
    paper = [CardDescription("Paper", 1024)] * 2
    driver = SelectedDriver(SimulatedDriver("node", paper), deadline_s=PATIENCE_S)
    yield driver
    if isinstance(driver._driver, NvidiaDriver):
        driver._driver.close()


async def test_an_agent_finds_the_cards_of_its_machine_by_itself(
    bench: Bench, selected: SelectedDriver
) -> None:
    found = await wait_until_ok(selected)
    assert {look.facts.vendor for look in found.cards} == {bench.vendor}
