"""How a card can be cut in hardware: from the names of partitions to their places; pure.

A card has memory slices in a row, eight on most models. Each profile covers a run of them and may
begin at certain ones only, so the order in which partitions are made decides whether all fit.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

SLICES: Final = 8
"""Memory slices of a card."""


class MigLayoutError(Exception):
    """The partitions do not fit on one card, or the card does not have such; words for people."""


@dataclass(frozen=True, slots=True)
class GpuInstanceProfile:
    """One kind of partition that a card can be cut into."""

    id: int
    name: str
    """Such as `1g.10gb`."""
    memory_mib: int
    compute: int
    """Of how many compute slices it consists."""
    size: int
    """Memory slices that it covers."""
    starts: tuple[int, ...]
    """Where it may begin."""
    count_max: int
    """How many of them one card can have."""


@dataclass(frozen=True, slots=True)
class PlacedInstance:
    """One partition at its place."""

    profile: GpuInstanceProfile
    start: int

    @property
    def covers(self) -> frozenset[int]:
        """The memory slices that it takes."""
        return frozenset(range(self.start, self.start + self.profile.size))


@dataclass(frozen=True, slots=True)
class MigLayout:
    """A whole card, cut: what a preview shows and what is made."""

    placed: tuple[PlacedInstance, ...]
    """In the order of their places."""

    @property
    def memory_mib(self) -> int:
        """What tenants get in all."""
        return sum(item.profile.memory_mib for item in self.placed)

    @property
    def unused(self) -> tuple[int, ...]:
        """Memory slices that no partition covers."""
        taken = frozenset().union(*(item.covers for item in self.placed))
        return tuple(sorted(frozenset(range(SLICES)) - taken))

    def describe(self) -> tuple[str, ...]:
        """Return one line per partition, and what is left over."""
        lines = [
            f"slices {item.start}-{item.start + item.profile.size - 1}: {item.profile.name}, "
            f"{item.profile.memory_mib} MiB"
            for item in self.placed
        ]
        if self.unused:
            lines.append("unused slices: " + ", ".join(map(str, self.unused)))
        return tuple(lines)


def estimate_size(memory_mib: int, total_mib: int) -> int:
    """Return how many memory slices a profile covers, for a preview of a card that is not cut yet."""
    return max(1, -(-memory_mib * SLICES // max(1, total_mib)))


def plan_layout(profiles: Iterable[GpuInstanceProfile], wanted: Sequence[str]) -> MigLayout:
    """Return places for all wanted partitions; an empty wish is a card that is not cut.

    Raises:
        LayoutError: a profile is unknown, or they do not fit together.
    """
    known = {item.name: item for item in profiles}
    unknown = sorted(set(wanted) - known.keys())
    if unknown:
        there = ", ".join(sorted(known)) or "none: it has no MIG"
        raise MigLayoutError(f"no profile {', '.join(unknown)} on this card; there are {there}")
    for name in set(wanted):
        if wanted.count(name) > known[name].count_max:
            raise MigLayoutError(f"a card has at most {known[name].count_max} × {name}")
    # The widest first: they have the fewest places to begin.
    asked = sorted((known[name] for name in wanted), key=lambda item: (-item.size, item.name))
    places = _placed(asked, frozenset())
    if places is None:
        raise MigLayoutError(f"{' + '.join(wanted)} do not fit on one card together")
    return MigLayout(tuple(sorted(places, key=lambda item: item.start)))


def _placed(
    asked: Sequence[GpuInstanceProfile], taken: frozenset[int]
) -> tuple[PlacedInstance, ...] | None:
    """Try every place of the first one, from the right: that keeps room for wider ones."""
    if not asked:
        return ()
    for start in sorted(asked[0].starts, reverse=True):
        here = PlacedInstance(asked[0], start)
        if here.covers & taken:
            continue
        rest = _placed(asked[1:], taken | here.covers)
        if rest is not None:
            return (here, *rest)
    return None
