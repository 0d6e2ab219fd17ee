"""What containers use of simulated cards, derived from their processor and memory."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from nodeagent.card_ports import CardReading
from nodeagent.core.state import Container, ContainerKey
from nodeagent.ports import ContainerUsage, GpuUsage


@dataclass(frozen=True, slots=True)
class SimulatedLoad:
    """The load of all cards, were they simulated."""

    busy_pct: Mapping[str, int] = field(default_factory=dict)
    """By UUID of the card."""
    used_mib: Mapping[str, int] = field(default_factory=dict)
    """By UUID of the card."""
    own: Mapping[ContainerKey, GpuUsage] = field(default_factory=dict)
    """Each container's part of it, in percent of whole cards."""

    def of_simulated(
        self, readings: Collection[CardReading], containers: Collection[Container]
    ) -> dict[ContainerKey, GpuUsage]:
        """Return what containers use of their cards where all of these are simulated."""
        simulated = {item.facts.uuid for item in readings if item.facts.simulated}
        return {
            item.key: self.own[item.key]
            for item in containers
            if item.key in self.own and simulated.issuperset(held.uuid for held in item.devices)
        }


def derive_load(
    containers: Collection[Container],
    before: Mapping[ContainerKey, ContainerUsage],
    after: Mapping[ContainerKey, ContainerUsage],
    elapsed_ms: int,
) -> SimulatedLoad:
    """Return the load of cards that are as busy as their holders keep one processor.

    The holder of a slice can use only its part of the card.
    """
    busy: Counter[str] = Counter()
    used: Counter[str] = Counter()
    own = {}
    for item in containers:
        now = after.get(item.key)
        if now is None or not item.devices:
            continue
        cpu_ms = max(0, now.cpu_ms - before.get(item.key, now).cpu_ms)
        cpu_pct = min(100, 100 * cpu_ms // elapsed_ms)
        parts = [cpu_pct * device.fraction_milli // 1000 for device in item.devices]
        shares = [
            min(device.memory_mib, now.memory_mib // len(item.devices)) for device in item.devices
        ]
        for device, part_pct, share_mib in zip(item.devices, parts, shares, strict=True):
            busy[device.uuid] = min(100, busy[device.uuid] + part_pct)
            used[device.uuid] += share_mib
        cards = {device.uuid for device in item.devices}
        own[item.key] = GpuUsage(sum(shares), sum(parts) // len(cards))
    return SimulatedLoad(busy, used, own)
