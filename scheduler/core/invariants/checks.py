"""The invariants: what must hold at every moment, as pure checks over plain facts.

The same checks run in the simulation, in the tests on real parts and in the read-only audit of a
running installation. Each yields the violations that it found.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from scheduler.core.invariants.facts import (
    AllocationFact,
    DeviceFact,
    EventFact,
    Facts,
    WorkloadFact,
)
from scheduler.core.model.entities import (
    AcceleratorId,
    GroupId,
    NodeId,
    PoolId,
    QuotaView,
    UserId,
    WorkloadId,
)
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.resources import Resources
from scheduler.core.model.states import HOLDING, TERMINAL, WorkloadState, is_legal_transition
from scheduler.core.placement.shape import MILLI_PER_GPU

EVICTION_CAUSES: Final = frozenset(cause.value for cause in EvictionCause)


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken invariant: which, of what, and the numbers."""

    invariant: str
    subject: str
    detail: str


def check_cards(facts: Facts) -> Iterator[Violation]:
    """A slot has one live holder, and every holder was allocated by the card's present cut."""
    cards = {card.id: card for card in facts.cards}
    held = [(a, d) for a in facts.allocations if a.is_live for d in a.devices]
    for slot, count in Counter((d.accelerator, d.slot) for _, d in held).items():
        if count > 1:
            yield Violation("cards", f"{slot[0]}/{slot[1]}", f"{count} live holders")
    for allocation, device in held:
        card = cards.get(device.accelerator)
        if card is None or card.node != allocation.node:
            yield Violation("cards", device.accelerator, f"not on node {allocation.node}")
        elif device.slices != card.slices or not (
            device.gpu_milli or 0 <= device.slot < card.slices
        ):
            yield Violation(
                "cards", device.accelerator, f"slot {device.slot} of {device.slices}/{card.slices}"
            )


def check_card_memory(facts: Facts) -> Iterator[Violation]:
    """The slices of a card and its reserve fit into its memory."""
    for card in facts.cards:
        needed = card.slices * card.slice_mib + card.reserve_mib
        if needed > card.memory_mib:
            yield Violation("card_memory", card.id, f"{needed} of {card.memory_mib} MiB")


def check_shares(facts: Facts) -> Iterator[Violation]:
    """Shares of a card guarantee no more than it has, and no allocation holds it as a whole."""
    cards = {card.id: card for card in facts.cards}
    held: dict[AcceleratorId, list[DeviceFact]] = defaultdict(list)
    for allocation in facts.allocations:
        for device in allocation.devices if allocation.is_live else ():
            held[device.accelerator].append(device)
    for accelerator, devices in held.items():
        shares = [device for device in devices if device.gpu_milli]
        if not shares:
            continue
        milli, mib = (sum(d.gpu_milli for d in shares), sum(d.gpu_memory_mib for d in shares))
        available = cards[accelerator].slice_mib if accelerator in cards else 0
        if milli > MILLI_PER_GPU or mib > available or len(shares) < len(devices):
            detail = f"{milli} thousandths, {mib} of {available} MiB, {len(devices)} holders"
            yield Violation("shares", accelerator, detail)


def check_device_use(facts: Facts) -> Iterator[Violation]:
    """On the nodes themselves no slot is used by two containers."""
    used = Counter(
        (device.accelerator, device.slot)
        for container in facts.containers
        for device in container.devices
    )
    for slot, count in used.items():
        if count > 1:
            yield Violation("device_use", f"{slot[0]}/{slot[1]}", f"{count} containers")


def check_node_capacity(facts: Facts) -> Iterator[Violation]:
    """Live allocations of a node fit into what it can give."""
    used: dict[NodeId, Resources] = defaultdict(Resources)
    for allocation in facts.allocations:
        if allocation.is_live:
            used[allocation.node] += allocation.amount
    for node in facts.nodes:
        amount = used[node.id]
        if amount.cpu > node.cpu_milli or amount.memory > node.memory_mib:
            yield Violation(
                "node_capacity", node.id, f"{amount} of {node.cpu_milli}/{node.memory_mib}"
            )


def check_quota_ceilings(facts: Facts) -> Iterator[Violation]:
    """No group, ancestor included, is above its ceiling."""
    for quota in facts.quotas:
        if quota.ceiling is not None and quota.used > quota.ceiling:
            yield Violation("quota_ceilings", _quota_name(quota), f"{quota.used}>{quota.ceiling}")


def check_user_ceilings(facts: Facts) -> Iterator[Violation]:
    """No user is above the ceiling that one of the groups above sets for each member."""
    for quota in facts.quotas:
        if not quota.limits_members:
            continue
        by_user: dict[UserId, int] = defaultdict(int)
        for workload, allocation in _charged(facts, quota):
            by_user[workload.user] += allocation.counted_by(quota)
        for user, used in by_user.items():
            most = quota.member_ceiling(user)
            if most is not None and used > most:
                yield Violation("user_ceilings", f"{_quota_name(quota)}/{user}", f"{used}>{most}")


def check_quota_counters(facts: Facts) -> Iterator[Violation]:
    """The stored use of a quota equals the sum over live allocations below it."""
    for quota in facts.quotas:
        total = sum(a.counted_by(quota) for _, a in _charged(facts, quota))
        if total != quota.used:
            yield Violation("quota_counters", _quota_name(quota), f"{quota.used}!={total}")


def check_accepted_work(facts: Facts) -> Iterator[Violation]:
    """A submission that was answered exists."""
    known = {workload.id for workload in facts.workloads}
    for workload_id in facts.accepted:
        if workload_id not in known:
            yield Violation("accepted_work", workload_id, "was answered and is gone")


def check_single_container(facts: Facts) -> Iterator[Violation]:
    """A replica has at most one live container in the whole cluster."""
    places: dict[tuple[WorkloadId, int], list[str]] = defaultdict(list)
    for container in facts.containers:
        places[container.workload, container.rank].append(f"{container.node}@{container.epoch}")
    for (workload_id, rank), found in places.items():
        if len(found) > 1:
            yield Violation("single_container", f"{workload_id}.{rank}", " ".join(found))


def check_freed_capacity(facts: Facts) -> Iterator[Violation]:
    """A container exists only while its allocation is live: capacity is freed after it."""
    live = {(a.workload, a.rank, a.epoch, a.node) for a in facts.allocations if a.is_live}
    for container in facts.containers:
        key = (container.workload, container.rank, container.epoch, container.node)
        if key not in live:
            yield Violation(
                "freed_capacity", f"{key[0]}.{key[1]}@{key[2]}", f"still runs on {key[3]}"
            )


def check_gangs(facts: Facts) -> Iterator[Violation]:
    """Every attempt has exactly one allocation per rank: placed whole or not at all."""
    ranks: dict[tuple[WorkloadId, int], list[int]] = defaultdict(list)
    for allocation in facts.allocations:
        ranks[allocation.workload, allocation.epoch].append(allocation.rank)
    epochs: dict[WorkloadId, set[int]] = defaultdict(set)
    for workload_id, epoch in ranks:
        if epoch > 0:
            epochs[workload_id].add(epoch)
    for workload in facts.workloads:
        present = {workload.epoch} if workload.epoch else set()
        for epoch in sorted(epochs[workload.id] | present):
            found = sorted(ranks[workload.id, epoch])
            if found != list(range(workload.replicas)):
                yield Violation("gangs", f"{workload.id}@{epoch}", f"ranks {found}")


def check_borrowers(facts: Facts) -> Iterator[Violation]:
    """A card of another pool is held only by work that can be evicted for its owners."""
    pools = {card.id: card.pool for card in facts.cards}
    workloads = {workload.id: workload for workload in facts.workloads}
    for allocation in facts.allocations:
        workload = workloads.get(allocation.workload)
        if workload is None or workload.preemptible or not allocation.is_live:
            continue
        for device in allocation.devices:
            if pools.get(device.accelerator, workload.pool) != workload.pool:
                yield Violation(
                    "borrowers", workload.id, f"holds {device.accelerator} and cannot be evicted"
                )


def check_evictions(facts: Facts) -> Iterator[Violation]:
    """Only preemptible work is evicted, and it goes back to the queue, nowhere else."""
    workloads = {workload.id: workload for workload in facts.workloads}
    for event in facts.events:
        workload = workloads.get(event.workload)
        if workload is None or event.cause not in EVICTION_CAUSES:
            continue
        if not workload.preemptible:
            yield Violation("evictions", workload.id, f"{event.cause}, but may not be stopped")
        if event.target is not WorkloadState.QUEUED:
            yield Violation("evictions", workload.id, f"{event.cause} into {event.target}")


def check_epochs(facts: Facts) -> Iterator[Violation]:
    """Every placement raises the epoch, nothing else does, and no allocation is ahead.

    By one, but for the first placement after the database was restored from a backup.
    """
    for workload_id, events in _by_workload(facts).items():
        for before, after in pairwise(events):
            is_placed = after.target is WorkloadState.PLACING
            if after.epoch <= before.epoch if is_placed else after.epoch != before.epoch:
                yield Violation("epochs", workload_id, f"{before.epoch} then {after.epoch}")
    epochs = {workload.id: workload.epoch for workload in facts.workloads}
    for allocation in facts.allocations:
        if allocation.epoch > epochs.get(allocation.workload, -1):
            yield Violation("epochs", allocation.workload, f"allocation at {allocation.epoch}")


def check_transitions(facts: Facts) -> Iterator[Violation]:
    """Each workload's events form one legal walk that ends in its present state."""
    walks = _by_workload(facts)
    for workload in facts.workloads:
        events = walks.get(workload.id, [])
        for event in events:
            if event.source is not None and not is_legal_transition(event.source, event.target):
                yield Violation("transitions", workload.id, f"{event.source}->{event.target}")
        for before, after in pairwise(events):
            if after.source is not before.target:
                yield Violation("transitions", workload.id, f"{before.target}|{after.source}")
        if events and events[-1].target is not workload.state:
            yield Violation("transitions", workload.id, f"log ends in {events[-1].target}")


def check_owners(facts: Facts) -> Iterator[Violation]:
    """Unfinished work is owned by the queue or by live allocations; finished work holds nothing."""
    holders = {allocation.workload for allocation in facts.allocations if allocation.is_live}
    for workload in facts.workloads:
        holds = workload.id in holders
        if workload.state in HOLDING and not holds:
            yield Violation("owners", workload.id, f"{workload.state} and nothing will happen")
        if holds and workload.state in TERMINAL | {WorkloadState.SUSPENDED}:
            yield Violation("owners", workload.id, f"{workload.state} and still holds")


def check_meter(facts: Facts) -> Iterator[Violation]:
    """What members have used is what their allocations have held: nothing twice, nothing lost."""
    workloads = {workload.id: workload for workload in facts.workloads}
    most: dict[tuple[GroupId, UserId, PoolId], int] = defaultdict(int)
    lost: dict[tuple[GroupId, UserId, PoolId], int] = defaultdict(int)
    metered: dict[tuple[GroupId, UserId, PoolId], int] = defaultdict(int)
    for allocation in facts.allocations:
        if (workload := workloads.get(allocation.workload)) is not None:
            key = workload.group, allocation.user or workload.user, workload.pool
            most[key] += allocation.metered
            lost[key] += allocation.amount.gpu * allocation.metered_pieces
            lost[key] += allocation.metered_slack
    for meter in facts.meter:
        metered[meter.group, meter.user, meter.pool] += meter.held
    for key in sorted(most.keys() | metered.keys()):
        if not most[key] - lost[key] <= metered[key] <= most[key]:
            yield Violation("meter", "/".join(key), f"{metered[key]}, not {most[key]}")


Check = Callable[[Facts], Iterable[Violation]]

CHECKS: Final[tuple[Check, ...]] = (
    check_cards,
    check_card_memory,
    check_shares,
    check_device_use,
    check_node_capacity,
    check_quota_ceilings,
    check_user_ceilings,
    check_quota_counters,
    check_accepted_work,
    check_single_container,
    check_freed_capacity,
    check_gangs,
    check_borrowers,
    check_evictions,
    check_epochs,
    check_transitions,
    check_owners,
    check_meter,
)


def find_violations(facts: Facts, checks: Iterable[Check] = CHECKS) -> tuple[Violation, ...]:
    """Run the checks and return everything that is broken, in the order of the checks."""
    return tuple(found for check in checks for found in check(facts))


def _charged(facts: Facts, quota: QuotaView) -> Iterator[tuple[WorkloadFact, AllocationFact]]:
    """Yield the live allocations that count against a quota row, with their workloads."""
    below = {group for group, path in facts.ancestry if quota.group in path}
    workloads = {workload.id: workload for workload in facts.workloads}
    for allocation in facts.allocations:
        workload = workloads.get(allocation.workload)
        if workload is None or not allocation.is_live or workload.group not in below:
            continue
        if quota.pool is None or quota.pool == workload.pool:
            yield workload, allocation


def _by_workload(facts: Facts) -> dict[WorkloadId, list[EventFact]]:
    events: dict[WorkloadId, list[EventFact]] = defaultdict(list)
    for event in facts.events:
        events[event.workload].append(event)
    return events


def _quota_name(quota: QuotaView) -> str:
    return f"{quota.group}/{quota.pool or '*'}/{quota.resource}{quota.model and ':'}{quota.model}"
