"""Mode `cgroup`: the driver refuses what a container's cgroup may not have (driver 615 and later).

The limits are set on the leaf cgroup, so that the work sees its slice as the whole card, and only
once its processes are there: the order is gated. Soft is guaranteed, hard is the ceiling.
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
    """Limits by the driver for each cgroup."""

    isolation: Final = Isolation.CGROUP

    def __init__(self, limits: MemoryLimiter, compute: MpsNamespaces | None = None) -> None:
        """Without `compute` the tenants of a card take turns on its processors."""
        self._limits = limits
        self._compute = compute

    @property
    def can_resume(self) -> bool:
        """Tell whether nothing of it is inside the container."""
        return self._compute is None

    async def prepare(self, record: ShareRecord) -> Injection:
        """Ask for the gate; nothing else is seen by the container but its part of the processors."""
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
            wanted = CgroupMemoryLimits(grant.memory_mib, grant.ceiling_mib)
            try:
                await self._limits.set_limits(grant.uuid, namespace, wanted)
                found = await self._limits.read_limits(grant.uuid, namespace)
            except MemoryLimitError as error:
                raise StartError(ExitCause.ISOLATION_UNAVAILABLE, str(error)) from error
            if found != wanted:
                detail = f"{grant.uuid}: limits read back are {found}, not {wanted}"
                raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)
        if self._compute is not None:
            await self._compute.verify(record)

    async def release(self, record: ShareRecord) -> None:
        """Take the limits back, else the cgroups above keep what was reserved."""
        if self._compute is not None:
            await self._compute.release(record)
        if record.scope is None or not record.scope.cgroup:
            return
        namespace = cgroup_namespace(record.scope)
        for grant in record.by_mode(self.isolation):
            try:
                await self._limits.set_limits(grant.uuid, namespace, NO_LIMITS)
            except MemoryLimitError as error:
                # The group goes with its last process, and its limits with it.
                log.info("limits.gone", card=grant.uuid, namespace=namespace, error=str(error))


def cgroup_namespace(scope: ProcessScope) -> str:
    """Return the absolute path that the driver knows the processes by."""
    return str(MOUNT / scope.cgroup)
