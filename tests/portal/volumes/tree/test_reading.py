"""Reading of a tree that bad intent has made: nothing outside of it, nothing that is no plain file."""

import errno
import fcntl
import io
import os
import signal
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from portal.common.errors import DomainError, InvalidError, NotFoundError
from portal.volumes.tree import archive as archive_module
from portal.volumes.tree import listing
from portal.volumes.tree.archive import ArchivedFileError, ArchiveKind, stream_archive
from portal.volumes.tree.folders import (
    open_on_nodev,
    open_plain_descriptor,
    open_plain_file,
    opened_folder,
)
from portal.volumes.tree.listing import EntryKind, SortKey, list_folder, measure
from portal.volumes.tree.paths import parse_path, refused_clearly
from tests.portal.volumes.tree.hostile import LINKS, NAMES, NO_PATHS, SPECIALS, make_hostile_tree


@pytest.fixture
def top(tmp_path: Path) -> Path:
    found = tmp_path / "volumes" / "one"
    found.mkdir(parents=True)
    make_hostile_tree(found)
    return found


def read(top: Path, path: str) -> bytes:
    parts = parse_path(path)
    with (
        refused_clearly(path),
        opened_folder(top, parts[:-1]) as folder,
        open_plain_file(folder, parts[-1]) as file,
    ):
        return file.read() or b""


def archived(top: Path, path: str = "") -> dict[str, bytes]:
    data = b"".join(stream_archive(top, parse_path(path)))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def untarred(top: Path, path: str = "") -> dict[str, bytes]:
    data = b"".join(stream_archive(top, parse_path(path), ArchiveKind.TAR))
    found = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive.getmembers():
            held = archive.extractfile(member)
            assert held is not None, member
            found[member.name] = held.read()
    return found


def test_folder_is_listed_with_the_kind_of_each_entry(top: Path) -> None:
    found = {entry.name: entry for entry in list_folder(top, ()).entries}

    assert (found["folder"].kind, found["notes.txt"].kind) == (EntryKind.FOLDER, EntryKind.FILE)
    assert found["notes.txt"].size == 4
    for link in ("out", "up", "etc", "passwd", "inside", "loop"):
        assert (found[link].kind, found[link].has_content) == (EntryKind.LINK, link == "inside")
    for name in set(SPECIALS) & found.keys():
        assert found[name].kind is EntryKind.SPECIAL


@pytest.mark.parametrize("path", NO_PATHS)
def test_what_is_no_path_is_not_found(top: Path, path: str) -> None:
    for use in (read, lambda top, path: list_folder(top, parse_path(path)), archived):
        with pytest.raises(NotFoundError):
            use(top, path)


@pytest.mark.parametrize("path", LINKS)
def test_links_are_followed_nowhere(top: Path, path: str) -> None:
    for use in (read, lambda top, path: list_folder(top, parse_path(path)), archived):
        with pytest.raises(NotFoundError):
            use(top, path)


@pytest.mark.parametrize("path", SPECIALS)
def test_devices_pipes_and_sockets_are_not_opened(top: Path, path: str) -> None:
    with pytest.raises(NotFoundError):
        read(top, path)


def test_archive_and_size_have_plain_files_and_links_to_them_only(top: Path) -> None:
    files = {"notes.txt": b"mine", "folder/deep.txt": b"deep"}
    assert archived(top) == files | {"inside": b"mine"}
    assert archived(top, "folder") == {"deep.txt": b"deep"}
    assert untarred(top) == archived(top)
    assert untarred(top, "folder") == {"deep.txt": b"deep"}
    assert measure(top, ()) == listing.TreeSize(8, 2, is_whole=True)


def test_names_of_any_script_are_listed_read_and_archived(top: Path) -> None:
    for name in NAMES:
        (top / "folder" / "below" / name).write_text(name)

    found = list_folder(top, ("folder", "below"))
    assert {entry.name for entry in found.entries} == set(NAMES)
    for name in NAMES:
        assert read(top, f"folder/below/{name}").decode() == name
    assert {name.encode() for name in NAMES} == set(archived(top, "folder/below").values())
    assert {name: name.encode() for name in NAMES} == untarred(top, "folder/below")


def test_tar_has_sizes_times_and_programs_as_tar_itself_reads_them(tmp_path: Path) -> None:
    packed, got = tmp_path / "packed", tmp_path / "got"
    (packed / "deep" / ("d" * 200)).mkdir(parents=True)
    got.mkdir()
    for number, size in enumerate((0, 1, 511, 512, 513, 600_000)):
        file = packed / "deep" / (f"{number}" if size % 2 else f"{'d' * 200}/{number}")
        file.write_bytes(os.urandom(size))
        os.utime(file, (1_700_000_000, 1_700_000_000 + number))
    (packed / "start.sh").write_text("#!/bin/sh")
    (packed / "start.sh").chmod(0o755)
    data = b"".join(stream_archive(packed, (), ArchiveKind.TAR))

    subprocess.run(["tar", "-xpf", "-", "-C", got], input=data, check=True)

    files = {path.relative_to(packed) for path in packed.rglob("*") if path.is_file()}
    assert files == {path.relative_to(got) for path in got.rglob("*") if path.is_file()}
    for path in files:
        ours, theirs = packed / path, got / path
        assert ours.read_bytes() == theirs.read_bytes()
        assert ours.stat().st_mode == theirs.stat().st_mode
        assert int(ours.stat().st_mtime) == int(theirs.stat().st_mtime)


def test_file_that_gets_shorter_while_it_is_sent_breaks_the_download_off(top: Path) -> None:
    """Its length has been sent, so the archive could not be read on from there."""
    (top / "a.bin").write_bytes(bytes(1_000_000))
    pieces = stream_archive(top, (), ArchiveKind.TAR)
    next(pieces)
    next(pieces)
    (top / "a.bin").write_bytes(b"")
    with pytest.raises(ArchivedFileError):
        list(pieces)


@pytest.mark.parametrize("kind", ArchiveKind)
def test_archive_of_too_many_files_is_refused_at_once(
    tmp_path: Path, kind: ArchiveKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for number in range(3):
        (tmp_path / "a" / "b" / f"{number}").touch()
    assert len(b"".join(stream_archive(tmp_path, (), kind))) > 0
    monkeypatch.setattr(archive_module, "ARCHIVE_FILES_MAX", 2)
    with pytest.raises(InvalidError) as refused:
        stream_archive(tmp_path, (), kind)
    assert refused.value.code == "archive_too_large"


def test_folder_that_becomes_a_link_while_it_is_read_is_not_entered(top: Path) -> None:
    """The walk has the folder's name; what it opens by that name is a link by then."""
    (top / "a").mkdir()
    (top / "a" / "first.txt").write_text("first")
    (top / "b").mkdir()
    (top / "b" / "own.txt").write_text("own")
    (top.parent / "passwd").write_text("not yours")

    pieces: Iterator[bytes] = stream_archive(top, ())
    data = next(pieces)
    assert b"first" in data
    (top / "b" / "own.txt").unlink()
    (top / "b").rmdir()
    (top / "b").symlink_to(top.parent)
    data += b"".join(pieces)

    assert b"not yours" not in data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert not any(name.startswith("b/") for name in archive.namelist())


def test_volume_that_is_a_link_itself_is_not_entered(top: Path, tmp_path: Path) -> None:
    link = tmp_path / "volumes" / "two"
    link.symlink_to(top)
    with pytest.raises(NotFoundError):
        list_folder(link, ())


def test_ten_thousand_entries_come_in_pages(tmp_path: Path) -> None:
    for number in range(10_000):
        (tmp_path / f"{number:05}.txt").touch()
    (tmp_path / "zz folder").mkdir()

    first = list_folder(tmp_path, (), limit=3)
    last = list_folder(tmp_path, (), offset=9_999, limit=50)
    names = [entry.name for entry in first.entries]

    assert (first.total, names) == (10_001, ["zz folder", "00000.txt", "00001.txt"])
    assert [entry.name for entry in last.entries] == ["09998.txt", "09999.txt"]


def test_order_is_by_name_size_or_time_and_folders_come_first(tmp_path: Path) -> None:
    for name, size, moment in (("B", 3, 10), ("a", 1, 30), ("c", 2, 20)):
        (tmp_path / name).write_bytes(b"x" * size)
        os.utime(tmp_path / name, (moment, moment))
    (tmp_path / "z").mkdir()

    def names(sort: SortKey, *, is_descending: bool = False) -> str:
        page = list_folder(tmp_path, (), sort=sort, is_descending=is_descending)
        return "".join(entry.name for entry in page.entries)

    assert names(SortKey.NAME) == "zaBc"
    assert names(SortKey.SIZE) == "zacB"
    assert names(SortKey.MODIFIED) == "zBca"
    assert names(SortKey.NAME, is_descending=True) == "zcBa"


def test_very_deep_tree_ends_the_walk_and_says_so(tmp_path: Path) -> None:
    made = [os.open(tmp_path, os.O_RDONLY)]
    for _ in range(100):
        os.mkdir("d", dir_fd=made[-1])
        made.append(os.open("d", os.O_RDONLY, dir_fd=made[-1]))
        os.close(made[-2])
    os.close(made[-1])

    assert measure(tmp_path, ()) == listing.TreeSize(0, 0, is_whole=False)
    with pytest.raises(DomainError):
        parse_path("/".join(["d"] * 100))


def test_forked_process_opens_its_own_descriptors(top: Path) -> None:
    """Files are opened again by the folder of the process's descriptors, which a child has inherited."""
    (top / "x").write_bytes(b"mine")
    read(top, "x")
    child = os.fork()
    if child == 0:
        # What the parent has by these numbers is not what the child opens.
        held = [os.open("/dev/null", os.O_RDONLY) for _ in range(3)]
        try:
            is_mine = read(top, "x") == b"mine"
        finally:
            os._exit(0 if held and is_mine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("opened_by", [open_plain_descriptor, open_on_nodev])
def test_file_on_which_somebody_has_a_lease_is_opened_once_that_is_given_up(
    top: Path, opened_by: Callable[[int, str], tuple[int, os.stat_result]]
) -> None:
    (top / "leased").write_bytes(b"mine")
    leased = os.open(top / "leased", os.O_RDWR)

    def give_up(*_: object) -> None:
        fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_UNLCK)

    before = signal.signal(signal.SIGIO, give_up)
    try:
        fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        with opened_folder(top) as folder:
            opened, facts = opened_by(folder, "leased")
        assert (os.read(opened, 10), facts.st_size) == (b"mine", 4)
        os.close(opened)
    finally:
        signal.signal(signal.SIGIO, before)
        os.close(leased)


@pytest.mark.parametrize("kind", ArchiveKind)
def test_archive_without_a_file_that_could_not_be_read_is_broken_off(
    top: Path, kind: ArchiveKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(folder: int, name: str) -> tuple[int, os.stat_result]:
        raise OSError(errno.EIO, os.strerror(errno.EIO), name)

    for name in ("open_plain_descriptor", "open_on_nodev"):
        monkeypatch.setattr(archive_module, name, fail)
    with pytest.raises(OSError, match="Input/output"):
        list(stream_archive(top, (), kind))
