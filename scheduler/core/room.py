"""What is left on a node: immutable values, so that a tentative decision costs nothing to drop."""

from collections.abc import Iterator
from dataclasses import dataclass

from scheduler.core.entities import AcceleratorId, AcceleratorView, NodeId, Request
from scheduler.core.partitions import fit, named

Devices = tuple[tuple[AcceleratorId, int], ...]


@dataclass(frozen=True, slots=True)
class Card:
    """One card, its free slots, and what shares hold of it."""

    view: AcceleratorView
    free: frozenset[int]
    share: int = 0
    """Milli-compute that shares hold; a card is held whole or in slots, or in shares."""
    share_mib: int = 0
    """Memory that shares hold."""

    @property
    def untouched(self) -> bool:
        """Tell whether nobody holds any part of it."""
        return not self.share and len(self.free) == self.view.slices


@dataclass(frozen=True, slots=True)
class Room:
    """Free CPU, host memory and cards of one node."""

    node: NodeId
    cpu: int
    memory: int
    cards: tuple[Card, ...] = ()
    """In the order of their index; only cards that may take work."""

    def whole_cards(self, request: Request | None = None) -> tuple[Card, ...]:
        """Return the exclusive cards that are free and suit the request."""
        return tuple(
            card
            for card in self.cards
            if card.free
            and card.view.slices == 1
            and not card.share
            and (request is None or suits(card, request))
        )

    def cut_cards(self, request: Request | None = None) -> tuple[Card, ...]:
        """Return the suitable cards that are cut into slices, full ones included."""
        return tuple(
            card
            for card in self.cards
            if card.view.slices > 1 and (request is None or suits(card, request))
        )

    def slices_that_fit(self, request: Request) -> int:
        """Return how often the slices of a request fit, each time on one card."""
        cards = self.cut_cards(request)
        if request.profile:
            return sum(fit(card.view.profiles, request.profile, card.free) for card in cards)
        return sum(len(card.free) // request.slices for card in cards)

    def without(
        self, devices: Devices, cpu: int, memory: int, share: int = 0, share_mib: int = 0
    ) -> "Room":
        """Return what is left after these are taken; with a share, so much of each device."""
        cards = self.cards
        if devices:
            cards = tuple(
                Card(card.view, card.free, card.share + share, card.share_mib + share_mib)
                if share and slots
                else Card(card.view, card.free.difference(slots), card.share, card.share_mib)
                if slots
                else card
                for card, slots in self._with_slots(devices)
            )
        return Room(self.node, self.cpu - cpu, self.memory - memory, cards)

    def with_back(
        self, devices: Devices, cpu: int, memory: int, share: int = 0, share_mib: int = 0
    ) -> "Room":
        """Return what is there once these are given back; a card that broke meanwhile is not."""
        cards = self.cards
        if devices:
            cards = tuple(
                Card(card.view, card.free, card.share - share, card.share_mib - share_mib)
                if share and slots
                else Card(card.view, card.free.union(slots), card.share, card.share_mib)
                if slots
                else card
                for card, slots in self._with_slots(devices)
            )
        return Room(self.node, self.cpu + cpu, self.memory + memory, cards)

    def _with_slots(self, devices: Devices) -> Iterator[tuple[Card, list[int] | None]]:
        """Pair each card with the slots of it that are among the devices."""
        slots: dict[AcceleratorId, list[int]] = {}
        for accelerator, slot in devices:
            slots.setdefault(accelerator, []).append(slot)
        for card in self.cards:
            yield card, slots.get(card.view.id)


def suits(card: Card, request: Request) -> bool:
    """Tell whether a card is one of those that the request accepts."""
    view = card.view
    if request.profile or view.profiles:
        profile = named(view.profiles, request.profile)
        if profile is None or profile.size != request.slices:
            return False
    is_of_a_model = not request.models or view.model in request.models
    return is_of_a_model and view.memory_mib >= request.card_mib
