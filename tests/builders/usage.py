"""Rows of the meter, as if it had counted them."""

from datetime import date
from typing import Any

from portal.common.ids import new_id
from portal.identity.models import User
from portal.metering.ledger import sum_up
from portal.metering.models import UsageDay
from portal.tenancy.models import Group

HOUR_MS = 1000 * 3_600_000
"""A GPU-hour in the unit of the meter."""


def used(user: User, group: Group, gpu_hours: int, **other: Any) -> None:
    """Save a row of the meter: whole GPUs that were held on one day, half of the time idle."""
    held = gpu_hours * HOUR_MS
    row = UsageDay.objects.create(
        **{
            "day": date(2030, 5, 10),
            "group_id": group.pk,
            "user_id": user.pk,
            "pool_id": other.pop("pool", None) or new_id(),
            "model": "H100",
            "kind": "training",
            "outcome": "completed",
            "gpu_milli_ms": held,
            "fraction_milli_ms": 0,
            "gpu_memory_mib_ms": 0,
            "cpu_milli_ms": held,
            "memory_mib_ms": 0,
            "sampled_milli_ms": held,
            "idle_milli_ms": held // 2,
            "busy_milli_ms": held // 4,
            **other,
        }
    )
    sum_up(row.day, row.day)
