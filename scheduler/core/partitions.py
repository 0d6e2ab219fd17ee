"""How a card is cut in hardware (MIG): where a partition may begin, and where it had best begin; pure.

A card has up to eight memory slices in a row. A profile covers a run of them and may begin at
certain ones only, so one partition in the wrong place can leave room that nobody can use. Of the
places that are open, the one is taken that leaves most: the slices that each profile could still
use, added up over all profiles of the card. On the cards that there are, runs that do not overlap
never have more processors than the card, because a profile never has more processor slices than
memory slices and the last memory slice has none of its own.

Free slices are a bit mask: bit `n` is memory slice `n`. There are at most 256 of them, so all
answers about a profile are worked out once and then looked up.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

MIG_SLICES_MAX: Final = 8
"""Memory slices of a card under MIG."""
COMPUTE: Final = 7
"""Processor slices of a card that has eight memory slices; four where it has four."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of partition that a card can be cut into."""

    name: str
    """Such as `1g.10gb`."""
    memory_mib: int
    compute: int
    """Processor slices."""
    size: int
    """Memory slices that it covers."""
    starts: tuple[int, ...]
    """Where it may begin."""

    @property
    def runs(self) -> tuple[int, ...]:
        """The slices that it covers, one mask for each place."""
        return tuple(((1 << self.size) - 1) << start for start in self.starts)


Profiles = tuple[Profile, ...]
"""Everything that a card can be cut into."""


@dataclass(frozen=True, slots=True)
class Places:
    """What is known of one profile, by the mask of free slices (arrays of 256)."""

    counts: NDArray[np.int64]
    """How many partitions of it fit."""
    start: NDArray[np.int64]
    """Where the next one had best begin; -1 where none fits."""
    loss: NDArray[np.int64]
    """What that takes from what the card can be used for, in slices over all profiles."""


def mask_of(slots: Iterable[int]) -> int:
    """Return the mask of these slices."""
    return sum(1 << slot for slot in slots)


def named(profiles: Profiles, name: str) -> Profile | None:
    """Return the profile of this name, if the card has it."""
    return next((profile for profile in profiles if profile.name == name), None)


def count(profile: Profile, free: int) -> int:
    """Return how many partitions of one profile fit: the leftmost first, which is never worse."""
    found = 0
    for run in sorted(profile.runs):
        if free & run == run:
            free &= ~run
            found += 1
    return found


def usable(profiles: Profiles, free: int) -> int:
    """Return the slices that each profile could use, added up over the profiles."""
    return sum(count(profile, free) * profile.size for profile in profiles)


@lru_cache(maxsize=256)
def places(profiles: Profiles, name: str) -> Places | None:
    """Return what is known of a profile of such cards; None where they do not have it."""
    profile = named(profiles, name)
    if profile is None:
        return None
    masks = range(1 << MIG_SLICES_MAX)
    total = [usable(profiles, free) for free in masks]
    start, loss = [-1] * len(masks), [0] * len(masks)
    for free in masks:
        best = min(
            (
                (total[free] - total[free & ~run], -begin)
                for begin, run in zip(profile.starts, profile.runs, strict=True)
                if free & run == run
            ),
            default=None,
        )
        if best is not None:
            loss[free], start[free] = best[0], -best[1]
    counts = [count(profile, free) for free in masks]
    return Places(np.array(counts, np.int64), np.array(start, np.int64), np.array(loss, np.int64))


def fit(profiles: Profiles, name: str, free: Iterable[int]) -> int:
    """Return how many partitions of a profile fit into the free slices of such a card."""
    known = places(profiles, name)
    return 0 if known is None else int(known.counts[mask_of(free)])


def run(profiles: Profiles, name: str, free: Iterable[int]) -> tuple[int, ...]:
    """Return the slices for the next partition of a profile; none where none fits."""
    known, profile = places(profiles, name), named(profiles, name)
    if known is None or profile is None:
        return ()
    start = int(known.start[mask_of(free)])
    return () if start < 0 else tuple(range(start, start + profile.size))


def is_legal(profiles: Profiles, name: str, slots: Iterable[int]) -> bool:
    """Tell whether a partition of the profile may cover just these slices."""
    profile = named(profiles, name)
    return profile is not None and mask_of(set(slots)) in profile.runs


def smallest(
    profiles: Iterable[Profile], *, slices: int = 0, milli: int = 0, mib: int = 0, of: int = COMPUTE
) -> Profile | None:
    """Return the smallest profile with so many slices, thousandths of processors and MiB.

    `of` is how many processor slices a whole card has.
    """
    good = [
        profile
        for profile in profiles
        if profile.size >= slices
        and profile.compute * 1000 >= milli * of
        and profile.memory_mib >= mib
    ]
    return min(
        good, key=lambda profile: (profile.size, profile.compute, profile.name), default=None
    )
