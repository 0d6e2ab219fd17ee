"""The part of each card that a container was granted, summed over its slots; pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from wire.words import Device, Isolation


@dataclass(frozen=True, slots=True)
class ShareGrant:
    """One container's part of one card."""

    uuid: str
    slots: tuple[int, ...]
    is_whole: bool
    memory_mib: int
    """Guaranteed."""
    ceiling_mib: int
    """The upper limit; at least the guarantee."""
    compute_milli: int = 0
    """0 is no limit."""
    required: Isolation | None = None
    """The weakest acceptable isolation."""
    profile: str = ""
    """The MIG profile that covers the slots, if one is named."""

    @property
    def compute_pct(self) -> int:
        """Its share of the card's multiprocessors in percent, rounded up; 100 is no limit."""
        return min(100, -(-self.compute_milli // 10)) or 100


def grants_by_card(devices: Iterable[Device]) -> tuple[ShareGrant, ...]:
    """Return one grant per card, in the order in which the cards are named."""
    by_card: dict[str, list[Device]] = {}
    for device in devices:
        by_card.setdefault(device.uuid, []).append(device)
    return tuple(_grant(uuid, items) for uuid, items in by_card.items())


def _grant(uuid: str, items: list[Device]) -> ShareGrant:
    memory = sum(item.memory_mib for item in items)
    ceiling = sum(item.ceiling_mib or item.memory_mib for item in items)
    required = [item.isolation for item in items if item.isolation]
    return ShareGrant(
        uuid=uuid,
        slots=tuple(sorted(item.slot for item in items)),
        is_whole=all(item.is_whole for item in items),
        memory_mib=memory,
        ceiling_mib=max(memory, ceiling),
        compute_milli=min(1000, sum(item.compute_milli for item in items)),
        required=min(required, key=list(Isolation).index, default=None),
        profile=items[0].profile,
    )
