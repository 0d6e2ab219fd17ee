"""The lease's end, written by the agent and read by the watchdog.

Not forced to the disk: after a power cut the boot differs, and with it every clock and container.
"""

from pathlib import Path
from typing import Final

from nodeagent.disk.atomic import read_json, write_json

NO_LEASE: Final = 0


class LeaseFile:
    """One number, valid within one boot of the host."""

    def __init__(self, path: Path, boot_id: str) -> None:
        self._path = path
        self._boot_id = boot_id

    def write(self, until: int) -> None:
        """Let work run until `until`, in milliseconds since boot."""
        write_json(self._path, {"boot_id": self._boot_id, "until": until})

    def read(self) -> int:
        """Return the end of the lease; one that cannot be read has ended: fail closed."""
        content = read_json(self._path)
        if not isinstance(content, dict) or content.get("boot_id") != self._boot_id:
            return NO_LEASE
        until = content.get("until")
        return until if isinstance(until, int) else NO_LEASE
