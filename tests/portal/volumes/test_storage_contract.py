"""The life of files in a volume, the same on every storage that volumes may lie on."""

import errno
import io
import os
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.common.errors import ConflictError, NotFoundError
from portal.common.ids import new_id
from portal.volumes.file_access import OpenedVolume
from portal.volumes.models import Volume
from portal.volumes.open_files import move_over
from portal.volumes.sizes import measure_mib
from portal.volumes.tree import changes
from portal.volumes.tree.archive import stream_archive
from portal.volumes.tree.batches import BatchWriter
from portal.volumes.tree.changes import create_folder, ensure_top, move, replace
from portal.volumes.tree.copied_files import CopiedAmount
from portal.volumes.tree.copying import TreeCopier
from portal.volumes.tree.listing import EntryKind, describe, list_folder, measure
from portal.volumes.tree.paths import Parts
from portal.volumes.tree.random_access import FileUse, make_file, open_file
from portal.volumes.tree.removal import remove_discarded
from portal.volumes.tree.restoring import restore_copy
from portal.volumes.tree.tar_stream import TarReader
from portal.volumes.tree.trash import (
    keep_in_trash,
    list_trash,
    put_into_trash,
    remove_for_good,
    restore,
)
from portal.volumes.tree.uploads import UploadWriter, begin_upload, find_upload
from tests.portal.volumes.tree.archives import tar_of
from tests.portal.volumes.tree.hostile import NAMES
from tests.storages import KINDS, STORAGES, Storage
from tests.waiting import wait_until


@pytest.fixture(scope="module", params=KINDS)
def storage(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Storage]:
    """A storage, of each kind."""
    with STORAGES[request.param](tmp_path_factory.mktemp("storage")) as found:
        yield found


@pytest.fixture
def top(storage: Storage) -> Path:
    """A volume of its own for each test."""
    found = storage.portal / "volumes" / str(new_id())
    ensure_top(found)
    return found


@pytest.fixture
def mounted(storage: Storage, top: Path) -> Path:
    """The same volume as work on a node has it."""
    return storage.node / top.relative_to(storage.portal)


def upload(top: Path, path: str, *pieces: bytes, replaces: bool = False) -> str:
    """Send a file over as many connections as there are pieces; return its path."""
    begun = begin_upload(top, path, sum(map(len, pieces)), replaces=replaces)
    placed = ""
    for piece in pieces:
        writer = UploadWriter(top, find_upload(top, begun.id))
        try:
            writer.write(piece)
            placed = writer.finish() if writer.offset == begun.length else ""
        finally:
            writer.close()
    return placed


def names(top: Path, *parts: str) -> list[str]:
    return [entry.name for entry in list_folder(top, parts).entries]


def content(top: Path, *parts: str) -> bytes:
    file = open_file(top, parts, FileUse())
    try:
        return file.read(0, 10_000_000)
    finally:
        file.close()


def unpack(top: Path, parts: Parts, files: dict[str, bytes], *, replaces: bool = False) -> int:
    """Unpack an archive into a folder; return how many files it wrote."""
    writer = BatchWriter(top, parts, replaces=replaces, grow=lambda _: None)
    try:
        TarReader(writer).feed(tar_of(files))
        writer.settle()
    finally:
        writer.close()
    return writer.count.written


def test_upload_over_broken_connections_is_whole(top: Path) -> None:
    sent = [os.urandom(size) for size in (1, 3_000_000, 70_000)]
    assert upload(top, "sets/train/images.bin", *sent) == "sets/train/images.bin"
    assert content(top, "sets", "train", "images.bin") == b"".join(sent)
    assert names(top, "sets", "train") == ["images.bin"]
    assert upload(top, "sets/empty", b"") == "sets/empty"
    assert describe(top, ("sets", "empty")).size == 0


def test_file_is_replaced_only_as_asked(top: Path) -> None:
    upload(top, "notes.txt", b"old and longer")
    with pytest.raises(ConflictError):
        upload(top, "notes.txt", b"new")
    assert content(top, "notes.txt") == b"old and longer"
    upload(top, "notes.txt", b"new", replaces=True)
    assert content(top, "notes.txt") == b"new"
    assert describe(top, ("notes.txt",)).size == 3


@pytest.mark.parametrize("name", NAMES)
def test_name_of_any_script_goes_every_way(top: Path, name: str) -> None:
    create_folder(top, (name,))
    upload(top, f"{name}/{name}", b"x")
    assert (names(top), names(top, name)) == ([name], [name])
    create_folder(top, ("other",))
    move(top, (name, name), ("other", name))
    assert restore(top, put_into_trash(top, ("other", name), "li.wei")) == f"other/{name}"
    assert content(top, "other", name) == b"x"


def test_move_replaces_nothing_and_takes_a_folder_whole(top: Path) -> None:
    for number in range(5):
        upload(top, f"run/{number}", bytes([number]))
    upload(top, "taken", b"mine")
    with pytest.raises(ConflictError):
        move(top, ("run", "0"), ("taken",))
    with pytest.raises(ConflictError):
        move(top, ("run",), ("run", "below"))
    move(top, ("run",), ("kept",))
    assert (names(top), names(top, "kept")) == (["kept", "taken"], list("01234"))
    replace(top, ("kept", "4"), ("taken",))
    assert content(top, "taken") == b"\4"
    assert [content(top, "kept", name) for name in "0123"] == [b"\0", b"\1", b"\2", b"\3"]


def test_trash_gives_back_and_removes_for_good(top: Path) -> None:
    upload(top, "run/model.pt", b"weights")
    upload(top, "run/log", b"lines")
    whole = put_into_trash(top, ("run",), "li.wei")
    assert names(top) == []
    assert [(it.path, it.trashed_by) for it in list_trash(top)] == [("run", "li.wei")]
    upload(top, "run", b"its name is taken")
    with pytest.raises(ConflictError):
        restore(top, whole)
    old = put_into_trash(top, ("run",), "li.wei")
    assert restore(top, whole) == "run"
    assert content(top, "run", "model.pt") == b"weights"
    remove_for_good(top, old)
    remove_discarded(top, within_s=60)
    assert list_trash(top) == []


def test_file_is_kept_while_another_gets_its_name(top: Path) -> None:
    upload(top, "notes.txt", b"old")
    kept = keep_in_trash(top, ("notes.txt",), "li.wei")
    upload(top, "notes.txt", b"new", replaces=True)
    with pytest.raises(ConflictError):
        restore(top, kept)
    put_into_trash(top, ("notes.txt",), "li.wei")
    restore(top, kept)
    assert content(top, "notes.txt") == b"old"


@pytest.mark.parametrize("fails", [False, True])
def test_file_takes_the_place_of_another_or_both_stay(
    top: Path, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(top, "new", b"new")
    upload(top, "old", b"old")
    opened = OpenedVolume(Volume(), top)
    if fails:

        def broken(*_: object) -> None:
            raise OSError(errno.EIO, "the storage is away")

        monkeypatch.setattr(changes, "replace", broken)
        with pytest.raises(OSError, match="away"):
            move_over(opened, "new", "old", "li.wei")
        assert (content(top, "new"), content(top, "old")) == (b"new", b"old")
        assert list_trash(top) == []
        return
    move_over(opened, "new", "old", "li.wei")
    assert (names(top), content(top, "old")) == (["old"], b"new")
    assert [entry.path for entry in list_trash(top)] == ["old"]


def test_file_is_read_and_written_in_any_order(top: Path) -> None:
    file = make_file(top, ("data.bin",), FileUse(writes=True))
    file.write(10, b"end")
    file.write(0, b"start")
    file.sync()
    assert file.read(0, 100) == b"start\0\0\0\0\0end"
    file.truncate(5)
    file.set_times(1_000_000_000, 1_000_000_000)
    file.close()
    assert content(top, "data.bin") == b"start"
    with pytest.raises(ConflictError):
        make_file(top, ("data.bin",), FileUse(writes=True))
    longer = open_file(top, ("data.bin",), FileUse(writes=True, appends=True))
    longer.write(0, b"ed")
    longer.close()
    assert content(top, "data.bin") == b"started"


def test_archive_comes_in_and_goes_out_whole(top: Path) -> None:
    files = {f"many/{number % 3}/{number}": os.urandom(500) for number in range(30)}
    assert unpack(top, ("in",), files) == 30
    assert unpack(top, ("in",), {"many/0/0": b"again"}) == 0
    assert unpack(top, ("in",), {"many/0/0": b"again"}, replaces=True) == 1
    files["many/0/0"] = b"again"
    found = measure(top, ("in",))
    assert (found.files, found.size) == (30, 29 * 500 + 5)
    packed = zipfile.ZipFile(io.BytesIO(b"".join(stream_archive(top, ("in",)))))
    assert {it: packed.read(it) for it in packed.namelist()} == files


def test_folder_is_listed_by_pages(top: Path) -> None:
    unpack(top, (), {f"{number:03}": b"x" for number in range(40)})
    page = list_folder(top, (), offset=20, limit=15)
    assert ([it.name for it in page.entries], page.total) == (
        [f"{number:03}" for number in range(20, 35)],
        40,
    )
    assert measure_mib(top, lambda: True) is not None


def test_folder_is_published_and_put_back(top: Path) -> None:
    unpack(top, ("set",), {"a/图.bin": b"1" * 100_000, "b": b"2"})
    program = open_file(top, ("set", "b"), FileUse(writes=True))
    program.set_executable(is_executable=True)
    program.close()
    copies = top.parent / f"{top.name}-published"

    def copier() -> TreeCopier:
        return TreeCopier(top, ("set",), copies / "1")

    assert copier().measure().files == 2
    turns = [copier().copy(lambda _: True, within_s=0) for _ in range(3)]
    copier().require_same()
    assert turns == [None, None, CopiedAmount(100_001, 2)]
    assert [mode_of(copies / "1" / name) for name in ("a/图.bin", "b")] == [0o444, 0o555]
    assert restore_copy(copies / "1", ("a",), top) == ("a",)
    assert content(top, "a", "图.bin") == b"1" * 100_000


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_work_on_a_node_and_the_portal_have_the_same_files(top: Path, mounted: Path) -> None:
    upload(top, "train.py", b"print('one')\n")
    wait_until((mounted / "train.py").exists)
    assert (mounted / "train.py").read_text() == "print('one')\n"
    upload(top, "train.py", b"print(2)\n", replaces=True)
    wait_until(lambda: (mounted / "train.py").read_text() == "print(2)\n")

    (mounted / "runs" / "1").mkdir(parents=True)
    (mounted / "runs" / "1" / "model.pt").write_bytes(b"w" * 2_000_000)
    (mounted / "runs" / "latest").symlink_to("1")
    wait_until(lambda: names(top) == ["runs", "train.py"] and "1" in names(top, "runs"))
    assert content(top, "runs", "1", "model.pt") == b"w" * 2_000_000
    assert describe(top, ("runs", "latest")).kind is EntryKind.LINK
    put_into_trash(top, ("runs",), "li.wei")
    wait_until(lambda: not (mounted / "runs").exists())


def test_what_is_missing_is_missing(top: Path) -> None:
    for ask in (list_folder, describe, put_into_trash_as_nobody):
        with pytest.raises(NotFoundError):
            ask(top, ("none",))
    with pytest.raises(NotFoundError):
        open_file(top, ("none", "below"), FileUse())


def put_into_trash_as_nobody(top: Path, parts: Parts) -> str:
    return put_into_trash(top, parts, "")
