"""Shares of a card's processors beside the memory limits of mode `cgroup`: MPS, protocol 3.

One daemon per card with one server, and one namespace per container with its own limits and its own
socket, which alone is mounted: nobody reaches another's. Named namespaces inherit nothing, so both
limits are set on each. What MPS takes in exchange is said where it is switched on: a fatal fault of
one client reaches all others of the card, so tenants are not mixed.
Source: NVIDIA, MPS v3 Interface and MPS v3 Namespaces, release 615.
"""

import re
from hashlib import sha256
from pathlib import Path
from typing import Final

from nodeagent.core.state import ContainerKey
from nodeagent.host.commands import CommandRunner
from nodeagent.ports import Injection, StartError
from nodeagent.sharing.grants import ShareGrant
from nodeagent.sharing.modes.mps import parse_mib, parse_number
from nodeagent.sharing.modes.mps_daemon import (
    MpsDaemons,
    has_other_holders,
    other_records,
    refuse_other_tenants,
    require_success,
)
from nodeagent.sharing.records import ShareRecord, ShareRecords
from wire.words import ExitCause, Isolation

SERVER: Final = "berth"
NAME_MAX: Final = 64
_ODD: Final = re.compile(r"[^a-z0-9_]")
"""Names are of lowercase letters, digits and underscores."""


class MpsNamespaces:
    """Namespaces of MPS servers, one for each container with a share by mode `cgroup`."""

    def __init__(self, root: Path, records: ShareRecords, commands: CommandRunner) -> None:
        self._records = records
        self._daemons = MpsDaemons(root, commands, by_namespaces=True)

    async def prepare(self, record: ShareRecord) -> Injection:
        """Have a namespace with the right limits, and return its socket for the container."""
        grant = _only_grant(record)
        space = namespace_name(record.key)
        async with self._daemons.lock_for(grant.uuid):
            beside = other_records(self._records, record, grant.uuid, Isolation.CGROUP)
            refuse_other_tenants(record, beside, grant.uuid)
            if not await self._has_server(grant.uuid):
                if any(item.scope is not None for item in beside):
                    # A new daemon would cut off those who have the socket of the old one.
                    detail = f"the MPS server of {grant.uuid} is gone, and its clients are not"
                    raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)
                await self._start(grant.uuid)
            await self._set(grant, space)
        return self._daemons.injection(grant.uuid, self._daemons.pipe(grant.uuid) / SERVER / space)

    async def verify(self, record: ShareRecord) -> None:
        """Raise `StartError` unless card and namespace still say what they were told."""
        grant = _only_grant(record)
        await self._daemons.require_exclusive(grant.uuid)
        await self._require_limits(grant, namespace_name(record.key))

    async def release(self, record: ShareRecord) -> None:
        """Take the namespace away, and the daemon with the last one."""
        for grant in record.by_mode(Isolation.CGROUP):
            async with self._daemons.lock_for(grant.uuid):
                if not has_other_holders(self._records, record, grant.uuid, Isolation.CGROUP):
                    await self._daemons.stop(grant.uuid)
                elif self._daemons.is_started(grant.uuid):
                    gone = ("namespace", "delete", namespace_name(record.key), f"--server={SERVER}")
                    await self._daemons.run_command(grant.uuid, *gone, "--force")

    async def _has_server(self, uuid: str) -> bool:
        if not self._daemons.is_started(uuid):
            return False
        return (await self._daemons.run_command(uuid, "server", "get", SERVER, "name")).is_success

    async def _start(self, uuid: str) -> None:
        await self._daemons.start(uuid)
        made = ("server", "create", SERVER, "--uid=0", f"--allowed-devices={uuid}")
        require_success(await self._daemons.run_command(uuid, *made), "MPS server")

    async def _set(self, grant: ShareGrant, space: str) -> None:
        """Make the namespace unless an earlier turn was broken off after it, and set its limits."""
        at = f"--server={SERVER}"
        found = await self._daemons.run_command(
            grant.uuid, "namespace", "get", space, SERVER, "name"
        )
        if not found.is_success:
            require_success(
                await self._daemons.run_command(grant.uuid, "namespace", "create", space, at), space
            )
        limits = (
            f"--active-thread-percentage={grant.compute_pct}",
            f"--pinned-memory-limit={grant.ceiling_mib}M",
        )
        require_success(
            await self._daemons.run_command(grant.uuid, "namespace", "set", space, at, *limits),
            space,
        )
        await self._require_limits(grant, space)

    async def _require_limits(self, grant: ShareGrant, space: str) -> None:
        ask = ("namespace", "get", space, SERVER)
        share = await self._daemons.run_command(grant.uuid, *ask, "active-thread-percentage")
        memory = await self._daemons.run_command(grant.uuid, *ask, "pinned-memory-limit")
        is_right = (
            share.is_success
            and memory.is_success
            and parse_number(share.output) == grant.compute_pct
            and parse_mib(memory.output) == grant.ceiling_mib
        )
        if not is_right:
            detail = (
                f"the MPS namespace on {grant.uuid} does not have the limits: {share.last_line}"
            )
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)


def namespace_name(key: ContainerKey) -> str:
    """Return the name of a container's namespace: the same for one attempt, another for the next."""
    name = _ODD.sub("_", f"{key.allocation}_{key.epoch}".lower())
    digest = sha256(f"{key.allocation}/{key.epoch}".encode()).hexdigest()[:12]
    return f"{name[: NAME_MAX - 13]}_{digest}"


def _only_grant(record: ShareRecord) -> ShareGrant:
    """Return the one share: a client reaches one daemon only."""
    grants = record.by_mode(Isolation.CGROUP)
    if len(grants) != 1:
        raise StartError(ExitCause.ISOLATION_UNAVAILABLE, "compute shares are of one card only")
    return grants[0]
