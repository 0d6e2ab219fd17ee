"""Volumes over SFTP: asyncssh's client against the real server, as each role."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from portal.access.sessions import ContainerSessions
from portal.access.sftp.server import VolumeServer
from portal.access.sftp.work import HANDLES_MAX
from portal.access.stream_broker import StreamBroker
from portal.audit.models import AuditEvent
from portal.common.clock import now
from portal.common.concurrency import run_in_thread
from portal.identity.models import SshKey, User
from portal.live.authentication import RECHECK_S
from portal.tenancy.models import Membership
from portal.volumes.files import volume_folder
from portal.volumes.models import Volume
from portal.volumes.tree import trash
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member, a_user
from tests.builders.volumes import a_group_volume, a_home
from tests.portal.access.site import an_ssh_gateway
from tests.portal.access.test_ssh import add_key
from tests.portal.volumes.tree.hostile import (
    LINKS,
    LONGEST_NAME,
    NAMES,
    SPECIALS,
    make_hostile_tree,
)
from tests.waiting import PATIENCE_S, wait_until_async

pytestmark = pytest.mark.django_db(transaction=True)
HASTY = pytest.mark.parametrize("recheck_s", [0.05], ids=["hasty"])
MIB = 1024 * 1024
PEOPLE = ("owner", "developer", "viewer", "stranger")


@dataclass
class Site:
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


@pytest.fixture
def recheck_s() -> float:
    return RECHECK_S


@pytest.fixture
async def site(tmp_path: Path, recheck_s: float) -> AsyncIterator[Site]:
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
    broker = StreamBroker(lambda _: None, None)  # type: ignore[arg-type]
    async with an_ssh_gateway(
        ContainerSessions(broker), tmp_path, sftp_sessions=2, recheck_s=recheck_s
    ) as port:
        made = Site(port, tmp_path / "storage", home, shared, found, keys)
        made.top.mkdir(parents=True)
        yield made


async def put(client: asyncssh.SFTPClient, path: str, data: bytes, mode: str = "wb") -> None:
    async with client.open(path, mode) as file:
        await file.write(data)


async def content(client: asyncssh.SFTPClient, path: str) -> bytes:
    async with client.open(path, "rb") as file:
        return await part(file, -1, 0)


async def part(file: asyncssh.SFTPClientFile, size: int, offset: int) -> bytes:
    data = await file.read(size, offset)
    assert isinstance(data, bytes)
    return data


def checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def test_each_role_sees_and_may_what_the_page_lets_it(site: Site) -> None:
    (site.top / "notes.txt").write_text("mine")
    for who, entries in {
        "owner": ["home", site.shared.folder_name],
        "developer": ["home", site.shared.folder_name],
        "viewer": ["home", site.shared.folder_name],
        "stranger": ["home"],
        "operator": ["home"],
    }.items():
        async with site.client(who) as client:
            assert sorted(await client.listdir("/")) == sorted(entries), who
            await put(client, "/home/own.txt", who.encode())
            assert await content(client, "/home/own.txt") == who.encode()
            if len(entries) == 1:
                for path in (site.there, f"{site.there}/notes.txt"):
                    with pytest.raises(asyncssh.SFTPError):
                        await client.listdir(path)
                continue
            assert await content(client, f"{site.there}/notes.txt") == b"mine"
            if who == "viewer":
                for refused in (
                    client.remove(f"{site.there}/notes.txt"),
                    client.mkdir(f"{site.there}/new"),
                    client.rename(f"{site.there}/notes.txt", f"{site.there}/b"),
                    client.truncate(f"{site.there}/notes.txt", 0),
                    put(client, f"{site.there}/new", b"x"),
                ):
                    with pytest.raises(asyncssh.SFTPPermissionDenied):
                        await refused
            else:
                await put(client, f"{site.there}/{who}.txt", b"x")
    assert sorted(path.name for path in site.top.iterdir()) == [
        "developer.txt",
        "notes.txt",
        "owner.txt",
    ]
    assert len(list(volume_folder(site.storage, site.home.pk).iterdir())) == 1
    denied = await run_in_thread(
        lambda: AuditEvent.objects.filter(outcome="denied", action="volume.write").count()
    )
    assert denied == 1


async def test_tree_is_changed_as_on_the_page(site: Site) -> None:
    async with site.client() as client:
        await client.mkdir(f"{site.there}/数据")
        await put(client, f"{site.there}/数据/报告.txt", b"one")
        await client.rename(f"{site.there}/数据/报告.txt", f"{site.there}/数据/b.txt")
        await put(client, f"{site.there}/数据/b.txt", b" two", "ab")
        assert (site.top / "数据" / "b.txt").read_bytes() == b"one two"
        async with client.open(f"{site.there}/数据/b.txt", "r+b") as file:
            await file.write(b"TWO", 4)
            assert await part(file, 3, 0) == b"one"
        facts = await client.stat(f"{site.there}/数据/b.txt")
        assert (facts.size, await content(client, f"{site.there}/数据/b.txt")) == (7, b"one TWO")
        with pytest.raises(asyncssh.SFTPFailure, match="not empty"):
            await client.rmdir(f"{site.there}/数据")
        with pytest.raises(asyncssh.SFTPFailure, match="is a folder"):
            await client.remove(f"{site.there}/数据")
        await client.remove(f"{site.there}/数据/b.txt")
        await client.rmdir(f"{site.there}/数据")
        user = site.people["owner"].username
        assert await site.trashed() == [("数据", user), ("数据/b.txt", user)]
        # A rename replaces nothing, unless it says so; then the trash keeps what it replaced.
        await put(client, f"{site.there}/a", b"A")
        await put(client, f"{site.there}/b", b"B")
        with pytest.raises(asyncssh.SFTPError):
            await client.rename(f"{site.there}/a", f"{site.there}/b")
        await client.posix_rename(f"{site.there}/a", f"{site.there}/b")
        assert ((site.top / "b").read_bytes(), (site.top / "a").exists()) == (b"A", False)
        assert ("b", user) in await site.trashed()
        with pytest.raises(asyncssh.SFTPFailure, match="one volume only"):
            await client.rename(f"{site.there}/b", "/home/b")
        assert (site.top / "b").read_bytes() == b"A"


async def test_times_and_permission_to_run_count_and_nothing_else(site: Site) -> None:
    async with site.client() as client:
        await put(client, f"{site.there}/run.sh", b"#!/bin/sh")
        path = site.top / "run.sh"
        await client.utime(f"{site.there}/run.sh", (1_000_000_000, 1_100_000_000))
        assert path.stat().st_mtime == 1_100_000_000
        await client.chmod(f"{site.there}/run.sh", 0o6700)
        assert path.stat().st_mode & 0o7777 == 0o775
        assert (await client.stat(f"{site.there}/run.sh")).permissions == 0o100775
        await client.chmod(f"{site.there}/run.sh", 0)
        assert path.stat().st_mode & 0o7777 == 0o664
        with pytest.raises(asyncssh.SFTPFailure, match="one account"):
            await client.chown(f"{site.there}/run.sh", 0, 0)
        await client.truncate(f"{site.there}/run.sh", 2)
        assert path.read_bytes() == b"#!"
        await client.mkdir(f"{site.there}/folder")
        await client.utime(f"{site.there}/folder", (1_000_000_000, 1_100_000_000))
        assert (site.top / "folder").stat().st_mtime == 1_100_000_000


async def test_nothing_outside_of_a_volume_is_reached(site: Site) -> None:
    make_hostile_tree(site.top)
    kinds = {"out": 0o120000, "etc": 0o120000, "pipe": 0o010000, "folder": 0o040000}
    async with site.client("developer") as client:
        assert await client.realpath("..") == "/"
        with pytest.raises(asyncssh.SFTPError):
            await client.listdir(f"{site.there}/../../../etc")
        for name in (*LINKS, *SPECIALS):
            for mode in ("rb", "wb", "ab", "r+b"):
                with pytest.raises(asyncssh.SFTPError):
                    await put(client, f"{site.there}/{name}", b"x", mode)
        for name, kind in kinds.items():
            facts = await client.lstat(f"{site.there}/{name}")
            assert (facts.permissions or 0) & 0o170000 == kind, name
        listed = {str(entry.filename) for entry in await client.readdir(site.there)}
        assert {"out", "etc", "passwd", "pipe", "notes.txt"} <= listed
        assert await client.readlink(f"{site.there}/passwd") == "/etc/passwd"
        with pytest.raises(asyncssh.SFTPError):
            await client.listdir(f"{site.there}/etc")
        for making in (
            client.symlink("/etc/passwd", f"{site.there}/new"),
            client.link(f"{site.there}/notes.txt", f"{site.there}/new"),
        ):
            with pytest.raises(asyncssh.SFTPFailure, match="Links are not made"):
                await making
        for path in (".berth/x", ".Trash-0/files/x", "line\nfeed", "x" * 256, "no/such/folder"):
            with pytest.raises(asyncssh.SFTPError):
                await put(client, f"{site.there}/{path}", b"x")
        for refused in (client.mkdir("/new"), put(client, "/new", b"x"), client.rmdir(site.there)):
            with pytest.raises(asyncssh.SFTPFailure, match="Only your volumes"):
                await refused
        home = volume_folder(site.storage, site.home.pk)
        for path in (f"/{site.home.pk}", f"/../volumes/{site.home.pk}", str(home)):
            with pytest.raises(asyncssh.SFTPNoSuchFile):
                await client.listdir(path)
    assert (site.top.parent / "secret.txt").read_text() == "not yours"
    assert not (site.top / "new").exists()


async def test_unusual_names_pass_unchanged(site: Site) -> None:
    async with site.client() as client:
        for number, name in enumerate(NAMES):
            await put(client, f"{site.there}/{name}", str(number).encode())
        assert set(await client.listdir(site.there)) == set(NAMES)
        assert (
            await content(client, f"{site.there}/{LONGEST_NAME}")
            == str(NAMES.index(LONGEST_NAME)).encode()
        )
        with pytest.raises(asyncssh.SFTPError):
            await put(client, f"{site.there}/{LONGEST_NAME}名", b"x")


async def test_large_folder_comes_in_parts_and_its_handles_are_given_back(site: Site) -> None:
    (site.top / "many").mkdir()
    for number in range(1000):
        (site.top / "many" / f"{number}.txt").touch()
    async with site.client() as client:
        for _ in range(HANDLES_MAX + 2):
            async for entry in client.scandir(f"{site.there}/many"):
                assert str(entry.filename).endswith(".txt")
                break
        names = await client.listdir(f"{site.there}/many")
        assert sorted(names) == sorted(f"{number}.txt" for number in range(1000))


async def test_interrupted_put_is_resumed_with_an_equal_checksum(site: Site) -> None:
    data = os.urandom(3 * MIB + 17)
    async with site.connection("owner") as connection:
        client = await connection.start_sftp_client()
        file = await client.open(f"{site.there}/model.pt", "wb")
        await file.write(data[: 2 * MIB])
        connection.abort()
    path = site.top / "model.pt"
    async with site.client() as client:
        done = (await client.stat(f"{site.there}/model.pt")).size or 0
        assert 0 < done == path.stat().st_size <= 2 * MIB
        async with client.open(f"{site.there}/model.pt", "ab") as file:
            await file.write(data[done:])
        assert checksum(path.read_bytes()) == checksum(data)
        async with client.open(f"{site.there}/model.pt", "rb") as file:
            assert await part(file, -1, MIB) == data[MIB:]


async def test_put_that_breaks_off_leaves_the_file_before_it_in_the_trash(site: Site) -> None:
    async with site.client() as client:
        await put(client, f"{site.there}/a.txt", b"first")
        await client.chmod(f"{site.there}/a.txt", 0o755)
        await put(client, f"{site.there}/a.txt", b"second")
        assert (site.top / "a.txt").stat().st_mode & 0o777 == 0o775
        assert await site.trashed() == []
    async with site.connection("owner") as connection:
        client = await connection.start_sftp_client()
        file = await client.open(f"{site.there}/a.txt", "wb")
        await file.write(b"thi")
        connection.abort()
    assert (site.top / "a.txt").read_bytes() == b"thi"
    assert await site.trashed() == [("a.txt", site.people["owner"].username)]


async def test_full_volume_refuses_and_loses_nothing(site: Site) -> None:
    await site.change(quota_mib=2, used_mib=0, measured_at=now())
    async with site.client() as client:
        await put(client, f"{site.there}/kept.bin", b"k" * MIB)
        file = await client.open(f"{site.there}/new.bin", "wb")
        await file.write(b"n" * (MIB // 2))
        with pytest.raises(asyncssh.SFTPFailure, match="is full: 0 of 2 MiB"):
            await file.write(b"n" * MIB)
        await file.close()
        assert (site.top / "new.bin").stat().st_size == MIB // 2
        await site.change(used_mib=2)
        for refused in (
            put(client, f"{site.there}/kept.bin", b"other"),
            put(client, f"{site.there}/kept.bin", b"more", "ab"),
            put(client, f"{site.there}/other", b"x"),
            client.mkdir(f"{site.there}/folder"),
            client.truncate(f"{site.there}/kept.bin", 8 * MIB),
        ):
            with pytest.raises(asyncssh.SFTPFailure, match="is full"):
                await refused
        assert (site.top / "kept.bin").read_bytes() == b"k" * MIB
        assert await site.trashed() == []
        await client.remove(f"{site.there}/kept.bin")


@HASTY
async def test_rights_that_are_taken_away_end_a_transfer(site: Site) -> None:
    member = Membership.objects.filter(user=site.people["developer"])
    async with site.client("developer") as client:
        writing = await client.open(f"{site.there}/a.bin", "wb")
        await writing.write(b"a" * 1000)
        reading = await client.open(f"{site.there}/a.bin", "rb")
        await run_in_thread(lambda: member.update(role="viewer"))

        async def is_refused(work: Any) -> bool:
            try:
                await work()
            except (asyncssh.SFTPPermissionDenied, asyncssh.SFTPNoSuchFile):
                return True
            return False

        await wait_until_async(lambda: is_refused(lambda: writing.write(b"b")))
        assert await part(reading, 1, 0) == b"a"
        await run_in_thread(member.delete)
        await wait_until_async(lambda: is_refused(lambda: reading.read(1, 0)))
        with pytest.raises(asyncssh.SFTPNoSuchFile):
            await client.stat(f"{site.there}/a.bin")


@HASTY
async def test_session_ends_with_the_key(site: Site) -> None:
    async with site.client() as client:
        await client.listdir("/")
        await run_in_thread(SshKey.objects.all().delete)
        async with asyncio.timeout(PATIENCE_S):
            await client.wait_closed()


async def test_open_files_and_sessions_are_limited(site: Site) -> None:
    async with site.connection("owner") as connection:
        first = await connection.start_sftp_client()
        await put(first, f"{site.there}/a", b"a")
        files = [await first.open(f"{site.there}/a", "rb") for _ in range(HANDLES_MAX)]
        with pytest.raises(asyncssh.SFTPFailure, match=f"{HANDLES_MAX} files"):
            await first.open(f"{site.there}/a", "rb")
        await files.pop().close()
        files.append(await first.open(f"{site.there}/a", "rb"))
        await connection.start_sftp_client()
        with pytest.raises((asyncssh.SFTPError, asyncssh.ConnectionLost)):
            await connection.start_sftp_client()


async def test_volume_on_a_node_is_named_and_refused_in_the_words_of_the_page(site: Site) -> None:
    node = await run_in_thread(lambda: a_node(a_pool()))
    await site.change(location="node", node=node)
    async with site.client() as client:
        assert site.shared.folder_name in await client.listdir("/")
        with pytest.raises(asyncssh.SFTPFailure, match="lie on the node"):
            await client.listdir(site.there)


async def test_commands_are_refused_politely(site: Site) -> None:
    async with site.connection("owner") as connection:
        english = await connection.run("rsync --server -vlogDtpre.iLsfxC . /home")
        chinese = await connection.run("", env={"LANG": "zh_CN.UTF-8"})
    assert (english.exit_status, english.stdout) == (255, "")
    assert "SFTP alone" in str(english.stderr)
    assert "仅通过 SFTP" in str(chinese.stderr)


def test_no_method_of_the_library_touches_this_machine() -> None:
    harmless = {"channel", "connection", "env", "logger", "convert_attrs"}
    harmless |= {"format_user", "format_group", "format_longname", "reverse_map_path"}
    offered = {name for name in vars(asyncssh.SFTPServer) if not name.startswith("_")}
    assert offered - harmless <= set(vars(VolumeServer))
