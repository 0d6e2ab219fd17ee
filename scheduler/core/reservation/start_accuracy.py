"""How sure expected starts are: by what such estimates were worth before, on the same site.

An estimate is judged when its work has started. What counts is how long that took in parts of how long
it was expected to take at the most: minutes and days are distinguished by class of that length, and within a
class a part means the same. Parts are counted in buckets, so that months of starts are a few numbers.

From the counts follows the range that held most of the past. It is stretched or narrowed to that, and
says how many it held: with too few, an estimate stays as it is and says nothing.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import accumulate
from math import isqrt
from typing import Final, NamedTuple

from scheduler.core.model.entities import Millis
from scheduler.core.model.plan import EstimateBasis, StartRange

CLASSES_MS: Final = (15 * 60_000, 2 * 3_600_000)
"""Bounds between short, middle and long waits, as they were expected."""
ESTIMATES_NEEDED: Final = 30
"""Judged estimates before anything is said."""
LEFT_OUT_PERCENT: Final = 10
"""Of the estimates, so many at each end are outside the range at the most."""
SHORTEST_MS: Final = 60_000
"""Shorter waits count as so long: pages show minutes."""
_WHOLE: Final = 1_000_000
_EDGES: Final = tuple(isqrt(isqrt(isqrt(_WHOLE**8 * 2**step >> 32))) for step in range(65))
"""Upper edges of the buckets, in millionths of the expected wait, from a sixteenth to sixteen times; the
eighth after each is twice as much."""
BUCKETS: Final = len(_EDGES) + 1
"""The last one has what took longer than any edge."""


WEEKS_KEPT: Final = 8
"""Weeks of which starts are counted, the present one included."""
_WEEK_MS: Final = 7 * 24 * 3_600_000

Counts = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Of one pool, as JSON: by week since the epoch, by `<basis>:<class>`, by bucket."""
Spreads = Mapping[str, Sequence[int]]
"""What follows: the fields of a `StartSpread` by `<basis>:<class>`, and by `<basis>`."""


class JudgedStart(NamedTuple):
    """An expected start and the real one."""

    basis: str
    expected_ms: int
    """How long it was expected to take at the most."""
    waited_ms: int
    """How long it took."""
    at_ms: int
    """From when on both count."""


@dataclass(frozen=True, slots=True)
class StartSpread:
    """Between which parts of an expected wait work has started."""

    low: int
    """In millionths."""
    high: int
    percent: int
    """How many of the estimates were inside, rounded down."""
    estimates: int
    """How many there were."""


def with_judged(counts: Counts, judged: Iterable[JudgedStart], now_ms: int) -> Counts:
    """Return the counts with more estimates, and without the weeks that are too long ago."""
    first = now_ms // _WEEK_MS - WEEKS_KEPT + 1
    kept = {
        week: {key: Counter(rows) for key, rows in by_key.items()}
        for week, by_key in counts.items()
        if int(week) >= first
    }
    for each in judged:
        week = str(max(each.at_ms // _WEEK_MS, first))
        rows = kept.setdefault(week, {}).setdefault(_key(each.basis, each.expected_ms), Counter())
        rows[str(bucket_of(each.expected_ms, each.waited_ms))] += 1
    return kept


def find_spreads(counts: Counts) -> Spreads:
    """Return what follows from the counts of all weeks, by basis and length, and by basis."""
    total: defaultdict[str, list[int]] = defaultdict(lambda: [0] * BUCKETS)
    for by_key in counts.values():
        for key, rows in by_key.items():
            for bucket, estimates in rows.items():
                for name in (key, key.partition(":")[0]):
                    total[name][int(bucket)] += estimates
    found = {key: find_spread(rows) for key, rows in sorted(total.items())}
    return {key: astuple(each) for key, each in found.items() if each is not None}


def spread_of(expected: StartRange, now: Millis, spreads: Spreads) -> StartSpread | None:
    """Return what such estimates were worth: of the same basis and length, else of the same basis."""
    wait_ms = expected.latest - counted_from(expected, now)
    for key in (_key(expected.basis, wait_ms), expected.basis.value):
        if key in spreads:
            return StartSpread(*spreads[key])
    return None


def _key(basis: str, expected_ms: int) -> str:
    return f"{EstimateBasis(basis).value}:{class_of(expected_ms)}"


def counted_from(expected: StartRange, now: Millis) -> Millis:
    """Return from when a wait counts: from now on, or from its begin time."""
    return max(now, expected.possible_from or now)


def class_of(expected_ms: int) -> int:
    """Return the class of an expected wait: 0 is short."""
    return bisect_left(CLASSES_MS, expected_ms)


def bucket_of(expected_ms: int, waited_ms: int) -> int:
    """Return in which bucket a wait counts that was expected to be so long at the most."""
    part = -(-max(waited_ms, 0) * _WHOLE // max(expected_ms, SHORTEST_MS))
    return bisect_left(_EDGES, part)


def find_spread(counts: Sequence[int]) -> StartSpread | None:
    """Return the range that held most of the counted estimates; None if there were too few.

    As many are left out at each end as would be exact for one more estimate of the same kind.
    """
    total = sum(counts)
    if total < ESTIMATES_NEEDED:
        return None
    outside = (total + 1) * LEFT_OUT_PERCENT // 100
    so_far = list(accumulate(counts))
    first = bisect_left(so_far, outside)
    last = min(bisect_left(so_far, total + 1 - outside), len(_EDGES) - 1)
    first = min(first, last)
    inside = so_far[last] - (so_far[first - 1] if first else 0)
    return StartSpread(
        low=_EDGES[first - 1] if first else 0,
        high=_EDGES[last],
        percent=inside * 100 // (total + 1),
        estimates=total,
    )


def stretch(expected: StartRange, now: Millis, spread: StartSpread | None) -> StartRange:
    """Return the range in which such an estimate comes true, as often as the spread says.

    A promised start gets no later by it.
    """
    if spread is None:
        return expected
    since = counted_from(expected, now)
    wait_ms = max(expected.latest - since, SHORTEST_MS)
    latest = since + wait_ms * spread.high // _WHOLE
    if expected.is_promised:
        latest = min(latest, expected.latest)
    return replace(
        expected,
        earliest=Millis(min(since + wait_ms * spread.low // _WHOLE, latest)),
        latest=Millis(latest),
        sure_percent=spread.percent,
        estimates=spread.estimates,
    )
