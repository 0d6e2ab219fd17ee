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

    @property
    def features(self) -> frozenset[str]:
        """What its model can do."""

    @property
    def bandwidth_gbps(self) -> int:
        """Memory bandwidth of its model in gigabytes per second; 0 where it is not known."""


class CardKind(NamedTuple):
    """Cards that are equal for every request."""

    model: str
    memory_mib: int
    mig_profiles: MigProfiles = ()
    features: frozenset[str] = frozenset()
    bandwidth_gbps: int = 0


def kind_of(card: Card) -> CardKind:
    """Return the kind of a card."""
    return CardKind(
        card.model, card.memory_mib, card.mig_profiles, card.features, card.bandwidth_gbps
    )


def is_card_suitable(card: Card, request: Request) -> bool:
    """Return whether the request accepts the card: MIG profiles, model, memory, features, bandwidth."""
    if request.mig_profile or card.mig_profiles:
        profile = find_profile(card.mig_profiles, request.mig_profile)
        if profile is None or profile.size != request.slices:
            return False
    return is_chosen(card, request) and is_memory_suitable(card.memory_mib, request)


def is_chosen(card: Card, request: Request) -> bool:
    """Return whether the request chooses the card: model, least memory, features and bandwidth."""
    return (
        (not request.gpu_models or card.model in request.gpu_models)
        and request.gpu_memory_min_mib <= card.memory_mib
        and request.gpu_features <= card.features
        and request.gpu_bandwidth_min_gbps <= card.bandwidth_gbps
    )


def describe_choice(request: Request) -> str:
    """Return what the request chooses cards by, in words that need no translation."""
    found = [", ".join(sorted(request.gpu_models)), *sorted(request.gpu_features)]
    if request.gpu_memory_min_mib:
        found.append(f"≥ {request.gpu_memory_min_mib} MiB")
    if request.gpu_bandwidth_min_gbps:
        found.append(f"≥ {request.gpu_bandwidth_min_gbps} GB/s")
    return " + ".join(filter(None, found))


def is_memory_suitable(memory_mib: int, request: Request) -> bool:
    """Return whether a card with so much memory is neither too small nor too large."""
    most = request.max_card_memory_mib
    return request.gpu_memory_min_mib <= memory_mib and (not most or memory_mib <= most)


def device_memory_mib(card: Card, request: Request) -> int:
    """Return the memory of one device that the request gets on such a card: a card, a MIG instance."""
    if request.mig_profile:
        profile = find_profile(card.mig_profiles, request.mig_profile)
        return profile.memory_mib if profile else 0
    return card.memory_mib
