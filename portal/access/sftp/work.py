"""What one SFTP session does with volumes and data sets: rights are read again for each request, and for open files
every few seconds; files are touched in threads only."""

import shutil
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Final
from weakref import WeakSet

import asyncssh
from django.db import DatabaseError

from portal.access.sftp.attributes import (
    MIB,
    AttributeWish,
    attributes_of,
    folder_of,
    read_attributes,
    read_flags,
    room_of,
)
from portal.access.sftp.handles import OpenHandle, change_file
from portal.access.sftp.listings import FolderListing
from portal.access.sftp.paths import (
    ClientPath,
    parse_changed_path,
    parse_client_path,
    parse_inner_path,
)
from portal.access.sftp.rights import (
    Identify,
    ReachedPlace,
    ReachedVolume,
    VolumeGateway,
    reach_to_read,
    reach_volume,
)
from portal.common.clock import now
from portal.common.concurrency import run_in_thread
from portal.common.errors import (
    ConflictError,
    DomainError,
    ExhaustedError,
    NotFoundError,
)
from portal.transfers.transfer import PIECE
from portal.volumes import file_access, open_files
from portal.volumes.open_files import WriteWish
from portal.volumes.services import mark_changed
from portal.volumes.tree.listing import EntryKind, describe
from portal.volumes.tree.paths import parse_path
from portal.volumes.tree.random_access import (
    FileUse,
    open_file,
    read_link,
    set_folder_times,
)

HANDLES_MAX: Final = 64
"""Files and folders that one SFTP session has open."""


class VolumeWork:
    """The requests of one session; each raises `DomainError` for what is refused."""

    def __init__(self, gateway: VolumeGateway, identify: Identify) -> None:
        """Start with nothing open."""
        self._gateway, self._identify = gateway, identify
        self._run = gateway.threads.run
        self._files: set[OpenHandle] = set()
        """Threads add to it: a caller that goes through it takes a copy."""
        self._opening = 0
        self._has_ended = False
        self._folders: WeakSet[FolderListing] = WeakSet()
        self._ledger = gateway.ledger

    async def open(self, path: bytes, flags: int, attrs: asyncssh.SFTPAttrs) -> OpenHandle:
        """Open a plain file."""
        self._require_handle()
        wish = read_flags(flags)
        place = parse_inner_path(path) if wish is None else parse_changed_path(path)
        self._opening += 1
        try:
            if wish is None:
                found = await self._reach_to_read(place)
                return await self._run(self._open_to_read, found, place)
            reached = await self._reach(place.volume)
            return await self._run(self._open_to_write, reached, place, wish, attrs)
        finally:
            self._opening -= 1

    async def close(self, handle: OpenHandle, *, is_whole: bool) -> None:
        """Close a file; `is_whole`: the client says that it is complete."""
        self._files.discard(handle)
        try:
            await self._run(handle.close, self._ledger, is_whole=is_whole)
        finally:  # also when the client has gone, which cancels this
            await self._mark_changed(handle)

    async def close_all(self) -> None:
        """Close what the client has left open, also what is being opened at this moment."""
        self._has_ended = True
        left = tuple(self._files)
        try:
            await self._run(self._close_left)
        finally:
            await self._mark_changed(*left)

    async def read(self, handle: OpenHandle, offset: int, size: int) -> bytes:
        """Return bytes of an open file."""
        handle.require()
        return await self._run(handle.file.read, offset, min(size, PIECE))

    async def write(self, handle: OpenHandle, offset: int, data: bytes) -> None:
        """Write to an open file."""
        _ = handle.writable
        await self._run(handle.write, self._ledger, offset, data)

    async def sync(self, handle: OpenHandle) -> None:
        """Return when all that was written is durable."""
        handle.require()
        await self._run(handle.file.sync)

    async def describe_open(self, handle: OpenHandle) -> asyncssh.SFTPAttrs:
        """Return the attributes of an open file."""
        handle.require()
        entry = await self._run(handle.describe)
        return attributes_of(entry, may_write=handle.file.use.writes)

    async def describe(self, path: bytes) -> asyncssh.SFTPAttrs:
        """Return the attributes of a place; of a link its own."""
        place = parse_client_path(path)
        if not place.volume or place.dataset == "":
            return attributes_of(folder_of(now()), may_write=False)
        reached = await self._reach_to_read(place)
        if place.path:
            entry = await self._run(describe, reached.top, reached.parts(place.path))
        else:
            entry = folder_of(reached.made_at)
        return attributes_of(entry, may_write=reached.may_write)

    async def measure_room(self, path: bytes) -> asyncssh.SFTPVFSAttrs:
        """Return how large a volume may be and is, or the storage where nothing limits it, as `df` shows."""
        place = parse_client_path(path)
        reached = await self._reach_to_read(place) if place.volume and place.dataset != "" else None
        if isinstance(reached, ReachedVolume) and (most := reached.opened.volume.quota_mib):
            return room_of(most, reached.opened.volume.used_mib or 0)
        disk = await self._run(shutil.disk_usage, self._gateway.storage_dir)
        return room_of(disk.total // MIB, (disk.total - disk.free) // MIB)

    async def change_open(self, handle: OpenHandle, attrs: asyncssh.SFTPAttrs) -> None:
        """Change size, times and permission to run of an open file."""
        opened, wish = handle.writable, read_attributes(attrs)
        await self._run(change_file, handle.file, opened, self._ledger, wish)

    async def change(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        """Change size, times and permission to run of a file, or the times of a folder."""
        place, wish = parse_changed_path(path), read_attributes(attrs)
        reached = await self._reach(place.volume)
        await self._run(self._change, reached, place.path, wish)

    def list(self, path: bytes) -> FolderListing:
        """Return a folder for reading; nothing is checked before its first entry is asked for."""
        self._require_handle()
        listing = FolderListing(self._gateway, self._identify, parse_client_path(path))
        self._folders.add(listing)
        return listing

    async def read_link(self, path: bytes) -> bytes:
        """Return what a link says."""
        place = parse_inner_path(path)
        reached = await self._reach_to_read(place)
        text = await self._run(read_link, reached.top, reached.parts(place.path))
        return text.encode(errors="surrogateescape")

    async def remove(self, path: bytes) -> None:
        """Put anything but a folder into the trash."""
        await self._change_place(path, open_files.trash_file)

    async def remove_folder(self, path: bytes) -> None:
        """Put an empty folder into the trash."""
        await self._change_place(path, open_files.trash_empty_folder)

    async def make_folder(self, path: bytes) -> None:
        """Make a folder."""
        place = parse_changed_path(path)
        reached = await self._reach(place.volume)
        await self._run(file_access.create_folder, reached.opened, place.path)

    async def rename(self, old: bytes, new: bytes, *, replaces: bool) -> None:
        """Rename inside a volume; `replaces`: over a plain file, too, which the trash keeps."""
        source, target = parse_changed_path(old), parse_changed_path(new)
        if source.volume != target.volume:
            raise ConflictError("sftp_other_volume")
        reached = await self._reach(source.volume)
        opened = reached.opened
        if replaces:
            paths = source.path, target.path
            await self._run(open_files.move_over, opened, *paths, reached.user)
        else:
            await self._run(file_access.move_file, opened, source.path, target.path)

    async def recheck(self) -> None:
        """Look at the rights to all that is open; raises `DomainError` when the person has none at all."""
        await run_in_thread(self._identify)
        living = [handle for handle in tuple(self._files) if handle.refusal is None]
        wanted = {(handle.volume, handle.file.use.writes) for handle in living}
        for volume, writes in wanted:
            try:
                reached = await (
                    self._reach(volume) if writes else self._reach_to_read(ClientPath(volume))
                )
            except DomainError as error:
                self._apply(volume, None, error, writes=writes)
            else:
                self._apply(volume, reached, None, writes=writes)

    def _apply(
        self,
        volume: str,
        reached: ReachedPlace | None,
        refusal: DomainError | None,
        *,
        writes: bool,
    ) -> None:
        for handle in tuple(self._files):
            if (handle.volume, handle.file.use.writes) == (volume, writes):
                handle.refusal = refusal
                if reached and reached.id != handle.place_id:
                    handle.refusal = NotFoundError("volume")
                elif isinstance(reached, ReachedVolume) and writes:
                    handle.opened = reached.opened

    async def _reach_to_read(self, place: ClientPath) -> ReachedPlace:
        return await run_in_thread(reach_to_read, self._identify, self._gateway, place)

    async def _reach(self, volume: str) -> ReachedVolume:
        storage = self._gateway.storage_dir
        return await run_in_thread(reach_volume, self._identify, storage, volume, writes=True)

    async def _change_place(
        self, path: bytes, change: Callable[[file_access.OpenedVolume, str, str], None]
    ) -> None:
        place = parse_changed_path(path)
        reached = await self._reach(place.volume)
        await self._run(change, reached.opened, place.path, reached.user)

    def _require_handle(self) -> None:
        if len(self._files) + len(self._folders) + self._opening >= HANDLES_MAX:
            raise ExhaustedError("sftp_too_many_open", limit=HANDLES_MAX)

    def _change(self, reached: ReachedVolume, path: str, wish: AttributeWish) -> None:
        opened, parts = reached.opened, parse_path(path)
        if describe(opened.top, parts).kind is EntryKind.FOLDER:
            if wish.times:
                set_folder_times(opened.top, parts, *wish.times)
            return
        file = open_file(opened.top, parts, FileUse(reads=False, writes=True))
        try:
            change_file(file, opened, self._ledger, wish)
        finally:
            file.close()

    def _open_to_read(self, reached: ReachedPlace, place: ClientPath) -> OpenHandle:
        """Open a file for reading, and learn its size. Blocks."""
        file = open_file(reached.top, reached.parts(place.path), FileUse())
        return self._noted(OpenHandle(file, None, reached.id, place.volume, 0))

    def _open_to_write(
        self, reached: ReachedVolume, place: ClientPath, wish: WriteWish, attrs: asyncssh.SFTPAttrs
    ) -> OpenHandle:
        """Open, let a new file be a program if the client's is one, and learn its size. Blocks."""
        opened = reached.opened
        written = open_files.open_to_change(opened, place.path, wish, reached.user)
        handle = OpenHandle(
            written.file,
            opened,
            reached.id,
            place.volume,
            0,
            written.replaced,
            written.replaced_size,
        )
        is_program = None if attrs.permissions is None else bool(attrs.permissions & 0o100)
        return self._noted(handle, is_program=is_program if written.is_new else None)

    def _noted(self, handle: OpenHandle, *, is_program: bool | None = None) -> OpenHandle:
        """Note an open file in the thread: the caller that waits for it may be gone before it is there."""
        self._files.add(handle)
        if is_program is not None:
            handle.file.set_executable(is_executable=is_program)
        handle.describe()
        if self._has_ended:
            self._close_left()
        return handle

    def _close_left(self) -> None:
        with ExitStack() as each:
            for handle in tuple(self._files):
                self._files.discard(handle)
                each.callback(handle.close, self._ledger, is_whole=False)

    async def _mark_changed(self, *closed: OpenHandle) -> None:
        """Let volumes that were written to be measured soon, not by a thread that slow storage may hold.

        The files are whole without it, and a volume that is not marked is measured a little later.
        """
        written = {handle.opened.volume.pk for handle in closed if handle.opened}
        with suppress(DatabaseError, TimeoutError):
            for volume_id in written:
                await run_in_thread(mark_changed, volume_id)
