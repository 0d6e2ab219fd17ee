"""The NVML driver over a scripted library: lost, broken, hung and renumbered cards."""

import threading
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from nodeagent.gpu.nvidia import NvidiaDriver
from nodeagent.gpu.selection import select_driver
from nodeagent.gpu.simulated import SimulatedDriver
from wire.facts import AcceleratorHealth

GIB = 1024**3
TRIES = 1000
SIMULATED = SimulatedDriver("n", 1, "Simulated", 1024)


class ScriptedNvmlError(Exception):
    def __init__(self, value: int) -> None:
        super().__init__(f"NVML error {value}")
        self.value = value


@dataclass
class ScriptedNvml:
    """Speaks like `pynvml`; a card is a name, or the error that asking for it raises."""

    cards: list[str | int] = field(default_factory=list)
    is_missing: bool = False
    hang: threading.Event | None = None
    NVMLError: type[Exception] = ScriptedNvmlError
    NVML_ERROR_GPU_IS_LOST: int = 15

    def nvmlInit(self) -> None:  # noqa: N802
        if self.is_missing:
            raise ScriptedNvmlError(12)

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        if self.hang is not None:
            self.hang.wait(30)
        return len(self.cards)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Any:  # noqa: N802
        card = self.cards[index]
        if isinstance(card, int):
            raise ScriptedNvmlError(card)
        return card

    def nvmlDeviceGetUUID(self, handle: Any) -> str:  # noqa: N802
        return f"GPU-{handle}"

    def nvmlDeviceGetName(self, handle: Any) -> str:  # noqa: N802
        return f"Card {handle}"

    def nvmlDeviceGetMemoryInfo(self, handle: Any) -> Any:  # noqa: N802
        return SimpleNamespace(total=80 * GIB, used=GIB)

    def nvmlDeviceGetUtilizationRates(self, handle: Any) -> Any:  # noqa: N802
        if handle == "mig":
            raise ScriptedNvmlError(3)
        return SimpleNamespace(gpu=57)


async def health(driver: NvidiaDriver) -> dict[str, AcceleratorHealth]:
    return {card.uuid: card.health for card in await driver.read({}, {})}


async def test_measured_card_is_reported_as_it_is() -> None:
    (card,) = await NvidiaDriver(ScriptedNvml(["a"])).read({}, {})
    assert (card.uuid, card.model, card.memory_mib) == ("GPU-a", "Card a", 80 * 1024)
    assert (card.utilisation_pct, card.memory_used_mib, card.simulated) == (57, 1024, False)


async def test_card_that_does_not_tell_its_load_has_none() -> None:
    (card,) = await NvidiaDriver(ScriptedNvml(["mig"])).read({}, {})
    assert card.utilisation_pct is None


async def test_lost_card_is_gone_and_the_others_go_on() -> None:
    nvml = ScriptedNvml(["a", "b"])
    driver = NvidiaDriver(nvml)
    await driver.read({}, {})
    nvml.cards = [15, "b"]
    assert await health(driver) == {"GPU-a": "gone", "GPU-b": "ok"}


async def test_card_with_another_error_is_bad_and_may_recover() -> None:
    nvml = ScriptedNvml(["a"])
    driver = NvidiaDriver(nvml)
    await driver.read({}, {})
    nvml.cards = [999]
    assert await health(driver) == {"GPU-a": "bad"}
    nvml.cards = ["a"]
    assert await health(driver) == {"GPU-a": "ok"}


async def test_cards_are_known_by_uuid_when_their_order_changes() -> None:
    nvml = ScriptedNvml(["a", "b"])
    driver = NvidiaDriver(nvml)
    await driver.read({}, {})
    nvml.cards = ["b"]
    found = {card.uuid: card for card in await driver.read({}, {})}
    assert (found["GPU-b"].index, found["GPU-b"].health) == (0, "ok")
    assert found["GPU-a"].health == "gone"


async def test_hung_library_makes_cards_bad_without_holding_anyone_up() -> None:
    nvml = ScriptedNvml(["a"])
    driver = NvidiaDriver(nvml, deadline_s=0.05)
    for _ in range(TRIES):  # on a busy machine the first answer may come after the deadline too
        if await health(driver) == {"GPU-a": "ok"}:
            break
    nvml.hang = threading.Event()
    for _ in range(3):
        assert await health(driver) == {"GPU-a": "bad"}
    assert [item.name for item in threading.enumerate()].count("nvml") == 1
    nvml.hang.set()
    for _ in range(TRIES):
        if await health(driver) == {"GPU-a": "ok"}:
            return
    pytest.fail("still bad")


def test_real_cards_are_preferred_and_simulated_ones_stand_in() -> None:
    assert isinstance(select_driver(SIMULATED, ScriptedNvml(["a"])), NvidiaDriver)
    assert select_driver(SIMULATED, ScriptedNvml([])) is SIMULATED
    assert select_driver(SIMULATED, ScriptedNvml(is_missing=True)) is SIMULATED
