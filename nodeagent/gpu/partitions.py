"""What NVML says of the ways to cut a card in hardware: the profiles, and where each may begin."""

import ctypes
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wire.facts import MigProfile

PROFILES_MAX: Final = 18
PREFIX: Final = "MIG "
"""Before the names of profiles in the library's answers."""


def told_profiles(nvml: Any, card: Any) -> Iterator[Any]:
    """Yield the library's own words about each profile of a card, switched to MIG or not."""
    for index in range(PROFILES_MAX):
        try:
            yield nvml.nvmlDeviceGetGpuInstanceProfileInfo(card, index)
        except nvml.NVMLError:
            continue


def name_of(info: Any) -> str:
    """Return the name of a profile, such as `1g.10gb`."""
    name = info.name
    return (name.decode("ascii", "replace") if isinstance(name, bytes) else str(name)).removeprefix(
        PREFIX
    )


def places_of(nvml: Any, card: Any, profile: int) -> Mapping[int, int]:
    """Return where a profile may begin, and how many slices it covers there.

    A card names the places only while it is switched to MIG.
    """
    count = ctypes.c_uint(0)
    nvml.nvmlDeviceGetGpuInstancePossiblePlacements(card, profile, None, ctypes.byref(count))
    found = (nvml.c_nvmlGpuInstancePlacement_t * max(1, count.value))()
    nvml.nvmlDeviceGetGpuInstancePossiblePlacements(card, profile, found, ctypes.byref(count))
    return {item.start: item.size for item in found[: count.value]}


def offered(nvml: Any, card: Any) -> tuple[MigProfile, ...]:
    """Return what can be cut of a card that is switched to MIG.

    Profiles with extras of which a card has only one (`+me`, `+gfx`) are left to administrators.
    """
    found = []
    for info in told_profiles(nvml, card):
        name = name_of(info)
        places = {} if "+" in name else places_of(nvml, card, info.id)
        if places:
            found.append(
                MigProfile(
                    name=name,
                    memory_mib=info.memorySizeMB,
                    compute=info.sliceCount,
                    size=next(iter(places.values())),
                    starts=tuple(sorted(places)),
                )
            )
    return tuple(found)
