"""Probes for a way out of a volume, or for what holds the portal up, on each kind of storage."""

import io
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from portal.common.errors import DomainError
from portal.volumes.tree import uploads
from portal.volumes.tree.archive import ArchiveKind, stream_archive
from portal.volumes.tree.batches import BatchWriter
from portal.volumes.tree.changes import create_folder, move, replace
from portal.volumes.tree.listing import describe, list_folder, measure
from portal.volumes.tree.paths import Parts, parse_new_path, parse_path
from portal.volumes.tree.random_access import FileUse, make_file, open_file
from portal.volumes.tree.tar_stream import TarReader
from portal.volumes.tree.trash import put_into_trash, restore
from portal.volumes.tree.uploads import UploadWriter, begin_upload
from tests.portal.volumes.tree.archives import tar_of
from tests.portal.volumes.tree.hostile import LONGEST_NAME, SPECIALS, make_hostile_tree
from tests.storages import KINDS, STORAGES

MIB = 1024 * 1024
Way = Callable[[Path, Parts], object]


@pytest.fixture(params=KINDS)
def top(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A volume on each kind of storage."""
    with STORAGES[request.param](tmp_path) as storage:
        found = storage.portal / "volumes" / "one"
        found.mkdir(parents=True)
        make_hostile_tree(found)
        yield found


def upload(top: Path, parts: Parts, *, data: bytes = b"new", replaces: bool = True) -> None:
    found = begin_upload(top, "/".join(parts), len(data), replaces=replaces)
    writer = UploadWriter(top, found)
    try:
        writer.write(data)
        writer.finish()
    finally:
        writer.close()


def unpack(top: Path, parts: Parts, *, data: bytes = b"new") -> None:
    """Unpack one file; raise what refuses it."""
    writer = BatchWriter(top, (), replaces=True, grow=lambda _: None)
    try:
        TarReader(writer).feed(tar_of({"/".join(parts): data}))
        writer.settle()
    finally:
        writer.close()
    for fault in writer.count.faults:
        raise DomainError(fault.code)


def make_folder(top: Path, parts: Parts) -> None:
    create_folder(top, parse_new_path("/".join(parts)))


def write_over(top: Path, parts: Parts) -> None:
    file = open_file(top, parts, FileUse(writes=True))
    file.write(0, b"new")
    file.close()


READS: tuple[Way, ...] = (
    list_folder,
    measure,
    lambda top, parts: b"".join(stream_archive(top, parts)),
    lambda top, parts: open_file(top, parts, FileUse()),
)
WRITES: tuple[Way, ...] = (
    upload,
    unpack,
    write_over,
    lambda top, parts: make_file(top, parts, FileUse(writes=True)),
    create_folder,
    lambda top, parts: move(top, ("notes.txt",), parts),
)


def refused(ways: tuple[Way, ...], top: Path, path: str) -> None:
    """Try a path every way; all must refuse it in words."""
    for way in ways:
        with pytest.raises(DomainError):
            way(top, parse_path(path))


@pytest.mark.parametrize("path", ["etc/hostname", "etc/probe", "etc", "passwd", "out/secret.txt"])
def test_symlink_out_of_the_volume_leads_nowhere(top: Path, path: str) -> None:
    before = Path("/etc/passwd").read_bytes()
    refused(READS, top, path)
    refused(WRITES, top, path)
    with pytest.raises(DomainError):
        replace(top, ("notes.txt",), parse_path("etc/probe"))
    assert not Path("/etc/probe").exists()
    assert Path("/etc/passwd").read_bytes() == before
    assert (top.parent / "secret.txt").read_text() == "not yours"


@pytest.mark.parametrize("special", [*SPECIALS, "passwd"])
def test_what_takes_a_files_name_while_an_archive_is_sent_is_left_out(
    top: Path, special: str
) -> None:
    pieces = stream_archive(top, (), ArchiveKind.TAR)
    begun = next(pieces)
    (top / "notes.txt").unlink()
    (top / special).rename(top / "notes.txt")
    with tarfile.open(fileobj=io.BytesIO(begun + b"".join(pieces))) as archive:
        assert archive.getnames() == ["folder/deep.txt"]


@pytest.mark.parametrize("special", ["device", "pipe", "socket"])
def test_device_node_fifo_and_socket_are_never_opened(top: Path, special: str) -> None:
    """A FIFO would hold whoever opens it until somebody writes; a device does what its driver does."""
    kind = describe(top, (special,)).kind
    refused((*READS, *WRITES), top, special)
    assert describe(top, (special,)).kind is kind
    restore(top, put_into_trash(top, (special,), ""))
    assert describe(top, (special,)).kind is kind


def test_name_of_255_bytes_goes_every_way_and_one_of_256_none(top: Path) -> None:
    ways: tuple[Way, ...] = (upload, unpack, make_folder)
    for number, way in enumerate(ways):
        parts = parse_new_path(f"{number}/{LONGEST_NAME}")
        create_folder(top, parts[:-1])
        way(top, parts)
        assert [entry.name for entry in list_folder(top, parts[:-1]).entries] == [LONGEST_NAME]
        restore(top, put_into_trash(top, parts, ""))
        moved = (*parts[:-1], LONGEST_NAME[:-1])
        move(top, parts, moved)
        assert describe(top, moved).name == LONGEST_NAME[:-1]
        with pytest.raises(DomainError):
            way(top, ("x" * 256,))


def test_full_storage_is_told_before_the_first_byte_and_loses_nothing(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "FREE_MIN_MIB", 2**50)
    for way in (upload, unpack):
        with pytest.raises(DomainError) as full:
            way(top, ("notes.txt",))
        assert full.value.code == "storage_too_small"
    assert (top / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("top", ["mounted"], indirect=True)
@pytest.mark.parametrize("size", [20 * MIB, 0], ids=["bytes", "inodes"])
def test_storage_that_runs_full_in_the_middle_keeps_what_is_whole(
    top: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "FREE_MIN_MIB", -1024)
    count = 6 if size else 1100
    create_folder(top, ("many",))
    files = {f"many/{number:04}": b"x" * size for number in range(count)}
    writer = BatchWriter(top, (), replaces=False, grow=lambda _: None)
    TarReader(writer).feed(tar_of(files))
    writer.settle()
    writer.close()
    there = [name for name in files if (top / name).exists()]
    assert (writer.count.written, writer.count.refused) == (len(there), count - len(there))
    assert 0 < len(there) < count
    assert {fault.code for fault in writer.count.faults} == {"storage_full"}
    assert all((top / name).read_bytes() == files[name] for name in there)
    assert list((top / ".berth" / "batches").iterdir()) == []
