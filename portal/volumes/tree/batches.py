"""Many files at once: each appears whole, on disk and under its name, or is refused by name.

The files of an archive are written into a staging area. When enough have come, all are made durable by one
call, renamed to where they belong, and their folders made durable by another.
A file that is there already with the same content counts as written: a batch that broke off is simply
sent again, and nothing has to be remembered for that.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final

from portal.common.errors import ConflictError, DomainError, Fault, InvalidError, NotFoundError
from portal.volumes.tree.durability import sync_all
from portal.volumes.tree.folders import (
    FILE_MODE,
    exists,
    freed_by_replacing,
    made_folder,
    open_plain_file,
    opened_folder,
    rename_to_new,
)
from portal.volumes.tree.paths import (
    INTERNAL,
    PATH_MAX,
    Parts,
    explained,
    is_text,
    parse_new_path,
    refused_clearly,
    to_text,
)
from portal.volumes.tree.removal import discard
from portal.volumes.tree.staging import BATCHES, StagedFolder, StagingArea
from portal.volumes.tree.tar_stream import MemberKind, TarMember
from portal.volumes.tree.uploads import require_space

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


class BatchWriter:
    """Writes the members of an archive below a folder of a volume (a `TarSink`)."""

    def __init__(
        self,
        top: Path,
        target: Parts,
        *,
        replaces: bool,
        grow: Callable[[int], None],
        give_back: Callable[[int], None] = lambda _: None,
        each_max: int = SYNC_EACH_MAX,
    ) -> None:
        """Begin; `grow` refuses what the volume's quota has no room for, `give_back` gets what did not stay.

        Up to `each_max` files are made durable one by one: what others have written to the same storage
        is not waited for then.
        """
        self.count = BatchCount()
        self._top, self._target, self._replaces = top, target, replaces
        self._grow, self._give_back = grow, give_back
        self._syncs_all = self._met_others = False
        self._seen = 0
        self._folders: list[Parts] = []
        self._files = self._bytes = 0
        """Staged since the last group was placed."""
        self._file: int | None = None
        self._parts: Parts = ()
        self._size = 0
        with refused_clearly(""):
            self._staging = StagingArea(top)
        self._each_max = each_max if self._staging.syncs_at_once else BATCH_FILES_MAX

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
            above = map(to_text, self._target)
            parts = parse_new_path("/".join((*above, to_text(path) if is_text(path) else path)))
            if member.kind is MemberKind.FOLDER:
                self._folders.append(parts)
                return
            self._require(member)
            mode = FILE_MODE | _EXECUTABLE if member.is_executable else FILE_MODE
            self._file = self._staging.create(parts, mode)
            self._parts, self._size = parts, member.size
        except (DomainError, OSError) as error:
            self.count.refuse(path, explained(error, path))

    def write(self, data: memoryview) -> None:
        """Write bytes of the file; a storage that is full refuses this file only."""
        if self._file is None:
            return
        try:
            while data:
                data = data[os.write(self._file, data) :]
        except OSError as error:
            self._refuse(self._parts, explained(error, "/".join(self._parts)))
            self._drop()

    def end(self) -> None:
        """End the file; it gets its name with the others of its group."""
        if self._file is None:
            return
        os.close(self._file)
        self._file = None
        self._staging.keep(self._parts, self._size)
        self._files += 1
        self._bytes += self._size
        if self._files >= _GROUP_FILES or self._bytes >= _GROUP_BYTES:
            self.settle()

    def settle(self) -> None:
        """Put all whole files under their names, durably; what is not whole is dropped."""
        self._drop()
        staged = self._staging.take()
        folders, self._folders = self._folders, []
        self._met_others = False
        self._syncs_all = self._files + len(folders) > self._each_max
        self._files = self._bytes = 0
        if not staged and not folders:
            return
        try:
            with refused_clearly(""):
                self._sync_bytes(staged)
        except DomainError as refused:
            for each in staged:
                self._refuse_all(each, refused)
            return
        for each in staged:
            self._place_all(each)
        filled = {each.parts: None for each in staged}
        for parts in folders:
            if parts not in filled:
                self._make(parts)
        self._sync_names((*filled, *folders))

    def close(self) -> None:
        """Remove what got no name."""
        self._drop()
        self._staging.close()

    def _require(self, member: TarMember) -> None:
        if member.kind is not MemberKind.FILE:
            raise InvalidError("file_not_plain")
        if member.size > BATCH_FILE_MAX:
            raise InvalidError("file_too_large_here", max=BATCH_FILE_MAX)
        self._grow(member.size)
        require_space(self._staging.folder, member.size)

    def _make(self, parts: Parts) -> None:
        """Make an empty folder."""
        try:
            with _refused_where_taken(parts), made_folder(self._top, parts):
                pass
        except DomainError as refused:
            self._refuse(parts, refused)

    def _place_all(self, staged: StagedFolder) -> None:
        """Put the files of one folder where they belong."""
        try:
            if not self._place_whole(staged):
                with (
                    _refused_where_taken(staged.parts),
                    made_folder(self._top, staged.parts) as folder,
                    self._staging.opened(staged) as come,
                ):
                    for name in staged.sizes:
                        self._place(folder, come, staged, name)
                self._staging.discard(staged)
        except DomainError as refused:
            self._refuse_all(staged, refused)

    def _place_whole(self, staged: StagedFolder) -> bool:
        """Put the folder itself in its place, with all its files; return False where one is there already."""
        if not staged.parts:
            return False
        above, name = staged.parts[:-1], staged.parts[-1]
        with _refused_where_taken(staged.parts), made_folder(self._top, above) as folder:
            try:
                rename_to_new(self._staging.folder, staged.name, folder, name)
            except FileExistsError:
                return False
        self.count.written += len(staged.sizes)
        return True

    def _place(self, folder: int, come: int, staged: StagedFolder, name: str) -> None:
        try:
            if self._replaces and _is_plain(folder, name):
                freed = freed_by_replacing(folder, name)
                os.rename(name, name, src_dir_fd=come, dst_dir_fd=folder)
                self._give_back(freed)
            else:
                rename_to_new(come, name, folder, name)
            self.count.written += 1
        except OSError as error:
            self._give_back(staged.sizes[name])
            if exists(folder, name) and self._is_same(folder, come, name, staged.sizes[name]):
                self.count.unchanged += 1
                return
            parts = (*staged.parts, name)
            self._refuse(parts, explained(error, "/".join(parts)))

    def _is_same(self, folder: int, come: int, name: str, size: int) -> bool:
        """Return whether a file of that name has the same content, which is then made durable."""
        with (
            suppress(OSError, DomainError),
            open_plain_file(folder, name) as there,
            open_plain_file(come, name) as new,
        ):
            if os.fstat(there.fileno()).st_size != size:
                return False
            while data := new.read(_COMPARED):
                if there.read(len(data)) != data:
                    return False
            self._met_others = True
            if not self._syncs_all:
                os.fsync(there.fileno())
            return True
        return False

    def _sync_bytes(self, staged: Iterable[StagedFolder]) -> None:
        """Keep what has been written."""
        if self._syncs_all:
            sync_all(self._staging.folder)
            return
        for each in staged:
            with self._staging.opened(each) as folder:
                for name in each.sizes:
                    with open_plain_file(folder, name) as file:
                        os.fsync(file.fileno())

    def _sync_names(self, folders: Iterable[Parts]) -> None:
        """Keep the names in folders, and those of the folders themselves."""
        above = {parts[:depth] for parts in folders for depth in range(len(parts) + 1)}
        # What was there already may be another's, who did not wait for it.
        if self._syncs_all and (self._met_others or len(above) > self._each_max):
            sync_all(self._staging.folder)
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
        if self._file is not None:
            os.close(self._file)
            self._staging.drop(self._parts)
            self._give_back(self._size)
        self._file = None

    def _refuse_all(self, staged: StagedFolder, refused: DomainError) -> None:
        self._give_back(sum(staged.sizes.values()))
        for name in staged.sizes:
            self._refuse((*staged.parts, name), refused)
        self._staging.discard(staged)

    def _refuse(self, parts: Parts, refused: DomainError) -> None:
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


@contextmanager
def _refused_where_taken(parts: Parts) -> Iterator[None]:
    """Refuse clearly where a part of the path is no folder."""
    path = to_text("/".join(parts))
    try:
        with refused_clearly(path):
            yield
    except NotFoundError as error:
        raise ConflictError("file_exists", path=path) from error


def _is_plain(folder: int, name: str) -> bool:
    """Return whether a plain file is there, which a new one may take the place of."""
    with suppress(OSError, DomainError), open_plain_file(folder, name, os.O_WRONLY):
        return True
    return False
