"""What only folders have: links and pipes, programs, files of the platform, depth.

What every source of a copy does is in `test_copier_contract`.
"""

import os
from pathlib import Path

import pytest

from portal.common.errors import DomainError
from portal.volumes.tree.copied_files import CopiedAmount
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
