"""The scheduler's view of the rows in memory."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

from scheduler.core.model.entities import (
    AcceleratorId,
    Millis,
    NodeId,
    NodeView,
    PendingWorkload,
    Placement,
    RunningWorkload,
    UserQuotaUse,
)
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.resources import Resources
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import WorkloadState
from scheduler.core.model.work_traits import JOB, WorkTraits
from scheduler.whatif.people import NOTEBOOK
from tests.simulation.bugs import Bugs
from tests.simulation.store import Store, WorkloadRow


def snapshot_of(
    store: Store,
    now: int,
    bugs: Bugs,
    holds_back: Callable[[WorkloadRow], bool] = lambda _row: False,
) -> Snapshot:
    """Return everything a cycle may look at, sorted by id."""
    taken: dict[AcceleratorId, set[int]] = defaultdict(set)
    used: dict[NodeId, Resources] = defaultdict(Resources)
    holders = set()
    for allocation in store.allocations:
        holders.add(allocation.workload)
        used[allocation.node] += allocation.amount
        for device in allocation.devices:
            taken[device.accelerator].add(device.slot)
    return Snapshot(
        taken_at=Millis(now),
        pools=store.pools,
        nodes=tuple(
            NodeView(
                node.id,
                node.id,
                node.state,
                node.cpu,
                node.memory,
                used[node.id].cpu,
                used[node.id].memory,
            )
            for _, node in sorted(store.nodes.items())
        ),
        accelerators=tuple(
            replace(card, taken_slots=frozenset(taken[card.id])) if card.id in taken else card
            for _, card in sorted(store.cards.items())
        ),
        groups=store.groups,
        quotas=tuple(store.quotas),
        user_use=tuple(
            UserQuotaUse(user, group, pool, resource, amount)
            for (user, group, pool, resource), amount in store.user_uses().items()
        ),
        pending=tuple(
            _pending(
                row,
                is_clearing=row.id in holders and not bugs.places_before_gone,
                is_held=not (store.may_start(row) or bugs.starts_held_work) or holds_back(row),
            )
            for _, row in sorted(store.workloads.items())
            if row.state is WorkloadState.QUEUED
        ),
        running=tuple(
            _running(store, store.workloads[workload_id], bugs) for workload_id in sorted(holders)
        ),
        reservations=tuple(store.reservations),
        published=store.published,
    )


def _pending(row: WorkloadRow, *, is_clearing: bool, is_held: bool) -> PendingWorkload:
    held = (Reason(ReasonCode.WAITING_FOR_EVICTION),) if is_clearing else ()
    if is_held:
        held = (Reason(ReasonCode.HELD_BY_USER), *held)
    return PendingWorkload(
        id=row.id,
        pool=row.pool,
        group=row.group,
        user=row.user,
        priority=row.priority,
        submitted_at=Millis(row.submitted_at),
        request=row.request,
        version=row.version,
        time_limit_s=row.time_limit_s,
        held=held,
        preemptible=row.preemptible,
        evicted_for=row.yields_to,
        traits=_traits(row),
    )


def _traits(row: WorkloadRow) -> WorkTraits:
    traits = NOTEBOOK if row.is_notebook else JOB
    return replace(traits, open_end=row.time_limit_s is None)


def _ends_at(row: WorkloadRow, started: int) -> Millis | None:
    limit = None if row.time_limit_s is None else started + row.time_limit_s * 1000
    ends = [end for end in (limit, row.must_end_at) if end is not None]
    return Millis(min(ends)) if ends else None


def _running(store: Store, row: WorkloadRow, bugs: Bugs) -> RunningWorkload:
    is_clearing = row.state is WorkloadState.QUEUED
    started = row.started_at if row.state is WorkloadState.RUNNING else None
    return RunningWorkload(
        id=row.id,
        pool=row.pool,
        group=row.group,
        user=row.user,
        priority=row.priority,
        request=row.request,
        placements=tuple(
            Placement(a.node, tuple((d.accelerator, d.slot) for d in a.devices))
            for a in store.live(row.id)
        ),
        ends_at=None if started is None else _ends_at(row, started),
        stopping=is_clearing or row.state is WorkloadState.STOPPING,
        version=row.version,
        submitted_at=Millis(row.submitted_at),
        started_at=None if started is None else Millis(started),
        preemptible=row.preemptible or bugs.evicts_anybody,
        stopping_for=row.yields_to if is_clearing else None,
        time_limit_s=row.time_limit_s or 0,
        traits=_traits(row),
    )
