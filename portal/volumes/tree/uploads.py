"""Unfinished uploads of a volume: bytes that grow beside it and appear under their name when whole.

`.berth/uploads/<id>` holds the bytes, and its size is how far the upload is; `<id>.json` says what it
will be. A finished one leaves only that, in `.berth/uploaded`, for a client that missed the answer.
Nothing is kept elsewhere: whichever process gets the next piece continues.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final
from uuid import UUID

from portal.common.errors import ConflictError, DomainError, ExhaustedError, NotFoundError
from portal.common.ids import new_id
from portal.volumes.tree.changes import free_name
from portal.volumes.tree.folders import (
    FILE_MODE,
    exists,
    freed_by_replacing,
    give_to,
    made_folder,
    open_plain_file,
    opened_folder,
    rename_to_new,
)
from portal.volumes.tree.paths import (
    INTERNAL,
    StorageFullError,
    parse_new_path,
    refused_clearly,
    to_text,
)
from portal.volumes.tree.removal import open_internal

UPLOADS: Final = "uploads"
UPLOADED: Final = "uploaded"
UPLOADS_MAX: Final = 2000
"""Unfinished uploads of one volume."""
UNFINISHED_KEPT: Final = timedelta(days=1)
"""How long an upload is kept after its last byte."""
FREE_MIN_MIB: Final = 64
"""Space of the file system that uploads leave to others."""
_MIB: Final = 1024 * 1024
_INFO: Final = ".json"
_INFO_MAX: Final = 16 * 1024
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FileUpload:
    """What an upload will be, and how far it is."""

    id: UUID
    path: str
    length: int
    offset: int
    replaces: bool
    """Whether it takes the place of a file of its name; else it gets a name like it."""
    touched_at: float
    """Seconds of the epoch."""

    is_placed: bool = False
    """Whether the file is under its name."""


def begin_upload(top: Path, path: str, length: int, *, replaces: bool) -> FileUpload:
    """Make room for the bytes of a file.

    Raises:
        ConflictError: there is something of its name, and it may not be replaced.
        ExhaustedError: too many are unfinished.
        StorageFullError: the file system has not that much space.
    """
    parts = parse_new_path(path)
    with refused_clearly(path), opened_folder(top) as root:
        require_space(root, length)
        _require_free(top, parts, replaces=replaces)
        upload = FileUpload(new_id(), path, length, 0, replaces, time.time())
        with _internal(root, UPLOADS) as folder:
            with os.scandir(folder) as entries:
                begun = sum(not entry.name.endswith(_INFO) for entry in entries)
            if begun >= UPLOADS_MAX:
                raise ExhaustedError("too_many_uploads", limit=UPLOADS_MAX)
            _write_info(folder, upload, os.fstat(root))
            handle = os.open(str(upload.id), _CREATE, FILE_MODE, dir_fd=folder)
            give_to(handle, os.fstat(root))
            os.close(handle)
    return upload


def find_upload(top: Path, upload_id: UUID) -> FileUpload:
    """Return an upload as it stands; raises `NotFoundError` when it was ended or tidied away."""
    with _found(top, upload_id) as (_, upload):
        return upload


def unfinished_bytes(top: Path) -> int:
    """Return how many bytes the unfinished uploads of a volume have still to bring."""
    left = 0
    with suppress(OSError), opened_folder(top, (INTERNAL, UPLOADS)) as folder:
        with os.scandir(folder) as entries:
            infos = (entry.name for entry in entries if entry.name.endswith(_INFO))
            names = list(islice(infos, UPLOADS_MAX))
        for name in names:
            with suppress(FileNotFoundError, DomainError), open_plain_file(folder, name) as file:
                facts = os.stat(name.removesuffix(_INFO), dir_fd=folder, follow_symlinks=False)
                left += max(_read_info(file)[1] - facts.st_size, 0)
    return left


def end_upload(top: Path, upload_id: UUID) -> None:
    """Remove an upload with its bytes."""
    with _found(top, upload_id) as (folder, _):
        for name in (str(upload_id), f"{upload_id}{_INFO}"):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)


class UploadWriter:
    """Appends to an upload, piece by piece; each is written only where the one before it ended."""

    def __init__(self, top: Path, upload: FileUpload) -> None:
        """Open the bytes; raises `NotFoundError` when they are gone."""
        self._top, self._upload = top, upload
        self.freed = 0
        """Bytes of the file whose place it has taken."""
        self.offset = self._start = upload.offset
        with refused_clearly(upload.path), opened_folder(top, (INTERNAL, UPLOADS)) as folder:
            self._file: BinaryIO = open_plain_file(
                folder, str(upload.id), os.O_WRONLY | os.O_APPEND
            )

    def write(self, data: bytes) -> None:
        """Append; raises `ConflictError` if another connection has continued with this upload."""
        with refused_clearly(self._upload.path), _locked(self._file):
            if os.fstat(self._file.fileno()).st_size != self.offset:
                raise ConflictError("upload_offset", offset=self.offset)
            view = memoryview(data)
            while view:
                written = self._file.write(view)
                self.offset += written or 0
                view = view[written or 0 :]

    def take_back(self) -> int:
        """Remove what this writer has appended: its checksum was another. Return how many bytes it was."""
        with refused_clearly(self._upload.path), _locked(self._file):
            if os.fstat(self._file.fileno()).st_size != self.offset:
                return 0
            os.ftruncate(self._file.fileno(), self._start)
            return self.offset - self._start

    def finish(self) -> str:
        """Put the whole file under its name, at once and durably; return its path."""
        parts = parse_new_path(self._upload.path)
        with (
            refused_clearly(self._upload.path),
            opened_folder(self._top, (INTERNAL, UPLOADS)) as uploads,
            made_folder(self._top, parts[:-1]) as folder,
        ):
            os.fsync(self._file.fileno())
            name = self._name_it(uploads, folder, parts[-1])
            os.fsync(folder)
            self._set_aside(uploads)
        return to_text("/".join((*parts[:-1], name)))

    def close(self) -> None:
        """Close the file; what was written is kept."""
        self._file.close()

    def _name_it(self, uploads: int, folder: int, name: str) -> str:
        """Give the file its name; a name like it if something has that now."""
        source = str(self._upload.id)
        if self._upload.replaces:
            self.freed = freed_by_replacing(folder, name)
            os.rename(source, name, src_dir_fd=uploads, dst_dir_fd=folder)
            return name
        while True:
            chosen = free_name(folder, name)
            with suppress(FileExistsError):
                rename_to_new(uploads, source, folder, chosen)
                return chosen

    def _set_aside(self, uploads: int) -> None:
        """Keep what is left out of the folder in which the unfinished are counted."""
        info = f"{self._upload.id}{_INFO}"
        with (
            opened_folder(self._top) as root,
            _internal(root, UPLOADED) as uploaded,
            suppress(FileNotFoundError),  # it was ended meanwhile
        ):
            os.rename(info, info, src_dir_fd=uploads, dst_dir_fd=uploaded)


def tidy_uploads(top: Path, now: float) -> int:
    """Remove the uploads that nothing was added to for a day; return how many."""
    removed = 0
    for place in (UPLOADS, UPLOADED):
        with suppress(FileNotFoundError), opened_folder(top, (INTERNAL, place)) as folder:
            removed += _tidy(folder, now - UNFINISHED_KEPT.total_seconds())
    return removed


def _tidy(folder: int, before: float) -> int:
    removed = 0
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries]
    for name in names:
        with suppress(OSError):
            if os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime < before:
                os.unlink(name, dir_fd=folder)
                removed += not name.endswith(_INFO)
    return removed


@contextmanager
def _found(top: Path, upload_id: UUID) -> Iterator[tuple[int, FileUpload]]:
    with refused_clearly(""), ExitStack() as stack:
        try:
            folder, file = _opened_info(stack, top, upload_id)
            path, length, replaces = _read_info(file)
        except FileNotFoundError as error:
            raise NotFoundError("upload") from error
        try:
            facts = os.stat(str(upload_id), dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            upload = FileUpload(upload_id, path, length, length, replaces, 0.0, is_placed=True)
        else:
            at = facts.st_mtime
            upload = FileUpload(upload_id, path, length, facts.st_size, replaces, at)
        yield folder, upload


def _opened_info(stack: ExitStack, top: Path, upload_id: UUID) -> tuple[int, BinaryIO]:
    """Look for it in the folders in the order in which it moves."""
    for place in (UPLOADS, UPLOADED):
        with suppress(FileNotFoundError):
            folder = stack.enter_context(opened_folder(top, (INTERNAL, place)))
            return folder, stack.enter_context(open_plain_file(folder, f"{upload_id}{_INFO}"))
    raise FileNotFoundError


@contextmanager
def _internal(root: int, name: str) -> Iterator[int]:
    folder = open_internal(root, name)
    try:
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _locked(file: BinaryIO) -> Iterator[None]:
    """Keep other connections with the same upload out, where the file system has locks."""
    with suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)


def require_space(descriptor: int, length: int) -> None:
    """Refuse what would leave others on the file system too little space."""
    facts = os.fstatvfs(descriptor)
    free = facts.f_bavail * facts.f_frsize - FREE_MIN_MIB * _MIB
    if length > free:
        raise StorageFullError("storage_too_small", free_mib=max(free, 0) // _MIB)


def _require_free(top: Path, parts: tuple[str, ...], *, replaces: bool) -> None:
    """Refuse a name that is taken; a folder is never replaced, nor is what is above it made yet."""
    with suppress(FileNotFoundError), opened_folder(top, parts[:-1]) as folder:
        if not exists(folder, parts[-1]):
            return
        if replaces:
            with suppress(DomainError), open_plain_file(folder, parts[-1], os.O_WRONLY):
                return
        raise ConflictError("file_exists", path=to_text("/".join(parts)))


def _read_info(file: BinaryIO) -> tuple[str, int, bool]:
    """Return path, length and whether it replaces another; raises `NotFoundError` where there is no sense in it."""
    try:
        info = json.loads(file.read(_INFO_MAX))
        return str(info["path"]), int(info["length"]), bool(info["replaces"])
    except (ValueError, KeyError, TypeError) as error:
        raise NotFoundError("upload") from error


def _write_info(folder: int, upload: FileUpload, owner: os.stat_result) -> None:
    info = {"path": upload.path, "length": upload.length, "replaces": upload.replaces}
    handle = os.open(f"{upload.id}{_INFO}", _CREATE, 0o600, dir_fd=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        give_to(handle, owner)
        json.dump(info, file)
