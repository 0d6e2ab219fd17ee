"""What a reserved start takes of one node, and how much of that must be kept from now on.

What certainly comes free until then is taken first, so that what is free now stays usable; next what
is free now; last what comes free at an unknown time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from scheduler.core.capacity.filters import count_replicas
from scheduler.core.capacity.node_capacity import (
    CardCapacity,
    Devices,
    NodeCapacity,
    free_devices,
)
from scheduler.core.model.card_kind import is_card_suitable
from scheduler.core.model.entities import AcceleratorId, Millis, NodeId, Request
from scheduler.core.model.mig import choose_slots

TimePoint = int
"""A point in time that stays the same from cycle to cycle: 0 is now, a known end is its time in
milliseconds, and an end that is not known yet, of work that is being started, is `UNKNOWN_FROM`
plus its time limit. So results that depend on it can be kept as time goes by."""
FREE_NOW: Final[TimePoint] = 0
FREE_SOON: Final[TimePoint] = 1
"""The end of work that has been given notice: soon, at an unknown moment."""
UNKNOWN_FROM: Final[TimePoint] = 1 << 60
NEVER: Final[TimePoint] = 1 << 62
"""An open end: what is held until then is never released, so no start counts on it."""

_Rank = Mapping[tuple[AcceleratorId, int], int]
_CERTAIN, _NOW, _SOMETIME = range(3)


class Release(NamedTuple):
    """What one workload releases on one node, and when at the latest."""

    at: TimePoint
    devices: Devices
    cpu_milli: int
    memory_mib: int
    gpu_milli: int = 0
    """Milli-compute of each device, if they are shares."""
    gpu_memory_mib: int = 0


Releases = tuple[Release, ...]


class NodeReservation(NamedTuple):
    """Devices, CPU and memory of a node; with a share, so much of each device."""

    node: NodeId
    devices: Devices
    cpu_milli: int
    memory_mib: int
    gpu_milli: int = 0
    gpu_memory_mib: int = 0


def is_certain(at: TimePoint) -> bool:
    """Return whether the point is a known time, which does not move as time goes by."""
    return FREE_SOON < at < UNKNOWN_FROM


def to_millis(at: TimePoint, now: Millis) -> Millis:
    """Return the time that a point means at `now`; work over its limit ends now."""
    return Millis(now + at - UNKNOWN_FROM if at >= UNKNOWN_FROM else max(at, now))


def apply_release(capacity: NodeCapacity, release: Release) -> NodeCapacity:
    """Return the capacity after the release."""
    return capacity.after_releasing(
        release.devices,
        release.cpu_milli,
        release.memory_mib,
        release.gpu_milli,
        release.gpu_memory_mib,
    )


def reserve_on_node(
    request: Request, replicas: int, capacity: NodeCapacity, releases: Releases, at: TimePoint
) -> tuple[NodeReservation, ...]:
    """Return all that so many replicas hold of the node from `at` on; shares, one entry per card."""
    cpu, memory = request.cpu_milli * replicas, request.memory_mib * replicas
    if request.gpus and not any(release.gpu_milli for release in releases):
        devices = _whole_cards(request, replicas, capacity, releases, at)
        return (NodeReservation(capacity.node, devices, cpu, memory),)
    then = capacity
    rank: dict[tuple[AcceleratorId, int], int] = {}
    for release in releases:
        if release.at <= at:
            then = apply_release(then, release)
            rank |= dict.fromkeys(
                release.devices, _CERTAIN if is_certain(release.at) else _SOMETIME
            )
    if request.gpu_milli:
        return tuple(_shares(request, replicas, then, capacity))
    if request.gpus:
        slots = [(card.view.id, 0) for card in then.whole_cards(request)]
        slots.sort(key=lambda device: rank.get(device, _NOW))
        return (
            NodeReservation(capacity.node, tuple(slots[: request.gpus * replicas]), cpu, memory),
        )
    devices = _slots(request, replicas, then, rank) if request.slices else ()
    return (NodeReservation(capacity.node, devices, cpu, memory),)


def _whole_cards(
    request: Request, replicas: int, capacity: NodeCapacity, releases: Releases, at: TimePoint
) -> Devices:
    """Take exclusive cards: first what certainly comes free by then, next what is free now."""
    rank: dict[AcceleratorId, int] = {}
    for release in releases:
        if release.at > at:
            break
        how = _CERTAIN if is_certain(release.at) else _SOMETIME
        for key, _ in release.devices:
            rank[key] = how
    accepts_all = not request.constrains_cards
    ranked: list[tuple[int, int, AcceleratorId]] = []
    for card in capacity.cards:
        view = card.view
        is_free = view.id in rank or (card.free_slots and not card.shared_milli)
        if is_free and view.slices == 1 and (accepts_all or is_card_suitable(view, request)):
            ranked.append((rank.get(view.id, _NOW), len(ranked), view.id))
    ranked.sort()
    return tuple([(key, 0) for _, _, key in ranked[: request.gpus * replicas]])


def leave_releases(
    releases: Releases,
    devices: frozenset[tuple[AcceleratorId, int]],
    at: TimePoint,
    reservation: NodeReservation,
) -> tuple[list[Release], int, int]:
    """Return what is still released without what a start at that time takes, and what it lacks.

    What is lacking, CPU and memory, is taken from what is free. A release of which nothing is left
    is left out, so that a long queue leaves no trail behind it. A device is in one release at the
    most: those after the start have nothing that it takes.
    """
    cpu, memory = reservation.cpu_milli, reservation.memory_mib
    missing = len(devices)
    left: list[Release] = []
    for place, release in enumerate(releases):
        if release.at > at or not (missing or cpu or memory):
            left += releases[place:]
            break
        taken_cpu = min(cpu, release.cpu_milli) if cpu else 0
        taken_memory = min(memory, release.memory_mib) if memory else 0
        shared = devices.intersection(release.devices) if missing else devices
        if not (shared or taken_cpu or taken_memory):
            left.append(release)
            continue
        cpu, memory, missing = cpu - taken_cpu, memory - taken_memory, missing - len(shared)
        rest = tuple([each for each in release.devices if each not in shared])
        rest_cpu, rest_memory = release.cpu_milli - taken_cpu, release.memory_mib - taken_memory
        if rest or rest_cpu or rest_memory:
            shares = release.gpu_milli, release.gpu_memory_mib
            left.append(Release(release.at, rest, rest_cpu, rest_memory, *shares))
    return left, cpu, memory


def part_reserved_now(
    reservation: NodeReservation, capacity: NodeCapacity, releases: Releases, at: TimePoint
) -> NodeReservation:
    """Return the part of a reservation that does not certainly come free until it is needed."""
    sure = [release for release in releases if is_certain(release.at) and release.at <= at]
    kept = reservation._replace(
        cpu_milli=max(reservation.cpu_milli - sum(release.cpu_milli for release in sure), 0),
        memory_mib=max(reservation.memory_mib - sum(release.memory_mib for release in sure), 0),
    )
    if not reservation.gpu_milli:
        return kept._replace(devices=free_devices(reservation.devices, capacity))
    on_card = [
        release for release in sure if release.gpu_milli and release.devices == reservation.devices
    ]
    return kept._replace(
        gpu_milli=max(reservation.gpu_milli - sum(release.gpu_milli for release in on_card), 0),
        gpu_memory_mib=max(
            reservation.gpu_memory_mib - sum(release.gpu_memory_mib for release in on_card), 0
        ),
    )


def _slots(request: Request, replicas: int, then: NodeCapacity, rank: _Rank) -> Devices:
    """Take slices card by card: first cards whose slices are least in use by others, then the fullest."""
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
    """Return the slices of as many MIG instances as fit on a card, one after the other."""
    free, found = card.free_slots, list[tuple[AcceleratorId, int]]()
    while slots := choose_slots(card.view.mig_profiles, request.mig_profile, free):
        found += [(card.view.id, slot) for slot in slots]
        free = free.difference(slots)
    return found


def _shares(
    request: Request, replicas: int, then: NodeCapacity, capacity: NodeCapacity
) -> Iterator[NodeReservation]:
    """Take shares card by card: first the card that is least held now, then the fullest."""
    one = replace(request, replicas=replicas, cpu_milli=0, memory_mib=0)
    held = {card.view.id: card.shared_milli for card in capacity.cards}
    cards = sorted(
        then.cards, key=lambda card: (held[card.view.id], -card.shared_milli, card.view.index)
    )
    missing = replicas
    for card in cards:
        count = min(count_replicas(one, NodeCapacity(capacity.node, 0, 0, (card,))), missing)
        if count <= 0:
            continue
        missing -= count
        yield NodeReservation(
            node=capacity.node,
            devices=((card.view.id, 0),),
            cpu_milli=request.cpu_milli * count,
            memory_mib=request.memory_mib * count,
            gpu_milli=request.gpu_milli * count,
            gpu_memory_mib=request.gpu_memory_mib * count,
        )
