"""Which isolation a share of a card gets: the strongest there is, or none and the reason; pure."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from wire.words import Isolation

LEVELS: Final = tuple(Isolation)
"""Strongest first, as the wire declares them."""


class IsolationUnavailableError(Exception):
    """No mode of this card is as strong as what was demanded; the words are for people."""


@dataclass(frozen=True, slots=True)
class CardIsolation:
    """What one card can do now."""

    uuid: str
    offered: Collection[Isolation]
    """As probed. A whole card needs no offer, unless it is cut in hardware."""
    in_use: Collection[Isolation] = ()
    """Modes of the containers that share it already: two never mix on one card."""
    is_simulated: bool = False
    """It stands for any card, so it enforces whatever is asked of it, and says that it is no card."""


def levels_at_least(required: Isolation | None) -> frozenset[Isolation]:
    """Return the modes that will do where `demanded` is the weakest; without one, all of them."""
    if required is None:
        return frozenset(LEVELS)
    return frozenset(LEVELS[: LEVELS.index(required) + 1])


def choose_isolation(
    card: CardIsolation, required: Isolation | None, *, is_whole: bool
) -> Isolation:
    """Return the mode that a share of the card gets.

    Raises:
        IsolationUnavailableError: every mode of the card is weaker, or would have to be mixed.
    """
    if is_whole:
        if Isolation.MIG in card.offered and Isolation.EXCLUSIVE not in card.offered:
            raise IsolationUnavailableError(f"{card.uuid} is cut in hardware, not a whole card")
        return Isolation.EXCLUSIVE
    if card.is_simulated:
        return _weakest_shared(required)
    able = [mode for mode in LEVELS if mode in card.offered and mode is not Isolation.EXCLUSIVE]
    good = [mode for mode in able if mode in levels_at_least(required)]
    if not good:
        raise IsolationUnavailableError(_weaker(card.uuid, required, able))
    compatible = [mode for mode in good if not card.in_use or mode in card.in_use]
    if not compatible:
        there = ", ".join(sorted(card.in_use))
        raise IsolationUnavailableError(
            f"{card.uuid} is shared by {there}, which is not mixed with {good[0]}"
        )
    return compatible[0]


def weakest_isolation(modes: Collection[Isolation]) -> Isolation | None:
    """Return what a container on several cards can count on; None when it has none."""
    return max(modes, key=LEVELS.index, default=None)


def _weakest_shared(required: Isolation | None) -> Isolation:
    return Isolation.CGROUP if required in (None, Isolation.EXCLUSIVE) else required


def _weaker(uuid: str, required: Isolation | None, able: Collection[Isolation]) -> str:
    there = ", ".join(able) if able else "nothing"
    return f"{uuid} enforces {there}; demanded is {required or 'any'} or stronger"
