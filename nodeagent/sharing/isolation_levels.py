"""Chooses the isolation of a share: the strongest available, or none with the reason; pure."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from wire.words import Isolation

LEVELS: Final = tuple(Isolation)
"""Strongest first, as declared in `wire.words`."""


class IsolationUnavailableError(Exception):
    """No mode of this card is as strong as required; the message is for people."""


@dataclass(frozen=True, slots=True)
class CardIsolation:
    """The isolation that one card can provide now."""

    uuid: str
    offered: Collection[Isolation]
    """As probed. A whole card is always available unless the card is divided by MIG."""
    in_use: Collection[Isolation] = ()
    """Modes of containers that share the card already: modes are never mixed on one card."""
    is_simulated: bool = False
    """A simulated card accepts every mode, and is labelled as simulated."""


def levels_at_least(required: Isolation | None) -> frozenset[Isolation]:
    """Return the modes that are at least as strong as `required`; all of them if that is None."""
    if required is None:
        return frozenset(LEVELS)
    return frozenset(LEVELS[: LEVELS.index(required) + 1])


def choose_isolation(
    card: CardIsolation, required: Isolation | None, *, is_whole: bool
) -> Isolation:
    """Return the mode for a share of the card.

    Raises:
        IsolationUnavailableError: all modes of the card are too weak, or would have to be mixed.
    """
    if is_whole:
        if Isolation.MIG in card.offered and Isolation.EXCLUSIVE not in card.offered:
            raise IsolationUnavailableError(f"{card.uuid} is cut in hardware, not a whole card")
        return Isolation.EXCLUSIVE
    if card.is_simulated:
        return _weakest_shared(required)
    supported = [
        mode for mode in LEVELS if mode in card.offered and mode is not Isolation.EXCLUSIVE
    ]
    acceptable = [mode for mode in supported if mode in levels_at_least(required)]
    if not acceptable:
        raise IsolationUnavailableError(_explain_too_weak(card.uuid, required, supported))
    compatible = [mode for mode in acceptable if not card.in_use or mode in card.in_use]
    if not compatible:
        present = ", ".join(sorted(card.in_use))
        raise IsolationUnavailableError(
            f"{card.uuid} is shared by {present}, which is not mixed with {acceptable[0]}"
        )
    return compatible[0]


def weakest_isolation(modes: Collection[Isolation]) -> Isolation | None:
    """Return the isolation of a container on several cards; None if it has no card."""
    return max(modes, key=LEVELS.index, default=None)


def _weakest_shared(required: Isolation | None) -> Isolation:
    return Isolation.CGROUP if required in (None, Isolation.EXCLUSIVE) else required


def _explain_too_weak(
    uuid: str, required: Isolation | None, supported: Collection[Isolation]
) -> str:
    present = ", ".join(supported) if supported else "nothing"
    return f"{uuid} enforces {present}; demanded is {required or 'any'} or stronger"
