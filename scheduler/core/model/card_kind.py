"""Kinds of cards: whether a request accepts one, and how much memory it gets on it; pure."""

from typing import NamedTuple, Protocol

from scheduler.core.model.entities import Request
from scheduler.core.model.mig import MigProfiles, find_profile


class Card(Protocol):
    """What the suitability of a card depends on."""

    @property
    def model(self) -> str:
        """Name of the model."""

    @property
    def memory_mib(self) -> int:
        """Memory that work may use."""

    @property
    def mig_profiles(self) -> MigProfiles:
        """MIG profiles; empty for a card that is not in MIG mode."""


class CardKind(NamedTuple):
    """Cards that are equal for every request."""

    model: str
    memory_mib: int
    mig_profiles: MigProfiles = ()


def is_card_suitable(card: Card, request: Request) -> bool:
    """Return whether the request accepts the card: its MIG profiles, model and memory."""
    if request.mig_profile or card.mig_profiles:
        profile = find_profile(card.mig_profiles, request.mig_profile)
        if profile is None or profile.size != request.slices:
            return False
    if request.models and card.model not in request.models:
        return False
    return is_memory_suitable(card.memory_mib, request)


def is_memory_suitable(memory_mib: int, request: Request) -> bool:
    """Return whether a card with so much memory is neither too small nor too large."""
    most = request.max_card_memory_mib
    return request.min_card_memory_mib <= memory_mib and (not most or memory_mib <= most)


def device_memory_mib(card: Card, request: Request) -> int:
    """Return the memory of one device that the request gets on such a card: a card, a MIG instance."""
    if request.mig_profile:
        profile = find_profile(card.mig_profiles, request.mig_profile)
        return profile.memory_mib if profile else 0
    return card.memory_mib
