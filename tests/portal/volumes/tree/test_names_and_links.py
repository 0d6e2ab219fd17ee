"""Names that are no UTF-8, and links inside of a volume: shown, counted, read and packed."""

import io
import json
import os
import subprocess
import tarfile
import zipfile
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.common.errors import InvalidError, NotFoundError
from portal.volumes.tree import links, listing
from portal.volumes.tree.archive import ArchiveKind, stream_archive
from portal.volumes.tree.links import open_content
from portal.volumes.tree.listing import FolderStream, SortKey, list_folder, measure
from portal.volumes.tree.paths import from_text, parse_new_path, parse_path, to_text
from portal.volumes.tree.restoring import restore_copy
from portal.volumes.tree.watching import look_at_folder
from tests.portal.volumes.tree.hostile import NAMES, make_hostile_tree

GBK = os.fsdecode("中文.txt".encode("gbk"))
"""A name from an old zip file."""
GBK_FOLDER = os.fsdecode("数据".encode("gbk"))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """What an unpacked zip file from an old Chinese Windows looks like."""
    top = tmp_path / "old"
    (top / GBK_FOLDER).mkdir(parents=True)
    (top / GBK).write_text("one")
    (top / GBK_FOLDER / "plain.txt").write_text("three")
    (top / "%D6%D0%CE%C4.txt").write_text("ascii")
    return top


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache of models as the libraries of Hugging Face make it."""
    top = tmp_path / "volumes" / "cache"
    (top / "hub" / "blobs").mkdir(parents=True)
    (top / "hub" / "snapshots" / "abc").mkdir(parents=True)
    (top / "hub" / "blobs" / "0a1b").write_text("weights")
    (top / "hub" / "snapshots" / "abc" / "model.bin").symlink_to("../../blobs/0a1b")
    (top / "latest").symlink_to("hub/snapshots/abc")
    (top / "twice.bin").symlink_to("latest/./model.bin")
    make_hostile_tree(top / "hostile")
    return top


def zipped(top: Path, path: str = "") -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(b"".join(stream_archive(top, parse_path(path))))) as archive:
        assert len(set(archive.namelist())) == len(archive.namelist())
        return {name: archive.read(name) for name in archive.namelist()}


def tarred(top: Path, path: str = "") -> bytes:
    return b"".join(stream_archive(top, parse_path(path), ArchiveKind.TAR))


def read(top: Path, path: str) -> bytes:
    with open_content(top, parse_path(path)) as file:
        return file.read()


@given(st.lists(st.binary(min_size=1, max_size=9), min_size=2, max_size=9))
def test_any_bytes_have_a_text_of_their_own(names: list[bytes]) -> None:
    texts = {name: to_text(os.fsdecode(name)) for name in names}
    assert len(set(texts.values())) == len(texts)
    for name, text in texts.items():
        assert json.loads(json.dumps(text, ensure_ascii=False).encode()) == text
        assert os.fsencode(from_text(unquote(quote(text)))) == name
        if name.isascii():
            assert text.encode() == name


def test_text_of_a_name_is_itself_unless_it_would_be_taken_for_bytes() -> None:
    assert [to_text(name) for name in NAMES] == [*NAMES]
    assert [from_text(name) for name in NAMES] == [*NAMES]
    assert to_text("\uf780") != "\uf780"
    assert from_text(to_text("a\uf780/中")) == "a\uf780/中"


def test_bytes_are_no_way_to_a_name_that_is_refused() -> None:
    odd = to_text(os.fsdecode(b"\xff"))
    for path in (f"{odd}/..", f"{odd}//b", f"{odd}\0", f".berth/{odd}", odd * 256, GBK):
        with pytest.raises(NotFoundError):
            parse_path(path)
    for new in (to_text(GBK), GBK, f"a/{to_text(GBK)}"):
        with pytest.raises(InvalidError):
            parse_new_path(new)
    assert parse_new_path(f"{to_text(GBK_FOLDER)}/中文.txt") == (GBK_FOLDER, "中文.txt")


@pytest.mark.parametrize("sort", SortKey)
def test_names_that_are_no_utf_8_are_listed_by_texts_and_counted(old: Path, sort: SortKey) -> None:
    page = list_folder(old, (), sort=sort)
    assert {parse_path(entry.name) for entry in page.entries} == {
        ("%D6%D0%CE%C4.txt",),
        (GBK,),
        (GBK_FOLDER,),
    }
    assert (page.total, page.unreadable_names) == (3, 2)
    stream = FolderStream(old, ())
    assert [entry.name for entry in stream.take(9)] == ["%D6%D0%CE%C4.txt"]
    assert stream.unreadable == 2
    stream.close()


def test_size_counts_files_whose_names_cannot_be_shown(old: Path) -> None:
    assert measure(old, ()) == listing.TreeSize(3 + 5 + 5, 3, is_whole=True)


def test_page_of_a_folder_follows_names_that_cannot_be_shown(old: Path) -> None:
    before = look_at_folder(old, ())
    (old / os.fsdecode(b"\xff")).touch()
    after = look_at_folder(old, ())
    assert before is not None
    assert after is not None
    assert before.digest != after.digest


def test_zip_has_such_names_escaped_and_none_twice(old: Path) -> None:
    (old / os.fsdecode(b"\xff" * 200)).write_text("long")
    found = zipped(old)
    long = {name for name in found if name.startswith("%FF")}
    assert {name: found[name] for name in found.keys() - long} == {
        "%D6%D0%CE%C4.txt": b"ascii",
        "%D6%D0%CE%C4.txt (2)": b"one",
        "%CA%FD%BE%DD/plain.txt": b"three",
    }
    assert [found[name] for name in long] == [b"long"]
    assert all(len(name) <= 255 for name in long)


def test_tar_has_such_names_as_they_are(old: Path, tmp_path: Path) -> None:
    got = tmp_path / "got"
    got.mkdir()
    subprocess.run(["tar", "-xf", "-", "-C", got], input=tarred(old), check=True)
    assert (got / GBK).read_text() == "one"
    assert (got / GBK_FOLDER / "plain.txt").read_text() == "three"


def test_folder_of_a_snapshot_is_restored_with_such_names(old: Path, tmp_path: Path) -> None:
    top = tmp_path / "volume"
    top.mkdir()
    restore_copy(old.parent, ("old",), top)
    assert (top / "old" / GBK).read_text() == "one"
    assert (top / "old" / GBK_FOLDER / "plain.txt").read_text() == "three"


def test_links_to_files_of_the_volume_are_read_and_listed_as_those(cache: Path) -> None:
    for path in ("hub/snapshots/abc/model.bin", "twice.bin"):
        assert read(cache, path) == b"weights"
    (link,) = list_folder(cache, ("hub", "snapshots", "abc")).entries
    assert (link.kind, link.size, link.has_content) == ("link", 7, True)
    shown = {entry.name: entry for entry in list_folder(cache, ()).entries}
    assert (shown["twice.bin"].has_content, shown["latest"].has_content) == (True, False)
    assert read(cache, "hostile/inside") == b"mine"


@pytest.mark.parametrize(
    "text",
    [
        "../../secret.txt",
        "hub/../../secret.txt",
        "latest/../../../../../secret.txt",
        "{top}/hub/blobs/0a1b",
        "/etc/passwd",
        "hostile/out/secret.txt",
        "hostile/up/../secret.txt",
        "hostile/pipe",
        "hostile/loop",
        "hub",
        ".",
        "nothing",
        "hub/blobs/0a1b/",
        "hub/blobs/0a1b/x",
        ".berth/uploads/x",
        "hub/../.Trash-0/files/x",
        "./" * 1000 + "hub/blobs/0a1b",
    ],
)
def test_other_links_are_read_no_way(cache: Path, text: str) -> None:
    for hidden in (".berth/uploads", ".Trash-0/files"):
        (cache / hidden).mkdir(parents=True)
        (cache / hidden / "x").write_text("hidden")
    (cache.parent / "secret.txt").write_text("of another volume")
    (cache / "link").symlink_to(text.format(top=cache))
    with pytest.raises(NotFoundError):
        read(cache, "link")
    (link,) = [entry for entry in list_folder(cache, ()).entries if entry.name == "link"]
    assert (link.size, link.has_content) == (0, False)
    assert "link" not in zipped(cache)
    assert b"of another volume" not in tarred(cache)


def test_path_through_a_link_is_no_path(cache: Path) -> None:
    with pytest.raises(NotFoundError):
        read(cache, "latest/model.bin")


def test_folder_that_becomes_a_link_after_a_link_was_resolved_is_not_entered(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = cache.parent / "outside"
    outside.mkdir()
    (outside / "0a1b").write_text("not yours")
    resolve = links.resolve

    def resolve_then_swap(top: Path, parts: tuple[str, ...]) -> tuple[str, ...]:
        found = resolve(top, parts)
        (cache / "hub" / "blobs").rename(cache / "hub" / "moved")
        (cache / "hub" / "blobs").symlink_to(outside)
        return found

    monkeypatch.setattr(links, "resolve", resolve_then_swap)
    with pytest.raises(NotFoundError):
        read(cache, "twice.bin")


def test_zip_has_the_files_that_links_lead_to(cache: Path) -> None:
    found = zipped(cache, "hub")
    assert found == {"blobs/0a1b": b"weights", "snapshots/abc/model.bin": b"weights"}
    assert zipped(cache, "hub/snapshots") == {"abc/model.bin": b"weights"}


def test_tar_has_links_as_such_where_what_they_lead_to_is_packed(
    cache: Path, tmp_path: Path
) -> None:
    got = tmp_path / "got"
    got.mkdir()
    subprocess.run(["tar", "-xf", "-", "-C", got], input=tarred(cache), check=True)
    assert (got / "hub/snapshots/abc/model.bin").is_symlink()
    assert (got / "latest").readlink() == Path("hub/snapshots/abc")
    assert (got / "twice.bin").read_text() == "weights"
    with tarfile.open(fileobj=io.BytesIO(tarred(cache, "hub/snapshots"))) as archive:
        (member,) = archive.getmembers()
        file = archive.extractfile(member)
        assert file is not None
        assert (member.name, member.isreg(), file.read()) == ("abc/model.bin", True, b"weights")


def test_links_out_are_in_no_tar(cache: Path) -> None:
    (cache / "hub" / "over").symlink_to("../hub/blobs/0a1b")
    with tarfile.open(fileobj=io.BytesIO(tarred(cache))) as archive:
        found = {member.name: member.linkname for member in archive if member.issym()}
    assert found == {
        "hub/over": "../hub/blobs/0a1b",
        "hub/snapshots/abc/model.bin": "../../blobs/0a1b",
        "latest": "hub/snapshots/abc",
        "twice.bin": "latest/./model.bin",
        "hostile/inside": "notes.txt",
        "hostile/up": "..",
    }
    with tarfile.open(fileobj=io.BytesIO(tarred(cache, "hub"))) as archive:
        assert archive.getmember("over").isreg()
