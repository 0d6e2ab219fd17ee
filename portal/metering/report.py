"""The report of a month: who held what, what it cost, and how long work waited."""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID

from portal.common.actor import Actor
from portal.metering.selectors import (
    UsageQuestion,
    UsageReport,
    UsageRow,
    WaitRow,
    usage_visible_to,
    waits_visible_to,
)

SECTIONS: Final = ("group", "user", "pool", "model", "kind", "outcome")
"""What a report lists, in this order."""


@dataclass(frozen=True, slots=True)
class MonthReport:
    """The figures of one month, for those who may see them."""

    first_day: date
    last_day: date
    as_of: datetime | None
    is_closed: bool
    """Whether the month was over when the meter last counted."""
    total: UsageRow
    sections: dict[str, list[UsageRow]]
    waits: list[WaitRow]


def month_report(actor: Actor, month: date, group: UUID | None, today: date) -> MonthReport:
    """Return the report of the month that begins on a day."""
    following = (month + timedelta(days=32)).replace(day=1)
    asked = UsageQuestion(first_day=month, last_day=following - timedelta(days=1), group=group)
    reports: dict[str, UsageReport] = {
        name: usage_visible_to(actor, replace(asked, group_by=name)) for name in SECTIONS
    }
    whole = reports["model"]
    return MonthReport(
        first_day=asked.first_day,
        last_day=asked.last_day,
        as_of=whole.as_of,
        is_closed=today >= following,
        total=whole.total,
        sections={name: report.rows for name, report in reports.items()},
        waits=waits_visible_to(actor, asked),
    )
