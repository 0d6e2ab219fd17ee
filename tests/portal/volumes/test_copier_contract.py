"""What is copied to be published is whole or not, wherever it comes from: one suite for every source."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from portal.common.errors import DomainError
from portal.volumes.object_copies import ObjectCopier
from portal.volumes.tree.copied_files import CopiedAmount, Copier, CopyStoppedError
from portal.volumes.tree.copying import TreeCopier
from tests.object_server import object_server, store_at

FILES: Final = {"train/图.bin": os.urandom(5_000_000), "labels.csv": b"a,b\n", "empty": b""}


@dataclass(frozen=True, slots=True)
class Source:
    """Files to copy; a store has them in a folder of its own, too."""

    folder: Path
    target: Path
    copier_of: Callable[[str], Copier]
    """Makes what copies a folder or prefix, as each turn does."""

    def turn(self, *, within_s: float = 60) -> CopiedAmount | None:
        return self.copier_of("set").copy(go_on, within_s=within_s)

    def made(self) -> dict[str, bytes]:
        return content(self.target)


def go_on(_: CopiedAmount) -> bool:
    return True


def content(top: Path) -> dict[str, bytes]:
    return {str(it.relative_to(top)): it.read_bytes() for it in top.rglob("*") if it.is_file()}


@pytest.fixture(params=["folder", "store"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Source]:
    """A folder or prefix with files, beside which there are others."""
    top, target = tmp_path / "buckets" / "sets", tmp_path / "copies" / "a"
    for name, data in FILES.items():
        (top / "set" / name).parent.mkdir(parents=True, exist_ok=True)
        (top / "set" / name).write_bytes(data)
    (top / "other.txt").write_text("not this")
    if request.param == "folder":
        yield Source(top / "set", target, lambda path: TreeCopier(top, (path,), target))
        return
    with object_server(top.parent) as endpoint:
        store = store_at(endpoint)
        yield Source(top / "set", target, lambda path: ObjectCopier(store, path, target))


def test_files_arrive_whole_read_only_and_as_old_as_they_were(source: Source) -> None:
    copier = source.copier_of("set")
    size = copier.measure()
    done = copier.copy(go_on, within_s=60)
    copier.require_same()

    assert (size.size, size.files, size.is_whole) == (5_000_004, 3, True)
    assert done == CopiedAmount(5_000_004, 3)
    assert source.made() == FILES
    for name in FILES:
        old, new = (source.folder / name).stat(), (source.target / name).stat()
        assert new.st_mode & 0o777 == 0o444
        assert abs(new.st_mtime - old.st_mtime) < 1  # a store tells seconds


def test_turns_go_on_where_the_last_one_ended(source: Source) -> None:
    """With no time at all, each turn copies one piece of one file."""
    turns = 0
    while (done := source.turn(within_s=0)) is None:
        turns += 1
        assert turns < 50
    source.copier_of("set").require_same()
    assert turns >= 2
    assert done == CopiedAmount(5_000_004, 3)
    assert source.made() == FILES


@pytest.mark.parametrize("is_of_source", [True, False], ids=["paused", "killed"])
def test_a_file_that_is_not_whole_is_continued_only_if_its_source_is_the_same(
    source: Source, is_of_source: bool
) -> None:
    assert source.turn() is not None
    begun = source.target / "train" / "图.bin"
    times = begun.stat().st_mtime_ns
    begun.chmod(0o600)
    begun.write_bytes(FILES["train/图.bin"][:1000] if is_of_source else b"?" * 1000)
    if is_of_source:
        os.utime(begun, ns=(times, times))

    assert source.turn() is not None
    assert source.made() == FILES


def _write(folder: Path) -> None:
    (folder / "labels.csv").write_text("changed")


def _add(folder: Path) -> None:
    (folder / "more").write_text("more")


def _remove(folder: Path) -> None:
    (folder / "empty").unlink()


@pytest.mark.parametrize("change", [_write, _add, _remove])
def test_what_changes_meanwhile_is_told(source: Source, change: Callable[[Path], None]) -> None:
    copier = source.copier_of("set")
    copier.copy(go_on, within_s=60)
    change(source.folder)

    with pytest.raises(DomainError, match="copy_source_changed"):
        copier.require_same()


def test_a_later_turn_copies_what_changed_between(source: Source) -> None:
    source.turn()
    _write(source.folder)

    source.turn()
    source.copier_of("set").require_same()

    assert source.made() == {**FILES, "labels.csv": b"changed"}


def test_a_copy_that_nobody_wants_stops(source: Source) -> None:
    with pytest.raises(CopyStoppedError):
        source.copier_of("set").copy(lambda _: False, within_s=60)


def test_nothing_is_refused(source: Source) -> None:
    with pytest.raises(DomainError, match=r"copy_of_nothing|not_found"):
        source.copier_of("none").measure()
