"""Plans the placement of MIG instances on a card from the names of their profiles; pure.

A card has memory slices in a row, eight on most models. A profile covers a run of them and may
start at certain slices only, so the order of placement decides whether all instances fit.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

SLICES: Final = 8
"""Memory slices of a card."""


class MigLayoutError(Exception):
    """The instances do not fit on one card, or a profile does not exist; the message is for people."""


@dataclass(frozen=True, slots=True)
class GpuInstanceProfile:
    """A GPU instance profile of a card."""

    id: int
    name: str
    """Such as `1g.10gb`."""
    memory_mib: int
    compute: int
    """Number of compute slices."""
    size: int
    """Number of memory slices."""
    starts: tuple[int, ...]
    """Slices at which it may start."""
    count_max: int
    """Maximum number of instances on one card."""


@dataclass(frozen=True, slots=True)
class PlacedInstance:
    """An instance at its placement."""

    profile: GpuInstanceProfile
    start: int

    @property
    def covers(self) -> frozenset[int]:
        """The memory slices that it covers."""
        return frozenset(range(self.start, self.start + self.profile.size))


@dataclass(frozen=True, slots=True)
class MigLayout:
    """All instances of a card: what a preview shows and what is created."""

    placed: tuple[PlacedInstance, ...]
    """In the order of their placement."""

    @property
    def memory_mib(self) -> int:
        """The total memory of the instances."""
        return sum(item.profile.memory_mib for item in self.placed)

    @property
    def unused(self) -> tuple[int, ...]:
        """Memory slices that no instance covers."""
        taken = frozenset().union(*(item.covers for item in self.placed))
        return tuple(sorted(frozenset(range(SLICES)) - taken))

    def describe(self) -> tuple[str, ...]:
        """Return one line per instance, and one for the unused slices."""
        lines = [
            f"slices {item.start}-{item.start + item.profile.size - 1}: {item.profile.name}, "
            f"{item.profile.memory_mib} MiB"
            for item in self.placed
        ]
        if self.unused:
            lines.append("unused slices: " + ", ".join(map(str, self.unused)))
        return tuple(lines)


def estimate_size(memory_mib: int, total_mib: int) -> int:
    """Estimate how many memory slices a profile covers, for a preview while MIG is disabled."""
    return max(1, -(-memory_mib * SLICES // max(1, total_mib)))


def plan_layout(profiles: Iterable[GpuInstanceProfile], names: Sequence[str]) -> MigLayout:
    """Return placements for the named profiles; no names at all is an undivided card.

    Raises:
        MigLayoutError: a profile is unknown, or the instances do not fit together.
    """
    known = {item.name: item for item in profiles}
    unknown = sorted(set(names) - known.keys())
    if unknown:
        available = ", ".join(sorted(known)) or "none: it has no MIG"
        raise MigLayoutError(f"no profile {', '.join(unknown)} on this card; there are {available}")
    for name in set(names):
        if names.count(name) > known[name].count_max:
            raise MigLayoutError(f"a card has at most {known[name].count_max} × {name}")
    # The widest first, because they have the fewest placements.
    remaining = sorted((known[name] for name in names), key=lambda item: (-item.size, item.name))
    placed = _place_all(remaining, frozenset())
    if placed is None:
        raise MigLayoutError(f"{' + '.join(names)} do not fit on one card together")
    return MigLayout(tuple(sorted(placed, key=lambda item: item.start)))


def _place_all(
    remaining: Sequence[GpuInstanceProfile], taken: frozenset[int]
) -> tuple[PlacedInstance, ...] | None:
    """Try all placements of the first profile, last slice first, to leave space for wide ones."""
    if not remaining:
        return ()
    for start in sorted(remaining[0].starts, reverse=True):
        first = PlacedInstance(remaining[0], start)
        if first.covers & taken:
            continue
        rest = _place_all(remaining[1:], taken | first.covers)
        if rest is not None:
            return (first, *rest)
    return None
