"""A folder is copied whole or not: in turns, after crashes, and when its files change meanwhile."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from portal.common.errors import DomainError
from portal.volumes.tree.copied_files import CopiedAmount, CopyStoppedError
from portal.volumes.tree.copying import TreeCopier


def go_on(_: CopiedAmount) -> bool:
    return True


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A volume with a folder to copy, and with what is not copied."""
    top = tmp_path / "volume"
    (top / "set" / "train").mkdir(parents=True)
    (top / "set" / "train" / "图.bin").write_bytes(os.urandom(3_000_000))
    (top / "set" / "run.sh").write_text("#!/bin/sh\n")
    (top / "set" / "run.sh").chmod(0o755)
    (top / "set" / "empty").touch()
    (top / "set" / "out").symlink_to("/etc/passwd")
    os.mkfifo(top / "set" / "pipe")
    (top / ".berth").mkdir()
    (top / ".berth" / "private").write_text("x")
    return top


def copier(source: Path, *parts: str) -> TreeCopier:
    return TreeCopier(source, parts, source.parent / "copies" / "a")


def content(top: Path) -> dict[str, bytes]:
    return {str(it.relative_to(top)): it.read_bytes() for it in top.rglob("*") if it.is_file()}


def test_plain_files_are_copied_read_only_with_their_times(source: Path, tmp_path: Path) -> None:
    copy = copier(source, "set")
    size = copy.measure()
    done = copy.copy(go_on, within_s=60)
    copy.require_same()

    made = tmp_path / "copies" / "a"
    assert done == CopiedAmount(size.size, 3, 2)
    assert (size.size, size.files) == (3_000_010, 3)
    assert set(content(made)) == {"train/图.bin", "run.sh", "empty"}
    assert content(made)["train/图.bin"] == (source / "set/train/图.bin").read_bytes()
    modes = {it.name: it.stat().st_mode & 0o777 for it in made.rglob("*") if it.is_file()}
    assert modes == {"图.bin": 0o444, "run.sh": 0o555, "empty": 0o444}
    old, new = (source / "set" / "run.sh").stat(), (made / "run.sh").stat()
    assert old.st_mtime_ns == new.st_mtime_ns


def test_the_top_of_a_volume_is_copied_without_what_is_the_platforms(
    source: Path, tmp_path: Path
) -> None:
    assert copier(source).copy(go_on, within_s=60) is not None
    assert set(content(tmp_path / "copies" / "a")) == {
        "set/train/图.bin",
        "set/run.sh",
        "set/empty",
    }


def test_turns_go_on_where_the_last_one_ended(source: Path, tmp_path: Path) -> None:
    """With no time at all, each turn copies one piece of one file."""
    turns = 0
    while (done := copier(source, "set").copy(go_on, within_s=0)) is None:
        turns += 1
        assert turns < 50
    copier(source, "set").require_same()
    assert turns >= 3
    assert done.files == 3


@pytest.mark.parametrize("is_of_source", [True, False], ids=["paused", "killed"])
def test_a_file_that_is_not_whole_is_continued_only_if_its_source_is_the_same(
    source: Path, tmp_path: Path, is_of_source: bool
) -> None:
    original = source / "set" / "train" / "图.bin"
    begun = tmp_path / "copies" / "a" / "train" / "图.bin"
    begun.parent.mkdir(parents=True)
    begun.write_bytes(b"?" * 1000)
    begun.chmod(0o600)
    if is_of_source:
        begun.write_bytes(original.read_bytes()[:1000])
        times = original.stat().st_mtime_ns
        os.utime(begun, ns=(times, times))

    copier(source, "set").copy(go_on, within_s=60)

    assert begun.read_bytes() == original.read_bytes()


def _write(source: Path) -> None:
    (source / "set" / "run.sh").write_text("other")


def _add(source: Path) -> None:
    (source / "set" / "more").write_text("more")


def _remove(source: Path) -> None:
    (source / "set" / "empty").unlink()


@pytest.mark.parametrize("change", [_write, _add, _remove])
def test_what_changes_meanwhile_is_told(source: Path, change: Callable[[Path], None]) -> None:
    copy = copier(source, "set")
    copy.copy(go_on, within_s=60)
    change(source)

    with pytest.raises(DomainError, match="copy_source_changed"):
        copy.require_same()


def test_a_later_turn_copies_what_changed_between(source: Path, tmp_path: Path) -> None:
    copier(source, "set").copy(go_on, within_s=60)
    _write(source)

    copy = copier(source, "set")
    copy.copy(go_on, within_s=60)
    copy.require_same()

    assert (tmp_path / "copies" / "a" / "run.sh").read_text() == "other"


def test_a_copy_that_nobody_wants_stops(source: Path) -> None:
    with pytest.raises(CopyStoppedError):
        copier(source, "set").copy(lambda _: False, within_s=60)


def test_nothing_and_no_folder_are_refused(source: Path) -> None:
    (source / "hollow" / "below").mkdir(parents=True)
    for path, code in (("hollow", "copy_of_nothing"), ("none", "not_found")):
        with pytest.raises(DomainError, match=code):
            copier(source, path).measure()
    for outside in ("out", "run.sh"):
        with pytest.raises(DomainError, match="not_found"):
            copier(source, "set", outside).measure()


def test_folders_too_deep_are_not_left_out_silently(source: Path) -> None:
    (source / "deep" / "/".join("d" * 70)).mkdir(parents=True)
    (source / "deep" / "file").touch()
    with pytest.raises(DomainError, match="copy_too_deep"):
        copier(source, "deep").measure()
