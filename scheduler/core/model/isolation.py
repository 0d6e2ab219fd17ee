"""What keeps the tenants of one card apart, and what a pool accepts of it."""

from enum import StrEnum
from typing import Final


class IsolationLevel(StrEnum):
    """Strongest first; the words of the wire, where they are explained."""

    EXCLUSIVE = "exclusive"
    MIG = "mig"
    CGROUP = "cgroup"
    HAMI = "hami"
    MPS = "mps"
    TIMESLICE = "timeslice"


ISOLATION_LEVELS: Final = tuple(IsolationLevel)
SHARED_ISOLATION_LEVELS: Final = ISOLATION_LEVELS[1:]
"""What a pool of shared cards can ask for."""


def is_isolation_sufficient(
    offered: frozenset[IsolationLevel] | None, weakest: IsolationLevel, *, is_cut: bool
) -> bool:
    """Return whether a card may take work of a pool that accepts `weakest` and anything stronger.

    A card that nobody has asked (None) is simulated, or part of a model: it enforces anything. A
    whole card needs nothing, unless its hardware is cut.
    """
    if offered is None:
        return True
    if not is_cut:
        return not offered or IsolationLevel.EXCLUSIVE in offered
    good = ISOLATION_LEVELS[1 : ISOLATION_LEVELS.index(weakest) + 1]
    return any(mode in offered for mode in good)
