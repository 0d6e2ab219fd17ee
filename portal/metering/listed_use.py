"""What the rows of a list of work held, for columns that its reader chose: a fixed number of queries."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import F, Min

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.postgresql.column_lists import fill_columns
from portal.inventory.gpu_models import model_name
from portal.metering.ledger import DEVICE, DEVICE_DAY, HELD_BY_WORKS, SEGMENT
from portal.quotas.prices import PriceList, load_prices_for_system
from portal.site.days import DaySegment
from portal.site.selectors import settings_for_system
from portal.workloads.models import Allocation
from portal.workloads.selectors import workloads_visible_to

WORK_MAX: Final = 50
"""Workloads in one answer: the rows of a page of a list."""

# A segment is the time of one list of prices.
_HELD: Final = fill_columns(
    """
WITH {segment}, {held}, {device}, {device_day}
SELECT past.workload_id, part.model, part.day, sum(part.milli * (part.ends - part.begins))::bigint
FROM device_day part JOIN workloads_allocation past ON past.id = part.id GROUP BY 1, 2, 3
""",
    segment=SEGMENT,
    held=HELD_BY_WORKS,
    device=DEVICE,
    device_day=DEVICE_DAY,
)
# Each attempt by its hours; one that is younger than the first full hour, by its minutes.
_USE: Final = """
SELECT past.workload_id, round(sum(used.pct * used.milli_s) / sum(used.milli_s))::integer
FROM workloads_allocation past
CROSS JOIN LATERAL (
    SELECT coalesce(past.billed_until, past.released_at, %(until)s) AS until OFFSET 0
) ending
CROSS JOIN LATERAL (
    SELECT coalesce(
        (SELECT avg(hour.gpu_utilisation_pct) FROM telemetry_work_hour hour
            WHERE hour.series = past.id AND hour.at <= ending.until
                AND hour.at > past.created_at - interval '1 hour'),
        (SELECT avg(minute.gpu_utilisation_pct) FROM telemetry_work_minute minute
            WHERE minute.series = past.id AND minute.at <= ending.until
                AND minute.at > past.created_at - interval '1 minute')) AS pct,
        greatest(extract(epoch FROM ending.until - past.created_at), 0.001) AS milli_s OFFSET 0
) used
WHERE past.workload_id = ANY(%(works)s::uuid[]) AND past.gpu_milli_by_model <> '{}'
    AND used.pct IS NOT NULL
GROUP BY 1
"""


@dataclass(slots=True)
class ListedUse:
    """What one workload held in all of its attempts, and where the last one was."""

    workload: UUID
    nodes: list[str] = field(default_factory=list)
    """By rank, each once."""
    gpu_milli_ms: int = 0
    use_pct: int | None = None
    """Mean use of its GPUs; None where nothing was measured."""
    costs: dict[str, int] = field(default_factory=dict)
    """By currency, as `PriceList.cost` has them."""


def listed_use_visible_to(actor: Actor, ids: Collection[UUID]) -> list[ListedUse]:
    """Return the use of these workloads, as far as the actor may see them."""
    visible = workloads_visible_to(actor, {}).filter(pk__in=ids).order_by("pk")
    found = {key: ListedUse(key) for key in visible.values_list("pk", flat=True)}
    of_found = Allocation.objects.filter(workload__in=found)
    since = of_found.aggregate(first=Min("created_at"))["first"]
    if since is None:
        return list(found.values())
    present = of_found.filter(epoch=F("workload__epoch")).order_by("rank")
    for key, node in present.values_list("workload", "node__name"):
        if node not in found[key].nodes:
            found[key].nodes.append(node)
    until, prices = now(), load_prices_for_system()
    for key, model, day, held in _fetch(_HELD, _held_params(found, since, until, prices)):
        found[key].gpu_milli_ms += held
        price = prices.find(model_name(model), day)
        if price is not None:
            costs = found[key].costs
            costs[price.currency] = costs.get(price.currency, 0) + price.hourly_micros * held
    for key, pct in _fetch(_USE, {"works": list(found), "until": until}):
        found[key].use_pct = pct
    return list(found.values())


def _held_params(
    works: Collection[UUID], since: datetime, until: datetime, prices: PriceList
) -> dict[str, Any]:
    segments = _segments(since, until, prices)
    return {
        "works": list(works),
        "days": [each.day for each in segments],
        "begins": [each.begins_at for each in segments],
        "ends": [each.ends_at for each in segments],
        "first": since,
        "last": until,
        "until": until,
        "reported": [],
        "named": [],
    }


def _segments(since: datetime, until: datetime, prices: PriceList) -> list[DaySegment]:
    """Split a time on the days on which some price begins."""
    days = settings_for_system().days
    moments = {day: days.midnight(day) for day in prices.changes()}
    cuts = [(day, at) for day, at in moments.items() if since < at < until]
    begins = [(days.day_of(since), since), *cuts]
    ends = [at for _, at in begins[1:]] + [until]
    return [DaySegment(day, at, end) for (day, at), end in zip(begins, ends, strict=True)]


def _fetch(statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())
