"""From when on a node takes one, two or more replicas of a request, as its work ends."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from scheduler.core.capacity.filters import count_replicas, count_whole_gpu_replicas
from scheduler.core.capacity.node_capacity import Devices, NodeCapacity
from scheduler.core.model.card_kind import is_card_suitable
from scheduler.core.model.entities import AcceleratorId, NodeId, Request, RunningWorkload
from scheduler.core.timeline.node_reservation import (
    FREE_NOW,
    Release,
    Releases,
    TimePoint,
    apply_release,
)


def count_missing(request: Request, replicas: int, capacity: NodeCapacity) -> tuple[int, int, int]:
    """Return how much a node lacks now for so many replicas: devices, CPU, memory."""
    cpu = max(request.cpu_milli * replicas - capacity.cpu_milli, 0)
    memory = max(request.memory_mib * replicas - capacity.memory_mib, 0)
    if request.gpus:
        return max(request.gpus * replicas - len(capacity.whole_cards(request)), 0), cpu, memory
    one = replace(request, replicas=replicas, cpu_milli=0, memory_mib=0)
    missing = replicas - count_replicas(one, capacity)
    if missing == 0:
        return 0, cpu, memory
    if request.gpu_milli:
        return (
            missing * request.gpu_milli
            - max((-card.shared_milli for card in capacity.cards), default=0),
            cpu,
            memory,
        )
    most = max((len(card.free_slots) for card in capacity.sliced_cards(request)), default=0)
    return max(missing * request.slices - most, 1), cpu, memory


def replica_times(
    request: Request, capacity: NodeCapacity, releases: Releases
) -> tuple[TimePoint, ...]:
    """Return from when on the node takes one, two, … replicas, at most all of them."""
    if request.gpus and not any(release.gpu_milli for release in releases):
        return _times_of_cards(request, capacity, releases)
    times = [FREE_NOW] * count_replicas(request, capacity)
    for release in releases:
        if len(times) >= request.replicas:
            break
        capacity = apply_release(capacity, release)
        times += [release.at] * (count_replicas(request, capacity) - len(times))
    return tuple(times)


def _times_of_cards(
    request: Request, capacity: NodeCapacity, releases: Releases
) -> tuple[TimePoint, ...]:
    """Count whole cards instead of releasing them one by one: the same answer, much faster."""
    cards, cpu, memory = len(capacity.whole_cards(request)), capacity.cpu_milli, capacity.memory_mib
    times = [FREE_NOW] * count_whole_gpu_replicas(request, cards, cpu, memory)
    if len(times) >= request.replicas:
        return tuple(times)
    accepts_all = not request.constrains_cards
    suitable = {
        card.view.id
        for card in capacity.cards
        if card.view.slices == 1 and (accepts_all or is_card_suitable(card.view, request))
    }
    for release in releases:
        if len(times) >= request.replicas:
            break
        if release.devices:
            cards += len([card for card, _ in release.devices if card in suitable])
        cpu += release.cpu_milli
        memory += release.memory_mib
        if cards >= request.gpus:
            fitting = count_whole_gpu_replicas(request, cards, cpu, memory)
            times += [release.at] * (fitting - len(times))
    return tuple(times)


def first_card_times(capacity: NodeCapacity, releases: Releases) -> tuple[TimePoint, ...]:
    """Return from when on one, two or more exclusive cards of a node are free, of whatever kind."""
    exclusive: set[AcceleratorId] = set()
    times: list[TimePoint] = []
    for card in capacity.cards:
        is_exclusive = card.view.slices == 1
        if is_exclusive:
            exclusive.add(card.view.id)
        # Cards that shares hold come free by no single release: they count as free from the start.
        if card.shared_milli or (is_exclusive and card.free_slots):
            times.append(FREE_NOW)
    for release in releases:
        if not release.gpu_milli:
            times += [release.at for key, _ in release.devices if key in exclusive]
    times.sort()
    return tuple(times)


def releases_of(work: RunningWorkload, node: NodeId, at: TimePoint) -> Iterator[Release]:
    """Yield what the work holds on a node: each share by itself, everything else at once."""
    request = work.request
    mine = [placement for placement in work.placements if placement.node == node]
    if request.gpu_milli:
        for placement in mine:
            yield Release(
                at,
                placement.devices,
                request.cpu_milli,
                request.memory_mib,
                request.gpu_milli,
                request.gpu_memory_mib,
            )
        return
    devices = tuple(device for placement in mine for device in placement.devices)
    yield Release(at, devices, request.cpu_milli * len(mine), request.memory_mib * len(mine))


def sort_by_time(releases: Iterable[Release]) -> Releases:
    """Return releases in the order in which they happen."""
    return tuple(sorted(releases, key=time_key))


def time_key(release: Release) -> tuple[TimePoint, Devices]:
    """Return what orders releases."""
    return release.at, release.devices
