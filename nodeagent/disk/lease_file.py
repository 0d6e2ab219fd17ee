"""The end of the lease and the deadlines of containers, written by the agent, read by the watchdog.

It is not forced to the disk: after a power cut the boot id differs, and the lease is void anyway.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nodeagent.core.recovery import NO_LEASE
from nodeagent.core.state import ContainerKey, Lease
from nodeagent.core.timing import Deadline
from nodeagent.disk.atomic_json import read_json, write_json
from nodeagent.disk.forward_compat import from_known_fields


class LeaseFile:
    """One lease, valid within one boot of the host."""

    def __init__(self, path: Path, boot_id: str) -> None:
        self._path = path
        self._boot_id = boot_id

    def write(self, lease: Lease) -> None:
        """Write until when work may run."""
        deadlines = [
            {**key._asdict(), **asdict(deadline)} for key, deadline in lease.deadlines.items()
        ]
        content = {"until": lease.until, "grace_ms": lease.grace_ms, "deadlines": deadlines}
        write_json(self._path, {"boot_id": self._boot_id, **content})

    def read(self) -> Lease:
        """Return the lease; one that cannot be read has ended, so the node fails closed."""
        return self.find() or NO_LEASE

    def find(self) -> Lease | None:
        """Return the lease; None where there is none of this boot that can be read."""
        content = read_json(self._path)
        if not isinstance(content, dict) or content.get("boot_id") != self._boot_id:
            return None
        until, grace_ms = content.get("until"), content.get("grace_ms", NO_LEASE.grace_ms)
        if not isinstance(until, int) or not isinstance(grace_ms, int):
            return None
        return Lease(until, grace_ms, _parse_deadlines(content))


def _parse_deadlines(content: Mapping[str, Any]) -> dict[ContainerKey, Deadline]:
    """Return the deadlines; one that cannot be read is left to the portal."""
    try:
        return {
            ContainerKey(item["allocation"], item["epoch"]): from_known_fields(Deadline, item)
            for item in content.get("deadlines", ())
        }
    except (KeyError, TypeError):
        return {}
