"""What is stored of a card, in the terms of the scheduler; pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from scheduler.core.isolation import Isolation
from scheduler.core.partitions import Profile, Profiles


def enforced_isolation(
    reported: Iterable[str], *, is_simulated: bool
) -> frozenset[Isolation] | None:
    """Return the isolation modes that a card enforces; None, of a simulated card, is any.

    Modes of a newer agent that this version does not know are left out.
    """
    if is_simulated:
        return None
    return frozenset(mode for mode in Isolation if mode.value in reported)


def parse_mig_profiles(stored: Iterable[Mapping[str, Any]]) -> Profiles:
    """Return the MIG profiles that a card can be cut into."""
    return tuple(
        Profile(
            name=item["name"],
            memory_mib=item["memory_mib"],
            compute=item["compute"],
            size=item["size"],
            starts=tuple(item["starts"]),
        )
        for item in stored
    )
