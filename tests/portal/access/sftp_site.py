"""Volumes served over SFTP, and people of all roles with keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncssh

from portal.access.sessions import ContainerSessions
from portal.agentlink.streams import StreamBroker
from portal.common.concurrency import run_in_thread
from portal.identity.models import User
from portal.live.authentication import RECHECK_S
from portal.volumes.files import volume_folder
from portal.volumes.models import Volume
from portal.volumes.tree import trash
from tests.builders.people import a_group, a_member, a_user
from tests.builders.volumes import a_group_volume, a_home
from tests.portal.access.site import an_ssh_gateway
from tests.portal.access.test_ssh import add_key
from wire.values import Message


@dataclass
class SftpSite:
    """The gateway, a home, a group volume, and people with keys."""

    port: int
    storage: Path
    home: Volume
    shared: Volume
    people: dict[str, User]
    keys: dict[str, asyncssh.SSHKey]

    @property
    def top(self) -> Path:
        return volume_folder(self.storage, self.shared.pk)

    @property
    def there(self) -> str:
        """Where clients find the group volume."""
        return f"/{self.shared.folder_name}"

    @asynccontextmanager
    async def connection(self, who: str) -> AsyncIterator[asyncssh.SSHClientConnection]:
        async with asyncssh.connect(
            "127.0.0.1",
            self.port,
            username="files",
            client_keys=[self.keys[who]],
            known_hosts=None,
            config=None,
            agent_path=None,
        ) as connection:
            yield connection

    @asynccontextmanager
    async def client(self, who: str = "owner") -> AsyncIterator[asyncssh.SFTPClient]:
        async with self.connection(who) as connection, connection.start_sftp_client() as client:
            yield client

    async def change(self, **columns: Any) -> None:
        await run_in_thread(Volume.objects.filter(pk=self.shared.pk).update, **columns)

    async def trashed(self) -> list[tuple[str, str]]:
        found = await run_in_thread(trash.list_trash, self.top)
        return sorted((entry.path, entry.trashed_by) for entry in found)


@asynccontextmanager
async def a_sftp_site(root: Path, *, recheck_s: float = RECHECK_S) -> AsyncIterator[SftpSite]:
    """Serve volumes for people of all roles, at most two sessions each."""

    def people() -> tuple[Volume, Volume, dict[str, User], dict[str, asyncssh.SSHKey]]:
        group = a_group()
        shared = a_group_volume(group, "papers", location=Volume.Location.SHARED)
        found = {
            "owner": a_member(group, "group_admin"),
            "developer": a_member(group, "developer"),
            "viewer": a_member(group, "viewer"),
            "stranger": a_member(a_group()),
            "operator": a_user(role="platform_admin"),
        }
        keys = {name: add_key(user) for name, user in found.items()}
        return a_home(found["owner"]), shared, found, keys

    home, shared, found, keys = await run_in_thread(people)

    async def no_node(node_id: UUID, message: Message) -> bool:
        return False

    broker = StreamBroker(lambda _: None, no_node)
    async with an_ssh_gateway(
        ContainerSessions(broker), root, sftp_sessions=2, recheck_s=recheck_s
    ) as port:
        made = SftpSite(port, root / "storage", home, shared, found, keys)
        made.top.mkdir(parents=True)
        yield made


async def put(client: asyncssh.SFTPClient, path: str, data: bytes, mode: str = "wb") -> None:
    async with client.open(path, mode) as file:
        await file.write(data)


async def content(client: asyncssh.SFTPClient, path: str) -> bytes:
    async with client.open(path, "rb") as file:
        return await part(file, -1, 0)


async def part(file: asyncssh.SFTPClientFile, size: int, offset: int) -> bytes:
    data: object = await file.read(size, offset)
    assert isinstance(data, bytes)
    return data
