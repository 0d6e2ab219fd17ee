"""The isolation levels between the tenants of one card, and whether a level is sufficient."""

from enum import StrEnum
from typing import Final


class IsolationLevel(StrEnum):
    """Strongest first; the same words as in `wire/facts.py`, which explains them."""

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

    None stands for a simulated card, or one of a model: it enforces any level. A whole card needs
    no isolation, unless its hardware is cut (MIG).
    """
    if offered is None:
        return True
    if not is_cut:
        return not offered or IsolationLevel.EXCLUSIVE in offered
    good = ISOLATION_LEVELS[1 : ISOLATION_LEVELS.index(weakest) + 1]
    return any(mode in offered for mode in good)
