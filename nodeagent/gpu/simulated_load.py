"""What containers use of simulated cards: what they declare, else by their processor and memory."""

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
    declared: Mapping[ContainerKey, tuple[int, int]] | None = None,
) -> SimulatedLoad:
    """Return the load of cards that are as busy as their holders declare, or keep one processor.

    `declared` is percent of use and MiB on each card. The holder of a part of a card can use only that.
    """
    busy: Counter[str] = Counter()
    used: Counter[str] = Counter()
    own = {}
    for item in containers:
        now = after.get(item.key)
        if not item.devices:
            continue
        on_card = Counter(device.uuid for device in item.devices)
        if declared is not None and item.key in declared:
            use_pct, card_mib = declared[item.key]
            parts_mib = [card_mib // on_card[device.uuid] for device in item.devices]
        elif now is None:
            continue
        else:
            cpu_ms = max(0, now.cpu_ms - before.get(item.key, now).cpu_ms)
            use_pct = min(100, 100 * cpu_ms // elapsed_ms)
            parts_mib = [now.memory_mib // len(item.devices)] * len(item.devices)
        parts = [use_pct * device.fraction_milli // 1000 for device in item.devices]
        shares = [
            min(device.memory_mib, part_mib)
            for device, part_mib in zip(item.devices, parts_mib, strict=True)
        ]
        for device, part_pct, share_mib in zip(item.devices, parts, shares, strict=True):
            busy[device.uuid] = min(100, busy[device.uuid] + part_pct)
            used[device.uuid] += share_mib
        own[item.key] = GpuUsage(sum(shares), sum(parts) // len(on_card))
    return SimulatedLoad(busy, used, own)
