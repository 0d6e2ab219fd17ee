"""What NVML says of the ways to cut a card in hardware: the profiles, and where each may begin."""

import ctypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from wire.facts import MigProfile

PROFILES_MAX: Final = 18
REPORTED_MAX: Final = 16
"""Profiles of one card that a message holds; no card has more."""
PREFIX: Final = "MIG "
"""Before the names of profiles in the library's answers."""


def list_profile_infos(nvml: Any, card: Any) -> Iterator[Any]:
    """Yield the library's own words about each profile of a card, switched to MIG or not."""
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
    """Return where a profile may begin, and how many slices it covers there.

    A card names the places only while it is switched to MIG.
    """
    count = ctypes.c_uint(0)
    nvml.nvmlDeviceGetGpuInstancePossiblePlacements(card, profile, None, ctypes.byref(count))
    found = (nvml.c_nvmlGpuInstancePlacement_t * max(1, count.value))()
    nvml.nvmlDeviceGetGpuInstancePossiblePlacements(card, profile, found, ctypes.byref(count))
    return {item.start: item.size for item in found[: count.value]}


def list_offered_profiles(nvml: Any, card: Any) -> tuple[MigProfile, ...]:
    """Return what can be cut of a card that is switched to MIG."""
    found = []
    for info in list_profile_infos(nvml, card):
        name, places = profile_name(info), list_placements(nvml, card, info.id)
        if places:
            found.append(
                MigProfile(
                    name=name,
                    memory_mib=info.memorySizeMB,
                    compute=info.sliceCount,
                    size=next(iter(places.values())),
                    starts=disjoint_starts(places, info.instanceCount)
                    if has_attribute(name)
                    else tuple(sorted(places)),
                )
            )
    return tuple(found[:REPORTED_MAX])


def has_attribute(name: str) -> bool:
    """Tell whether a profile is more than a run of slices: `1g.10gb+me`, `1g.24gb+gfx`, `1g.24gb-me`."""
    return "+" in name or "-" in name


def disjoint_starts(places: Mapping[int, int], count_max: int) -> tuple[int, ...]:
    """Return the last places at which so many partitions can lie beside each other.

    Engines for video and graphics are fewer than slices, and every profile that has them may begin
    anywhere. At the end of the card alone, as many fit as there are engines, by their places only.
    """
    chosen: list[int] = []
    for start in sorted(places, reverse=True):
        is_free = not chosen or start + places[start] <= chosen[-1]
        if is_free and len(chosen) < count_max:
            chosen.append(start)
    return tuple(reversed(chosen))


@dataclass(frozen=True, slots=True)
class MigCapabilities:
    """The ways to cut one card."""

    names: Mapping[int, str] = field(default_factory=dict)
    """Of the profiles, by their numbers."""
    offered: tuple[MigProfile, ...] = ()


class MigCapabilityCache:
    """What each card can be cut into, asked once: only a driver that is loaded anew changes it."""

    def __init__(self) -> None:
        self._known: dict[str, MigCapabilities] = {}

    def lookup(self, nvml: Any, uuid: str, card: Any) -> MigCapabilities:
        """Return the ways of a card that is switched to MIG; raises NVMLError."""
        if uuid not in self._known:
            names = {info.id: profile_name(info) for info in list_profile_infos(nvml, card)}
            self._known[uuid] = MigCapabilities(names, list_offered_profiles(nvml, card))
        return self._known[uuid]

    def forget(self) -> None:
        """Ask all cards anew."""
        self._known.clear()
