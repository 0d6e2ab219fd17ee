"""The SSH server: public keys only, sessions and forwards only, everything counted."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import asyncssh
import structlog
from django.db import DatabaseError
from typing_extensions import override

from portal.access.services import Target
from portal.access.ssh import guests
from portal.access.ssh.channels import Channel
from portal.access.ssh.forwards import Serve, forward, is_inside
from portal.access.ssh.guests import Guest
from portal.access.visits import Visits
from portal.common.actor import Actor
from portal.common.errors import DeniedError
from portal.common.seats import Seats
from portal.common.threads import in_thread

CONNECTIONS_MAX: Final = 1024
"""SSH connections to this process at a time."""
CONNECTIONS_PER_ADDRESS_MAX: Final = 64
"""SSH connections from one address at a time."""
CHANNELS_PER_CONNECTION_MAX: Final = 64
"""Sessions and forwarded connections in one SSH connection."""
KEYS_TRIED_MAX: Final = 10
"""Keys that one SSH connection may offer."""
LOGIN_S: Final = 30
"""How long signing in may take."""
ALIVE_S: Final = 30
"""Between two looks whether an SSH client is still there."""
HOST_KEY_BITS: Final = 0o077
"""Permissions that nobody but the owner may have."""
logger = structlog.get_logger(__name__)


class HostKeyError(Exception):
    """The host key is not safe to use; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Lobby:
    """What all connections share."""

    visits: Visits
    connections: "Counter[str]" = field(default_factory=Counter)


class Gateway(asyncssh.SSHServer):
    """One connection of a client."""

    def __init__(self, lobby: Lobby) -> None:
        """Know nobody yet."""
        self._lobby = lobby
        self._address = ""
        self._is_counted = False
        self._tried: set[str] = set()
        self._channels = Seats(CHANNELS_PER_CONNECTION_MAX)
        self._proving: Guest | None = None
        self._guest: Guest | None = None

    @override
    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._conn = conn
        self._address = str(conn.get_extra_info("peername", ("",))[0])
        known = self._lobby.connections
        if known.total() >= CONNECTIONS_MAX or known[self._address] >= CONNECTIONS_PER_ADDRESS_MAX:
            conn.abort()
            return
        known[self._address] += 1
        self._is_counted = True

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        if self._is_counted:
            known = self._lobby.connections
            known[self._address] -= 1
            if not known[self._address]:
                del known[self._address]

    @override
    def begin_auth(self, username: str) -> bool:
        return True

    @override
    def public_key_auth_supported(self) -> bool:
        return True

    @override
    def password_auth_supported(self) -> bool:
        return False

    @override
    def kbdint_auth_supported(self) -> bool:
        return False

    @override
    async def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        """Tell whether anybody has this key; whose container is meant is looked at per channel."""
        fingerprint = key.get_fingerprint()
        self._tried.add(fingerprint)
        if len(self._tried) > KEYS_TRIED_MAX:
            self._conn.abort()
            return False
        try:
            is_known = await in_thread(guests.is_known, fingerprint)
        except (DatabaseError, TimeoutError) as error:
            logger.warning("ssh.unchecked", error=repr(error))
            return False
        if is_known:
            self._proving = Guest(fingerprint, username, self._address)
        else:
            logger.info("ssh.refused", address=self._address, fingerprint=fingerprint)
        return is_known

    @override
    def auth_completed(self) -> None:
        """Take the key whose possession has just been proven, and no later one."""
        self._guest = self._proving

    @override
    def session_requested(self) -> Channel:
        return Channel(self._lobby.visits, self._admit, self._place())

    @override
    def connection_requested(
        self, dest_host: str, dest_port: int, orig_host: str, orig_port: int
    ) -> Serve:
        """Forward to the container's own ports; every other place is refused."""
        if not is_inside(dest_host, dest_port):
            raise asyncssh.ChannelOpenError(
                asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED,
                "only ports of localhost inside the container can be reached",
            )
        return forward(self._lobby.visits, self._admit, dest_port, self._place())

    def _place(self) -> ExitStack:
        """Hold one of the connection's finite number of channels until the stack is closed."""
        place = ExitStack()
        if not place.enter_context(self._channels.take("channel")):
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_RESOURCE_SHORTAGE, "too many channels")
        return place

    async def _admit(self) -> tuple[Actor, Target]:
        if self._guest is None:
            raise DeniedError("ssh_key_gone")
        return await in_thread(guests.admit, self._guest)


def host_key(path: Path) -> asyncssh.SSHKey:
    """Return this installation's key, made on its first start; only its owner may read it."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        made = asyncssh.generate_private_key("ssh-ed25519").export_private_key()
        scratch = path.with_name(f".{path.name}.{os.getpid()}")
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(made)
        scratch.rename(path)
    if path.stat().st_mode & HOST_KEY_BITS:
        raise HostKeyError(f"{path} can be read by others: chmod 600 {path}")
    return asyncssh.read_private_key(path)


@asynccontextmanager
async def ssh_gateway(
    visits: Visits, host: str, port: int, key: Path
) -> AsyncIterator[asyncssh.SSHAcceptor]:
    """Listen for the block; its end closes every connection."""
    lobby = Lobby(visits)
    acceptor = await asyncssh.create_server(
        lambda: Gateway(lobby),
        host,
        port,
        server_host_keys=[await asyncio.to_thread(host_key, key)],
        encoding=None,
        login_timeout=LOGIN_S,
        keepalive_interval=ALIVE_S,
        agent_forwarding=False,
        x11_forwarding=False,
        allow_scp=False,
        compression_algs=None,
        server_version="Berth",
    )
    try:
        yield acceptor
    finally:
        acceptor.close()
        await acceptor.wait_closed()
