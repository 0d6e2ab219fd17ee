"""The trash of a volume, as freedesktop.org specifies it, so that JupyterLab and the portal share one.

`.Trash-<uid>/info/<id>.trashinfo` names the path that `.Trash-<uid>/files/<id>` had. The time of the
info file is when it was put there: notebooks write local times.
"""

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote, unquote_to_bytes

from portal.common.clock import now
from portal.common.errors import DomainError, InvalidError, NotFoundError
from portal.common.ids import new_id
from portal.volumes.tree.folders import (
    exists,
    give_to,
    made_folder,
    make_folder,
    open_plain_file,
    opened_folder,
    rename_to_new,
)
from portal.volumes.tree.listing import EntryKind, describe
from portal.volumes.tree.paths import Parts, is_trash, parse_path, refused_clearly, to_text
from portal.volumes.tree.removal import discard, remove_discarded
from portal.volumes.tree.times import to_moment

KEPT: Final = timedelta(days=7)
"""How long files stay in the trash of their volume."""
LISTED_MAX: Final = 1000
"""Entries of a trash that are listed, newest first."""
_PRIVATE: Final = 0o700
_INFO: Final = ".trashinfo"
_NO_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS})
"""What link(2) says where a file cannot have two names, as in a bucket that is mounted."""
_INFO_MAX: Final = 16 * 1024
_ID: Final = re.compile(r"[^/\0]{1,245}")


@dataclass(frozen=True, slots=True)
class TrashEntry:
    """Something in the trash."""

    id: str
    path: str
    """Where it was, in the volume."""
    kind: EntryKind
    size: int
    """Bytes of a file; 0 of a folder."""
    trashed_at: datetime
    trashed_by: str
    """The user's name; empty where that is not known."""


def put_into_trash(top: Path, parts: Parts, user: str) -> str:
    """Move a file or folder into the trash; return the id by which it is restored."""
    return _put(top, parts, user, rename_to_new)


def keep_in_trash(top: Path, parts: Parts, user: str) -> str:
    """Keep a plain file in the trash while it still has its name, which something else is to get.

    Where a file system gives no file two names, it has none between.
    """
    return _put(top, parts, user, _link)


def _put(top: Path, parts: Parts, user: str, place: Callable[[int, str, int, str], None]) -> str:
    if not parts:
        raise InvalidError("file_name", pointer="/path", max=0, depth=0)
    chosen = str(new_id())
    with (
        refused_clearly("/".join(parts)),
        opened_folder(top, parts[:-1]) as above,
        opened_folder(top) as root,
    ):
        if not exists(above, parts[-1]):
            raise NotFoundError("file")
        with _own_trash(root) as (files, infos):
            _write_info(infos, chosen, parts, user, os.fstat(root))
            try:
                place(above, parts[-1], files, chosen)
            except OSError:
                os.unlink(f"{chosen}{_INFO}", dir_fd=infos)
                raise
    return chosen


def _link(source: int, name: str, target: int, new_name: str) -> None:
    try:
        os.link(name, new_name, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        rename_to_new(source, name, target, new_name)


def list_trash(top: Path) -> list[TrashEntry]:
    """Return what is in the trash, newest first."""
    found: list[TrashEntry] = []
    with refused_clearly(""):
        for trash in _trashes(top):
            found += _entries(top, trash)
    found.sort(key=lambda entry: entry.trashed_at, reverse=True)
    return found[:LISTED_MAX]


def restore(top: Path, trash_id: str) -> str:
    """Move something back to where it was; return its path.

    Raises:
        NotFoundError: it is not in the trash any more.
        ConflictError: there is something of its name by now.
    """
    with _found(top, trash_id) as (files, infos, path):
        parts = parse_path(path)
        if not parts:
            raise NotFoundError("file")
        with refused_clearly(path), made_folder(top, parts[:-1]) as above:
            rename_to_new(files, trash_id, above, parts[-1])
            os.unlink(f"{trash_id}{_INFO}", dir_fd=infos)
    return path


def remove_for_good(top: Path, trash_id: str) -> None:
    """Take something out of the trash; `remove_discarded` then removes it."""
    with _found(top, trash_id) as (files, infos, _), refused_clearly(trash_id):
        with suppress(FileNotFoundError):
            discard(top, files, trash_id)
        os.unlink(f"{trash_id}{_INFO}", dir_fd=infos)


def remove_expired(top: Path, moment: datetime, *, within_s: float) -> int:
    """Remove what has been in the trash for longer than it is kept; return how many entries."""
    old = [entry for entry in list_trash(top) if entry.trashed_at < moment - KEPT]
    for entry in old:
        with suppress(DomainError):
            remove_for_good(top, entry.id)
    remove_discarded(top, within_s=within_s)
    return len(old)


@contextmanager
def _own_trash(root: int) -> Iterator[tuple[int, int]]:
    """Provide the folders of files and infos of the trash that the owner of the volume has."""
    owner = os.fstat(root)
    trash = make_folder(root, f".Trash-{owner.st_uid}", owner, _PRIVATE)
    try:
        files = make_folder(trash, "files", owner, _PRIVATE)
        try:
            infos = make_folder(trash, "info", owner, _PRIVATE)
            try:
                yield files, infos
            finally:
                os.close(infos)
        finally:
            os.close(files)
    finally:
        os.close(trash)


@contextmanager
def _found(top: Path, trash_id: str) -> Iterator[tuple[int, int, str]]:
    """Provide the folders of a trash that has this entry, and the path it had."""
    if not _ID.fullmatch(trash_id) or trash_id in (".", ".."):
        raise NotFoundError("file")
    with refused_clearly(trash_id):
        for trash in _trashes(top):
            with (
                opened_folder(top, (trash, "files")) as files,
                opened_folder(top, (trash, "info")) as infos,
            ):
                if (info := _read_info(infos, trash_id)) is not None:
                    yield files, infos, info[0]
                    return
    raise NotFoundError("file")


def _trashes(top: Path) -> list[str]:
    with opened_folder(top) as root, os.scandir(root) as found:
        names = sorted(entry.name for entry in found if is_trash(entry.name))
    return [name for name in names if _has_both(top, name)]


def _has_both(top: Path, trash: str) -> bool:
    with (
        suppress(OSError),
        opened_folder(top, (trash, "files")),
        opened_folder(top, (trash, "info")),
    ):
        return True
    return False


def _entries(top: Path, trash: str) -> list[TrashEntry]:
    found = []
    with opened_folder(top, (trash, "info")) as infos:
        with os.scandir(infos) as entries:
            ids = [entry.name.removesuffix(_INFO) for entry in entries]
        for trash_id in ids:
            with suppress(OSError, DomainError):
                info = _read_info(infos, trash_id)
                facts = os.stat(f"{trash_id}{_INFO}", dir_fd=infos, follow_symlinks=False)
                entry = describe(top, (trash, "files", trash_id))
                if info is not None:
                    at = to_moment(facts.st_mtime)
                    found.append(TrashEntry(trash_id, info[0], entry.kind, entry.size, at, info[1]))
    return found


def _write_info(infos: int, trash_id: str, parts: Parts, user: str, owner: os.stat_result) -> None:
    text = (
        f"[Trash Info]\nPath={quote(os.fsencode('/'.join(parts)))}\n"
        f"DeletionDate={now():%Y-%m-%dT%H:%M:%S}\nX-Berth-User={quote(user)}\n"
    )
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(f"{trash_id}{_INFO}", flags, 0o600, dir_fd=infos)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        give_to(handle, owner)
        file.write(text)


def _read_info(infos: int, trash_id: str) -> tuple[str, str] | None:
    """Return path and user of an entry; None if there is none, or no sense in it."""
    try:
        with open_plain_file(infos, f"{trash_id}{_INFO}") as file:
            text = (file.read(_INFO_MAX) or b"").decode(errors="replace")
    except (FileNotFoundError, DomainError):
        return None
    values = dict(line.partition("=")[::2] for line in text.splitlines())
    path = to_text(os.fsdecode(unquote_to_bytes(values.get("Path", "")))).strip("/")
    return (path, unquote(values.get("X-Berth-User", ""))) if path else None
