"""Changes in a hostile tree: whole or not at all, never outside of it."""

import os
import stat
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from portal.common.clock import now
from portal.common.errors import ConflictError, DomainError, InvalidError, NotFoundError
from portal.volumes.tree.changes import create_folder, move
from portal.volumes.tree.paths import parse_new_path, parse_path
from portal.volumes.tree.removal import remove_discarded
from portal.volumes.tree.trash import (
    KEPT,
    list_trash,
    put_into_trash,
    remove_expired,
    remove_for_good,
    restore,
)
from tests.portal.volumes.tree.hostile import NAMES, NO_PATHS, make_hostile_tree


@pytest.fixture
def top(tmp_path: Path) -> Path:
    found = tmp_path / "volumes" / "one"
    found.mkdir(parents=True)
    make_hostile_tree(found)
    return found


def outside(top: Path) -> dict[str, str]:
    """Return what is beside the volume."""
    return {item.name: item.read_text() for item in top.parent.iterdir() if item.is_file()}


@pytest.mark.parametrize("path", sorted({*NO_PATHS, "", "new\nline", "bell\a"} - {"notes.txt/x"}))
def test_what_is_no_path_cannot_be_made(path: str) -> None:
    with pytest.raises(InvalidError) as refused:
        parse_new_path(path)
    assert refused.value.code in ("file_name", "file_name_reserved")


@pytest.mark.parametrize("name", NAMES)
def test_names_of_any_script_are_made_renamed_and_trashed(top: Path, name: str) -> None:
    create_folder(top, parse_new_path(f"new/{name}"))
    move(top, parse_path(f"new/{name}"), parse_new_path(f"folder/{name}"))
    chosen = put_into_trash(top, parse_path(f"folder/{name}"), "li.wei")
    assert [(entry.path, entry.trashed_by) for entry in list_trash(top)] == [
        (f"folder/{name}", "li.wei")
    ]
    assert restore(top, chosen) == f"folder/{name}"
    assert (top / "folder" / name).is_dir()


@pytest.mark.parametrize("link", ["out", "up", "etc", "loop"])
def test_nothing_is_made_or_moved_through_a_link(top: Path, link: str) -> None:
    before = outside(top)
    with pytest.raises(NotFoundError):
        create_folder(top, (link, "made"))
    with pytest.raises(NotFoundError):
        move(top, ("notes.txt",), (link, "moved.txt"))
    with pytest.raises(NotFoundError):
        put_into_trash(top, (link, "secret.txt"), "li.wei")
    assert outside(top) == before
    assert (top / "notes.txt").exists()


def test_link_itself_is_renamed_and_trashed_not_what_it_names(top: Path) -> None:
    move(top, ("passwd",), ("renamed",))
    assert (top / "renamed").is_symlink()
    restore(top, put_into_trash(top, ("renamed",), ""))
    assert str((top / "renamed").readlink()) == "/etc/passwd"


def test_nothing_is_replaced(top: Path) -> None:
    acts: tuple[Callable[[], None], ...] = (
        lambda: create_folder(top, ("notes.txt",)),
        lambda: create_folder(top, ("folder",)),
        lambda: move(top, ("notes.txt",), ("folder", "deep.txt")),
        lambda: move(top, ("folder",), ("pipe",)),
    )
    for act in acts:
        with pytest.raises(ConflictError) as refused:
            act()
        assert refused.value.code == "file_exists"
    assert (top / "folder" / "deep.txt").read_text() == "deep"


def test_folder_is_not_moved_into_itself(top: Path) -> None:
    for target in (("folder", "x"), ("folder", "below", "x")):
        with pytest.raises(ConflictError) as refused:
            move(top, ("folder",), target)
        assert refused.value.code == "folder_into_itself"


def test_the_top_is_neither_moved_nor_trashed(top: Path) -> None:
    with pytest.raises(InvalidError):
        move(top, (), ("x",))
    with pytest.raises(InvalidError):
        put_into_trash(top, (), "")


def test_restoring_makes_the_folders_again_and_replaces_nothing(top: Path) -> None:
    first = put_into_trash(top, ("folder", "deep.txt"), "")
    second = put_into_trash(top, ("folder",), "")
    restore(top, first)
    assert (top / "folder" / "deep.txt").read_text() == "deep"
    with pytest.raises(ConflictError):
        restore(top, second)
    assert [entry.id for entry in list_trash(top)] == [second]


def test_trash_is_the_one_of_the_desktop_specification(top: Path) -> None:
    """JupyterLab (send2trash) writes and reads the same folders."""
    trash = top / f".Trash-{os.getuid()}"
    (trash / "files").mkdir(parents=True)
    (trash / "info").mkdir()
    (trash / "files" / "plot.png").write_text("picture")
    (trash / "info" / "plot.png.trashinfo").write_text(
        "[Trash Info]\nPath=figures/plot%201.png\nDeletionDate=2026-11-01T12:00:00\n"
    )
    (entry,) = list_trash(top)
    assert (entry.path, entry.size) == ("figures/plot 1.png", 7)
    assert restore(top, "plot.png") == "figures/plot 1.png"
    own = put_into_trash(top, ("notes.txt",), "li.wei")
    assert "Path=notes.txt" in (trash / "info" / f"{own}.trashinfo").read_text()


@pytest.mark.parametrize("path", ["../../secret.txt", "/etc/passwd", "etc/passwd", ".berth/x", ""])
def test_trash_that_names_a_path_outside_restores_nothing_there(top: Path, path: str) -> None:
    chosen = put_into_trash(top, ("notes.txt",), "")
    (info,) = (top / f".Trash-{os.getuid()}" / "info").iterdir()
    info.write_text(f"[Trash Info]\nPath={path}\n")
    before = outside(top)
    with pytest.raises(DomainError):
        restore(top, chosen)
    assert outside(top) == before


@pytest.mark.parametrize("folder", [".Trash-{}", ".Trash-{}/files", ".berth"])
def test_trash_that_is_a_link_is_not_used(top: Path, folder: str) -> None:
    place = top / folder.format(os.getuid())
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(top.parent)
    before = outside(top)
    with pytest.raises(DomainError):
        remove_for_good(top, put_into_trash(top, ("notes.txt",), ""))
    assert outside(top) == before


@pytest.mark.parametrize(
    "trash_id", ["..", ".", "../info/x", "x/../y", "nothing", "a\0", "é" * 300]
)
def test_unknown_trash_is_not_found(top: Path, trash_id: str) -> None:
    put_into_trash(top, ("notes.txt",), "")
    with pytest.raises(NotFoundError):
        restore(top, trash_id)


def test_trash_is_removed_after_its_days(top: Path) -> None:
    put_into_trash(top, ("folder",), "")
    assert remove_expired(top, now() + KEPT - timedelta(hours=1), within_s=60) == 0
    assert remove_expired(top, now() + KEPT + timedelta(hours=1), within_s=60) == 1
    assert list_trash(top) == []
    assert list((top / ".berth" / "discarded").iterdir()) == []


def test_removal_follows_no_link_and_stops_at_no_depth(top: Path) -> None:
    (top / "folder" / "way-out").symlink_to(top.parent)
    at = os.open(top / "folder", os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    before = outside(top)
    remove_for_good(top, put_into_trash(top, ("folder",), ""))

    assert remove_discarded(top, within_s=60)
    assert list((top / ".berth" / "discarded").iterdir()) == []
    assert outside(top) == before


def test_removal_goes_on_where_it_stopped(top: Path) -> None:
    for number in range(50):
        (top / "folder" / f"{number}").touch()
    remove_for_good(top, put_into_trash(top, ("folder",), ""))

    assert not remove_discarded(top, within_s=-1)
    assert remove_discarded(top, within_s=60)
    assert list((top / ".berth" / "discarded").iterdir()) == []


def test_own_folders_are_not_for_others(top: Path) -> None:
    put_into_trash(top, ("notes.txt",), "")
    mode = (top / f".Trash-{os.getuid()}").stat().st_mode
    assert stat.S_IMODE(mode) == 0o700
