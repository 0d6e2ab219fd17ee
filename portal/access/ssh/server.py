"""The SSH server: public keys, sessions and port forwarding only, all of them limited."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import asyncssh
import structlog
from django.db import DatabaseError
from typing_extensions import override

from portal.access.services import AccessTarget
from portal.access.sessions import ContainerSessions
from portal.access.sftp.rights import VolumeGateway
from portal.access.sftp.session import VolumeSession, end_sessions
from portal.access.ssh import users
from portal.access.ssh.channels import SessionChannel
from portal.access.ssh.forwards import ForwardHandler, forward_port, is_container_port
from portal.access.ssh.users import FILES_LOGIN, SshLogin
from portal.common.actor import Actor
from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.concurrency import run_in_thread
from portal.common.errors import DeniedError

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
"""Between two checks that an SSH client is still connected."""
FORBIDDEN_MODE: Final = 0o077
"""Permissions of others, which the file must not grant."""
logger = structlog.get_logger(__name__)


class HostKeyError(Exception):
    """Others can read the host key; the message names the command that mends it."""


@dataclass(frozen=True, slots=True)
class SshContext:
    """What all connections share."""

    sessions: ContainerSessions
    volumes: VolumeGateway
    connections: "Counter[str]" = field(default_factory=Counter)


class SshConnection(asyncssh.SSHServer):
    """One connection of a client."""

    def __init__(self, context: SshContext) -> None:
        """Start unauthenticated."""
        self._context = context
        self._address = ""
        self._is_counted = False
        self._tried_keys: set[str] = set()
        self._channels = ConnectionLimiter(CHANNELS_PER_CONNECTION_MAX)
        self._offered: SshLogin | None = None
        self._login: SshLogin | None = None

    @override
    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._conn = conn
        self._address = str(conn.get_extra_info("peername", ("",))[0])
        known = self._context.connections
        if known.total() >= CONNECTIONS_MAX or known[self._address] >= CONNECTIONS_PER_ADDRESS_MAX:
            conn.abort()
            return
        known[self._address] += 1
        self._is_counted = True

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        if self._is_counted:
            known = self._context.connections
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
        """Return whether an active user has this key; the target is authorized per channel."""
        fingerprint = key.get_fingerprint()
        self._tried_keys.add(fingerprint)
        if len(self._tried_keys) > KEYS_TRIED_MAX:
            self._conn.abort()
            return False
        try:
            is_known = await run_in_thread(users.is_known_key, fingerprint)
        except (DatabaseError, TimeoutError) as error:
            logger.warning("ssh.unchecked", error=repr(error))
            return False
        if is_known:
            self._offered = SshLogin(fingerprint, username, self._address)
        else:
            logger.info("ssh.refused", address=self._address, fingerprint=fingerprint)
        return is_known

    @override
    def auth_completed(self) -> None:
        """Take the key whose possession has just been proven; one offered later does not count."""
        self._login = self._offered

    @override
    def session_requested(self) -> SessionChannel | VolumeSession:
        if self._login is not None and self._login.name == FILES_LOGIN:
            identify = partial(users.identify_login, self._login)
            return VolumeSession(self._context.volumes, identify, self._acquire_channel())
        return SessionChannel(self._context.sessions, self._authorize, self._acquire_channel())

    @override
    def connection_requested(
        self, dest_host: str, dest_port: int, orig_host: str, orig_port: int
    ) -> ForwardHandler:
        """Forward to the container's own ports; every other destination is refused."""
        if not is_container_port(dest_host, dest_port):
            raise asyncssh.ChannelOpenError(
                asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED,
                "only ports of localhost inside the container can be reached",
            )
        return forward_port(
            self._context.sessions, self._authorize, dest_port, self._acquire_channel()
        )

    def _acquire_channel(self) -> ExitStack:
        """Count one channel of the connection until the stack is closed."""
        channel = ExitStack()
        if not channel.enter_context(self._channels.acquire("channel")):
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_RESOURCE_SHORTAGE, "too many channels")
        return channel

    async def _authorize(self) -> tuple[Actor, AccessTarget]:
        if self._login is None:
            raise DeniedError("ssh_key_gone")
        return await run_in_thread(users.authorize_login, self._login)


def load_host_key(path: Path) -> asyncssh.SSHKey:
    """Return the host key of this installation, generated on the first start.

    Raises:
        HostKeyError: others than its owner may read the file.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        made = asyncssh.generate_private_key("ssh-ed25519").export_private_key()
        scratch = path.with_name(f".{path.name}.{os.getpid()}")
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(made)
        scratch.rename(path)
    if path.stat().st_mode & FORBIDDEN_MODE:
        raise HostKeyError(f"{path} can be read by others: chmod 600 {path}")
    return asyncssh.read_private_key(path)


@asynccontextmanager
async def serve_ssh(
    sessions: ContainerSessions, volumes: VolumeGateway, host: str, port: int, key: Path
) -> AsyncIterator[asyncssh.SSHAcceptor]:
    """Serve SSH for the block; with its end nobody can connect, and no file of a volume is open."""
    context = SshContext(sessions, volumes)
    acceptor = await asyncssh.create_server(
        lambda: SshConnection(context),
        host,
        port,
        server_host_keys=[await asyncio.to_thread(load_host_key, key)],
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
        await end_sessions(volumes)
