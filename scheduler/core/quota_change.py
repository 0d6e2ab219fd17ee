"""What other quotas would change at once: the same cycle, decided under both and compared."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from scheduler.core.cycle import decide
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    GroupId,
    PendingWorkload,
    PoolId,
    QuotaView,
    UserId,
    UserQuotaUse,
    WorkloadId,
)
from scheduler.core.model.plan import Plan, PlannedEviction
from scheduler.core.model.reasons import Reason
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.ceilings import CeilingBook, RowKey, row_key
from scheduler.core.quotas.demand import DemandTable
from scheduler.core.quotas.fair_share import FairShares
from scheduler.core.quotas.group_tree import group_paths
from scheduler.core.quotas.reclaim_rule import above_deserved


@dataclass(frozen=True, slots=True)
class ImpossibleWork:
    """Waiting work that could never start under the new quotas, and could under the old."""

    workload: WorkloadId
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class ReclaimExposure:
    """GPUs in milli that a group could lose by reclaim in one pool, before and after."""

    group: GroupId
    pool: PoolId
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ExceededCeiling:
    """Somebody holds more than a new ceiling allows: nothing stops, but nothing starts either."""

    group: GroupId
    pool: PoolId | None
    resource: Resource
    model: str
    user: UserId | None
    """The member whose ceiling it is; None for that of the whole group."""
    used: int
    ceiling: int


@dataclass(frozen=True, slots=True)
class QuotaChangeEffect:
    """What new quotas would change in the next decision, and what could follow."""

    starts: tuple[WorkloadId, ...] = ()
    """Starts under them, and would not without."""
    held_back: tuple[WorkloadId, ...] = ()
    """Would start without them, and waits under them."""
    impossible: tuple[ImpossibleWork, ...] = ()
    possible: tuple[WorkloadId, ...] = ()
    """Could never start without them, and can under them."""
    evictions: tuple[PlannedEviction, ...] = ()
    """Leaves under them, and would stay without."""
    exposures: tuple[ReclaimExposure, ...] = ()
    exceeded: tuple[ExceededCeiling, ...] = ()
    waiting: int = 0
    """Work that waits under them, in all."""


def evaluate_quota_change(snapshot: Snapshot, quotas: Iterable[QuotaView]) -> QuotaChangeEffect:
    """Return what these quotas, instead of those of the snapshot, would change."""
    changed = with_quotas(snapshot, quotas)
    before, after = _Decided(snapshot), _Decided(changed)
    started, starts = before.started, after.started
    leaving = {each.workload for each in before.plan.evictions}
    return QuotaChangeEffect(
        starts=tuple(key for key in starts if key not in started),
        held_back=tuple(key for key in started if key not in starts),
        impossible=tuple(
            ImpossibleWork(key, reasons)
            for key, reasons in after.impossible.items()
            if key not in before.impossible
        ),
        possible=tuple(key for key in before.impossible if key not in after.impossible),
        evictions=tuple(each for each in after.plan.evictions if each.workload not in leaving),
        exposures=_compare_exposures(snapshot, changed),
        exceeded=_newly_exceeded(snapshot, changed),
        waiting=len(snapshot.pending) - len(starts),
    )


def with_quotas(snapshot: Snapshot, quotas: Iterable[QuotaView]) -> Snapshot:
    """Return the snapshot under these quotas; what a new one counts is summed from running work."""
    rows = tuple(quotas)
    known = {row_key(row): row for row in snapshot.quotas}
    fresh = [row for row in rows if _limits_others(row, known.get(row_key(row)))]
    changed = replace(snapshot, quotas=rows)
    if not fresh:
        return changed
    book = CeilingBook(changed, group_paths(changed), DemandTable(changed), UndoLog())
    used = {row: _sum_use(row, changed, book) for row in fresh}
    counted = {
        (use.user, use.group, use.pool, use.resource, use.model) for use in snapshot.user_use
    }
    return replace(
        changed,
        quotas=tuple(
            replace(row, used=used[row].total()) if row_key(row) not in known else row
            for row in rows
        ),
        user_use=(
            *snapshot.user_use,
            *(
                UserQuotaUse(user, row.group, row.pool, row.resource, held, row.model)
                for row, by_user in used.items()
                for user, held in by_user.items()
                if (user, row.group, row.pool, row.resource, row.model) not in counted
            ),
        ),
    )


def _limits_others(row: QuotaView, before: QuotaView | None) -> bool:
    """Return whether a quota is new, or limits members whose use a snapshot does not hold."""
    if before is None:
        return True
    if before.user_ceiling is not None:
        return False
    limited = {user for user, _ in before.own_ceilings}
    return row.user_ceiling is not None or any(user not in limited for user, _ in row.own_ceilings)


def _sum_use(row: QuotaView, snapshot: Snapshot, book: CeilingBook) -> Counter[UserId]:
    by_user: Counter[UserId] = Counter()
    for run in snapshot.running:
        if held := book.amount_in(row, run):
            by_user[run.user] += held
    return by_user


class _Decided:
    """One decision under the quotas of a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        ledger = Ledger(snapshot)
        self.impossible = _find_impossible(snapshot.pending, ledger)
        self.plan: Plan = decide(ledger, snapshot.taken_at, explained=False)
        self.started: Mapping[WorkloadId, None] = dict.fromkeys(
            start.workload for start in self.plan.starts
        )


def _find_impossible(
    pending: Iterable[PendingWorkload], ledger: Ledger
) -> dict[WorkloadId, tuple[Reason, ...]]:
    """Return the work that breaks a limit even in an empty cluster; equal work is asked about once."""
    answers: dict[object, tuple[Reason, ...]] = {}
    found: dict[WorkloadId, tuple[Reason, ...]] = {}
    for work in pending:
        question = work.group, work.pool, work.user, work.request, work.time_limit_s, work.traits
        if question not in answers:
            answers[question] = ledger.quotas.permanent_refusals(work)
        if answers[question]:
            found[work.id] = answers[question]
    return found


def _compare_exposures(before: Snapshot, after: Snapshot) -> tuple[ReclaimExposure, ...]:
    old, new = _exposures(before), _exposures(after)
    return tuple(
        ReclaimExposure(group, pool, old[group, pool], new[group, pool])
        for group, pool in sorted(old.keys() | new.keys())
        if old[group, pool] != new[group, pool]
    )


def _exposures(snapshot: Snapshot) -> Counter[tuple[GroupId, PoolId]]:
    """Return the GPUs, in milli, that each group holds by preemptible work above what it deserves."""
    demand = DemandTable(snapshot)
    policies = {pool.id: pool.policy for pool in snapshot.pools}
    held: Counter[tuple[GroupId, PoolId]] = Counter()
    for run in snapshot.running:
        if run.preemptible and not run.stopping and policies[run.pool].reclaim:
            held[run.group, run.pool] += demand.total(run).gpu
    if not held:
        return held
    shares = FairShares.from_snapshot(snapshot)
    found: Counter[tuple[GroupId, PoolId]] = Counter()
    for (group, pool), gpu_milli in held.items():
        if above := above_deserved(shares, group, pool, Resource.GPU):
            found[group, pool] = min(above, gpu_milli)
    return found


def _newly_exceeded(before: Snapshot, after: Snapshot) -> tuple[ExceededCeiling, ...]:
    known = {row_key(row): row for row in before.quotas}
    used = defaultdict[RowKey, list[UserQuotaUse]](list)
    for use in after.user_use:
        used[use.group, use.pool, use.resource, use.model].append(use)
    found: list[ExceededCeiling] = []
    for row in after.quotas:
        old = known.get(row_key(row))
        if (
            row.ceiling is not None
            and row.used > row.ceiling
            and (old is None or old.ceiling != row.ceiling)
        ):
            found.append(ExceededCeiling(*row_key(row), None, row.used, row.ceiling))
        for use in used[row_key(row)] if row.limits_members else ():
            most = row.member_ceiling(use.user)
            if most is None or use.used <= most:
                continue
            if old is None or old.member_ceiling(use.user) != most:
                found.append(ExceededCeiling(*row_key(row), use.user, use.used, most))
    return tuple(found)
