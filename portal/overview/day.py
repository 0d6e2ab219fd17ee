"""The last 24 hours as curves: GPUs held, GPUs used and work that waited, every quarter of an hour."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any, Final

from django.db import connection

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.postgresql.column_lists import fill_columns
from portal.overview.selectors import scope_of

STEP: Final = timedelta(minutes=15)
"""Between two points of the curves of a day."""
POINTS: Final = 97
"""Both ends of the 24 hours; the last is now."""

# The point at which something is seen first, and that from which it is not seen any more.
_SPAN: Final = """
greatest(ceil(extract(epoch FROM begins - %(first)s) / %(step_s)s), 0)::integer,
    coalesce(least(ceil(extract(epoch FROM ends - %(first)s) / %(step_s)s), %(points)s), %(points)s)::integer
"""
# In thousandths of a GPU.
_ASKED: Final = """
work.replicas
    * (work.gpus * 1000 + work.gpu_milli + work.slices * 1000 / greatest(pool.slices_per_card, 1))
"""
_HELD: Final = fill_columns(
    """
SELECT {span}, sum(milli)::bigint FROM (
    SELECT part.counted_milli AS milli, part.held_from AS begins,
        coalesce(part.released_at, held.released_at) AS ends
    FROM workloads_allocation held
    JOIN workloads_workload work ON work.id = held.workload_id
    JOIN workloads_allocationdevice part ON part.allocation_id = held.id
    WHERE (held.released_at IS NULL OR held.released_at >= %(first)s)
        AND (%(groups)s::uuid[] IS NULL OR work.group_id = ANY(%(groups)s::uuid[]))
) found GROUP BY 1, 2
""",
    span=_SPAN,
)
# What starts again has waited since its last attempt was released. Of what was cancelled before it
# started, the ledger does not know when it could have.
_WAITED: Final = fill_columns(
    """
SELECT {span}, count(*), sum({asked})::bigint FROM (
    SELECT work.id, work.queued_at AS begins, NULL::timestamptz AS ends FROM workloads_workload work
    WHERE work.state = 'queued'
        AND (%(groups)s::uuid[] IS NULL OR work.group_id = ANY(%(groups)s::uuid[]))
    UNION ALL
    SELECT work.id, coalesce((
        SELECT max(before.released_at) FROM workloads_allocation before
        WHERE before.workload_id = work.id AND before.epoch < started.epoch
    ), greatest(work.submitted_at, work.not_before)), started.created_at
    FROM workloads_allocation started JOIN workloads_workload work ON work.id = started.workload_id
    WHERE started.rank = 0 AND started.created_at >= %(first)s
        AND (started.released_at IS NULL OR started.released_at >= %(first)s)
        AND (%(groups)s::uuid[] IS NULL OR work.group_id = ANY(%(groups)s::uuid[]))
) found JOIN workloads_workload work ON work.id = found.id
JOIN inventory_pool pool ON pool.id = work.pool_id GROUP BY 1, 2
""",
    span=_SPAN,
    asked=_ASKED,
)
_USED: Final = """
SELECT point, round(sum(milli))::bigint FROM (
    SELECT ceil(extract(epoch FROM at - %(first)s) / %(step_s)s)::integer AS point, series,
        avg(cards * utilisation_pct * 10) AS milli
    FROM telemetry_pool_minute WHERE at >= %(first)s - %(step_s)s * interval '1 second'
    GROUP BY 1, 2
) found WHERE point BETWEEN 0 AND %(points)s - 1 GROUP BY point
"""


@dataclass(frozen=True, slots=True)
class DayCurves:
    """Values at the same moments: GPUs in thousandths, work in numbers."""

    times: list[datetime]
    held_milli: list[int]
    used_milli: list[int | None]
    """None where nothing was measured; all of it for one who does not see the whole cluster."""
    waiting: list[int]
    waiting_milli: list[int]
    """GPUs that it asks for."""


def day_visible_to(actor: Actor) -> DayCurves:
    """Return the last 24 hours of the cluster, or of the groups that the actor administers.

    Raises:
        DeniedError: the actor neither sees the platform nor administers a group.
    """
    groups = scope_of(actor)
    first = now() - (POINTS - 1) * STEP
    params = {
        "first": first,
        "step_s": int(STEP.total_seconds()),
        "points": POINTS,
        "groups": None if groups is None else list(groups),
    }
    waited = _fetch(_WAITED, params)
    used = dict(_fetch(_USED, params)) if groups is None else {}
    return DayCurves(
        times=[first + at * STEP for at in range(POINTS)],
        held_milli=_levels(_fetch(_HELD, params)),
        used_milli=[used.get(at) for at in range(POINTS)],
        waiting=_levels((*span, count) for *span, count, _ in waited),
        waiting_milli=_levels((*span, asked) for *span, _, asked in waited),
    )


def _levels(spans: Iterable[Sequence[int]]) -> list[int]:
    """Return how much there is at each point; a span is seen from its first point to before its second."""
    changes = [0] * (POINTS + 1)
    for begins, ends, amount in spans:
        if begins < ends:
            changes[begins] += amount
            changes[ends] -= amount
    return list(accumulate(changes[:POINTS]))


def _fetch(statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())
