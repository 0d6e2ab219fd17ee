"""The end of the lease, written by the agent and read by the watchdog.

It is not forced to the disk: after a power cut the boot id differs, and the lease is void anyway.
"""

from pathlib import Path
from typing import Final

from nodeagent.core.timing import Lease
from nodeagent.disk.atomic_json import read_json, write_json

NO_LEASE: Final = Lease(0)


class LeaseFile:
    """One lease, valid within one boot of the host."""

    def __init__(self, path: Path, boot_id: str) -> None:
        self._path = path
        self._boot_id = boot_id

    def write(self, lease: Lease) -> None:
        """Write until when work may run."""
        write_json(self._path, {"boot_id": self._boot_id, **lease._asdict()})

    def read(self) -> Lease:
        """Return the lease; one that cannot be read has ended, so the node fails closed."""
        content = read_json(self._path)
        if not isinstance(content, dict) or content.get("boot_id") != self._boot_id:
            return NO_LEASE
        until, grace_ms = content.get("until"), content.get("grace_ms", NO_LEASE.grace_ms)
        if not isinstance(until, int) or not isinstance(grace_ms, int):
            return NO_LEASE
        return Lease(until, grace_ms)
