"""Which nodes do not share their storage, by what they report; pure."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

STORAGE_LOCAL: Final = "storage_local"
"""Fault of a node with `storage_shared = false`: its folders are nowhere else."""


def has_own_storage(faults: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether a node with these faults has folders that no other node reaches."""
    return any(fault.get("code") == STORAGE_LOCAL for fault in faults)
