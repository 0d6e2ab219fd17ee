"""Unfinished uploads: bytes appear under their name when all have come, and never before."""

import errno
import hashlib
import os
import time
from pathlib import Path

import pytest

from portal.common.errors import ConflictError, DomainError, ExhaustedError, NotFoundError
from portal.volumes.tree import uploads
from portal.volumes.tree.paths import StorageFullError, refused_clearly
from portal.volumes.tree.uploads import (
    UNFINISHED_KEPT,
    UPLOADS_MAX,
    FileUpload,
    UploadWriter,
    begin_upload,
    end_upload,
    find_upload,
    tidy_uploads,
)
from tests.portal.volumes.tree.hostile import NAMES, make_hostile_tree


@pytest.fixture
def top(tmp_path: Path) -> Path:
    found = tmp_path / "volumes" / "one"
    found.mkdir(parents=True)
    make_hostile_tree(found)
    return found


def shown(top: Path) -> set[str]:
    """Return every path that is not the platform's own."""
    paths = {str(path.relative_to(top)) for path in top.rglob("*") if not path.is_symlink()}
    return {path for path in paths if not path.startswith(".berth")}


def begun(
    top: Path, path: str = "new.bin", length: int = 6, *, replaces: bool = False
) -> FileUpload:
    return begin_upload(top, path, length, replaces=replaces)


def send(top: Path, upload: FileUpload, data: bytes) -> str:
    """Append; return the path once the file is whole."""
    writer = UploadWriter(top, find_upload(top, upload.id))
    try:
        writer.write(data)
        return writer.finish() if writer.offset == upload.length else ""
    finally:
        writer.close()


@pytest.mark.parametrize("name", NAMES)
def test_file_appears_when_it_is_whole(top: Path, name: str) -> None:
    before = shown(top)
    upload = begun(top, f"made/by/{name}")
    assert send(top, upload, b"one") == ""
    assert (shown(top), find_upload(top, upload.id).offset) == (before, 3)

    assert send(top, upload, b"two") == f"made/by/{name}"
    assert (top / "made" / "by" / name).read_bytes() == b"onetwo"
    done = find_upload(top, upload.id)
    assert (done.offset, done.is_placed) == (6, True)


def test_piece_is_appended_only_where_the_last_one_ended(top: Path) -> None:
    """A connection that broke may still be writing when the next one goes on."""
    upload = begun(top)
    old = UploadWriter(top, upload)
    send(top, upload, b"one")
    with pytest.raises(ConflictError) as refused:
        old.write(b"xxx")
    old.close()
    assert refused.value.code == "upload_offset"
    send(top, upload, b"two")
    assert (top / "new.bin").read_bytes() == b"onetwo"


def test_what_a_wrong_checksum_brought_is_taken_back(top: Path) -> None:
    upload = begun(top)
    send(top, upload, b"one")
    writer = UploadWriter(top, find_upload(top, upload.id))
    writer.write(b"xx")
    writer.take_back()
    writer.close()
    assert find_upload(top, upload.id).offset == 3


def test_name_that_is_taken_is_refused_or_replaced_as_asked(top: Path) -> None:
    with pytest.raises(ConflictError):
        begun(top, "notes.txt")
    send(top, begun(top, "notes.txt", 3, replaces=True), b"new")
    assert (top / "notes.txt").read_bytes() == b"new"
    for path in ("folder", "pipe", "out"):
        with pytest.raises(ConflictError):
            begun(top, path, replaces=True)


def test_name_that_was_taken_meanwhile_gets_a_number(top: Path) -> None:
    uploads = [begun(top, "model.tar.gz") for _ in range(3)]
    paths = [send(top, upload, b"sixsix") for upload in uploads]
    assert paths == ["model.tar.gz", "model.tar (2).gz", "model.tar (3).gz"]
    longest = f"{'名' * 83}.txt"
    (top / longest).touch()
    upload = begun(top, "x", 0)
    (top / "x").touch()
    assert send(top, upload, b"") == "x (2)"


@pytest.mark.parametrize("path", ["out/x", "up/x", "etc/x", "loop/x", "inside/x", "notes.txt/x"])
def test_upload_ends_up_behind_no_link(top: Path, path: str) -> None:
    before = {item.name for item in top.parent.iterdir()}
    with pytest.raises(DomainError):
        send(top, begun(top, path, 3), b"new")
    assert {item.name for item in top.parent.iterdir()} == before


@pytest.mark.parametrize("replace", ["link", "pipe"])
def test_bytes_that_were_replaced_are_not_written_to(top: Path, replace: str) -> None:
    upload = begun(top)
    held = top / ".berth" / "uploads" / str(upload.id)
    held.unlink()
    if replace == "link":
        held.symlink_to(top.parent / "secret.txt")
    else:
        os.mkfifo(held)
    with pytest.raises(DomainError):
        send(top, upload, b"one")
    assert (top.parent / "secret.txt").read_text() == "not yours"


@pytest.mark.parametrize(
    "info",
    [b"", b"{}", b"[]", b'{"path": "../x", "length": 3, "replaces": true}', b"\xff", b'{"path":'],
)
def test_description_that_was_changed_does_no_harm(top: Path, info: bytes) -> None:
    upload = begun(top, "x", 3)
    (top / ".berth" / "uploads" / f"{upload.id}.json").write_bytes(info)
    before = {item.name for item in top.parent.iterdir()}
    with pytest.raises(DomainError):
        send(top, upload, b"one")
    assert {item.name for item in top.parent.iterdir()} == before


def test_upload_that_was_ended_is_gone(top: Path) -> None:
    upload = begun(top)
    end_upload(top, upload.id)
    with pytest.raises(NotFoundError):
        find_upload(top, upload.id)
    assert list((top / ".berth" / "uploads").iterdir()) == []


def test_unfinished_uploads_are_tidied_after_a_day(top: Path) -> None:
    upload = begun(top)
    day_s = UNFINISHED_KEPT.total_seconds()
    assert tidy_uploads(top, time.time() + day_s - 60) == 0
    assert tidy_uploads(top, time.time() + day_s + 60) == 1
    with pytest.raises(NotFoundError):
        find_upload(top, upload.id)


def test_number_and_size_are_bounded(top: Path) -> None:
    with pytest.raises(StorageFullError) as refused:
        begun(top, length=2**60)
    assert refused.value.code == "storage_too_small"
    folder = top / ".berth" / "uploads"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(UPLOADS_MAX):
        (folder / str(number)).touch()
    with pytest.raises(ExhaustedError):
        begun(top)


def test_finished_uploads_are_not_counted_and_can_be_asked_for(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder has more files than may be unfinished at a time."""
    monkeypatch.setattr(uploads, "UPLOADS_MAX", 2)
    whole = [begun(top, f"{number}.txt") for number in range(2)]
    for number in range(2, 5):
        send(top, whole[-2], b"onetwo")
        whole.append(begun(top, f"{number}.txt"))
    with pytest.raises(ExhaustedError):
        begun(top, "one-more.txt")

    assert [find_upload(top, upload.id).is_placed for upload in whole] == [True] * 3 + [False] * 2
    tidy_uploads(top, time.time() + UNFINISHED_KEPT.total_seconds() + 60)
    with pytest.raises(NotFoundError):
        find_upload(top, whole[0].id)


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "storage_full"),
        (errno.EDQUOT, "storage_full"),
        (errno.EROFS, "file_not_permitted"),
        (errno.EACCES, "file_not_permitted"),
        (errno.ENAMETOOLONG, "file_name"),
        (errno.ELOOP, "not_found"),
        (errno.ENOTCONN, "storage_unavailable"),
        (errno.EIO, "storage_unavailable"),
    ],
)
def test_refusals_of_the_file_system_have_codes(number: int, code: str) -> None:
    with pytest.raises(DomainError) as refused, refused_clearly("x"):
        raise OSError(number, os.strerror(number))
    assert refused.value.code == code


def test_checksum_of_a_large_file_is_the_same(top: Path) -> None:
    data = os.urandom(3 * 1024 * 1024)
    upload = begun(top, "large.bin", len(data))
    for start in range(0, len(data), 700_001):
        send(top, upload, data[start : start + 700_001])
    assert (
        hashlib.sha256((top / "large.bin").read_bytes()).digest() == hashlib.sha256(data).digest()
    )
