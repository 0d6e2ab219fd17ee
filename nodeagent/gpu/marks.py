"""Remembers on disk which cards an Xid has put out of service, until the host was rebooted.

An agent that is restarted must not find a broken card in order; a reboot resets the cards.
"""

from collections.abc import Mapping
from pathlib import Path

from nodeagent.disk.atomic import read_json, write_json


class Marks:
    """One small file in the agent's state directory."""

    def __init__(self, path: Path, boot_id: str) -> None:
        self._path = path
        self._boot_id = boot_id

    def load(self) -> dict[str, str]:
        """Return the mark of each marked card by UUID; none of an earlier boot, or unreadable."""
        stored = read_json(self._path)
        if not isinstance(stored, dict) or stored.get("boot_id") != self._boot_id:
            return {}
        marks = stored.get("marks")
        if not isinstance(marks, dict):
            return {}
        return {str(uuid): str(mark) for uuid, mark in marks.items()}

    def save(self, marks: Mapping[str, str]) -> None:
        """Keep these from now on, also through a power cut."""
        stored = {"boot_id": self._boot_id, "marks": dict(marks)}
        write_json(self._path, stored, is_durable=True)
