"""Transfers over SFTP that break off, meet a full volume, lose their rights or come to a limit."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncssh
import psutil
import pytest

from portal.access.sftp.rights import VolumeGateway
from portal.access.sftp.work import HANDLES_MAX, VolumeWork
from portal.common.clock import now
from portal.common.concurrency import run_in_thread
from portal.identity.models import SshKey
from portal.live.authentication import RECHECK_S
from portal.tenancy.actors import load_actor
from portal.tenancy.models import Membership
from portal.transfers.transfer import FileThreads
from portal.volumes.models import Volume
from tests.pooled import borrowed_connections
from tests.portal.access.sftp_site import SftpSite, a_sftp_site, part, put
from tests.waiting import PATIENCE_S, wait_until_async

pytestmark = pytest.mark.django_db(transaction=True)
HASTY = pytest.mark.parametrize("recheck_s", [0.05], ids=["hasty"])
"""Rights are checked again at once."""
MIB = 1024 * 1024


@pytest.fixture
def recheck_s() -> float:
    return RECHECK_S


@pytest.fixture
async def site(tmp_path: Path, recheck_s: float) -> AsyncIterator[SftpSite]:
    async with a_sftp_site(tmp_path, recheck_s=recheck_s) as made:
        yield made


def checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def test_interrupted_put_is_resumed_with_an_equal_checksum(site: SftpSite) -> None:
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


async def test_put_that_breaks_off_leaves_the_file_before_it_in_the_trash(site: SftpSite) -> None:
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


async def test_full_volume_refuses_and_loses_nothing(site: SftpSite) -> None:
    await site.change(quota_mib=2, used_mib=0, measured_at=now())
    async with site.client() as client:
        await put(client, f"{site.there}/kept.bin", b"k" * MIB)
        file = await client.open(f"{site.there}/new.bin", "wb")
        await file.write(b"n" * (MIB // 2))
        with pytest.raises(asyncssh.SFTPFailure, match="no space for this: 1 MiB of 2 MiB"):
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
            with pytest.raises(
                asyncssh.SFTPFailure, match=r"no space for this|more than the whole"
            ):
                await refused
        assert (site.top / "kept.bin").read_bytes() == b"k" * MIB
        assert await site.trashed() == []
        await client.remove(f"{site.there}/kept.bin")


async def test_file_that_is_put_again_needs_its_room_once(site: SftpSite) -> None:
    await site.change(quota_mib=2, used_mib=0, measured_at=now())
    async with site.client() as client:
        for _ in range(4):
            await put(client, f"{site.there}/model.bin", b"m" * MIB)
    async with site.client() as client:
        with pytest.raises(asyncssh.SFTPFailure, match="no space for this: 1 MiB of 2 MiB"):
            await put(client, f"{site.there}/other.bin", b"o" * (MIB + 1))


@HASTY
async def test_rights_that_are_taken_away_end_a_transfer(site: SftpSite) -> None:
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
async def test_session_ends_with_the_key(site: SftpSite) -> None:
    async with site.client() as client:
        await client.listdir("/")
        await run_in_thread(SshKey.objects.all().delete)
        async with asyncio.timeout(PATIENCE_S):
            await client.wait_closed()


async def test_open_files_and_sessions_are_limited(site: SftpSite) -> None:
    async with site.connection("owner") as connection:
        first = await connection.start_sftp_client()
        await put(first, f"{site.there}/a", b"a")
        asked = [first.open(f"{site.there}/a", "rb") for _ in range(HANDLES_MAX + 3)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        files = [each for each in answers if isinstance(each, asyncssh.SFTPClientFile)]
        refused = [each for each in answers if isinstance(each, asyncssh.SFTPFailure)]
        assert (len(files), len(refused)) == (HANDLES_MAX, 3)
        assert all(f"{HANDLES_MAX} files" in str(each) for each in refused)
        await files.pop().close()
        files.append(await first.open(f"{site.there}/a", "rb"))
        await connection.start_sftp_client()
        with pytest.raises((asyncssh.SFTPError, asyncssh.ConnectionLost)):
            await connection.start_sftp_client()


async def test_writers_of_files_keep_no_connection(site: SftpSite) -> None:
    async with site.client() as client:
        await put(client, f"{site.there}/a", b"a")
        before = borrowed_connections()
        written = [put(client, f"{site.there}/{number}", b"b") for number in range(HANDLES_MAX)]
        await asyncio.gather(*written)
    async with site.connection("owner") as connection:
        client = await connection.start_sftp_client()
        await client.open(f"{site.there}/left", "wb")
        connection.abort()
    await wait_until_async(lambda: borrowed_connections() <= before)


async def test_written_volume_is_measured_again(site: SftpSite) -> None:
    async with site.connection("owner") as connection:
        client = await connection.start_sftp_client()
        whole = await client.open(f"{site.there}/whole", "wb")
        await site.change(changed_at=None)
        await whole.close()
        assert await is_marked(site)
        left = await client.open(f"{site.there}/left", "wb")
        await left.write(b"left")
        await site.change(changed_at=None)
        connection.abort()
    await wait_until_async(lambda: is_marked(site))


async def is_marked(site: SftpSite) -> bool:
    row = await run_in_thread(Volume.objects.get, pk=site.shared.pk)
    return row.changed_at is not None


async def test_no_file_stays_open_when_the_end_of_a_session_is_cancelled(site: SftpSite) -> None:
    async with site.client() as client:
        await put(client, f"{site.there}/a", b"a")
    with FileThreads() as threads:
        gateway = VolumeGateway(site.storage, None, threads)
        work = VolumeWork(gateway, lambda: load_actor(site.people["owner"]))
        for _ in range(8):
            await work.open(f"{site.there}/a".encode(), asyncssh.FXF_READ, asyncssh.SFTPAttrs())
        assert len(open_files(site.top / "a")) == 8

        ending = asyncio.create_task(work.close_all())
        await asyncio.sleep(0)
        ending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await ending

        assert open_files(site.top / "a") == []


def open_files(path: Path) -> list[str]:
    """Return the descriptors of this process on a file, by its name."""
    found = [file.path for file in psutil.Process().open_files()]
    return [each for each in found if each == str(path.resolve())]
