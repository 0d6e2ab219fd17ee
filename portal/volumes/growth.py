"""How much volumes have grown since they were measured: quotas hold between two measurements, too.

Each live process counts what came through it. What unfinished uploads have still to bring stands beside
their bytes, so it is the same for all processes and outlives them.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Final
from uuid import UUID

from portal.volumes.file_access import OpenedVolume, require_capacity
from portal.volumes.models import Volume
from portal.volumes.tree.uploads import unfinished_bytes

LOOKED_EVERY_S: Final = 5.0
"""How old the count of unfinished uploads may be that another growth is compared with."""
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class _Growth:
    """What one volume was when it was measured last, and what has come since."""

    lock: Lock = field(default_factory=Lock)
    measured_at: datetime = _NEVER
    used_mib: int = 0
    grown: int = 0
    promised: int = 0
    """Bytes that unfinished uploads have still to bring."""
    looked_at_s: float = float("-inf")

    def follow(self, volume: Volume) -> None:
        """Take the measurement over, unless this is an older one than is known: transfers last long."""
        measured_at = volume.measured_at or _NEVER
        if measured_at > self.measured_at:
            self.grown = 0
        if measured_at >= self.measured_at:
            self.measured_at, self.used_mib = measured_at, volume.used_mib or 0

    def look(self, top: Path, *, within_s: float) -> None:
        """Count what unfinished uploads have still to bring, if the count is older than that."""
        if time.monotonic() - self.looked_at_s > within_s:
            self.promised, self.looked_at_s = unfinished_bytes(top), time.monotonic()

    def require(self, volume: Volume, size: int) -> None:
        """Refuse what would make the volume larger than its quota."""
        require_capacity(volume, size, used_mib=self.used_mib, grown=self.grown + self.promised)


class GrowthLedger:
    """How much the volumes have grown through this process since they were measured."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._lock = Lock()
        self._growths: dict[UUID, _Growth] = {}

    def take(self, opened: OpenedVolume, size: int) -> None:
        """Count some growth; refuse what would make the volume larger than its quota."""
        with self._known(opened.volume) as growth:
            if growth:
                growth.look(opened.top, within_s=LOOKED_EVERY_S)
                growth.require(opened.volume, size)
                growth.grown += size

    def give_back(self, opened: OpenedVolume, size: int) -> None:
        """Forget growth that is gone again; what a measurement has counted stays counted."""
        with self._known(opened.volume) as growth:
            if growth:
                growth.grown = max(growth.grown - size, 0)

    @contextmanager
    def promising(self, opened: OpenedVolume, length: int) -> Iterator[None]:
        """Let an upload begin within the block; refuse it where the quota has no room for all that have."""
        with self._known(opened.volume) as growth:
            if growth:
                growth.look(opened.top, within_s=0)
                growth.require(opened.volume, length)
                growth.promised += length
            yield

    def arrive(self, opened: OpenedVolume, size: int) -> None:
        """Count bytes of an upload that has begun: they were promised. Comes before they are written."""
        with self._known(opened.volume) as growth:
            if growth:
                growth.grown += size
                growth.promised = max(growth.promised - size, 0)

    @contextmanager
    def _known(self, volume: Volume) -> Iterator[_Growth | None]:
        """Provide what is known of a volume, to one thread at a time; None where it has no quota."""
        if not volume.quota_mib:
            yield None
            return
        with self._lock:
            growth = self._growths.setdefault(volume.pk, _Growth())
        with growth.lock:
            growth.follow(volume)
            yield growth
