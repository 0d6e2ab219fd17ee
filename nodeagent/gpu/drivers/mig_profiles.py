"""Reads from NVML into which MIG instances a card can be divided: profiles and placements."""

import ctypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from wire.facts import MigProfile

PROFILES_MAX: Final = 18
REPORTED_MAX: Final = 16
"""Maximum number of profiles per card in a message; no card has more."""
PREFIX: Final = "MIG "
"""Prefix of profile names in NVML's answers."""


def list_profile_infos(nvml: Any, card: Any) -> Iterator[Any]:
    """Yield NVML's information on each profile of a card, whether or not MIG is enabled."""
    for index in range(PROFILES_MAX):
        try:
            yield nvml.nvmlDeviceGetGpuInstanceProfileInfo(card, index)
        except nvml.NVMLError:
            continue


def profile_name(info: Any) -> str:
    """Return the name of a profile, such as `1g.10gb`."""
    name = info.name
    return (name.decode("ascii", "replace") if isinstance(name, bytes) else str(name)).removeprefix(
        PREFIX
    )


def list_placements(nvml: Any, card: Any, profile: int) -> Mapping[int, int]:
    """Return the possible placements of a profile: start slice → number of slices.

    A card reports placements only while MIG is enabled.
    """
    count = ctypes.c_uint(0)
    nvml.nvmlDeviceGetGpuInstancePossiblePlacements(card, profile, None, ctypes.byref(count))
    found = (nvml.c_nvmlGpuInstancePlacement_t * max(1, count.value))()
    nvml.nvmlDeviceGetGpuInstancePossiblePlacements(card, profile, found, ctypes.byref(count))
    return {item.start: item.size for item in found[: count.value]}


def list_offered_profiles(nvml: Any, card: Any) -> tuple[MigProfile, ...]:
    """Return the profiles of a card with MIG enabled."""
    found = []
    for info in list_profile_infos(nvml, card):
        name, placements = profile_name(info), list_placements(nvml, card, info.id)
        if placements:
            found.append(
                MigProfile(
                    name=name,
                    memory_mib=info.memorySizeMB,
                    compute=info.sliceCount,
                    size=next(iter(placements.values())),
                    starts=disjoint_starts(placements, info.instanceCount)
                    if has_attribute(name)
                    else tuple(sorted(placements)),
                )
            )
    return tuple(found[:REPORTED_MAX])


def has_attribute(name: str) -> bool:
    """Return whether a profile has an attribute: `1g.10gb+me`, `1g.24gb+gfx`, `1g.24gb-me`."""
    return "+" in name or "-" in name


def disjoint_starts(placements: Mapping[int, int], count_max: int) -> tuple[int, ...]:
    """Return the last start slices at which this many instances can lie beside each other.

    There are fewer video and graphics engines than slices, but a profile that has them may start
    anywhere. If only the last placements are offered, the number of instances that fit equals the
    number of engines.
    """
    chosen: list[int] = []
    for start in sorted(placements, reverse=True):
        is_free = not chosen or start + placements[start] <= chosen[-1]
        if is_free and len(chosen) < count_max:
            chosen.append(start)
    return tuple(reversed(chosen))


@dataclass(frozen=True, slots=True)
class MigCapabilities:
    """The profiles of one card."""

    names: Mapping[int, str] = field(default_factory=dict)
    """Profile names by profile ID."""
    offered: tuple[MigProfile, ...] = ()


class MigCapabilityCache:
    """Caches the profiles of each card, which change only when the driver is reloaded."""

    def __init__(self) -> None:
        self._known: dict[str, MigCapabilities] = {}

    def lookup(self, nvml: Any, uuid: str, card: Any) -> MigCapabilities:
        """Return the profiles of a card with MIG enabled; raises NVMLError."""
        if uuid not in self._known:
            names = {info.id: profile_name(info) for info in list_profile_infos(nvml, card)}
            self._known[uuid] = MigCapabilities(names, list_offered_profiles(nvml, card))
        return self._known[uuid]

    def forget(self) -> None:
        """Clear the cache."""
        self._known.clear()
