"""Relative links that stay inside lead on; all others lead nowhere, whatever is put in their way."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from portal.common.errors import DomainError, NotFoundError
from portal.volumes.tree.archive import ArchiveKind, stream_archive
from portal.volumes.tree.links import LINKS_MAX, follow_links, followed
from portal.volumes.tree.listing import EntryKind, describe
from portal.volumes.tree.paths import StorageUnavailableError, parse_path
from tests.portal.volumes.tree.hostile import make_hostile_tree


@pytest.fixture
def top(tmp_path: Path) -> Path:
    found = tmp_path / "outputs"
    found.mkdir()
    make_hostile_tree(found)
    (found / "ck" / "第 2 轮").mkdir(parents=True)
    (found / "ck" / "第 2 轮" / "model.pt").write_text("weights")
    (found / "ck" / "latest").symlink_to("第 2 轮")
    (found / "ck" / "latest.pt").symlink_to("./latest//model.pt")
    (found / "best.pt").symlink_to("ck/latest.pt")
    (found / "ck" / "notes").symlink_to("../folder/../notes.txt")
    (found / "here").symlink_to(".")
    return found


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("", ""),
        ("notes.txt", "notes.txt"),
        ("inside", "notes.txt"),
        ("ck/latest", "ck/第 2 轮"),
        ("ck/latest/model.pt", "ck/第 2 轮/model.pt"),
        ("best.pt", "ck/第 2 轮/model.pt"),
        ("ck/notes", "notes.txt"),
        ("here", ""),
        ("here/here/ck/notes", "notes.txt"),
    ],
)
def test_links_inside_lead_to_what_they_name(top: Path, path: str, leads_to: str) -> None:
    assert follow_links(top, parse_path(path)) == parse_path(leads_to)


@pytest.mark.parametrize(
    "path",
    ["out", "out/secret.txt", "up", "up/secret.txt", "etc", "etc/passwd", "passwd", "loop", "none"],
)
def test_links_out_and_in_circles_lead_nowhere(top: Path, path: str) -> None:
    with pytest.raises(NotFoundError):
        follow_links(top, parse_path(path))


@pytest.mark.parametrize(
    "target",
    ["ck/../../outputs/notes.txt", "/outputs/notes.txt", "notes.txt/x", "x" * 300, "\udcff"],
)
def test_a_target_that_leaves_or_is_no_path_leads_nowhere(top: Path, target: str) -> None:
    (top / "link").symlink_to(target)
    with pytest.raises(DomainError):
        follow_links(top, ("link",))
    entry = describe(top, ("link",))
    assert followed(top, (), entry) is entry


def test_a_chain_of_links_has_an_end(top: Path) -> None:
    (top / "0").symlink_to("notes.txt")
    for number in range(LINKS_MAX):
        (top / str(number + 1)).symlink_to(str(number))
    assert follow_links(top, (str(LINKS_MAX - 1),)) == ("notes.txt",)
    with pytest.raises(NotFoundError):
        follow_links(top, (str(LINKS_MAX),))


def test_an_entry_is_what_its_link_leads_to(top: Path) -> None:
    def seen(folder: str, name: str) -> tuple[str, EntryKind, int]:
        parts = parse_path(folder)
        entry = followed(top, parts, describe(top, (*parts, name)))
        return entry.name, entry.kind, entry.size

    assert seen("ck", "latest.pt") == ("latest.pt", EntryKind.FILE, 7)
    assert seen("ck", "latest") == ("latest", EntryKind.FOLDER, 0)
    assert seen("", "notes.txt") == ("notes.txt", EntryKind.FILE, 4)
    (top / "to pipe").symlink_to("pipe")
    for name in ("out", "passwd", "loop", "to pipe"):
        assert seen("", name)[1] is EntryKind.LINK
    assert seen("", "pipe")[1] is EntryKind.SPECIAL


@pytest.mark.parametrize("kind", list(ArchiveKind))
def test_an_archive_has_the_files_that_links_lead_to(top: Path, kind: ArchiveKind) -> None:
    data = b"".join(stream_archive(top, (), kind, follows_links=True))
    assert _content(kind, data) == {
        "notes.txt": "mine",
        "folder/deep.txt": "deep",
        "ck/第 2 轮/model.pt": "weights",
        "ck/latest.pt": "weights",
        "ck/notes": "mine",
        "best.pt": "weights",
        "inside": "mine",
    }
    below = b"".join(stream_archive(top, ("ck",), kind, follows_links=True))
    assert _content(kind, below) == {
        "第 2 轮/model.pt": "weights",
        "latest.pt": "weights",
        "notes": "mine",
    }


def test_a_link_that_is_turned_outwards_while_an_archive_is_sent_is_left_out(top: Path) -> None:
    pieces = stream_archive(top, (), ArchiveKind.TAR, follows_links=True)
    begun = next(pieces)
    (top / "inside").unlink()
    (top / "inside").symlink_to("../secret.txt")
    data = begun + b"".join(pieces)
    assert "inside" not in _content(ArchiveKind.TAR, data)
    assert b"not yours" not in data


def test_a_linked_file_that_cannot_be_read_breaks_an_archive_off(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_top: Path, _parts: object) -> None:
        raise StorageUnavailableError("storage_unavailable")

    pieces = stream_archive(top, (), follows_links=True)
    monkeypatch.setattr("portal.volumes.tree.archive.follow_links", fail)
    with pytest.raises(StorageUnavailableError):
        list(pieces)


def _content(kind: ArchiveKind, data: bytes) -> dict[str, str]:
    if kind is ArchiveKind.ZIP:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name).decode() for name in archive.namelist()}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        found = {member: archive.extractfile(member) for member in archive.getmembers()}
        return {member.name: file.read().decode() for member, file in found.items() if file}
