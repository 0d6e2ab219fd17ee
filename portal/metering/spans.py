"""Which whole weeks and which single days a question is answered from; pure.

The sums of a week are read instead of its days wherever the answer is the same: it lies within the
days that are asked for and within one period of the answer, and no price changes in it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Spans:
    """The Mondays of weeks, and the days of no such week, in order."""

    weeks: list[date]
    days: list[date]


def split_days(first: date, last: date, granularity: str, changes: Collection[date]) -> Spans:
    """Return the weeks that can stand for their days, and the other days between two, both included.

    `changes` are the days on which a price begins.
    """
    spans, at = Spans([], []), 0
    # Counted from the first, so that the last day of the calendar has no day after it.
    days = [first + number * _DAY for number in range((last - first).days + 1)]
    while at < len(days):
        week = days[at : at + 7]
        if (
            len(week) == 7
            and week[0].weekday() == 0
            and granularity != "day"
            and not (granularity == "month" and week[-1].month != week[0].month)
            and not any(later in changes for later in week[1:])
        ):
            spans.weeks.append(week[0])
            at += 7
        else:
            spans.days.append(week[0])
            at += 1
    return spans
