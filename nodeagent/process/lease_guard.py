"""A shim's own look at the lease: its work ends in time though agent and watchdog are both dead.

Standard library only: the shim imports this.
"""

from dataclasses import dataclass
from typing import Final

from nodeagent.core.lease import ends_with_lease
from nodeagent.core.overtime import OvertimeStop, decide_alone
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.layout import StateLayout
from nodeagent.disk.lease_file import LeaseFile
from wire.words import SilenceTerm

LOOK_MS: Final = 10_000
"""Between two reads of the file, unless the lease that it named ends earlier."""


@dataclass(slots=True)
class LeaseGuard:
    """Goes by the file of the lease, as the watchdog does; without one it ends nothing."""

    directory: ContainerDir
    leases: LeaseFile
    silence: SilenceTerm
    look_at: int = 0

    @classmethod
    def of(cls, directory: ContainerDir, boot_id: str) -> "LeaseGuard":
        """Return the guard of a container in its state directory."""
        layout = StateLayout(directory.path.parent.parent)
        return cls(directory, LeaseFile(layout.lease, boot_id), directory.read_silence())

    def find_due(self, now: int) -> OvertimeStop | None:
        """Return the stop that is due."""
        if now < self.look_at:
            return None
        lease, key = self.leases.find(), self.directory.key
        self.look_at = now + LOOK_MS
        if lease is None:
            return None
        if ends_with_lease(key, self.silence) and lease.until > now:
            self.look_at = min(self.look_at, lease.until)
        pending = self.directory.stops.read_pending()
        return decide_alone(key, self.silence, lease, pending, now)
