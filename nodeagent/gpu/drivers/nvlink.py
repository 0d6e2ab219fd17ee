"""Finds the cards of a node that are connected by NVLink, directly or through switches."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from nodeagent.gpu.drivers.nvidia_card import read_bus_id
from nodeagent.gpu.drivers.nvml import Nvml, query_optional

LINKS_MAX: Final = 36
SWITCH: Final = 2
_SWITCHES: Final = "switch"
"""All NVSwitches of a node form one fabric."""


def find_islands(nvml: Nvml, handles: Mapping[str, Any]) -> dict[str, int]:
    """Return the island of each card by UUID, numbered in the order of the cards.

    A card without links is an island of its own, so that no NVLink is promised; but if no card has
    links, all are on island 0.
    """
    buses = {uuid: read_bus_id(nvml, handle) for uuid, handle in handles.items()}
    ends = {uuid: _link_ends(nvml, handle) for uuid, handle in handles.items()}
    if not any(ends.values()):
        return dict.fromkeys(handles, 0)
    return _number_islands(list(handles), buses, ends)


def _link_ends(nvml: Nvml, handle: Any) -> frozenset[str]:
    """Return the remote ends of a card's active links."""
    found = set()
    for link in range(LINKS_MAX):
        active = query_optional(nvml, partial(nvml.nvmlDeviceGetNvLinkState, handle, link))
        if active is None:
            break
        if active:
            found.add(_link_end(nvml, handle, link))
    return frozenset(found - {""})


def _link_end(nvml: Nvml, handle: Any, link: int) -> str:
    if (
        query_optional(nvml, lambda: nvml.nvmlDeviceGetNvLinkRemoteDeviceType(handle, link))
        == SWITCH
    ):
        return _SWITCHES
    info = query_optional(nvml, lambda: nvml.nvmlDeviceGetNvLinkRemotePciInfo(handle, link))
    if info is None:
        return ""
    bus = info.busId
    return (bus.decode("ascii", "replace") if isinstance(bus, bytes) else bus).lower()


def _number_islands(
    order: Sequence[str], buses: Mapping[str, str], ends: Mapping[str, frozenset[str]]
) -> dict[str, int]:
    found: dict[str, int] = {}
    for uuid in order:
        if uuid not in found:
            island = len(set(found.values()))
            for member in _find_connected(uuid, order, buses, ends):
                found[member] = island
    return found


def _find_connected(
    start: str, order: Sequence[str], buses: Mapping[str, str], ends: Mapping[str, frozenset[str]]
) -> set[str]:
    reached, frontier = {start}, [start]
    while frontier:
        card = frontier.pop()
        for other in order:
            is_linked = (
                buses[other] in ends[card]
                or buses[card] in ends[other]
                or _SWITCHES in ends[card] & ends[other]
            )
            if is_linked and other not in reached:
                reached.add(other)
                frontier.append(other)
    return reached
