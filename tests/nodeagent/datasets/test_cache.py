"""Copies of published versions: whole or not there, never taken from work that reads them."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from time import time

import pytest

from nodeagent.datasets import cache
from nodeagent.datasets.cache import CHUNK, MIB, DatasetCache, NoRoomError
from nodeagent.datasets.places import DatasetPlaces, resolve_dataset
from wire.mounts import DatasetMount

GIVEN_UP = "given up"


@dataclass
class Node:
    """A storage with published versions, and a node with a cache of one MiB."""

    top: Path
    heard: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.storage, self.containers = self.top / "storage", self.top / "containers"
        self.containers.mkdir(parents=True)
        self.cache = self.again()
        self.places = DatasetPlaces(None, self.storage, self.cache)

    def again(self) -> DatasetCache:
        """Return the cache as an agent finds it that has just started."""
        return DatasetCache(self.top / "cache", 1, self.containers)

    def publish(self, version: str, **files: int) -> DatasetMount:
        """Publish files of these sizes, each in a folder of its own."""
        for name, size in files.items():
            path = self.storage / "published" / version / name / "part"
            path.parent.mkdir(parents=True)
            path.write_bytes(os.urandom(size))
            path.chmod(0o444)
            os.utime(path, (1_700_000_000, 1_700_000_000))
        return DatasetMount(name="x", path=f"published/{version}", is_published=True)

    def fill(self, version: str, *kept: str) -> None:
        """Copy a version as the agent does."""
        source = self.storage / "published" / version
        self.cache.fill(version, source, kept, lambda *told: self.heard.append(told))

    def mount(self, item: DatasetMount, container: str = "a.1") -> Path:
        """Start a container that mounts it; return from where."""
        directory = self.containers / container
        directory.mkdir(exist_ok=True)
        return resolve_dataset(self.places, item, directory).path

    def versions(self) -> list[str]:
        """Return what is whole, the last mounted first."""
        return [copy.version for copy in self.cache.list_copies()]


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_work_reads_the_storage_until_the_copy_is_whole(node: Node) -> None:
    item = node.publish("v1", one=5, two=3)

    assert node.mount(item) == node.storage / "published" / "v1"
    assert node.cache.take_missed() == [item]
    assert node.cache.take_missed() == []
    node.fill("v1")

    copy = node.mount(item, "b.1")
    assert copy == node.cache.folder / "v1"
    for name in ("one", "two"):
        original, here = node.storage / "published" / "v1" / name / "part", copy / name / "part"
        assert here.read_bytes() == original.read_bytes()
        assert here.stat().st_mode == original.stat().st_mode
        assert here.stat().st_mtime == original.stat().st_mtime
    assert node.heard[-1] == (8, 8)
    assert node.cache.take_missed() == []


def test_folders_of_the_node_are_not_copied(node: Node) -> None:
    elsewhere = DatasetMount(name="x", path="deep/published/v1", is_published=True)
    of_node = DatasetMount(name="x", path="published/v1")
    for item in (elsewhere, of_node):
        assert node.cache.resolve(item, node.containers) is None
    assert node.cache.take_missed() == []


def test_a_copy_that_was_broken_off_is_not_mounted_and_goes_on(node: Node) -> None:
    item = node.publish("v1", one=5, two=7)

    def give_up(done: int, _: int) -> None:
        if done > 5:
            raise OSError(GIVEN_UP)

    source = node.storage / "published" / "v1"
    with pytest.raises(OSError, match=GIVEN_UP):
        node.cache.fill("v1", source, (), give_up)
    assert node.mount(item) == source

    node.cache = node.again()
    kept = next(node.cache.folder.glob("v1.part/*/part"))
    before = kept.stat().st_ino
    node.fill("v1")
    assert node.versions() == ["v1"]
    assert (node.cache.folder / "v1" / kept.parent.name / "part").stat().st_ino == before


def test_a_file_that_changes_meanwhile_makes_no_copy(node: Node) -> None:
    node.publish("v1", one=CHUNK // 8)
    source = node.storage / "published" / "v1"

    def grow(*_: int) -> None:
        path = source / "one" / "part"
        path.chmod(0o644)
        with path.open("ab") as stream:
            stream.write(b"more")

    with pytest.raises(OSError, match="has changed"):
        node.cache.fill("v1", source, (), grow)
    assert node.versions() == []


def test_what_was_mounted_longest_ago_makes_room_but_nothing_that_is_mounted(node: Node) -> None:
    size = MIB // 3
    items = {name: node.publish(name, one=size) for name in ("v1", "v2", "v3", "v4", "v5")}
    for name in ("v1", "v2", "v3"):
        node.fill(name)
    node.mount(items["v1"], "long.1")
    node.mount(items["v2"], "ended.1")
    (node.containers / "ended.1").rename(node.top / "gone")

    node.fill("v4")
    assert set(node.versions()) == {"v1", "v2", "v4"}, "v3 was never mounted"
    node.fill("v5", "v4")
    assert set(node.versions()) == {"v1", "v4", "v5"}, "v2 is older than what is kept"
    node.publish("large", one=MIB)
    with pytest.raises(NoRoomError):
        node.fill("large", "v4")
    assert "v1" in node.versions(), "work reads it"
    assert not (node.cache.folder / "large.part").exists()


def test_removed_versions_go_unless_they_are_mounted(node: Node) -> None:
    first, second = node.publish("v1", one=1), node.publish("v2", one=1)
    for version in ("v1", "v2"):
        node.fill(version)
    node.mount(first)

    node.cache.remove(["v1", "v2", "unknown"])

    assert node.versions() == ["v1"]
    assert node.mount(second, "b.1") == node.storage / "published" / "v2"


def test_the_rest_of_other_copies_is_tidied(node: Node) -> None:
    node.publish("v1", one=1)
    node.fill("v1")
    (node.cache.folder / "v2.part" / "one").mkdir(parents=True)
    (node.cache.folder / "v3").mkdir()

    node.cache.tidy()

    assert {entry.name for entry in node.cache.folder.iterdir()} == {"v1", "index.json"}


def test_a_copy_that_has_just_come_is_not_the_first_to_go(node: Node) -> None:
    items = {name: node.publish(name, one=MIB // 3) for name in ("v1", "v2", "v3", "v4")}
    for name in ("v1", "v2"):
        node.fill(name)
    node.mount(items["v1"], "ended.1")
    (node.containers / "ended.1").rename(node.top / "gone")
    node.fill("v3")
    node.fill("v4")
    assert set(node.versions()) == {"v1", "v3", "v4"}


def test_copies_go_in_the_order_of_their_use_while_the_clock_stands_or_is_behind(
    node: Node,
) -> None:
    items = {name: node.publish(name, one=MIB // 3) for name in ("v1", "v2", "v3", "v4")}
    node.fill("v2")
    index = node.cache.folder / cache.INDEX_FILE
    ahead = round(time() * 1000) + 3_600_000
    index.write_text(json.dumps({"v2": {**json.loads(index.read_text())["v2"], "came_at": ahead}}))
    node.fill("v1")
    node.mount(items["v1"], "ended.1")
    (node.containers / "ended.1").rename(node.top / "gone")
    node.fill("v3")
    node.fill("v4")
    assert set(node.versions()) == {"v1", "v3", "v4"}


def test_what_was_begun_counts(node: Node) -> None:
    node.publish("v1", one=MIB // 2)
    begun = node.cache.folder / "v0.part"
    begun.mkdir()
    (begun / "one").write_bytes(b"x" * (MIB // 2 + 1))
    with pytest.raises(NoRoomError):
        node.fill("v1")


def test_a_lost_index_takes_no_copy_from_work(node: Node) -> None:
    item = node.publish("v1", one=3)
    node.fill("v1")
    copy = node.mount(item)
    (node.cache.folder / "index.json").write_text("{")

    node.cache = node.again()
    node.cache.tidy()
    with pytest.raises(FileExistsError):
        node.fill("v1")

    assert (copy / "one" / "part").stat().st_size == 3


def test_what_cannot_be_read_is_no_proof_that_nothing_is_mounted(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = node.publish("v1", one=3)
    node.fill("v1")
    copy = node.mount(item)

    def fail(_: Path) -> None:
        raise OSError(GIVEN_UP)

    monkeypatch.setattr(cache, "read_json", fail)
    with pytest.raises(OSError, match=GIVEN_UP):
        node.cache.remove(["v1"])
    assert copy.is_dir()


def test_a_folder_that_cannot_be_read_makes_no_copy(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    node.publish("v1", one=3, two=3)
    scandir = os.scandir

    def fail(path: str) -> object:
        if str(path).endswith("two"):
            raise OSError(GIVEN_UP)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", fail)
    with pytest.raises(OSError, match=GIVEN_UP):
        node.fill("v1")
    monkeypatch.undo()
    assert node.versions() == []


def test_another_user_may_read_a_copy_under_any_umask(node: Node) -> None:
    node.publish("v1", one=3)
    before = os.umask(0o077)
    try:
        node.fill("v1")
    finally:
        os.umask(before)
    for folder in ("v1", "v1/one"):
        assert (node.cache.folder / folder).stat().st_mode & 0o777 == 0o755
