"""How a pool cuts its cards into slices, and which settings of a pool go together; pure functions."""

from dataclasses import dataclass
from typing import Final

from portal.common.errors import InvalidError
from portal.inventory.models import Pool

SLICES_BY_MODE: Final = {
    Pool.Mode.EXCLUSIVE.value: (1,),
    Pool.Mode.SHARED.value: (1, 2, 4, 5, 8, 10),
    Pool.Mode.MIG.value: (4, 8),
}
"""Into how many slices each mode may cut; a shared card in one slice is shared in fractions of any size."""
SLICES_PER_CARD_MAX: Final = max(
    number for numbers in SLICES_BY_MODE.values() for number in numbers
)
"""Slices of one card, in any pool; work that requests slices gets those of one card."""
OVERCOMMIT_PCT_MAX: Final = 1000
"""Percent of its processors that a node may promise."""
TIME_LIMIT_S: Final = (60, 366 * 24 * 3600)
"""Least and most time that work may be allowed to run."""


@dataclass(frozen=True, slots=True)
class CardCut:
    """How one card is cut."""

    mode: str
    slices: int
    slice_mib: int
    """Memory of one slice; of the whole card when there is one."""


def cut_card(pool: Pool, memory_mib: int, reserve_mib: int = 0) -> CardCut | None:
    """Return how a pool cuts a card of this memory; None if the card is too small."""
    usable_mib = memory_mib - reserve_mib
    if pool.slices_per_card * pool.slice_mib > usable_mib or usable_mib < 0:
        return None
    slice_mib = pool.slice_mib if pool.slices_per_card > 1 else usable_mib
    return CardCut(pool.mode, pool.slices_per_card, slice_mib)


def leave_uncut(memory_mib: int, reserve_mib: int = 0) -> CardCut:
    """Return the cut of a card that is too small for its pool: one slice."""
    return CardCut(Pool.Mode.EXCLUSIVE.value, 1, max(0, memory_mib - reserve_mib))


def has_same_cut(one: Pool, other: Pool) -> bool:
    """Return whether two pools cut their cards in the same way."""
    return (one.mode, one.slices_per_card, one.slice_mib) == (
        *(other.mode, other.slices_per_card, other.slice_mib),
    )


def require_valid_pool(pool: Pool) -> None:
    """Check that mode, slices and time limits of a pool go together.

    Raises:
        InvalidError: they do not.
    """
    offered = SLICES_BY_MODE[pool.mode]
    if pool.slices_per_card not in offered:
        numbers = ", ".join(map(str, offered))
        raise InvalidError(
            "pool_cut_unknown", pointer="/slices_per_card", mode=pool.mode, offered=numbers
        )
    if pool.slices_per_card > 1 and not pool.slice_mib:
        raise InvalidError("slice_needs_memory", pointer="/slice_mib")
    if pool.slices_per_card == 1 and pool.slice_mib:
        raise InvalidError("slice_without_cut", pointer="/slice_mib")
    if pool.default_time_limit_s > pool.time_limit_s_max:
        most = pool.time_limit_s_max
        raise InvalidError("default_above_longest", pointer="/default_time_limit_s", max=most)
