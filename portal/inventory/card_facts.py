"""Stored properties of cards in the terms of the scheduler; pure functions."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from scheduler.core.model.isolation import IsolationLevel
from scheduler.core.model.mig import MigProfiles, MigProfileSpec

MISSING: Final = "gpu_missing"
"""Fault of a lost card that its node does not list any more."""
REMOVED: Final = "gpu_removed"
"""Fault of a card that was taken out of a drained node; any other that is gone is lost and keeps its place."""
IN_PLACE: Final = f"NOT (card.state = 'gone' AND card.fault = '{REMOVED}')"
"""SQL condition: `card` is installed or lost, and so is shown and counted."""


def enforced_isolation(
    reported: Iterable[str], *, is_simulated: bool
) -> frozenset[IsolationLevel] | None:
    """Return the isolation modes that a card enforces; None, of a simulated card, is any.

    Modes of a newer agent that this version does not support are left out.
    """
    if is_simulated:
        return None
    return frozenset(mode for mode in IsolationLevel if mode.value in reported)


def parse_mig_profiles(stored: Iterable[Mapping[str, Any]]) -> MigProfiles:
    """Return the MIG profiles that a card can be cut into."""
    return tuple(
        MigProfileSpec(
            name=item["name"],
            memory_mib=item["memory_mib"],
            compute=item["compute"],
            size=item["size"],
            starts=tuple(item["starts"]),
        )
        for item in stored
    )


def usable_gpu_memory_mib(memory_mib: int, slices: int, slice_mib: int) -> int:
    """Return the memory that work has which holds the whole card.

    A card that is not divided keeps a reserve back, which its only slice leaves out.
    """
    return slice_mib if slices == 1 else memory_mib
