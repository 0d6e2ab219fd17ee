"""Folders that pages have open: if anybody changes a file, page, SFTP or work, those pages are notified.

The folders are looked at, all by one thread, one after the other. Work on nodes writes past the portal,
so nothing that only the portal's own writers publish would be complete, and a file system on the
network tells nobody of changes that come from elsewhere.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from portal.common.concurrency import run_in_thread
from portal.live.broadcast import Broadcaster
from portal.live.topics import Topic
from portal.volumes.files import volume_folder
from portal.volumes.tree.paths import Parts, parse_path
from portal.volumes.tree.watching import FolderLook, glance_at_folder, look_at_folder

GLANCE_S: Final = 0.5
"""Between two glances at a folder: entries that come, go or get another name."""
LOOK_S: Final = 1.0
"""Between two polls of every entry of a folder: files that grow."""
_REST: Final = 10
"""A folder is left alone for this many times as long as reading it took."""


@dataclass(slots=True)
class _Watched:
    """One folder, and what it had when it was looked at last."""

    topic: str
    top: Path
    parts: Parts
    pages: int = 0
    mark: int | None = None
    look: FolderLook | None = None
    looked_at: float = 0.0
    took_s: float = 0.0
    known: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once it has been looked at."""

    def has_changed(self) -> bool:
        """Look again if it is time; return whether a page of it is no longer true."""
        at = time.monotonic()
        since = at - self.looked_at
        mark = glance_at_folder(self.top, self.parts)
        is_due = mark != self.mark or since >= LOOK_S
        if not is_due or since < self.took_s * _REST:
            return False
        before = self.look
        self.mark, self.look = mark, look_at_folder(self.top, self.parts)
        self.looked_at, self.took_s = at, time.monotonic() - at
        return self.known.is_set() and _digest(before) != _digest(self.look)


def _digest(look: FolderLook | None) -> bytes:
    return b"" if look is None else look.digest


class FolderWatches:
    """The folders that pages of this process have open; used from one event loop only."""

    def __init__(
        self, broadcaster: Broadcaster, storage_dir: Path, glance_s: float = GLANCE_S
    ) -> None:
        """Start without folders."""
        self._broadcaster = broadcaster
        self._storage_dir = storage_dir
        self._glance_s = glance_s
        self._watched: dict[str, _Watched] = {}
        self._rounds: asyncio.Task[None] | None = None

    @contextmanager
    def watched(self, topic: Topic) -> Iterator[None]:
        """Notify the subscribers of a topic of its folder's changes until the end of the block."""
        folder = self._watched.setdefault(
            topic.name,
            _Watched(
                topic.name, volume_folder(self._storage_dir, topic.id), parse_path(topic.path)
            ),
        )
        folder.pages += 1
        if self._rounds is None or self._rounds.done():
            self._rounds = asyncio.create_task(self._go_round())
        try:
            yield
        finally:
            folder.pages -= 1
            if not folder.pages:
                del self._watched[topic.name]

    async def quiet_s(self, topic: Topic) -> float:
        """Return for how long a watched folder has not changed, by the times in it."""
        folder = self._watched[topic.name]
        await folder.known.wait()
        return 0.0 if folder.look is None else max(0.0, time.time() - folder.look.changed_at_s)

    async def _go_round(self) -> None:
        while self._watched:
            folders = list(self._watched.values())
            with suppress(TimeoutError):
                for topic in await run_in_thread(_find_changed, folders):
                    self._broadcaster.publish(topic)
                for folder in folders:
                    folder.known.set()
            await asyncio.sleep(self._glance_s)


def _find_changed(folders: list[_Watched]) -> list[str]:
    return [folder.topic for folder in folders if folder.has_changed()]
