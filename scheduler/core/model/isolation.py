"""What keeps the tenants of one card apart, and what a pool accepts of it."""

from enum import StrEnum
from typing import Final


class Isolation(StrEnum):
    """Strongest first; the words of the wire, where they are explained."""

    EXCLUSIVE = "exclusive"
    MIG = "mig"
    CGROUP = "cgroup"
    HAMI = "hami"
    MPS = "mps"
    TIMESLICE = "timeslice"


LADDER: Final = tuple(Isolation)
SHARED: Final = LADDER[1:]
"""What a pool of shared cards can ask for."""


def suffices(offered: frozenset[Isolation] | None, weakest: Isolation, *, is_cut: bool) -> bool:
    """Tell whether a card may take work of a pool that accepts `weakest` and anything stronger.

    A card that nobody has asked (None) is simulated, or part of a model: it enforces anything. A
    whole card needs nothing, unless its hardware is cut.
    """
    if offered is None:
        return True
    if not is_cut:
        return not offered or Isolation.EXCLUSIVE in offered
    good = LADDER[1 : LADDER.index(weakest) + 1]
    return any(mode in offered for mode in good)
