"""MIG geometry: where an instance of a profile may begin on a card, and where it best begins; pure.

A card has up to eight memory slices in a row. A profile covers consecutive slices and may begin at
certain ones only (NVIDIA: placements), so an instance in the wrong place can leave slices that no
profile can use. Of the free placements the one is chosen that leaves most: the slices that each
profile could still use, added up over all profiles of the card. Instances that do not overlap never
need more compute slices than the card has, because a profile never has more compute slices than
memory slices, and the last memory slice has no compute slice of its own.

Free slices are a bit mask: bit `n` is memory slice `n`. There are at most 256 masks, so all answers
about a profile are computed once and then looked up.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

MEMORY_SLICES_MAX: Final = 8
"""Memory slices of a card under MIG."""
COMPUTE_SLICES: Final = 7
"""Compute slices of a card with eight memory slices; a card with four has four."""


@dataclass(frozen=True, slots=True)
class MigProfileSpec:
    """One MIG profile of a model of cards."""

    name: str
    """Such as `1g.10gb`."""
    memory_mib: int
    compute: int
    """Compute slices."""
    size: int
    """Memory slices that it covers."""
    starts: tuple[int, ...]
    """Where it may begin."""

    @property
    def runs(self) -> tuple[int, ...]:
        """The slices that it covers, one mask for each place."""
        return tuple(((1 << self.size) - 1) << start for start in self.starts)


MigProfiles = tuple[MigProfileSpec, ...]
"""All profiles of a card."""


@dataclass(frozen=True, slots=True)
class MigPlacements:
    """The answers for one profile, by the mask of free slices (arrays of 256)."""

    counts: NDArray[np.int64]
    """How many instances of it fit."""
    start: NDArray[np.int64]
    """Where the next one best begins; -1 where none fits."""
    loss: NDArray[np.int64]
    """How many usable slices that costs, over all profiles."""


def slot_mask(slots: Iterable[int]) -> int:
    """Return the mask of these slices."""
    return sum(1 << slot for slot in slots)


def find_profile(profiles: MigProfiles, name: str) -> MigProfileSpec | None:
    """Return the profile of this name, if the card has it."""
    return next((profile for profile in profiles if profile.name == name), None)


def count_instances(profile: MigProfileSpec, free: int) -> int:
    """Return how many instances of one profile fit; taking the leftmost first is never worse."""
    found = 0
    for run in sorted(profile.runs):
        if free & run == run:
            free &= ~run
            found += 1
    return found


def count_usable_slices(profiles: MigProfiles, free: int) -> int:
    """Return the slices that each profile could use, added up over the profiles."""
    return sum(count_instances(profile, free) * profile.size for profile in profiles)


@lru_cache(maxsize=256)
def placements_of_profile(profiles: MigProfiles, name: str) -> MigPlacements | None:
    """Return the answers for a profile of such cards; None if they do not have it."""
    profile = find_profile(profiles, name)
    if profile is None:
        return None
    masks = range(1 << MEMORY_SLICES_MAX)
    total = [count_usable_slices(profiles, free) for free in masks]
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
    counts = [count_instances(profile, free) for free in masks]
    return MigPlacements(
        np.array(counts, np.int64), np.array(start, np.int64), np.array(loss, np.int64)
    )


def count_fitting(profiles: MigProfiles, name: str, free: Iterable[int]) -> int:
    """Return how many instances of a profile fit into the free slices of such a card."""
    known = placements_of_profile(profiles, name)
    return 0 if known is None else int(known.counts[slot_mask(free)])


def choose_slots(profiles: MigProfiles, name: str, free: Iterable[int]) -> tuple[int, ...]:
    """Return the slices for the next instance of a profile; none where none fits."""
    known, profile = placements_of_profile(profiles, name), find_profile(profiles, name)
    if known is None or profile is None:
        return ()
    start = int(known.start[slot_mask(free)])
    return () if start < 0 else tuple(range(start, start + profile.size))


def is_legal_placement(profiles: MigProfiles, name: str, slots: Iterable[int]) -> bool:
    """Return whether an instance of the profile may cover exactly these slices."""
    profile = find_profile(profiles, name)
    return profile is not None and slot_mask(set(slots)) in profile.runs


def find_smallest_profile(
    profiles: Iterable[MigProfileSpec],
    *,
    slices: int = 0,
    milli: int = 0,
    mib: int = 0,
    of: int = COMPUTE_SLICES,
) -> MigProfileSpec | None:
    """Return the smallest profile with so many slices, thousandths of compute and MiB.

    `of` is how many compute slices a whole card has.
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
