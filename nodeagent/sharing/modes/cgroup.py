"""Mode `cgroup`: the driver limits the GPU memory of each cgroup (driver 615 and later).

The limits are set on the leaf cgroup, so that the work sees its slice as the whole card. That
requires its processes to be there, so the work waits at the start barrier. The soft limit is the
guarantee, the hard limit the ceiling.
"""

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

import structlog

from nodeagent.ports import Injection, ProcessScope, StartError
from nodeagent.sharing.modes.memory_limits import (
    NO_LIMITS,
    CgroupMemoryLimits,
    MemoryLimiter,
    MemoryLimitError,
)
from nodeagent.sharing.modes.mps_namespaces import MpsNamespaces
from nodeagent.sharing.records import ShareRecord
from wire.words import ExitCause, Isolation

log = structlog.get_logger()

MOUNT: Final = PurePosixPath("/sys/fs/cgroup")


class CgroupMode:
    """Memory limits by the driver for each cgroup."""

    isolation: Final = Isolation.CGROUP

    def __init__(self, limits: MemoryLimiter, compute: MpsNamespaces | None = None) -> None:
        """Without `compute`, the tenants of a card share its multiprocessors by time slicing."""
        self._limits = limits
        self._compute = compute

    @property
    def can_resume(self) -> bool:
        """Return whether nothing of it is inside the container."""
        return self._compute is None

    async def prepare(self, record: ShareRecord) -> Injection:
        """Request the start barrier, and prepare the compute share if there is one."""
        if self._compute is None:
            return Injection(needs_barrier=True)
        return replace(await self._compute.prepare(record), needs_barrier=True)

    async def enforce(self, record: ShareRecord, scope: ProcessScope) -> None:
        """Set the limits on every card and read them back."""
        if not scope.cgroup:
            raise StartError(
                ExitCause.ISOLATION_UNAVAILABLE, "the container has no cgroup of its own"
            )
        namespace = cgroup_namespace(scope)
        for grant in record.by_mode(self.isolation):
            expected = CgroupMemoryLimits(grant.memory_mib, grant.ceiling_mib)
            try:
                await self._limits.set_limits(grant.uuid, namespace, expected)
                found = await self._limits.read_limits(grant.uuid, namespace)
            except MemoryLimitError as error:
                raise StartError(ExitCause.ISOLATION_UNAVAILABLE, str(error)) from error
            if found != expected:
                detail = f"{grant.uuid}: limits read back are {found}, not {expected}"
                raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)
        if self._compute is not None:
            await self._compute.verify(record)

    async def release(self, record: ShareRecord) -> None:
        """Remove the limits; otherwise the parent cgroups would keep the reservation."""
        if self._compute is not None:
            await self._compute.release(record)
        if record.scope is None or not record.scope.cgroup:
            return
        namespace = cgroup_namespace(record.scope)
        for grant in record.by_mode(self.isolation):
            try:
                await self._limits.set_limits(grant.uuid, namespace, NO_LIMITS)
            except MemoryLimitError as error:
                # A cgroup is deleted with its last process, and its limits with it.
                log.info("limits.gone", card=grant.uuid, namespace=namespace, error=str(error))


def cgroup_namespace(scope: ProcessScope) -> str:
    """Return the absolute cgroup path that the driver uses."""
    return str(MOUNT / scope.cgroup)
