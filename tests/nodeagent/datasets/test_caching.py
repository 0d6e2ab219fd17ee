"""What an agent copies: what the portal orders, then what work has mounted; and what it says of it."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from nodeagent.datasets import caching
from nodeagent.datasets.cache import CachedCopy, DatasetCache
from nodeagent.datasets.caching import DatasetCaching
from wire.mounts import DatasetMount
from wire.node_datasets import CachedVersion, NodeDatasetsReport, VersionsToCache, VersionToCache


@dataclass
class Portal:
    """Answers with what it is set to, and keeps what it was told last."""

    wanted: tuple[VersionToCache, ...] = ()
    gone: tuple[str, ...] = ()
    is_away: bool = False
    told: dict[str, CachedVersion] = field(default_factory=dict)

    async def exchange_datasets(self, report: NodeDatasetsReport) -> VersionsToCache | None:
        self.told = {item.version: item for item in report.versions}
        return None if self.is_away else VersionsToCache(wanted=self.wanted, gone=self.gone)


@dataclass
class Node:
    """A node with room for one MiB, and its portal."""

    top: Path
    portal: Portal = field(default_factory=Portal)

    def __post_init__(self) -> None:
        (self.top / "containers").mkdir()
        self.cache = DatasetCache(self.top / "cache", 1, self.top / "containers")
        self.caching = DatasetCaching(self.cache, self.top, self.portal)

    def publish(self, version: str, size: int = 3) -> VersionToCache:
        folder = self.top / "published" / version
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x" * size)
        return VersionToCache(version=version, path=f"published/{version}", size_bytes=size)

    async def turn(self) -> None:
        """Report, copy, report again."""
        await self.caching.report()
        await self.caching.copy_all()
        await self.caching.report()

    def phases(self) -> dict[str, str]:
        return {name: item.phase.value for name, item in self.portal.told.items()}


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


async def test_what_is_ordered_is_copied_and_reported(node: Node) -> None:
    node.portal.wanted = (node.publish("v1"), node.publish("v2"))
    await node.turn()
    assert node.phases() == {"v1": "cached", "v2": "cached"}
    assert node.portal.told["v1"].size_bytes == 3


async def test_what_work_has_mounted_is_copied_for_the_next(node: Node) -> None:
    order = node.publish("v1")
    item = DatasetMount(name="x", path=order.path, is_published=True)
    assert node.cache.resolve(item, node.top / "containers") is None
    await node.turn()
    assert node.phases() == {"v1": "cached"}


async def test_an_order_that_is_taken_back_is_not_begun(node: Node) -> None:
    node.portal.wanted = (node.publish("v1"),)
    await node.caching.report()
    node.portal.wanted = ()
    await node.turn()
    assert node.phases() == {}
    assert node.cache.list_copies() == []


async def test_failures_are_told_with_their_cause_and_left_alone_for_a_while(node: Node) -> None:
    missing = VersionToCache(version="v2", path="published/v2", size_bytes=3)
    node.portal.wanted = (node.publish("v1", size=2 * 2**20), missing)
    await node.turn()
    assert node.phases() == {"v1": "failed", "v2": "failed"}
    assert node.portal.told["v1"].detail == "cache_full: 1 MiB"
    assert node.portal.told["v2"].detail.startswith("copy_failed: ")
    (node.top / "published" / "v2").mkdir()
    await node.turn()
    assert node.phases()["v2"] == "failed"


async def test_removed_versions_leave_and_a_portal_that_is_away_changes_nothing(node: Node) -> None:
    node.portal.wanted = (node.publish("v1"),)
    await node.turn()
    node.portal.is_away = True
    await node.turn()
    assert node.phases() == {"v1": "cached"}
    node.portal.is_away, node.portal.wanted, node.portal.gone = False, (), ("v1",)
    await node.turn()
    assert node.phases() == {}


async def test_a_copy_that_came_meanwhile_is_not_made_again(node: Node) -> None:
    order = node.publish("v1")
    item = DatasetMount(name="x", path=order.path, is_published=True)
    assert node.cache.resolve(item, node.top / "containers") is None
    node.cache.fill("v1", node.top / order.path, (), lambda *_: None)
    (node.top / order.path / "file").unlink()
    await node.turn()
    assert node.phases() == {"v1": "cached"}
    assert node.portal.told["v1"].size_bytes == 3


async def test_a_fault_of_the_disk_ends_neither_reports_nor_copies(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []
    loop, told = asyncio.get_running_loop(), asyncio.Event()

    def tidy() -> None:
        tries.append("tidy")
        raise OSError

    def list_copies() -> list[CachedCopy]:
        tries.append("list")
        if len(tries) == 2:
            raise OSError
        loop.call_soon_threadsafe(told.set)
        return []

    monkeypatch.setattr(caching, "REPORT_S", 0)
    monkeypatch.setattr(node.cache, "tidy", tidy)
    monkeypatch.setattr(node.cache, "list_copies", list_copies)
    running = asyncio.create_task(node.caching.run())
    async with asyncio.timeout(60):
        await told.wait()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert tries[:3] == ["tidy", "list", "list"]
