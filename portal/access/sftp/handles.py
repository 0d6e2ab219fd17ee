"""Files and folders that one SFTP session has open."""

import errno
import os
import weakref
from dataclasses import dataclass
from uuid import UUID

from portal.access.sftp.attributes import AttributeWish
from portal.common.errors import DeniedError, DomainError
from portal.volumes.file_access import OpenedVolume
from portal.volumes.growth import GrowthLedger
from portal.volumes.open_files import remove_replaced
from portal.volumes.tree.listing import FileEntry, FolderStream
from portal.volumes.tree.random_access import RandomAccessFile


@dataclass(slots=True, eq=False)
class OpenHandle:
    """A file that a client has open, with the volume as it was last checked."""

    file: RandomAccessFile
    opened: OpenedVolume | None
    """None of a file that is only read."""
    place_id: UUID
    volume: str
    """The folder name of the volume, or of the data set."""
    size: int
    """Bytes, when it was opened or described last."""
    replaced: str = ""
    """The id of the file before it in the trash, while this one is not whole."""
    replaced_size: int = 0
    has_failed: bool = False
    refusal: DomainError | None = None
    """Why nothing more is read or written."""

    def require(self) -> None:
        """Raise what ended the right to it."""
        if self.refusal:
            raise self.refusal

    @property
    def writable(self) -> OpenedVolume:
        """The volume of a file that is open for writing; raises what ended the right to it."""
        self.require()
        if self.opened is None:
            raise DeniedError("sftp_only_read")
        return self.opened

    def write(self, ledger: GrowthLedger, offset: int, data: bytes) -> None:
        """Write, or refuse before anything is written; the file is not whole then. Blocks."""
        try:
            if grown := self.file.growth(offset, len(data)):
                ledger.take(self.writable, grown)
            self.file.write(offset, data)
        except (DomainError, OSError):
            self.has_failed = True
            raise

    def describe(self) -> FileEntry:
        """Return the facts of the file. Blocks."""
        entry = self.file.describe()
        self.size = entry.size
        return entry

    def close(self, ledger: GrowthLedger, *, is_whole: bool) -> None:
        """Close the file; the one before it is gone only when this one is whole and durable. Blocks."""
        is_done = is_whole and not self.has_failed and self.refusal is None
        try:
            if self.replaced and is_done:
                self.file.sync()
        finally:
            self.file.close()
        if self.replaced and is_done and self.opened:
            remove_replaced(self.opened, self.replaced)
            ledger.give_back(self.opened, self.replaced_size)

    def seek(self, position: int, whence: int) -> int:
        """Answer asyncssh, which looks for holes to spare the client: the file has none."""
        if position >= self.size:
            raise OSError(errno.ENXIO, os.strerror(errno.ENXIO))
        return position if whence == os.SEEK_DATA else self.size


class OpenFolder:
    """A folder that is being listed; it is closed at its end, or when the client forgets it."""

    def __init__(self, stream: FolderStream) -> None:
        """Take over the stream."""
        self.stream = stream
        self.close = weakref.finalize(self, stream.close)


def change_file(
    file: RandomAccessFile, opened: OpenedVolume, ledger: GrowthLedger, wish: AttributeWish
) -> None:
    """Change size, permission to run and times of an open file. Blocks."""
    if wish.size is not None:
        if grown := file.growth_to(wish.size):
            ledger.take(opened, grown)
        file.truncate(wish.size)
    if wish.is_executable is not None:
        file.set_executable(is_executable=wish.is_executable)
    if wish.times:
        file.set_times(*wish.times)
