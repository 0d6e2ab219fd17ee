"""Open folders are looked at: every change is told, whoever made it, and nothing else is."""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from portal.live.broadcast import Broadcaster
from portal.live.folder_watches import FolderWatches
from portal.live.topics import Topic, parse_topic
from portal.volumes.files import volume_folder
from portal.volumes.tree.watching import glance_at_folder, look_at_folder
from tests.waiting import PATIENCE_S, wait_until_async

VOLUME = UUID("0190d3a0-0000-7000-8000-000000000001")


def a_topic(path: str = "") -> Topic:
    topic = parse_topic(f"files:{VOLUME}:{path}")
    assert topic is not None
    return topic


def a_folder(storage: Path, path: str = "") -> Path:
    folder = volume_folder(storage, VOLUME) / path
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def rename(folder: Path) -> None:
    (folder / "old").rename(folder / "new")


CHANGES: dict[str, Callable[[Path], object]] = {
    "comes": lambda folder: (folder / "fresh").touch(),
    "goes": lambda folder: (folder / "old").unlink(),
    "renamed": rename,
    "grows": lambda folder: (folder / "old").write_text("more"),
    "runs": lambda folder: (folder / "old").chmod(0o755),
    "folder": lambda folder: (folder / "below").mkdir(),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_a_page_is_told_of_each_change(tmp_path: Path, change: str) -> None:
    folder = a_folder(tmp_path, "run 1/深")
    (folder / "old").touch()
    broadcaster, topic = Broadcaster(), a_topic("run%201/深")
    watches = FolderWatches(broadcaster, tmp_path, glance_s=0.01)
    with broadcaster.subscribe() as page, watches.watched(topic):
        page.add(topic.name)
        await watches.quiet_s(topic)
        CHANGES[change](folder)
        assert await page.wait_topics(within_s=PATIENCE_S) == {topic.name: 0}


async def test_a_folder_that_comes_and_goes_is_told_too(tmp_path: Path) -> None:
    broadcaster, topic = Broadcaster(), a_topic("below")
    watches = FolderWatches(broadcaster, tmp_path, glance_s=0.01)
    with broadcaster.subscribe() as page, watches.watched(topic):
        page.add(topic.name)
        assert await watches.quiet_s(topic) == 0
        folder = a_folder(tmp_path, "below")
        assert await page.wait_topics(within_s=PATIENCE_S)
        folder.rmdir()
        assert await page.wait_topics(within_s=PATIENCE_S)


async def test_how_long_a_folder_was_quiet_is_read_from_it(tmp_path: Path) -> None:
    folder, topic = a_folder(tmp_path), a_topic()
    watches = FolderWatches(Broadcaster(), tmp_path, glance_s=0.01)
    with watches.watched(topic):
        first = await watches.quiet_s(topic)
    (folder / "fresh").touch()
    with watches.watched(topic):
        assert 0 <= first < PATIENCE_S
        assert 0 <= await watches.quiet_s(topic) < PATIENCE_S


async def test_what_nobody_has_open_is_not_looked_at(tmp_path: Path) -> None:
    folder, topic = a_folder(tmp_path), a_topic()
    broadcaster = Broadcaster()
    watches = FolderWatches(broadcaster, tmp_path, glance_s=0.01)
    with watches.watched(topic), broadcaster.subscribe() as page:
        page.add(topic.name)
        with watches.watched(topic):
            await watches.quiet_s(topic)
        (folder / "one").touch()
        assert await page.wait_topics(within_s=PATIENCE_S)
    with pytest.raises(KeyError):
        await watches.quiet_s(topic)
    with watches.watched(topic):  # once more, after the rounds have ended
        await wait_until_async(lambda: watches.quiet_s(topic))


def test_what_no_list_shows_changes_nothing(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    (folder / ".berth").mkdir()
    before = look_at_folder(folder, ())
    (folder / ".berth" / "upload").touch()
    (folder / ".Trash-1000").mkdir()
    after = look_at_folder(folder, ())
    assert before is not None
    assert after is not None
    assert after.digest == before.digest
    (folder / "seen").touch()
    assert glance_at_folder(folder, ()) is not None
    shown = look_at_folder(folder, ())
    assert shown is not None
    assert shown.digest != before.digest


def test_links_are_not_followed(tmp_path: Path) -> None:
    folder, outside = a_folder(tmp_path), tmp_path / "outside"
    outside.mkdir()
    (folder / "link").symlink_to(outside)
    assert glance_at_folder(folder, ("link",)) is None
    assert look_at_folder(folder, ("link",)) is None
