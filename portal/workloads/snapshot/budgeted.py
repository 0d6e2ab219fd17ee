"""Live work with GPUs as far as budgets depend on it: a commit and a page need no more of what runs."""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from portal.common.postgresql.column_lists import fill_columns, select_list
from portal.common.work_kinds import KINDS
from portal.workloads.models import Workload
from portal.workloads.request_columns import REQUEST_COLUMNS, build_request
from portal.workloads.snapshot.running import RUNS_OR_EVICTED, fetch_rows, limit_of
from scheduler.core.model.entities import (
    GroupId,
    GroupView,
    Millis,
    PoolId,
    Request,
    RunningWorkload,
    UserId,
    WorkloadId,
)


class BudgetedAllocation(NamedTuple):
    """A live allocation with GPUs, and the columns of its workload."""

    total_gpu_milli: int
    uncounted_since: Millis
    """Its GPU use since then is in no table yet."""
    workload: WorkloadId
    pool: PoolId
    group: GroupId
    kind: str
    state: str
    started_at: Millis | None
    time_limit_s: int | None
    must_end_at: Millis | None
    request: Request


_FIRST: Final = BudgetedAllocation._fields.index("workload")
_LAST: Final = BudgetedAllocation._fields.index("request")
# OFFSET 0: without it, PostgreSQL reads all work of the past to join the little that runs.
_HELD: Final = fill_columns(
    """
SELECT held.total_gpu_milli,
    floor(extract(epoch FROM coalesce(held.accounted_until, held.created_at)) * 1000)::bigint,
    work.*
FROM workloads_allocation held
CROSS JOIN LATERAL (
    SELECT {columns}, {request} FROM workloads_workload found
    WHERE found.id = held.workload_id AND found.group_id = ANY(%(groups)s::uuid[]) OFFSET 0
) work
WHERE held.state IN ('reserved', 'bound', 'lost') AND held.total_gpu_milli > 0
ORDER BY held.workload_id, held.rank
""",
    columns=select_list(
        Workload, ["id", *BudgetedAllocation._fields[_FIRST + 1 : _LAST]], table="found"
    ),
    request=select_list(Workload, REQUEST_COLUMNS, table="found"),
)


def load_budgeted(
    groups: Sequence[GroupView], with_budget: AbstractSet[GroupId]
) -> list[BudgetedAllocation]:
    """Return what the work of groups with a budget, and of all groups below, holds of GPUs."""
    below = [group.id for group in groups if not with_budget.isdisjoint(group.path)]
    return [
        BudgetedAllocation._make((*row[:_LAST], build_request(row[_LAST:])))
        for row in fetch_rows(_HELD, {"groups": below})
    ]


def build_budgeted(
    held: Collection[BudgetedAllocation], now: Millis
) -> tuple[RunningWorkload, ...]:
    """Return the workloads of these allocations; what a budget does not ask for is left empty."""
    works = {item.workload: item for item in held if item.state in RUNS_OR_EVICTED}
    return tuple(
        RunningWorkload(
            id=work.workload,
            pool=work.pool,
            group=work.group,
            user=UserId(""),
            priority=0,
            request=work.request,
            placements=(),
            ends_at=limit_of(work, now),
            traits=KINDS[work.kind].traits,
        )
        for work in works.values()
    )
