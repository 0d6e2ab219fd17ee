"""What a promised start takes of one node, and how much of that must be kept from now on.

What surely comes free until then is taken before what is free now, which so stays open to others;
what is free now before what comes free nobody knows when.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from scheduler.core.capacity.filters import count_replicas
from scheduler.core.capacity.node_capacity import CardCapacity, Devices, NodeCapacity
from scheduler.core.model.entities import AcceleratorId, NodeId, Request
from scheduler.core.model.mig import choose_slots

TimePoint = int
"""A moment that holds whenever anybody looks: 0 is now, a known end is its time in milliseconds,
and work whose end is not known yet (it is being started) counts its limit from `UNKNOWN` on."""
FREE_NOW: Final[TimePoint] = 0
FREE_SOON: Final[TimePoint] = 1
"""Told to stop: any moment now, nobody knows when."""
UNKNOWN_FROM: Final[TimePoint] = 1 << 60

_Rank = Mapping[tuple[AcceleratorId, int], int]
_CERTAIN, _NOW, _SOMETIME = range(3)


@dataclass(frozen=True, slots=True)
class Release:
    """What one workload gives back on one node, and when at the latest."""

    at: TimePoint
    devices: Devices
    cpu_milli: int
    memory_mib: int
    gpu_milli: int = 0
    """Milli-compute of each device, if they are shares."""
    gpu_memory_mib: int = 0


Releases = tuple[Release, ...]


@dataclass(frozen=True, slots=True)
class NodeReservation:
    """Devices, CPU and memory of a node; with a share, so much of each device."""

    node: NodeId
    devices: Devices
    cpu_milli: int
    memory_mib: int
    gpu_milli: int = 0
    gpu_memory_mib: int = 0


def is_certain(at: TimePoint) -> bool:
    """Return whether a moment stands fast, however late anybody looks."""
    return FREE_SOON < at < UNKNOWN_FROM


def apply_release(room: NodeCapacity, ending: Release) -> NodeCapacity:
    """Return the room once the ending has come."""
    return room.after_releasing(
        ending.devices, ending.cpu_milli, ending.memory_mib, ending.gpu_milli, ending.gpu_memory_mib
    )


def reserve_on_node(
    request: Request, replicas: int, room: NodeCapacity, endings: Releases, at: TimePoint
) -> tuple[NodeReservation, ...]:
    """Return all that so many replicas hold of the node from `at` on; of shares, one per card."""
    cpu, memory = request.cpu_milli * replicas, request.memory_mib * replicas
    then = room
    rank: dict[tuple[AcceleratorId, int], int] = {}
    for ending in endings:
        if ending.at <= at:
            then = apply_release(then, ending)
            rank |= dict.fromkeys(ending.devices, _CERTAIN if is_certain(ending.at) else _SOMETIME)
    if request.gpu_milli:
        return tuple(_shares(request, replicas, then, room))
    if request.gpus:
        slots = [(card.view.id, 0) for card in then.whole_cards(request)]
        slots.sort(key=lambda device: rank.get(device, _NOW))
        return (NodeReservation(room.node, tuple(slots[: request.gpus * replicas]), cpu, memory),)
    devices = _slots(request, replicas, then, rank) if request.slices else ()
    return (NodeReservation(room.node, devices, cpu, memory),)


def part_reserved_now(
    claim: NodeReservation, room: NodeCapacity, endings: Releases, at: TimePoint
) -> NodeReservation:
    """Return the part of a claim that does not surely come free until it is needed."""
    sure = [ending for ending in endings if is_certain(ending.at) and ending.at <= at]
    kept = replace(
        claim,
        cpu_milli=max(claim.cpu_milli - sum(ending.cpu_milli for ending in sure), 0),
        memory_mib=max(claim.memory_mib - sum(ending.memory_mib for ending in sure), 0),
    )
    if not claim.gpu_milli:
        return replace(kept, devices=free_devices(claim.devices, room))
    on_card = [ending for ending in sure if ending.gpu_milli and ending.devices == claim.devices]
    return replace(
        kept,
        gpu_milli=max(claim.gpu_milli - sum(ending.gpu_milli for ending in on_card), 0),
        gpu_memory_mib=max(
            claim.gpu_memory_mib - sum(ending.gpu_memory_mib for ending in on_card), 0
        ),
    )


def free_devices(devices: Iterable[tuple[AcceleratorId, int]], room: NodeCapacity) -> Devices:
    """Return those of the devices that are free in the room."""
    free = {(card.view.id, slot) for card in room.cards for slot in card.free_slots}
    return tuple(device for device in devices if device in free)


def _slots(request: Request, replicas: int, then: NodeCapacity, rank: _Rank) -> Devices:
    """Take slices card by card: those first of which least is free now, then the fullest."""
    options = []
    for card in then.sliced_cards(request):
        if request.mig_profile:
            slots = _runs(request, card)
        else:
            slots = [(card.view.id, slot) for slot in sorted(card.free_slots)]
            slots.sort(key=lambda device: rank.get(device, _NOW))
        fitting = len(slots) // request.slices
        if fitting:
            ranks = [rank.get(device, _NOW) for device in slots[: request.slices]]
            options.append((max(ranks), sum(ranks), len(slots), slots, fitting))
    options.sort(key=lambda option: option[:3])
    devices: list[tuple[AcceleratorId, int]] = []
    for _, _, _, slots, fitting in options:
        missing = replicas - len(devices) // request.slices
        devices += slots[: request.slices * min(fitting, missing)]
    return tuple(devices)


def _runs(request: Request, card: CardCapacity) -> list[tuple[AcceleratorId, int]]:
    """Return the slices of as many partitions as fit on a card, one after the other."""
    free, found = card.free_slots, list[tuple[AcceleratorId, int]]()
    while slots := choose_slots(card.view.mig_profiles, request.mig_profile, free):
        found += [(card.view.id, slot) for slot in slots]
        free = free.difference(slots)
    return found


def _shares(
    request: Request, replicas: int, then: NodeCapacity, room: NodeCapacity
) -> Iterator[NodeReservation]:
    """Take shares card by card, the one first that lacks least now, then the fullest."""
    one = replace(request, replicas=replicas, cpu_milli=0, memory_mib=0)
    held = {card.view.id: card.shared_milli for card in room.cards}
    cards = sorted(
        then.cards, key=lambda card: (held[card.view.id], -card.shared_milli, card.view.index)
    )
    missing = replicas
    for card in cards:
        count = min(count_replicas(one, NodeCapacity(room.node, 0, 0, (card,))), missing)
        if count <= 0:
            continue
        missing -= count
        yield NodeReservation(
            node=room.node,
            devices=((card.view.id, 0),),
            cpu_milli=request.cpu_milli * count,
            memory_mib=request.memory_mib * count,
            gpu_milli=request.gpu_milli * count,
            gpu_memory_mib=request.gpu_memory_mib * count,
        )
