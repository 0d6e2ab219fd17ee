"""Cards that exist only on paper, for machines without any; always labelled as simulated.

They are described by `[simulated]` of the agent's settings. Their load is derived from what their
holders really do with the processor, so that a busy job looks busy and an idle notebook looks idle.
Faults come on command: a TOML file that is read again with every look.

    hangs = true                    # the driver does not answer
    [cards.0]                       # by place
    health = "gone"                 # what the driver says: ok, bad, gone
    fault = "gpu_lost"
    xids = [79]                     # told once, when the file has changed
    memory_used_mib = 20000         # besides what the holders use
    processes = [4711]              # somebody else on the card
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

from nodeagent.ports import CardProcess, CardReading, CardReadings
from wire.facts import AcceleratorFacts, AcceleratorHealth, MigDevice, MigProfile, NodeFault

log = structlog.get_logger()

HANGS: Final = NodeFault(code="nvml_hangs", detail="simulated")


@dataclass(frozen=True, slots=True)
class PartitionDescription:
    """How a part of a simulated card claims to be cut."""

    profile: str
    memory_mib: int
    start: int = 0


@dataclass(frozen=True, slots=True)
class CardDescription:
    """What one simulated card claims to be."""

    model: str
    memory_mib: int
    island: int = 0
    mig: tuple[PartitionDescription, ...] = ()
    profiles: tuple[MigProfile, ...] = ()
    """What it claims that can be cut of it."""


class InjectedFault(BaseModel):
    """What shall be wrong with one card."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    health: AcceleratorHealth = AcceleratorHealth.OK
    fault: str = ""
    xids: tuple[int, ...] = ()
    memory_used_mib: int = 0
    processes: tuple[int, ...] = ()


class FaultInjection(BaseModel):
    """The file of faults on command."""

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
        self._seen = ""
        self._last: tuple[CardReading, ...] = ()

    @property
    def count(self) -> int:
        """How many cards there are."""
        return len(self._cards)

    async def read(self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]) -> CardReadings:
        """Return the described cards with the load of their holders, and what was ordered."""
        text = await asyncio.to_thread(self._read_control)
        has_changed, self._seen = text != self._seen, text
        orders = _parsed(text)
        if orders.hangs:
            return CardReadings(self._hanging_cards(), (HANGS,), "simulated")
        self._last = tuple(
            self._read_card(
                index, _fault_of(orders, index, has_changed=has_changed), busy_pct, used_mib
            )
            for index in range(self.count)
        )
        return CardReadings(self._last, driver="simulated")

    async def wait_for_event(self) -> None:
        """Wait for ever: orders are seen with the next look."""
        await asyncio.Event().wait()

    def _read_control(self) -> str:
        try:
            return self._control.read_text(encoding="utf-8") if self._control else ""
        except FileNotFoundError:
            return ""

    def _hanging_cards(self) -> tuple[CardReading, ...]:
        change = {"health": AcceleratorHealth.BAD, "fault": HANGS.code, "utilisation_pct": None}
        return tuple(CardReading(item.facts.model_copy(update=change)) for item in self._last)

    def _read_card(
        self,
        index: int,
        order: InjectedFault,
        busy_pct: Mapping[str, int],
        used_mib: Mapping[str, int],
    ) -> CardReading:
        card, uuid = self._cards[index], card_uuid(self._node, index)
        is_there = order.health is AcceleratorHealth.OK
        busy, used = busy_pct.get(uuid, 0), used_mib.get(uuid, 0) + order.memory_used_mib
        facts = AcceleratorFacts(
            uuid=uuid,
            index=index,
            vendor="simulated",
            model=card.model,
            memory_mib=card.memory_mib,
            health=order.health,
            fault=order.fault,
            simulated=True,
            utilisation_pct=min(100, busy) if is_there else None,
            memory_used_mib=min(card.memory_mib, used) if is_there else None,
            island=card.island,
            mig=tuple(_partition(uuid, part) for part in card.mig),
            profiles=card.profiles,
            driver="simulated",
        )
        processes = tuple(CardProcess(pid, None) for pid in order.processes) or None
        return CardReading(facts, processes, xids=order.xids)


def card_uuid(node: str, index: int) -> str:
    """Return the same identity for the same card on every start."""
    return f"SIM-{uuid5(NAMESPACE_DNS, f'{index}.{node}.berth.invalid')}"


def _partition(card: str, part: PartitionDescription) -> MigDevice:
    name = uuid5(NAMESPACE_DNS, f"{part.start}.{part.profile}.{card}")
    return MigDevice(
        uuid=f"SIM-MIG-{name}",
        profile=part.profile,
        memory_mib=part.memory_mib,
        start=part.start,
    )


def _fault_of(orders: FaultInjection, index: int, *, has_changed: bool) -> InjectedFault:
    """Return what is ordered for a card; its Xids once, when the orders are new."""
    found = orders.cards.get(index, InjectedFault())
    return found if has_changed else found.model_copy(update={"xids": ()})


def _parsed(text: str) -> FaultInjection:
    """Return what was ordered; a file that makes no sense orders nothing, and is told of."""
    try:
        values: dict[str, Any] = tomllib.loads(text)
        return FaultInjection.model_validate(values)
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        log.warning("simulated.order_refused", error=str(error))
        return FaultInjection()
