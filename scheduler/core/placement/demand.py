"""The demand to expect: what the next work will probably look like, learned from past arrivals.

A mix is decayed counts of the shapes that have arrived (the "target workload" of Weng et al.,
"Beware of Fragmentation", USENIX ATC 2023, but learned online). It is published in versions, so
that scores derived from it need not be derived again at every arrival.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Final

from scheduler.core.placement.shape import Shape

PARTS: Final = 1 << 16
"""A published mix adds up to about this."""
_ARRIVAL: Final = 1 << 8
"""What one arrival counts when it is fresh."""
_HALF_LIFE: Final = 1 << 14
"""Arrivals after which it counts half."""
_FIRST: Final = 32
"""Arrivals before the first version; each further one waits for half as many more."""
_REST: Final = 4096
"""Arrivals after which a version is published at the latest."""
_CONSTRAINED_MAX: Final = 16
"""The more there are, the less each matters and the more it costs to consider them all."""
_CONSTRAINED_SHAPES: Final = 4
"""Shapes by which the capacity for constrained work is measured."""


@dataclass(frozen=True, slots=True)
class TypicalShape:
    """One shape of a published mix and its part of `PARTS`."""

    shape: Shape
    parts: int


@dataclass(frozen=True, slots=True)
class ConstrainedDemand:
    """Expected work that can use certain cards only: by model, or by memory."""

    parts: int
    """Its part of `PARTS` of all compute that is asked for, at least 1."""
    arrivals: int
    """How many arrivals it was learned from."""
    mean_milli: int
    """Milli-GPUs of one replica, on average."""
    shapes: tuple[tuple[Shape, int], ...]
    """Shapes that ask for most of it, with their weights; all allow the same cards."""


class DemandMix:
    """Decayed counts of the shapes that arrived; `version` rises with what is published of them."""

    def __init__(self, coverage_pct: int = 100, shapes_max: int = 64) -> None:
        self.version = 0
        self.typical: tuple[TypicalShape, ...] = ()
        """The shapes with cards that count most, most frequent first, ties by first arrival."""
        self.constrained: tuple[ConstrainedDemand, ...] = ()
        """Demand that needs certain models or so much memory, the largest first."""
        self._coverage_pct = coverage_pct
        self._shapes_max = shapes_max
        self._counts: dict[Shape, int] = {}
        self._arrivals = 0
        self._publish_at = _FIRST

    def observe(self, shape: Shape) -> None:
        """Count one arrival."""
        self._counts[shape] = self._counts.get(shape, 0) + _ARRIVAL
        self._arrivals += 1
        if self._arrivals % _HALF_LIFE == 0:
            halved = {known: count // 2 for known, count in self._counts.items()}
            self._counts = {known: count for known, count in halved.items() if count}
        if self._arrivals >= self._publish_at:
            self._publish_at = self._arrivals + min(max(self._arrivals // 2, _FIRST), _REST)
            self.publish()

    def publish(self) -> None:
        """Make a version of what is known now, without waiting for more arrivals."""
        known = [(shape, count) for shape, count in self._counts.items() if shape.total_milli]
        known.sort(key=_weight)
        ranked = sorted(known[: self._shapes_max], key=lambda item: -item[1])
        wanted = sum(count for _, count in known) * self._coverage_pct
        kept: list[tuple[Shape, int]] = []
        covered = 0
        for shape, count in ranked:
            if covered * 100 >= wanted:
                break
            kept.append((shape, count))
            covered += count
        self.typical = tuple(
            TypicalShape(shape, max(count * PARTS // covered, 1)) for shape, count in kept
        )
        self.constrained = _constrained(known)
        self.version += 1


def _constrained(known: Sequence[tuple[Shape, int]]) -> tuple[ConstrainedDemand, ...]:
    by_cards: dict[tuple[object, ...], list[tuple[Shape, int]]] = defaultdict(list)
    for shape, count in known:
        chosen = (*_minima(shape), shape.models, shape.features)
        if any(chosen) and not shape.mig_profile:
            by_cards[chosen].append((shape, count))
    total = sum(shape.total_milli * count for shape, count in known)
    bounds = []
    for mine in by_cards.values():
        count = sum(count for _, count in mine)
        weights = sorted(
            ((shape, shape.total_milli * count) for shape, count in mine), key=lambda row: -row[1]
        )
        asked = sum(weight for _, weight in weights)
        parts = max(asked * PARTS // total, 1)
        bounds.append(
            ConstrainedDemand(
                parts, count // _ARRIVAL, asked // count, tuple(weights[:_CONSTRAINED_SHAPES])
            )
        )
    bounds.sort(key=lambda bound: -bound.parts)
    return tuple(bounds[:_CONSTRAINED_MAX])


def _minima(shape: Shape) -> tuple[int, int]:
    return shape.min_card_memory_mib, shape.min_bandwidth_gbps


def _weight(item: tuple[Shape, int]) -> int:
    """Order by weight, the greatest first: the arrivals of a shape times the root of its size."""
    shape, count = item
    return -count * isqrt(shape.total_milli << 10)
