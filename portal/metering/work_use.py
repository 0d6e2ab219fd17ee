"""What one workload held until now and what its GPUs drew, by the rules of the meter."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Min

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.postgresql.column_lists import fill_columns
from portal.metering.energy import DRAWN, ENERGY, energy_params
from portal.metering.ledger import DEVICE, DEVICE_DAY, HELD_BY_WORK, SEGMENT
from portal.site.days import DaySegment
from portal.site.selectors import carbon_for_system
from portal.workloads.models import Workload
from portal.workloads.selectors import workload_visible_to

# The time since its first allocation stands for a day: nothing is distinguished by days.
_OF_WORK: Final = fill_columns(
    """
WITH {segment}, {held}, {device}, {device_day}, {drawn}, {energy}
SELECT (SELECT coalesce(sum(milli * (ends - begins)), 0)::bigint FROM device_day),
    coalesce(sum(milli_ms), 0)::bigint, sum(energy_mj)::bigint, sum(carbon_mg)::bigint FROM energy
""",
    segment=SEGMENT,
    held=HELD_BY_WORK,
    device=DEVICE,
    device_day=DEVICE_DAY,
    drawn=DRAWN,
    energy=ENERGY,
)


@dataclass(frozen=True, slots=True)
class WorkUse:
    """The GPU time of all attempts of one workload, and its energy."""

    gpu_milli_ms: int = 0
    measured_milli_ms: int = 0
    """As much of it as has a measured energy."""
    energy_mj: int | None = None
    """None where nothing was measured."""
    carbon_mg: int | None = None


def work_use_visible_to(actor: Actor, workload_id: UUID) -> WorkUse:
    """Return what a visible workload held and drew.

    Raises:
        NotFoundError: there is none, or it is another tenant's.
    """
    workload = workload_visible_to(actor, workload_id)
    since = workload.allocations.aggregate(first=Min("created_at"))["first"]
    return WorkUse() if since is None else _read(workload, since)


def _read(workload: Workload, since: datetime) -> WorkUse:
    until = now()
    whole = DaySegment(since.date(), since, until)
    params: dict[str, Any] = {
        "work": workload.pk,
        "days": [whole.day],
        "begins": [since],
        "ends": [until],
        "first": since,
        "last": until,
        "until": until,
        "reported": [],
        "named": [],
        **energy_params([whole], carbon_for_system()),
    }
    with connection.cursor() as cursor:
        cursor.execute(_OF_WORK, params)
        return WorkUse(*cursor.fetchone())
