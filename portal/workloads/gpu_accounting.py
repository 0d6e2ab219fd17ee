"""GPU accounting: use by day for budgets and reports, and decaying use for fair share.

An allocation with GPUs is counted when it is released, and every few minutes while it is live
(`count_running`, from the sweep); the snapshot adds what is not counted yet. Amounts are thousandths
of a GPU × milliseconds: integers, so that nothing is lost or counted twice.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Sum

from portal.common.clock import now
from portal.quotas.budgets import spending_of
from portal.quotas.models import Budget
from portal.quotas.prices import round_cost
from portal.site.days import SiteDays
from portal.site.selectors import settings_for_system
from portal.tenancy.selectors import paths_for_system
from portal.workloads.models import Allocation, DailyGpuUse, DecayedGpuUse, Workload

COUNT_AFTER: Final = timedelta(minutes=10)
"""A live allocation is counted when so much of its time is not."""
ROWS_MAX: Final = 1000
"""Allocations that one turn of counting takes."""
_MS: Final = timedelta(milliseconds=1)

_BY_DAY: Final = """
INSERT INTO workloads_dailygpuuse (group_id, user_id, pool_id, day, gpu_milli_ms)
SELECT * FROM unnest(%s::uuid[], %s::uuid[], %s::uuid[], %s::date[], %s::bigint[])
ON CONFLICT (group_id, user_id, pool_id, day)
    DO UPDATE SET gpu_milli_ms = workloads_dailygpuuse.gpu_milli_ms + EXCLUDED.gpu_milli_ms
"""
_DECAYED: Final = """
INSERT INTO workloads_decayedgpuuse AS known (group_id, user_id, gpu_milli_ms, at)
SELECT given.group_id, given.user_id, given.gpu_milli_ms, %s
FROM unnest(%s::uuid[], %s::uuid[], %s::bigint[]) AS given (group_id, user_id, gpu_milli_ms)
ON CONFLICT (group_id, user_id) DO UPDATE SET
    gpu_milli_ms = greatest(EXCLUDED.gpu_milli_ms + round(known.gpu_milli_ms * power(0.5::float8,
        greatest(extract(epoch FROM EXCLUDED.at - known.at)::float8, 0) / %s))::bigint, 0),
    at = greatest(EXCLUDED.at, known.at)
"""
_ATTAINED: Final = """
UPDATE workloads_workload work SET attained_gpu_s = attained_gpu_s + given.seconds
FROM unnest(%s::uuid[], %s::bigint[]) AS given (id, seconds) WHERE work.id = given.id
"""
_RUNNING: Final = """
UPDATE workloads_allocation held SET accounted_until = %(now)s
FROM (
    SELECT id, coalesce(accounted_until, created_at) AS since FROM workloads_allocation
    WHERE state IN ('reserved', 'bound', 'lost') AND total_gpu_milli > 0
        AND coalesce(accounted_until, created_at) < %(before)s
    ORDER BY id LIMIT %(most)s FOR NO KEY UPDATE SKIP LOCKED
) due, workloads_workload work
WHERE held.id = due.id AND work.id = held.workload_id
RETURNING work.group_id, work.owner_id, held.pool_id, held.total_gpu_milli, due.since
"""
# OFFSET 0: without it, PostgreSQL reads all work of the past to join the little that runs.
_RELEASED: Final = """
SELECT work.group_id, coalesce(past.owner_id, work.owner_id), past.pool_id, part.counted_milli,
    part.held_from, least(coalesce(past.billed_until, part.released_at, past.accounted_until),
        coalesce(part.released_at, past.accounted_until)) AS until
FROM workloads_allocationdevice part
JOIN workloads_allocation past ON past.id = part.allocation_id
JOIN workloads_workload work ON work.id = past.workload_id
WHERE part.counted_milli > 0 AND coalesce(part.released_at, past.accounted_until) IS NOT NULL
ORDER BY until
"""
_UNCOUNTED: Final = """
SELECT work.group_id, work.pool_id, sum(live.total_gpu_milli * greatest(
    floor(extract(epoch FROM %(now)s::timestamptz) * 1000)::bigint
    - floor(extract(epoch FROM coalesce(live.accounted_until, live.created_at)) * 1000)::bigint, 0
))::bigint
FROM workloads_allocation live
CROSS JOIN LATERAL (
    SELECT found.group_id, found.pool_id FROM workloads_workload found
    WHERE found.id = live.workload_id OFFSET 0
) work
WHERE live.state IN ('reserved', 'bound', 'lost') AND live.total_gpu_milli > 0 GROUP BY 1, 2
"""
MILLI_MS_PER_GPU_S: Final = 1_000_000
"""Thousandths of a GPU × milliseconds in a GPU-second."""


class GpuUse(NamedTuple):
    """GPUs that were held from one moment to another; to an earlier one is what was counted too much."""

    group: UUID
    user: UUID
    pool: UUID
    gpu_milli: int
    since: datetime
    until: datetime


def count_released(held: Collection[tuple[Workload, Allocation]], moment: datetime) -> None:
    """Count the GPU use of these allocations up to their ends, in the transaction that releases them.

    Up to when they are counted is read under a lock: `count_running` may have counted meanwhile. It may
    even have counted beyond an end that is reported late; that is taken back.
    """
    with_gpus = [
        (workload, item)
        for workload, item in held
        if item.total_gpu_milli or item.released_gpu_milli_ms
    ]
    if not with_gpus:
        return
    keys = [item.pk for _, item in with_gpus]
    rows = Allocation.objects.filter(pk__in=keys).select_for_update(no_key=True).order_by("id")
    counted = dict(rows.values_list("pk", "accounted_until"))
    attained: dict[UUID, int] = defaultdict(int)
    for workload, item in with_gpus:
        since = item.gpus_since or item.created_at
        held_for = max((item.billed_until or moment) - since, timedelta())
        attained[workload.pk] += (
            item.total_gpu_milli * (held_for // _MS) + item.released_gpu_milli_ms
        )
    with connection.cursor() as cursor:
        seconds = [max(amount, 0) // 1_000_000 for amount in attained.values()]
        cursor.execute(_ATTAINED, [list(attained), seconds])
    _add_uses(
        [
            GpuUse(
                workload.group_id,
                workload.owner_id,
                item.pool_id,
                item.total_gpu_milli,
                counted[item.pk] or item.created_at,
                item.billed_until or moment,
            )
            for workload, item in with_gpus
        ],
        moment,
    )


def count_released_gpus(workload: Workload, allocation: Allocation, moment: datetime) -> None:
    """Count the GPUs that a running allocation releases, in the transaction that releases them."""
    rows = Allocation.objects.filter(pk=allocation.pk).select_for_update(no_key=True)
    counted = rows.values_list("accounted_until", flat=True).get()
    since = counted or allocation.gpus_since or allocation.created_at
    owner = (workload.group_id, workload.owner_id, allocation.pool_id)
    _add_uses([GpuUse(*owner, allocation.total_gpu_milli, since, moment)], moment)


@transaction.atomic
def count_running() -> int:
    """Count live allocations of which much is not counted yet; return how many.

    Rows that another transaction has locked are left to the next sweep.
    """
    moment = now()
    with connection.cursor() as cursor:
        cursor.execute(_RUNNING, {"now": moment, "before": moment - COUNT_AFTER, "most": ROWS_MAX})
        uses = [GpuUse._make((*row, moment)) for row in cursor.fetchall()]
    _add_uses(uses, moment)
    return len(uses)


@transaction.atomic
def recount_released() -> None:
    """Count again, from the ledger alone: after work of the past was added to it or removed from it.

    Fair share forgets with time, so that it is counted day by day.
    """
    DailyGpuUse.objects.all().delete()
    DecayedGpuUse.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute(_RELEASED)
        uses = [GpuUse._make(row) for row in cursor.fetchall()]
    for _, of_day in groupby(uses, key=lambda use: use.until.date()):
        some = list(of_day)
        _add_uses(some, some[-1].until)


def _add_uses(uses: Collection[GpuUse], moment: datetime) -> None:
    """Add uses to both tables, keys in order, so that two transactions cannot deadlock."""
    if not uses:
        return
    settings = settings_for_system()
    days: dict[tuple[UUID, UUID, UUID, date], int] = defaultdict(int)
    members: dict[tuple[UUID, UUID], int] = defaultdict(int)
    for use in uses:
        for day, length_ms in _by_day(use, settings.days):
            amount = use.gpu_milli * length_ms
            days[use.group, use.user, use.pool, day] += amount
            members[use.group, use.user] += amount
    if not members:
        return
    with connection.cursor() as cursor:
        rows = sorted((*key, amount) for key, amount in days.items())
        cursor.execute(_BY_DAY, [list(column) for column in zip(*rows, strict=True)])
        sums = sorted((*key, amount) for key, amount in members.items())
        columns = [list(column) for column in zip(*sums, strict=True)]
        cursor.execute(_DECAYED, [moment, *columns, settings.half_life_s])


def _by_day(use: GpuUse, days: SiteDays) -> Iterator[tuple[date, int]]:
    """Yield the milliseconds of a use by day; what is taken back is rounded so that none is counted twice."""
    if use.since <= use.until:
        yield from ((day, length // _MS) for day, length in days.split(use.since, use.until))
    else:
        yield from ((day, -length // _MS) for day, length in days.split(use.until, use.since))


class BudgetStanding(NamedTuple):
    """How much of a budget is used in its present period, both in GPU-seconds or millionths of money."""

    budget: Budget
    used: int
    limit: int


def limit_of(row: Budget) -> int:
    """Return what a budget allows, in GPU-seconds or millionths of money; 0 of nothing."""
    return row.gpu_hours * 3600 if row.gpu_hours else row.money_micros or 0


def budget_standings_for_system(rows: Sequence[Budget], moment: datetime) -> list[BudgetStanding]:
    """Return where budgets stand; those of nothing are left out, because they never fill up."""
    rows = [row for row in rows if limit_of(row)]
    if not rows:
        return []
    days = settings_for_system().days
    in_hours = [row for row in rows if row.gpu_hours]
    live = uncounted_use_for_system(moment)
    gpu_s = iter(budget_uses_for_system(in_hours, moment, days, live) if in_hours else ())
    return [
        BudgetStanding(
            row,
            next(gpu_s) if row.gpu_hours else _spent_micros(row, moment, days),
            limit_of(row),
        )
        for row in rows
    ]


def _spent_micros(row: Budget, moment: datetime, days: SiteDays) -> int:
    counted = spending_of(row, days.current_period(row.period, moment)[0])
    return round_cost(int(counted.cost)) if counted else 0


def budget_uses_for_system(
    rows: Sequence[Budget], moment: datetime, days: SiteDays, live: Mapping[tuple[UUID, UUID], int]
) -> list[int]:
    """Return the GPU-seconds that are used of each budget in its present period, in their order.

    `live` is what live allocations have used and no table has yet, as `uncounted_use_for_system` has it.
    """
    limited = {row.group_id for row in rows}
    above = {
        group: [each for each in path if each in limited]
        for group, path in paths_for_system().items()
    }
    counted: dict[date, Mapping[_Scope, int]] = {}
    found = []
    for row in rows:
        first, _ = days.current_period(row.period, moment)
        if first not in counted:
            since = DailyGpuUse.objects.filter(day__gte=first).values_list("group", "pool")
            sums = since.annotate(sum=Sum("gpu_milli_ms")).order_by("group", "pool")
            uses = [((group, pool), amount) for group, pool, amount in sums]
            counted[first] = _sum_above([*uses, *live.items()], above)
        found.append(counted[first].get((row.group_id, row.pool_id), 0) // MILLI_MS_PER_GPU_S)
    return found


_Scope = tuple[UUID, UUID | None]
"""A group with all below it, and a pool; None is all pools."""


def _sum_above(
    uses: Iterable[tuple[tuple[UUID, UUID], int]], above: Mapping[UUID, Sequence[UUID]]
) -> Mapping[_Scope, int]:
    """Add each use of a group and pool to the groups that are `above` it, in this pool and in all."""
    sums: dict[_Scope, int] = defaultdict(int)
    for (group, pool), amount in uses:
        for each in above.get(group, ()):
            sums[each, pool] += amount
            sums[each, None] += amount
    return sums


def uncounted_use_for_system(moment: datetime) -> Mapping[tuple[UUID, UUID], int]:
    """Return what live allocations have used and no table has yet, by group and pool of the work."""
    with connection.cursor() as cursor:
        cursor.execute(_UNCOUNTED, {"now": moment})
        return {(group, pool): amount for group, pool, amount in cursor.fetchall()}


def sum_gpu_hours_for_system(group_id: UUID, since: date) -> int:
    """Return how many whole GPU-hours a group has used since a day of the site, that included."""
    rows = DailyGpuUse.objects.filter(group=group_id, day__gte=since)
    return int(rows.aggregate(used=Sum("gpu_milli_ms"))["used"] or 0) // (MILLI_MS_PER_GPU_S * 3600)
