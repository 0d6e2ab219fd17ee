"""Simulated cards for machines without any; always labelled as simulated.

They are described by `[simulated]` of the agent's settings. Their load is derived from the CPU load
of the containers that hold them, so that a busy job looks busy and an idle notebook looks idle; their
power from that load, and their temperature from the power. They have no energy counter: what they draw is known by their power.
Faults are injected by a TOML file that is read with every reading:

hangs = true                    # the driver does not answer
[cards.0]                       # by index
health = "gone"                 # reported by the driver: ok, bad, gone
fault = "gpu_lost"
xids = [79]                     # reported once, when the file has changed
memory_used_mib = 20000         # in addition to what the holders use
processes = [4711]              # foreign processes on the card
temperature_c = 95              # instead of what follows from its power
"""

import asyncio
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_DNS, uuid5

import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

from nodeagent.card_ports import CardProcess, CardReading, CardReadings
from wire.facts import AcceleratorFacts, AcceleratorHealth, MigDevice, MigProfile, NodeFault

log = structlog.get_logger()

IDLE_MW: Final = 60_000
"""Power of a simulated card without work, as that of a data centre GPU."""
BUSY_MW: Final = 400_000
"""Power of a fully used one; in between it follows the use."""
IDLE_C: Final = 33
"""Temperature of a simulated card without work; by the power it rises to `BUSY_C`."""
BUSY_C: Final = 78
AISLE: Final = 8
"""Cards that the same air flows past: each is warmer by a degree than the one before it."""
HANGS: Final = NodeFault(code="nvml_hangs", detail="simulated")


@dataclass(frozen=True, slots=True)
class MigInstanceDescription:
    """A MIG instance of a simulated card."""

    profile: str
    memory_mib: int
    start: int = 0


@dataclass(frozen=True, slots=True)
class CardDescription:
    """A simulated card."""

    model: str
    memory_mib: int
    island: int = 0
    mig: tuple[MigInstanceDescription, ...] = ()
    profiles: tuple[MigProfile, ...] = ()
    """The MIG profiles that it offers."""


class InjectedFault(BaseModel):
    """The faults to inject into one card."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    health: AcceleratorHealth = AcceleratorHealth.OK
    fault: str = ""
    xids: tuple[int, ...] = ()
    memory_used_mib: int = 0
    processes: tuple[int, ...] = ()
    temperature_c: int | None = None


class FaultInjection(BaseModel):
    """The content of the fault injection file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    hangs: bool = False
    cards: dict[int, InjectedFault] = {}


class SimulatedDriver:
    """The `GpuDriver` port over described cards."""

    def __init__(
        self, node: str, cards: Sequence[CardDescription], control: Path | None = None
    ) -> None:
        self._node = node
        self._cards = tuple(cards)
        self._control = control
        self._control_text = ""
        self._last: tuple[CardReading, ...] = ()

    @property
    def count(self) -> int:
        """Return the number of cards."""
        return len(self._cards)

    async def read(self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]) -> CardReadings:
        """Return the described cards with the load of their holders and the injected faults."""
        text = await asyncio.to_thread(self._read_control)
        has_changed, self._control_text = text != self._control_text, text
        injection = _parse_control(text)
        if injection.hangs:
            return CardReadings(self._hanging_cards(), (HANGS,), "simulated")
        self._last = tuple(
            self._read_card(
                index, _select_fault(injection, index, has_changed=has_changed), busy_pct, used_mib
            )
            for index in range(self.count)
        )
        return CardReadings(self._last, driver="simulated")

    async def wait_for_event(self) -> None:
        """Never return: injected faults appear with the next reading."""
        await asyncio.Event().wait()

    def _read_control(self) -> str:
        try:
            return self._control.read_text(encoding="utf-8") if self._control else ""
        except FileNotFoundError:
            return ""

    def _hanging_cards(self) -> tuple[CardReading, ...]:
        change = {
            "health": AcceleratorHealth.BAD,
            "fault": HANGS.code,
            "utilisation_pct": None,
            "power_mw": None,
            "temperature_c": None,
        }
        return tuple(CardReading(item.facts.model_copy(update=change)) for item in self._last)

    def _read_card(
        self,
        index: int,
        fault: InjectedFault,
        busy_pct: Mapping[str, int],
        used_mib: Mapping[str, int],
    ) -> CardReading:
        card, uuid = self._cards[index], card_uuid(self._node, index)
        is_there = fault.health is AcceleratorHealth.OK
        busy, used = busy_pct.get(uuid, 0), used_mib.get(uuid, 0) + fault.memory_used_mib
        power_mw = _power_mw(min(100, busy))
        celsius = fault.temperature_c
        if celsius is None:
            celsius = _temperature_c(power_mw, index)
        facts = AcceleratorFacts(
            uuid=uuid,
            index=index,
            vendor="simulated",
            model=card.model,
            memory_mib=card.memory_mib,
            health=fault.health,
            fault=fault.fault,
            simulated=True,
            utilisation_pct=min(100, busy) if is_there else None,
            power_mw=power_mw if is_there else None,
            temperature_c=celsius if is_there else None,
            memory_used_mib=min(card.memory_mib, used) if is_there else None,
            island=card.island,
            mig=tuple(_mig_device(uuid, part) for part in card.mig),
            profiles=card.profiles,
            driver="simulated",
        )
        processes = tuple(CardProcess(pid, None) for pid in fault.processes) or None
        return CardReading(facts, processes, xids=fault.xids)


def card_uuid(node: str, index: int) -> str:
    """Return a UUID that is the same for the same card on every start."""
    return f"SIM-{uuid5(NAMESPACE_DNS, f'{index}.{node}.berth.invalid')}"


def _power_mw(busy_pct: int) -> int:
    return IDLE_MW + (BUSY_MW - IDLE_MW) * busy_pct // 100


def _temperature_c(power_mw: int, index: int) -> int:
    risen = (BUSY_C - IDLE_C) * (power_mw - IDLE_MW) // (BUSY_MW - IDLE_MW)
    return IDLE_C + risen + index % AISLE


def _mig_device(card: str, part: MigInstanceDescription) -> MigDevice:
    name = uuid5(NAMESPACE_DNS, f"{part.start}.{part.profile}.{card}")
    return MigDevice(
        uuid=f"SIM-MIG-{name}",
        profile=part.profile,
        memory_mib=part.memory_mib,
        start=part.start,
    )


def _select_fault(injection: FaultInjection, index: int, *, has_changed: bool) -> InjectedFault:
    """Return the faults for a card, with its Xids only if the file has changed."""
    found = injection.cards.get(index, InjectedFault())
    return found if has_changed else found.model_copy(update={"xids": ()})


def _parse_control(text: str) -> FaultInjection:
    """Parse the file; an invalid file injects nothing and is logged."""
    try:
        values: dict[str, Any] = tomllib.loads(text)
        return FaultInjection.model_validate(values)
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        log.warning("simulated.order_refused", error=str(error))
        return FaultInjection()
