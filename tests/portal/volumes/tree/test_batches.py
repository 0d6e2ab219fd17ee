"""Archives that are unpacked into a hostile tree, however the storage makes files durable."""

import os
import stat
import subprocess
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from portal.common.errors import InvalidError
from portal.volumes.tree import batches
from portal.volumes.tree.batches import BatchCount, BatchWriter, tidy_batches
from portal.volumes.tree.paths import Parts, StorageFullError
from portal.volumes.tree.removal import remove_discarded
from portal.volumes.tree.tar_stream import TarReader
from tests.portal.volumes.tree.archives import member, packed, tar_of
from tests.portal.volumes.tree.hostile import NAMES, make_hostile_tree

pytestmark = pytest.mark.parametrize("each_max", [0, 1000], ids=["syncfs", "fsync"])


@pytest.fixture
def top(tmp_path: Path) -> Path:
    found = tmp_path / "volumes" / "one"
    found.mkdir(parents=True)
    make_hostile_tree(found)
    return found


def unpack(
    top: Path,
    data: bytes,
    *,
    each_max: int,
    target: Parts = (),
    replaces: bool = False,
    grow: Callable[[int], None] = lambda _: None,
    piece: int = 1000,
) -> BatchCount:
    """Unpack an archive that comes in pieces; nothing is left beside its files."""
    writer = BatchWriter(top, target, replaces=replaces, grow=grow, each_max=each_max)
    try:
        reader = TarReader(writer)
        for start in range(0, len(data), piece):
            reader.feed(data[start : start + piece])
        writer.settle()
    finally:
        writer.close()
    assert list((top / ".berth" / "batches").iterdir()) == []
    return writer.count


def outcome(count: BatchCount) -> tuple[int, int, int]:
    return count.written, count.unchanged, count.refused


def codes(count: BatchCount) -> dict[str, str]:
    return {each.pointer: each.code for each in count.faults}


@pytest.mark.parametrize("kind", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT], ids=["pax", "gnu"])
@pytest.mark.parametrize("piece", [1, 511, 100_000])
def test_names_of_any_script_and_size_arrive(
    top: Path, each_max: int, kind: int, piece: int
) -> None:
    files = {f"made/{name}": name.encode() * 9 for name in NAMES}
    files |= {"empty": b"", "a/b/c/deep": b"x" * 5000}

    count = unpack(top, tar_of(files, kind=kind), each_max=each_max, piece=piece, target=("to",))

    assert outcome(count) == (len(files), 0, 0)
    assert {name: (top / "to" / name).read_bytes() for name in files} == files


def test_what_tar_itself_packs_arrives(top: Path, each_max: int, tmp_path: Path) -> None:
    packed_from = tmp_path / "run"
    (packed_from / "empty folder").mkdir(parents=True)
    (packed_from / "start.sh").write_text("#!/bin/sh")
    (packed_from / "start.sh").chmod(0o755)
    (packed_from / "data.txt").write_text("1")
    made = subprocess.run(
        ["tar", "-cf", "-", "-C", packed_from, "."], check=True, capture_output=True
    )

    assert outcome(unpack(top, made.stdout, each_max=each_max, target=("run",))) == (2, 0, 0)

    assert (top / "run" / "empty folder").is_dir()
    modes = [(top / "run" / name).stat().st_mode & 0o100 for name in ("start.sh", "data.txt")]
    assert modes == [0o100, 0]
    owner = top.stat()
    assert (top / "run" / "data.txt").stat().st_uid == owner.st_uid


def test_batch_that_is_sent_again_changes_nothing(top: Path, each_max: int) -> None:
    """A broken batch is sent again whole, so what had arrived must count as written."""
    files = {f"{number}": bytes([number]) * number for number in range(20)}
    whole = tar_of(files)
    half = unpack(top, whole[: len(whole) // 3], each_max=each_max)
    assert 0 < half.written < 20

    again = unpack(top, whole, each_max=each_max)
    assert outcome(again) == (20 - half.written, half.written, 0)
    assert outcome(unpack(top, whole, each_max=each_max)) == (0, 20, 0)
    assert {name: (top / name).read_bytes() for name in files} == files


def test_names_that_are_taken_are_refused_one_by_one(top: Path, each_max: int) -> None:
    files = {"notes.txt": b"other", "folder": b"x", "pipe": b"x", "passwd": b"x", "new": b"x"}

    count = unpack(top, tar_of(files), each_max=each_max)

    assert outcome(count) == (1, 0, 4)
    assert set(codes(count).values()) == {"file_exists"}
    assert (top / "notes.txt").read_text() == "mine"
    assert stat.S_ISFIFO((top / "pipe").lstat().st_mode)


def test_plain_files_are_replaced_as_asked_and_nothing_else(top: Path, each_max: int) -> None:
    files = {"notes.txt": b"other", "folder": b"x", "pipe": b"x", "passwd": b"x"}

    count = unpack(top, tar_of(files), each_max=each_max, replaces=True)

    assert (outcome(count), (top / "notes.txt").read_bytes()) == ((1, 0, 3), b"other")
    assert (top / "folder").is_dir()
    assert (top / "passwd").is_symlink()


def test_name_that_comes_twice_is_written_once(top: Path, each_max: int) -> None:
    twice = [(member("x", data), data) for data in (b"one", b"one", b"two")]

    count = unpack(top, packed(twice), each_max=each_max)

    assert (outcome(count), codes(count)) == ((1, 1, 1), {"/x": "file_exists"})
    assert (top / "x").read_bytes() == b"one"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../secret.txt", "file_name"),
        ("folder/../../secret.txt", "file_name"),
        ("/etc/passwd", "file_name"),
        (f"new/{'a' * 256}", "file_name"),
        ("/".join(["a"] * 70), "file_name"),
        ("new\nline", "file_name"),
        (".berth/uploads/x", "file_name_reserved"),
        (".Trash-1000/files/x", "file_name_reserved"),
        ("out/secret.txt", "file_exists"),
        ("etc/x", "file_exists"),
        ("loop/x", "file_exists"),
        ("notes.txt/x", "file_exists"),
        ("pipe/x", "file_exists"),
    ],
)
def test_no_path_leads_out_of_the_volume(top: Path, each_max: int, name: str, code: str) -> None:
    """The others of the batch arrive all the same."""
    beside = {item.name: item.stat().st_mtime_ns for item in top.parent.iterdir()}

    count = unpack(top, tar_of({"before": b"1", name: b"2", "after": b"3"}), each_max=each_max)

    pointer = f"/{name.replace('/', '~1')}"
    assert (outcome(count), codes(count)) == ((2, 0, 1), {pointer: code})
    assert [(top / it).read_bytes() for it in ("before", "after")] == [b"1", b"3"]
    assert (top.parent / "secret.txt").read_text() == "not yours"
    assert {item.name: item.stat().st_mtime_ns for item in top.parent.iterdir()}.keys() == (
        beside.keys()
    )


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE],
    ids=["symlink", "hard link", "character device", "block device", "FIFO"],
)
def test_links_devices_and_pipes_are_not_made(top: Path, each_max: int, kind: bytes) -> None:
    special = member("special", kind=kind)
    special.linkname = "/etc/passwd"

    count = unpack(top, packed([(special, b""), (member("x", b"1"), b"1")]), each_max=each_max)

    assert (outcome(count), codes(count)) == ((1, 0, 1), {"/special": "file_not_plain"})
    assert not os.path.lexists(top / "special")


def test_volume_that_gets_full_in_the_middle_keeps_what_came_before(
    top: Path, each_max: int
) -> None:
    used = 0

    def grow(size: int) -> None:
        nonlocal used
        if used + size > 100:
            raise StorageFullError("volume_full", name="x", quota_mib=1, used_mib=1)
        used += size

    files = {"a": b"1" * 60, "b": b"2" * 60, "c": b"3" * 40}
    count = unpack(top, tar_of(files), each_max=each_max, grow=grow)

    assert (outcome(count), codes(count)) == ((2, 0, 1), {"/b": "volume_full"})
    assert not (top / "b").exists()


def test_storage_without_space_refuses_what_does_not_fit(
    top: Path, each_max: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = member("large")
    large.size = 2**50
    data = large.tobuf() + bytes(1024)
    monkeypatch.setattr(batches, "BATCH_FILE_MAX", 2**51)

    count = unpack(top, tar_of({"a": b"1"})[:1024] + data, each_max=each_max)

    assert (outcome(count), codes(count)) == ((1, 0, 1), {"/large": "storage_too_small"})


def test_files_and_folders_are_bounded(
    top: Path, each_max: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH_FILES_MAX", 3)
    monkeypatch.setattr(batches, "BATCH_FILE_MAX", 5)
    monkeypatch.setattr(batches, "FAULTS_MAX", 1)

    count = unpack(top, tar_of({"a": b"1", "b": b"123456", "c": b"123456"}), each_max=each_max)
    assert (outcome(count), codes(count)) == ((1, 0, 2), {"/b": "file_too_large_here"})
    with pytest.raises(InvalidError) as refused:
        unpack(top, tar_of({str(number): b"" for number in range(4)}), each_max=each_max)
    assert refused.value.code == "batch_too_many"


def test_groups_of_a_large_batch_follow_each_other(
    top: Path, each_max: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "_GROUP_FILES", 7)
    files = {f"{number % 3}/{number}": b"x" * number for number in range(50)}

    assert outcome(unpack(top, tar_of(files), each_max=each_max)) == (50, 0, 0)
    assert {name: (top / name).read_bytes() for name in files} == files


def test_file_that_has_not_come_whole_never_appears(top: Path, each_max: int) -> None:
    data = tar_of({"first": b"1" * 600, "new/second": b"2" * 60_000})
    before = {item.name for item in top.iterdir()}
    writer = BatchWriter(top, (), replaces=False, grow=lambda _: None, each_max=each_max)
    reader = TarReader(writer)
    reader.feed(data[:40_000])
    assert {item.name for item in top.iterdir()} == {*before, ".berth"}
    writer.settle()
    writer.close()
    assert (outcome(writer.count), (top / "new").exists()) == ((1, 0, 0), False)
    assert list((top / ".berth" / "batches").iterdir()) == []
    assert not reader.has_ended


def test_what_a_killed_process_left_is_tidied(top: Path, each_max: int) -> None:
    writer = BatchWriter(top, (), replaces=False, grow=lambda _: None, each_max=each_max)
    TarReader(writer).feed(tar_of({"x": b"1"}))
    assert tidy_batches(top, time.time() - 60) == 0
    assert tidy_batches(top, time.time() + 60) == 1
    assert remove_discarded(top, within_s=60)
    assert list((top / ".berth" / "batches").iterdir()) == []


@pytest.mark.parametrize(
    "data",
    [
        b"\x1f\x8b" + bytes(600),
        b"PK\x03\x04" + b"x" * 600,
        b"x" * 512,
        tar_of({"x": b""})[:500] + b"y" * 600,
        packed([(member("x", b"9999999999 path=a\n", tarfile.XHDTYPE), b"9999999999 path=a\n")]),
        packed([(member("x", b"1 a=b\n", tarfile.XHDTYPE), b"1 a=b\n")]),
        packed([(member("x", b"9 size=-\n", tarfile.XHDTYPE), b"9 size=-\n")]),
        packed([(member("x", b"x" * 70_000, tarfile.XHDTYPE), b"x" * 70_000)]),
        packed([(member("x", kind=tarfile.GNUTYPE_SPARSE), b"")]),
    ],
    ids=["gzip", "zip", "text", "checksum", "length", "short", "size", "attributes", "sparse"],
)
def test_what_is_no_archive_is_refused(top: Path, each_max: int, data: bytes) -> None:
    with pytest.raises(InvalidError) as refused:
        unpack(top, data, each_max=each_max)
    assert refused.value.code == "archive_not_tar"
