"""Relative links that stay inside lead on; all others lead nowhere, whatever is put in their way."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from portal.common.errors import NotFoundError
from portal.volumes.tree.archive import ArchiveKind, stream_archive
from portal.volumes.tree.links import STEPS_MAX, resolve
from portal.volumes.tree.listing import EntryKind, list_folder
from portal.volumes.tree.paths import StorageUnavailableError, parse_path, refused_clearly
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
    assert resolve(top, parse_path(path)) == parse_path(leads_to)


@pytest.mark.parametrize(
    "path",
    ["out", "out/secret.txt", "up", "up/secret.txt", "etc", "etc/passwd", "passwd", "loop", "none"],
)
def test_links_out_and_in_circles_lead_nowhere(top: Path, path: str) -> None:
    with pytest.raises(NotFoundError), refused_clearly(path):
        resolve(top, parse_path(path))


@pytest.mark.parametrize("target", ["notes.txt/x", "x" * 300, "\udcff"])
def test_a_link_to_what_is_no_path_is_listed_as_one_and_in_no_archive(
    top: Path, target: str
) -> None:
    (top / "link").symlink_to(target)
    (link,) = [entry for entry in list_folder(top, ()).entries if entry.name == "link"]
    assert (link.kind, link.target, link.has_content) == (EntryKind.LINK, None, False)
    assert "link" not in zipped(top)


def test_a_chain_of_links_has_an_end(top: Path) -> None:
    (top / "0").symlink_to("notes.txt")
    for number in range(STEPS_MAX):
        (top / str(number + 1)).symlink_to(str(number))
    assert resolve(top, ("40",)) == ("notes.txt",)
    with pytest.raises(NotFoundError):
        resolve(top, (str(STEPS_MAX),))


def test_a_list_says_what_links_lead_to(top: Path) -> None:
    (top / "to pipe").symlink_to("pipe")
    listed = (*list_folder(top, ()).entries, *list_folder(top, ("ck",)).entries)
    found = {entry.name: (entry.target, entry.size) for entry in listed}
    assert found["latest.pt"] == (EntryKind.FILE, 7)
    assert found["latest"] == found["here"] == (EntryKind.FOLDER, 0)
    for name in ("out", "passwd", "loop", "to pipe", "pipe", "notes.txt"):
        assert found[name][0] is None


def test_a_zip_has_the_files_that_links_lead_to(top: Path) -> None:
    assert zipped(top) == {
        "notes.txt": "mine",
        "folder/deep.txt": "deep",
        "ck/第 2 轮/model.pt": "weights",
        "ck/latest.pt": "weights",
        "ck/notes": "mine",
        "best.pt": "weights",
        "inside": "mine",
    }
    assert zipped(top, "ck") == {
        "第 2 轮/model.pt": "weights",
        "latest.pt": "weights",
        "notes": "mine",
    }


def test_a_link_that_is_turned_outwards_while_an_archive_is_sent_is_left_out(top: Path) -> None:
    pieces = stream_archive(top, (), ArchiveKind.TAR)
    begun = next(pieces)
    (top / "inside").unlink()
    (top / "inside").symlink_to("../secret.txt")
    data = begun + b"".join(pieces)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        assert "inside" not in archive.getnames()
    assert b"not yours" not in data


def test_a_linked_file_that_cannot_be_read_breaks_an_archive_off(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_top: Path, _parts: object) -> None:
        raise StorageUnavailableError("storage_unavailable")

    pieces = stream_archive(top, ())
    monkeypatch.setattr("portal.volumes.tree.archive.resolve", fail)
    with pytest.raises(StorageUnavailableError):
        list(pieces)


def zipped(top: Path, path: str = "") -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(b"".join(stream_archive(top, parse_path(path))))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}
