"""How much running work used its GPUs in the last hour, of several at once: for the small curves of a list."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.actor import Actor
from portal.common.clock import now
from portal.workloads.selectors import workloads_visible_to

STEP: Final = timedelta(minutes=2)
"""Between two points of the small curve of one piece of work."""
POINTS: Final = 30
WORK_MAX: Final = 20
"""Workloads in one answer."""

_USE: Final = """
SELECT held.workload_id,
    floor(extract(epoch FROM sample.at - %(first)s) / %(step_s)s)::integer AS point,
    round(avg(sample.gpu_utilisation_pct))::integer
FROM workloads_allocation held
JOIN telemetry_work_raw sample ON sample.series = held.id
    AND sample.at >= %(first)s AND sample.gpu_utilisation_pct IS NOT NULL
WHERE held.workload_id = ANY(%(work)s::uuid[]) AND held.state IN ('reserved', 'bound', 'lost')
GROUP BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class RecentGpuUse:
    """The use of the GPUs of one workload, as the mean of its ranks, oldest first."""

    workload: UUID
    use_pct: list[int | None]
    """One value every two minutes; None where nothing was measured."""


def work_use_visible_to(actor: Actor, ids: Collection[UUID]) -> list[RecentGpuUse]:
    """Return the last hour of these workloads, as far as the actor may see them (two queries)."""
    visible = workloads_visible_to(actor, {}).filter(pk__in=ids).order_by("pk")
    keys = list(visible.values_list("pk", flat=True))
    found = {key: RecentGpuUse(key, [None] * POINTS) for key in keys}
    params: dict[str, Any] = {
        "first": now() - POINTS * STEP,
        "step_s": int(STEP.total_seconds()),
        "work": keys,
    }
    with connection.cursor() as cursor:
        cursor.execute(_USE, params)
        for key, point, pct in cursor.fetchall():
            if 0 <= point < POINTS:
                found[key].use_pct[point] = pct
    return list(found.values())
