"""Many files at once: each appears whole, on disk and under its name, or is refused by name.

The files of an archive are written into `.berth/batches/<id>` under numbers. When enough have come, all
are made durable by one call, renamed to where they belong, and their folders made durable by another.
A file that is there already with the same content counts as written: a batch that broke off is simply
sent again, and nothing has to be remembered for that.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final

from portal.common.errors import ConflictError, DomainError, Fault, InvalidError, NotFoundError
from portal.common.ids import new_id
from portal.volumes.tree.durability import sync_all, syncs_at_once
from portal.volumes.tree.folders import (
    FILE_MODE,
    exists,
    give_to,
    made_folder,
    make_folder,
    open_plain_file,
    opened_folder,
    rename_to_new,
)
from portal.volumes.tree.paths import (
    INTERNAL,
    PATH_MAX,
    Parts,
    parse_new_path,
    refused_clearly,
)
from portal.volumes.tree.removal import PRIVATE_MODE, discard, open_internal
from portal.volumes.tree.tar_stream import MemberKind, TarMember
from portal.volumes.tree.uploads import require_space

BATCHES: Final = "batches"
BATCH_FILES_MAX: Final = 100_000
"""Files and folders of one archive that is unpacked."""
BATCH_FILE_MAX: Final = 256 * 1024 * 1024
"""Bytes of one file in an archive; a larger one is worth an upload that can be continued."""
FAULTS_MAX: Final = 1000
"""Refused files that one answer names; it counts the others."""
SYNC_EACH_MAX: Final = 64
"""Files that are made durable one by one; for more, all that waits to be written is waited for."""
_GROUP_FILES: Final = 20_000
_GROUP_BYTES: Final = 256 * 1024 * 1024
"""After how much what has come is put under its names."""
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_EXECUTABLE: Final = 0o111
_COMPARED: Final = 1024 * 1024


class FilesRefusedError(DomainError):
    """Some files of a batch were not written; `faults` names them, the first of many."""

    status: ClassVar[int] = 422


@dataclass(slots=True)
class BatchCount:
    """What has become of the files of a batch."""

    written: int = 0
    unchanged: int = 0
    """Were there already, with the same content."""
    refused: int = 0
    faults: list[Fault] = field(default_factory=list)

    def refuse(self, path: str, error: DomainError) -> None:
        """Count a refused file."""
        self.refused += 1
        if len(self.faults) < FAULTS_MAX:
            named = path[:PATH_MAX].encode(errors="replace").decode()
            pointer = f"/{named.replace('~', '~0').replace('/', '~1')}"
            params = {
                key: value
                for key, value in error.params.items()
                if key != "pointer" and isinstance(value, int | str)
            }
            self.faults.append(Fault(pointer, error.code, params))

    def require_all_written(self) -> None:
        """Raise `FilesRefusedError` if a file was refused."""
        if not self.refused:
            return
        error = FilesRefusedError(
            "files_refused", refused=self.refused, written=self.written, unchanged=self.unchanged
        )
        error.faults = tuple(self.faults)
        raise error


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A file that has come whole and has no name yet."""

    number: str
    parts: Parts
    size: int


class BatchWriter:
    """Writes the members of an archive below a folder of a volume (a `TarSink`)."""

    def __init__(
        self,
        top: Path,
        target: Parts,
        *,
        replaces: bool,
        grow: Callable[[int], None],
        each_max: int = SYNC_EACH_MAX,
    ) -> None:
        """Begin; `grow` refuses what the volume's quota has no room for.

        Up to `each_max` files are made durable one by one: what others have written to the same storage
        is not waited for then.
        """
        self.count = BatchCount()
        self._top, self._target, self._replaces, self._grow = top, target, replaces, grow
        self._id = str(new_id())
        self._syncs_all = self._met_others = False
        self._seen = 0
        self._folders: list[Parts] = []
        self._staged: list[StagedFile] = []
        self._bytes = 0
        self._file: int | None = None
        self._next: StagedFile | None = None
        with refused_clearly(""), opened_folder(top) as root:
            self._owner = os.fstat(root)
            self._each_max = each_max if syncs_at_once(root) else BATCH_FILES_MAX
            batches = open_internal(root, BATCHES)
            try:
                self._folder = make_folder(batches, self._id, self._owner, PRIVATE_MODE)
            finally:
                os.close(batches)

    def begin(self, member: TarMember) -> None:
        """Begin a file, or remember a folder; one that is refused is skipped and counted.

        Raises:
            InvalidError: the archive has more members than one request takes.
        """
        self._seen += 1
        if self._seen > BATCH_FILES_MAX:
            raise InvalidError("batch_too_many", max=BATCH_FILES_MAX)
        path = _plain(member)
        if not path and member.kind is MemberKind.FOLDER:
            return  # the folder that was packed
        try:
            parts = parse_new_path("/".join((*self._target, path)))
            if member.kind is MemberKind.FOLDER:
                self._folders.append(parts)
                return
            self._require(member)
            self._open(member, parts)
        except DomainError as refused:
            self.count.refuse(path, refused)

    def write(self, data: memoryview) -> None:
        """Write bytes of the file; a storage that is full refuses this file only."""
        if self._file is None or self._next is None:
            return
        try:
            with refused_clearly("/".join(self._next.parts)):
                while data:
                    data = data[os.write(self._file, data) :]
        except DomainError as refused:
            self._refuse(self._next, refused)
            self._drop()

    def end(self) -> None:
        """End the file; it gets its name with the others of its group."""
        if self._file is None or self._next is None:
            return
        os.close(self._file)
        self._staged.append(self._next)
        self._bytes += self._next.size
        self._file = self._next = None
        if len(self._staged) >= _GROUP_FILES or self._bytes >= _GROUP_BYTES:
            self.settle()

    def settle(self) -> None:
        """Put all whole files under their names, durably; what is not whole is dropped."""
        self._drop()
        staged, self._staged, self._bytes = self._staged, [], 0
        folders, self._folders = self._folders, []
        if not staged and not folders:
            return
        self._met_others = False
        self._syncs_all = len(staged) + len(folders) > self._each_max
        try:
            with refused_clearly(""):
                self._sync_bytes(staged)
        except DomainError as refused:
            self._refuse_all(staged, refused)
            return
        by_folder: dict[Parts, list[StagedFile]] = {parts: [] for parts in folders}
        for each in staged:
            by_folder.setdefault(each.parts[:-1], []).append(each)
        for parts, files in by_folder.items():
            self._place_all(parts, files)
        self._sync_names(by_folder)

    def close(self) -> None:
        """Remove what got no name; the hourly task removes what a killed process leaves."""
        self._drop()
        self._unlink(self._staged)
        os.close(self._folder)
        with suppress(OSError), opened_folder(self._top) as root:
            batches = open_internal(root, BATCHES)
            try:
                os.rmdir(self._id, dir_fd=batches)
            finally:
                os.close(batches)

    def _require(self, member: TarMember) -> None:
        if member.kind is not MemberKind.FILE:
            raise InvalidError("file_not_plain")
        if member.size > BATCH_FILE_MAX:
            raise InvalidError("file_too_large_here", max=BATCH_FILE_MAX)
        self._grow(member.size)
        require_space(self._folder, member.size)

    def _open(self, member: TarMember, parts: Parts) -> None:
        mode = FILE_MODE | _EXECUTABLE if member.is_executable else FILE_MODE
        number = str(self._seen)
        with refused_clearly("/".join(parts)):
            self._file = os.open(number, _CREATE, mode, dir_fd=self._folder)
        self._next = StagedFile(number, parts, member.size)
        give_to(self._file, self._owner)

    def _place_all(self, parts: Parts, files: list[StagedFile]) -> None:
        """Give files of one folder their names."""
        try:
            with refused_clearly("/".join(parts)), made_folder(self._top, parts) as folder:
                for each in files:
                    self._place(folder, each)
        except NotFoundError:
            refused = ConflictError("file_exists", path="/".join(parts))
            self._refuse_all(files, refused) if files else self._refuse_folder(parts, refused)
        except DomainError as refused:
            self._refuse_all(files, refused) if files else self._refuse_folder(parts, refused)

    def _place(self, folder: int, staged: StagedFile) -> None:
        name = staged.parts[-1]
        try:
            with refused_clearly("/".join(staged.parts)):
                if self._replaces and _is_plain(folder, name):
                    os.rename(staged.number, name, src_dir_fd=self._folder, dst_dir_fd=folder)
                else:
                    rename_to_new(self._folder, staged.number, folder, name)
            self.count.written += 1
        except DomainError as refused:
            if exists(folder, name) and self._is_same(folder, staged):
                self.count.unchanged += 1
            else:
                self._refuse(staged, refused)
            self._unlink([staged])

    def _is_same(self, folder: int, staged: StagedFile) -> bool:
        """Return whether a file of that name has the same content, which is then made durable."""
        with (
            suppress(OSError, DomainError),
            open_plain_file(folder, staged.parts[-1]) as there,
            open_plain_file(self._folder, staged.number) as come,
        ):
            if os.fstat(there.fileno()).st_size != staged.size:
                return False
            while data := come.read(_COMPARED):
                if there.read(len(data)) != data:
                    return False
            self._met_others = True
            if not self._syncs_all:
                os.fsync(there.fileno())
            return True
        return False

    def _sync_bytes(self, staged: list[StagedFile]) -> None:
        """Keep what has been written."""
        if self._syncs_all:
            sync_all(self._folder)
            return
        for each in staged:
            with open_plain_file(self._folder, each.number) as file:
                os.fsync(file.fileno())

    def _sync_names(self, folders: Iterable[Parts]) -> None:
        """Keep the names in folders, and those of the folders themselves."""
        above = {parts[:depth] for parts in folders for depth in range(len(parts) + 1)}
        # What was there already may be another's, who did not wait for it.
        if self._syncs_all and (self._met_others or len(above) > self._each_max):
            sync_all(self._folder)
            return
        for parts in above:
            # One that nothing was put into was refused, or is gone again.
            with (
                suppress(NotFoundError),
                refused_clearly(""),
                opened_folder(self._top, parts) as it,
            ):
                os.fsync(it)

    def _drop(self) -> None:
        """Forget the file that is being written."""
        if self._file is not None and self._next is not None:
            os.close(self._file)
            self._unlink([self._next])
        self._file = self._next = None

    def _unlink(self, staged: Iterable[StagedFile]) -> None:
        for each in staged:
            with suppress(OSError):
                os.unlink(each.number, dir_fd=self._folder)

    def _refuse_all(self, files: list[StagedFile], refused: DomainError) -> None:
        for each in files:
            self._refuse(each, refused)
        self._unlink(files)

    def _refuse(self, staged: StagedFile, refused: DomainError) -> None:
        self._refuse_folder(staged.parts, refused)

    def _refuse_folder(self, parts: Parts, refused: DomainError) -> None:
        self.count.refuse("/".join(parts[len(self._target) :]), refused)


def tidy_batches(top: Path, before: float) -> int:
    """Put what killed processes left where it is removed next; return how many batches."""
    removed = 0
    with suppress(FileNotFoundError), opened_folder(top, (INTERNAL, BATCHES)) as batches:
        with os.scandir(batches) as entries:
            names = [entry.name for entry in entries]
        for name in names:
            with suppress(OSError):
                if os.stat(name, dir_fd=batches, follow_symlinks=False).st_mtime < before:
                    discard(top, batches, name)
                    removed += 1
    return removed


def _plain(member: TarMember) -> str:
    """Return the path as a volume writes it: `tar` names what is packed from a folder `./a`."""
    name = member.name
    while name.startswith("./"):
        name = name[2:].lstrip("/")
    if member.kind is MemberKind.FOLDER:
        name = name.rstrip("/")
    return "" if name == "." else name


def _is_plain(folder: int, name: str) -> bool:
    """Return whether a plain file is there, which a new one may take the place of."""
    with suppress(OSError, DomainError), open_plain_file(folder, name, os.O_WRONLY):
        return True
    return False
