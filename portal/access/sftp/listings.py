"""A folder as an SFTP client reads it: in pieces, as the client asks for them."""

from typing import Final

import asyncssh

from portal.access.sftp.attributes import attributes_of, folder_of
from portal.access.sftp.handles import OpenFolder
from portal.access.sftp.paths import DATASETS, ClientPath
from portal.access.sftp.rights import (
    Identify,
    VolumeGateway,
    list_datasets,
    list_volumes,
    reach_to_read,
)
from portal.common.clock import now
from portal.common.concurrency import run_in_thread
from portal.volumes.open_files import open_folder
from portal.volumes.tree.listing import FileEntry

LISTING_PIECE: Final = 256
"""Entries of a folder that are read in one step."""


class FolderListing:
    """The entries of the root, or of a folder in a volume; opened when the first is asked for."""

    def __init__(self, gateway: VolumeGateway, identify: Identify, place: ClientPath) -> None:
        """Nothing is checked yet."""
        self._gateway, self._identify, self._place = gateway, identify, place
        self._folder: OpenFolder | None = None
        self._may_write = False
        self._has_begun = False

    @property
    def is_cut(self) -> bool:
        """Whether the folder has more entries than were listed."""
        return self._folder is not None and self._folder.stream.is_cut

    @property
    def unreadable(self) -> int:
        """Entries that were left out, since their names are no UTF-8."""
        return 0 if self._folder is None else self._folder.stream.unreadable

    async def take(self) -> list[asyncssh.SFTPName]:
        """Return some more entries; none at the end."""
        if not self._has_begun:
            self._has_begun = True
            if not self._place.volume:
                return await self._root()
            if self._place.dataset == "":
                return await self._datasets()
            await self._open()
        if self._folder is None:
            return []
        found = await self._gateway.threads.run(self._folder.stream.take, LISTING_PIECE)
        return [self._named(entry) for entry in found]

    async def _root(self) -> list[asyncssh.SFTPName]:
        rows = await run_in_thread(list_volumes, self._identify)
        found = [
            asyncssh.SFTPName(
                row.volume.folder_name.encode(),
                attrs=attributes_of(folder_of(row.volume.created_at), may_write=row.may_write),
            )
            for row in rows
        ]
        attrs = attributes_of(folder_of(now()), may_write=False)
        return [*found, asyncssh.SFTPName(DATASETS.encode(), attrs=attrs)]

    async def _datasets(self) -> list[asyncssh.SFTPName]:
        found = await run_in_thread(list_datasets, self._identify, self._gateway)
        return [
            asyncssh.SFTPName(
                name.encode(), attrs=attributes_of(folder_of(place.made_at), may_write=False)
            )
            for name, place in found.items()
        ]

    async def _open(self) -> None:
        place = self._place
        reached = await run_in_thread(reach_to_read, self._identify, self._gateway, place)
        self._may_write = reached.may_write
        parts = reached.parts(place.path)
        stream = await self._gateway.threads.run(open_folder, reached.top, parts)
        self._folder = OpenFolder(stream) if stream else None

    def _named(self, entry: FileEntry) -> asyncssh.SFTPName:
        attrs = attributes_of(entry, may_write=self._may_write)
        return asyncssh.SFTPName(entry.name.encode(), attrs=attrs)
