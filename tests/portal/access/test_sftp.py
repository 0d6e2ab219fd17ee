"""Volumes over SFTP: asyncssh's client against the real server, as each role."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from shutil import disk_usage

import asyncssh
import pytest

from portal.access.sftp.server import VolumeServer
from portal.access.sftp.voice import ClientVoice
from portal.access.sftp.work import HANDLES_MAX
from portal.audit.models import AuditEvent
from portal.common.concurrency import run_in_thread
from portal.datasets.models import Dataset
from portal.volumes.files import volume_folder
from portal.volumes.models import Volume
from tests.builders.datasets import a_dataset
from tests.builders.machines import a_node, a_pool
from tests.portal.access.sftp_site import SftpSite, a_sftp_site, content, part, put
from tests.portal.volumes.tree.hostile import (
    LINKS,
    LONGEST_NAME,
    NAMES,
    SPECIALS,
    make_hostile_tree,
)
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[SftpSite]:
    async with a_sftp_site(tmp_path) as made:
        yield made


async def test_each_role_sees_and_may_what_the_page_lets_it(site: SftpSite) -> None:
    (site.top / "notes.txt").write_text("mine")
    for who, entries in {
        "owner": ["home", site.shared.folder_name],
        "developer": ["home", site.shared.folder_name],
        "viewer": ["home", site.shared.folder_name],
        "stranger": ["home"],
        "operator": ["home"],
    }.items():
        async with site.client(who) as client:
            assert sorted(await client.listdir("/")) == sorted([*entries, "datasets"]), who
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


async def test_tree_is_changed_as_on_the_page(site: SftpSite) -> None:
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


async def test_times_and_permission_to_run_count_and_nothing_else(site: SftpSite) -> None:
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


@pytest.mark.parametrize("seconds", [-315_619_200, -1, 2**32, 2**33])
async def test_a_folder_with_times_beyond_32_bits_is_read_like_any_other(
    site: SftpSite, tmp_path: Path, seconds: int
) -> None:
    folder = site.top / "odd"
    (folder / "below").mkdir(parents=True)
    (folder / "file").write_text("odd")
    for entry in (folder / "file", folder / "below", folder):
        os.utime(entry, (seconds, seconds))
    there, said = f"{site.there}/odd", 0 if seconds < 0 else 2**32 - 1
    async with site.client() as client:
        assert {"file", "below"} <= set(await client.listdir(there))
        for path in (there, f"{there}/file", f"{there}/below"):
            assert (await client.stat(path)).mtime == said
            assert (await client.lstat(path)).mtime == said
        await client.get(there, tmp_path / "copy", recurse=True, preserve=True)
        assert (tmp_path / "copy" / "file").read_text() == "odd"
        await client.utime(f"{there}/file", (2**32 - 1, 2**32 - 1))
        assert (await client.stat(f"{there}/file")).mtime == 2**32 - 1
        with pytest.raises(asyncssh.SFTPError):
            await client.truncate(f"{there}/file", 2**64 - 1)
        assert await content(client, f"{there}/file") == b"odd"


async def test_nothing_outside_of_a_volume_is_reached(site: SftpSite) -> None:
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


async def test_unusual_names_pass_unchanged(site: SftpSite) -> None:
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


async def test_large_folder_comes_in_parts_and_its_handles_are_given_back(site: SftpSite) -> None:
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


async def test_volume_on_a_node_is_named_and_refused_in_the_words_of_the_page(
    site: SftpSite,
) -> None:
    node = await run_in_thread(lambda: a_node(a_pool()))
    await site.change(location="node", node=node)
    async with site.client() as client:
        assert site.shared.folder_name in await client.listdir("/")
        with pytest.raises(asyncssh.SFTPFailure, match="lie on the node"):
            await client.listdir(site.there)


async def test_commands_are_refused_politely(site: SftpSite) -> None:
    async with site.connection("owner") as connection:
        english = await connection.run("rsync --server -vlogDtpre.iLsfxC . /home")
        chinese = await connection.run("", env={"LANG": "zh_CN.UTF-8"})
    assert (english.exit_status, english.stdout) == (255, "")
    assert "SFTP alone" in str(english.stderr)
    assert "仅通过 SFTP" in str(chinese.stderr)


async def test_room_is_that_of_the_quota_or_else_of_the_storage(site: SftpSite) -> None:
    volumes = Volume.objects.filter(pk=site.shared.pk)
    await run_in_thread(lambda: volumes.update(quota_mib=100, used_mib=30))
    async with site.client("viewer") as client:
        limited = await client.statvfs(f"{site.there}/anything")
        assert (limited.frsize, limited.blocks, limited.bavail) == (2**20, 100, 70)
        await run_in_thread(lambda: volumes.update(quota_mib=0))
        for path in (site.there, "/", "/datasets"):
            assert (await client.statvfs(path)).blocks == disk_usage(site.storage).total >> 20
    async with site.client("stranger") as client:
        with pytest.raises(asyncssh.SFTPNoSuchFile):
            await client.statvfs(site.there)


def test_no_method_of_the_library_touches_this_machine() -> None:
    harmless = {"channel", "connection", "env", "logger", "convert_attrs"}
    harmless |= {"format_user", "format_group", "format_longname", "reverse_map_path"}
    offered = {name for name in vars(asyncssh.SFTPServer) if not name.startswith("_")}
    assert offered - harmless <= set(vars(VolumeServer))


async def test_data_sets_are_read_by_whom_they_are_for_and_written_by_nobody(
    tmp_path: Path,
) -> None:
    async with a_sftp_site(tmp_path) as site:
        root = tmp_path / "datasets"
        (root / "vision" / "cats-2012" / "train").mkdir(parents=True)
        (root / "vision" / "cats-2012" / "train" / "a.jpg").write_bytes(b"cat")
        (root / "vision" / "cats-2011" / "old.jpg").mkdir(parents=True)
        (root / "vision" / "secret.txt").write_text("beside")
        (root / "vision" / "cats-2012" / "out").symlink_to(tmp_path)
        (root / "vision" / "cats-2012" / "secret").symlink_to(root / "vision" / "secret.txt")

        def datasets() -> None:
            assert site.shared.group is not None
            a_dataset("cats", "vision/cats-2011", "vision/cats-2012", groups=[site.shared.group])
            a_dataset("elsewhere", "not-here", everybody=True)
            a_dataset("linked", "vision/cats-2012/out", everybody=True)

        await run_in_thread(datasets)
        for who in ("owner", "viewer"):
            async with site.client(who) as client:
                assert "datasets" in await client.listdir("/")
                shown = ["cats", "cats@1", "cats@2"]
                assert sorted(await client.listdir("/datasets")) == shown, "others are not here"
                assert await client.listdir("/datasets/cats@1") == ["old.jpg"]
                assert await client.isdir("/datasets/cats")
                assert sorted(await client.listdir("/datasets/cats")) == ["out", "secret", "train"]
                assert await content(client, "/datasets/cats/train/a.jpg") == b"cat"
                await client.get("/datasets/cats/train", tmp_path / who, recurse=True)
                assert (tmp_path / who / "a.jpg").read_bytes() == b"cat"
                for path in (
                    "out/host_key",
                    "secret",
                    "../cats/none",
                    "../../vision",
                    "../cats@3/train/a.jpg",
                ):
                    with pytest.raises(asyncssh.SFTPError):
                        await content(client, f"/datasets/cats/{path}")
                for refused in (
                    put(client, "/datasets/cats/train/a.jpg", b"x"),
                    put(client, "/datasets/new", b"x"),
                    client.remove("/datasets/cats/train/a.jpg"),
                    client.mkdir("/datasets/cats/new"),
                    client.rmdir("/datasets/cats"),
                    client.rename("/datasets/cats/train", "/datasets/cats/b"),
                    client.rename("/home/own", "/datasets/cats/b"),
                    client.truncate("/datasets/cats/train/a.jpg", 0),
                    client.utime("/datasets/cats", (1, 1)),
                ):
                    with pytest.raises(asyncssh.SFTPPermissionDenied):
                        await refused
        async with site.client("stranger") as client:
            assert await client.listdir("/datasets") == []
            with pytest.raises(asyncssh.SFTPNoSuchFile):
                await content(client, "/datasets/cats/train/a.jpg")


async def test_a_data_set_that_is_taken_away_is_not_read_on(tmp_path: Path) -> None:
    async with a_sftp_site(tmp_path, recheck_s=0.05) as site, site.client() as client:
        folder = tmp_path / "datasets" / "cats"
        folder.mkdir(parents=True)
        (folder / "a").write_bytes(b"cat")
        await run_in_thread(lambda: a_dataset("cats", "cats", everybody=True))
        async with client.open("/datasets/cats/a", "rb") as file:
            assert await part(file, 3, 0) == b"cat"
            await run_in_thread(lambda: Dataset.objects.all().delete())
            with pytest.raises(asyncssh.SFTPError):
                await read_on(file)


async def read_on(file: asyncssh.SFTPClientFile) -> None:
    """Read again and again, until that is refused."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            await part(file, 1, 0)


async def test_number_of_names_that_are_not_listed_is_printed(
    site: SftpSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, object]] = []
    monkeypatch.setattr(ClientVoice, "say", lambda _, *words: said.append(words))
    (site.top / os.fsdecode("中文".encode("gbk"))).mkdir()
    async with site.client("viewer") as client:
        await client.listdir(site.there)
    assert said == [("sftp_names_unreadable", {"count": 1})]
