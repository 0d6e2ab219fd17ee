"""The methods of asyncssh's SFTP server, all of them: those of the library touch this machine's files."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import NoReturn, TypeVar

import asyncssh
import structlog
from django.db import DatabaseError
from typing_extensions import override

from portal.access.sessions import ActivityTracker
from portal.access.sftp.handles import OpenHandle
from portal.access.sftp.listings import FolderListing
from portal.access.sftp.paths import normalize
from portal.access.sftp.refusals import THERE, to_sftp_error
from portal.access.sftp.voice import ClientVoice
from portal.access.sftp.work import VolumeWork
from portal.common.errors import ConflictError, DomainError, NotFoundError
from portal.volumes.tree.listing import FOLDER_ENTRIES_MAX

T = TypeVar("T")
logger = structlog.get_logger(__name__)


class VolumeServer(asyncssh.SFTPServer):
    """The volumes of one person."""

    def __init__(
        self,
        chan: "asyncssh.SSHServerChannel[bytes]",
        work: VolumeWork,
        voice: ClientVoice,
        drain: Callable[[], Awaitable[None]],
        activity: ActivityTracker,
    ) -> None:
        """Take over the session's work; `drain` waits until the client has taken what was sent."""
        super().__init__(chan)
        self._work, self._voice = work, voice
        self._drain, self._activity = drain, activity
        self.is_client_gone = False

    @override
    async def open(self, path: bytes, pflags: int, attrs: asyncssh.SFTPAttrs) -> object:
        return await self._explained(self._work.open(path, pflags, attrs))

    @override
    def open56(
        self, path: bytes, desired_access: int, flags: int, attrs: asyncssh.SFTPAttrs
    ) -> NoReturn:
        raise asyncssh.SFTPOpUnsupported("version 3 is spoken here")

    @override
    async def close(self, file_obj: object) -> None:
        handle = _handle(file_obj)
        await self._explained(self._work.close(handle, is_whole=not self.is_client_gone))

    @override
    async def read(self, file_obj: object, offset: int, size: int) -> bytes:
        # What the client does not take must not pile up here.
        await self._drain()
        data = await self._explained(self._work.read(_handle(file_obj), offset, size))
        self._activity.record()
        return data

    @override
    async def write(self, file_obj: object, offset: int, data: bytes) -> int:
        await self._explained(self._work.write(_handle(file_obj), offset, data))
        self._activity.record(is_input=True)
        return len(data)

    @override
    async def stat(self, path: bytes) -> asyncssh.SFTPAttrs:
        return await self._explained(self._work.describe(path))

    @override
    async def lstat(self, path: bytes) -> asyncssh.SFTPAttrs:
        return await self._explained(self._work.describe(path))

    @override
    async def fstat(self, file_obj: object) -> asyncssh.SFTPAttrs:
        return await self._explained(self._work.describe_open(_handle(file_obj)))

    @override
    async def setstat(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        await self._explained(self._work.change(path, attrs))

    @override
    async def lsetstat(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        await self._explained(self._work.change(path, attrs))

    @override
    async def fsetstat(self, file_obj: object, attrs: asyncssh.SFTPAttrs) -> None:
        await self._explained(self._work.change_open(_handle(file_obj), attrs))

    @override
    def scandir(self, path: bytes) -> AsyncIterator[asyncssh.SFTPName]:
        try:
            listing = self._work.list(path)
        except DomainError as error:
            raise self._refused(error) from error
        return self._names(listing)

    @override
    async def remove(self, path: bytes) -> None:
        await self._explained(self._work.remove(path))

    @override
    async def mkdir(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        await self._explained(self._work.make_folder(path), silent=THERE)

    @override
    async def rmdir(self, path: bytes) -> None:
        await self._explained(self._work.remove_folder(path))

    @override
    def realpath(self, path: bytes) -> bytes:
        return normalize(path)

    @override
    async def rename(self, oldpath: bytes, newpath: bytes) -> None:
        await self._explained(self._work.rename(oldpath, newpath, replaces=False))

    @override
    async def posix_rename(self, oldpath: bytes, newpath: bytes) -> None:
        await self._explained(self._work.rename(oldpath, newpath, replaces=True))

    @override
    async def readlink(self, path: bytes) -> bytes:
        return await self._explained(self._work.read_link(path))

    @override
    def symlink(self, oldpath: bytes, newpath: bytes) -> NoReturn:
        raise self._refused(ConflictError("sftp_no_links"))

    @override
    def link(self, oldpath: bytes, newpath: bytes) -> NoReturn:
        raise self._refused(ConflictError("sftp_no_links"))

    @override
    def lock(self, file_obj: object, offset: int, length: int, flags: int) -> NoReturn:
        raise asyncssh.SFTPOpUnsupported("files are not locked here")

    @override
    def unlock(self, file_obj: object, offset: int, length: int) -> NoReturn:
        raise asyncssh.SFTPOpUnsupported("files are not locked here")

    @override
    async def statvfs(self, path: bytes) -> asyncssh.SFTPVFSAttrs:
        return await self._explained(self._work.measure_room(path))

    @override
    def fstatvfs(self, file_obj: object) -> NoReturn:
        raise asyncssh.SFTPOpUnsupported("only paths have room")

    @override
    async def fsync(self, file_obj: object) -> None:
        await self._explained(self._work.sync(_handle(file_obj)))

    @override
    def exit(self) -> None:
        # Before the library closes the channel: `scp` fails without a status.
        with suppress(OSError):
            self.channel.exit(0)

    @override
    def map_path(self, path: bytes) -> NoReturn:
        raise asyncssh.SFTPOpUnsupported("no path is one of this machine")

    async def _names(self, listing: FolderListing) -> AsyncIterator[asyncssh.SFTPName]:
        while names := await self._explained(listing.take()):
            self._activity.record()
            await self._drain()
            for name in names:
                yield name
        if listing.is_cut:
            self._voice.say("sftp_listing_cut", {"limit": FOLDER_ENTRIES_MAX})
        if listing.unreadable:
            self._voice.say("sftp_names_unreadable", {"count": listing.unreadable})

    async def _explained(self, work: Awaitable[T], *, silent: str = "") -> T:
        """Do some work; its refusals are answered, and printed unless clients expect that code."""
        try:
            return await work
        except DomainError as error:
            raise self._refused(error, silent=silent) from error
        except (DatabaseError, TimeoutError) as error:
            logger.warning("sftp.unchecked", error=repr(error))
            self._voice.say("ssh_unchecked")
            raise asyncssh.SFTPFailure(self._voice.text("ssh_unchecked")) from error

    def _refused(self, error: DomainError, *, silent: str = "") -> asyncssh.SFTPError:
        # Clients ask for what is not there all the time.
        if not isinstance(error, NotFoundError) and error.code != silent:
            self._voice.say(error.code, error.params)
        return to_sftp_error(error, self._voice.text(error.code, error.params))


def _handle(file_obj: object) -> OpenHandle:
    if not isinstance(file_obj, OpenHandle):
        raise asyncssh.SFTPInvalidHandle("this is no file of the session")
    return file_obj
