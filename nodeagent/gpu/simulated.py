"""Cards that exist only on paper, for machines without any; always labelled as simulated."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import NAMESPACE_DNS, uuid5

from wire.facts import AcceleratorFacts


@dataclass(frozen=True, slots=True)
class SimulatedDriver:
    """The `GpuDriver` port over cards described by configuration.

    Their load is derived from what their holders really do with the processor, so that a busy
    job looks busy and an idle notebook looks idle.
    """

    node: str
    count: int
    model: str
    memory_mib: int

    async def read(
        self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]
    ) -> tuple[AcceleratorFacts, ...]:
        """Return the described cards with the load of their holders."""
        return tuple(self._card(index, busy_pct, used_mib) for index in range(self.count))

    def _card(
        self, index: int, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]
    ) -> AcceleratorFacts:
        uuid = card_uuid(self.node, index)
        return AcceleratorFacts(
            uuid=uuid,
            index=index,
            vendor="simulated",
            model=self.model,
            memory_mib=self.memory_mib,
            simulated=True,
            utilisation_pct=min(100, busy_pct.get(uuid, 0)),
            memory_used_mib=min(self.memory_mib, used_mib.get(uuid, 0)),
        )


def card_uuid(node: str, index: int) -> str:
    """Return the same identity for the same card on every start."""
    return f"SIM-{uuid5(NAMESPACE_DNS, f'{index}.{node}.berth.invalid')}"
