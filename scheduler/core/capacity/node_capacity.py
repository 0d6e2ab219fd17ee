"""The capacity of a node as immutable values, so that undoing a tentative decision costs nothing."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from scheduler.core.model.card_kind import is_card_suitable
from scheduler.core.model.entities import AcceleratorId, AcceleratorView, NodeId, Request
from scheduler.core.model.mig import count_fitting

Devices = tuple[tuple[AcceleratorId, int], ...]


class CardCapacity(NamedTuple):
    """One card, its free slots, and what shares of it are held."""

    view: AcceleratorView
    free_slots: frozenset[int]
    shared_milli: int = 0
    """Milli-GPUs that shares hold; a card is held either in slots (whole) or in shares."""
    shared_mib: int = 0
    """Memory that shares hold."""

    @property
    def is_untouched(self) -> bool:
        """Return whether no part of it is held."""
        return not self.shared_milli and len(self.free_slots) == self.view.slices

    def after_allocating(self, slots: Iterable[int], share: int, share_mib: int) -> "CardCapacity":
        """Return it with these slots taken, or with a share taken if there is one."""
        if share:
            return CardCapacity(
                self.view, self.free_slots, self.shared_milli + share, self.shared_mib + share_mib
            )
        return CardCapacity(
            self.view, self.free_slots.difference(slots), self.shared_milli, self.shared_mib
        )

    def after_releasing(self, slots: Iterable[int], share: int, share_mib: int) -> "CardCapacity":
        """Return it with these slots free again, or with a share free if there is one."""
        if share:
            return CardCapacity(
                self.view, self.free_slots, self.shared_milli - share, self.shared_mib - share_mib
            )
        return CardCapacity(
            self.view, self.free_slots.union(slots), self.shared_milli, self.shared_mib
        )


class NodeCapacity(NamedTuple):
    """CPU, host memory and cards of one node: what is free of them, or all of it."""

    node: NodeId
    cpu_milli: int
    memory_mib: int
    cards: tuple[CardCapacity, ...] = ()
    """In the order of their index; only cards that may take work."""

    def whole_cards(self, request: Request | None = None) -> tuple[CardCapacity, ...]:
        """Return the exclusive cards that are free and suit the request."""
        is_any = request is not None and not (request.constrains_cards or request.mig_profile)
        return tuple(
            [
                card
                for card in self.cards
                if card.free_slots
                and (view := card.view).slices == 1
                and not card.shared_milli
                and (
                    request is None
                    or (is_any and not view.mig_profiles)
                    or is_card_suitable(view, request)
                )
            ]
        )

    def sliced_cards(self, request: Request | None = None) -> tuple[CardCapacity, ...]:
        """Return the suitable cards that are cut into slices, full ones included."""
        return tuple(
            card
            for card in self.cards
            if card.view.slices > 1 and (request is None or is_card_suitable(card.view, request))
        )

    def count_slice_requests(self, request: Request) -> int:
        """Return how many replicas of a request for slices fit, each on one card."""
        cards = self.sliced_cards(request)
        if request.mig_profile:
            return sum(
                count_fitting(card.view.mig_profiles, request.mig_profile, card.free_slots)
                for card in cards
            )
        return sum(len(card.free_slots) // request.slices for card in cards)

    def after_allocating(
        self, devices: Devices, cpu: int, memory: int, share: int = 0, share_mib: int = 0
    ) -> "NodeCapacity":
        """Return what is left once these are taken; with a share, so much of each device."""
        cards = self.cards
        if devices:
            slots = _slots_by_card(devices)
            cards = tuple(
                [
                    card.after_allocating(slots[card.view.id], share, share_mib)
                    if card.view.id in slots
                    else card
                    for card in cards
                ]
            )
        return NodeCapacity(self.node, self.cpu_milli - cpu, self.memory_mib - memory, cards)

    def after_releasing(
        self, devices: Devices, cpu: int, memory: int, share: int = 0, share_mib: int = 0
    ) -> "NodeCapacity":
        """Return what is free once these are given back; a card that broke meanwhile stays away."""
        cards = self.cards
        if devices:
            slots = _slots_by_card(devices)
            cards = tuple(
                [
                    card.after_releasing(slots[card.view.id], share, share_mib)
                    if card.view.id in slots
                    else card
                    for card in cards
                ]
            )
        return NodeCapacity(self.node, self.cpu_milli + cpu, self.memory_mib + memory, cards)


def free_devices(devices: Iterable[tuple[AcceleratorId, int]], capacity: NodeCapacity) -> Devices:
    """Return those of the devices that are free."""
    free = {(card.view.id, slot) for card in capacity.cards for slot in card.free_slots}
    return tuple(device for device in devices if device in free)


def _slots_by_card(devices: Devices) -> Mapping[AcceleratorId, list[int]]:
    slots: defaultdict[AcceleratorId, list[int]] = defaultdict(list)
    for accelerator, slot in devices:
        slots[accelerator].append(slot)
    return slots
