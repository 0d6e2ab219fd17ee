"""Limits a container's share of a card's multiprocessors in mode `cgroup`: MPS protocol 3.

One daemon per card with one server, and one namespace per container with its own limits and its own
socket; only that socket is mounted, so no container can reach another's. Named namespaces inherit
nothing, so both limits are set on each. The price, which the configuration documents: a fatal fault
of one client affects all others of the card, so tenants are not mixed. Source: NVIDIA, MPS v3
Interface and MPS v3 Namespaces, release 615.
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
"""Names may have lowercase letters, digits and underscores only."""


class MpsNamespaces:
    """Namespaces of MPS servers, one for each container with a share in mode `cgroup`."""

    def __init__(self, root: Path, records: ShareRecords, commands: CommandRunner) -> None:
        self._records = records
        self._daemons = MpsDaemons(root, commands, by_namespaces=True)

    async def prepare(self, record: ShareRecord) -> Injection:
        """Create a namespace with the right limits, and return its socket for the container."""
        grant = _only_grant(record)
        namespace = namespace_name(record.key)
        async with self._daemons.lock_for(grant.uuid):
            others = other_records(self._records, record, grant.uuid, Isolation.CGROUP)
            refuse_other_tenants(record, others, grant.uuid)
            if not await self._has_server(grant.uuid):
                if any(item.scope is not None for item in others):
                    # A new daemon would disconnect the clients of the old one's socket.
                    detail = f"the MPS server of {grant.uuid} is gone, and its clients are not"
                    raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)
                await self._start(grant.uuid)
            await self._set_limits(grant, namespace)
        return self._daemons.injection(
            grant.uuid, self._daemons.pipe(grant.uuid) / SERVER / namespace
        )

    async def verify(self, record: ShareRecord) -> None:
        """Raise `StartError` unless card and namespace still have their settings."""
        grant = _only_grant(record)
        await self._daemons.require_exclusive(grant.uuid)
        await self._require_limits(grant, namespace_name(record.key))

    async def release(self, record: ShareRecord) -> None:
        """Delete the namespace, and stop the daemon with the last one."""
        for grant in record.by_mode(Isolation.CGROUP):
            async with self._daemons.lock_for(grant.uuid):
                if not has_other_holders(self._records, record, grant.uuid, Isolation.CGROUP):
                    await self._daemons.stop(grant.uuid)
                elif self._daemons.is_started(grant.uuid):
                    command = (
                        "namespace",
                        "delete",
                        namespace_name(record.key),
                        f"--server={SERVER}",
                    )
                    await self._daemons.run_command(grant.uuid, *command, "--force")

    async def _has_server(self, uuid: str) -> bool:
        if not self._daemons.is_started(uuid):
            return False
        return (await self._daemons.run_command(uuid, "server", "get", SERVER, "name")).is_success

    async def _start(self, uuid: str) -> None:
        await self._daemons.start(uuid)
        command = ("server", "create", SERVER, "--uid=0", f"--allowed-devices={uuid}")
        require_success(await self._daemons.run_command(uuid, *command), "MPS server")

    async def _set_limits(self, grant: ShareGrant, namespace: str) -> None:
        """Create the namespace if necessary (a retry may find it), and set its limits."""
        server_option = f"--server={SERVER}"
        found = await self._daemons.run_command(
            grant.uuid, "namespace", "get", namespace, SERVER, "name"
        )
        if not found.is_success:
            require_success(
                await self._daemons.run_command(
                    grant.uuid, "namespace", "create", namespace, server_option
                ),
                namespace,
            )
        limits = (
            f"--active-thread-percentage={grant.compute_pct}",
            f"--pinned-memory-limit={grant.ceiling_mib}M",
        )
        require_success(
            await self._daemons.run_command(
                grant.uuid, "namespace", "set", namespace, server_option, *limits
            ),
            namespace,
        )
        await self._require_limits(grant, namespace)

    async def _require_limits(self, grant: ShareGrant, namespace: str) -> None:
        query = ("namespace", "get", namespace, SERVER)
        share = await self._daemons.run_command(grant.uuid, *query, "active-thread-percentage")
        memory = await self._daemons.run_command(grant.uuid, *query, "pinned-memory-limit")
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
    """Return the only grant: a client can connect to one daemon only."""
    grants = record.by_mode(Isolation.CGROUP)
    if len(grants) != 1:
        raise StartError(ExitCause.ISOLATION_UNAVAILABLE, "compute shares are of one card only")
    return grants[0]
