"""Stores which cards an Xid has put out of service until the next reboot of the host.

A restarted agent must not consider a broken card healthy; a reboot resets the cards. The number of
an operator's last retest is kept across reboots, so that an old order does not clear a new fault.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nodeagent.disk.atomic_json import read_json, write_json


@dataclass(frozen=True, slots=True)
class SavedHealth:
    """The health that survives a restart of the agent, by card."""

    latched_faults: Mapping[str, str] = field(default_factory=dict)
    """An Xid that counts until the host is rebooted, such as `xid_79`."""
    retests: Mapping[str, int] = field(default_factory=dict)
    """Number of the operator's last retest that was carried out."""


class HealthStore:
    """A small file in the agent's state directory."""

    def __init__(self, path: Path, boot_id: str) -> None:
        self._path = path
        self._boot_id = boot_id

    def load(self) -> SavedHealth:
        """Return the saved health, without faults of an earlier boot; empty if it cannot be read."""
        stored = read_json(self._path)
        if not isinstance(stored, dict):
            return SavedHealth()
        retests = {
            uuid: count for uuid, count in _table(stored, "retests") if isinstance(count, int)
        }
        if stored.get("boot_id") != self._boot_id:
            return SavedHealth(retests=retests)
        return SavedHealth(
            {uuid: str(fault) for uuid, fault in _table(stored, "latched_faults")}, retests
        )

    def save(self, saved: SavedHealth) -> None:
        """Save durably."""
        stored = {
            "boot_id": self._boot_id,
            "latched_faults": dict(saved.latched_faults),
            "retests": dict(saved.retests),
        }
        write_json(self._path, stored, is_durable=True)


def _table(stored: dict[str, Any], name: str) -> list[tuple[str, Any]]:
    table = stored.get(name)
    return [(str(key), value) for key, value in table.items()] if isinstance(table, dict) else []
