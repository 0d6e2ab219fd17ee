"""JSON files that are replaced atomically: a reader finds the old or the new content, never half."""

import errno
import json
import os
from pathlib import Path
from typing import Any, Final

PRIVATE: Final = 0o600
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
ROOM: Final = 4096
"""Bytes of a file that is reserved."""


def write_json(path: Path, content: Any, *, is_durable: bool = False) -> None:
    """Replace `path` by the JSON of `content`; readable by the owner only.

    `is_durable` waits for the disk, so that the file also survives a power cut.
    """
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(content, stream)
            stream.flush()
            if is_durable:
                os.fsync(stream.fileno())
        scratch.replace(path)
    except BaseException:
        scratch.unlink(
            missing_ok=True
        )  # on a full disk, half a file would use the space that others need
        raise
    if is_durable:
        _sync_directory(path.parent)


def write_or_use_room(path: Path, room: Path, content: Any, *, is_durable: bool = False) -> None:
    """Write the JSON to `path`, or into the room reserved at `room` when the disk is full."""
    try:
        write_json(path, content, is_durable=is_durable)
    except OSError as error:
        if error.errno not in FULL:
            raise
        write_in_room(room, content)


def reserve_room(path: Path) -> None:
    """Make a file whose blocks are there already, for `write_in_room`; it has no content yet."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    try:
        os.posix_fallocate(descriptor, 0, ROOM)
    finally:
        os.close(descriptor)


def write_in_room(path: Path, content: Any) -> None:
    """Write the JSON of `content` into the room that was reserved: also when the disk is full.

    Not atomic: a reader may find neither the old nor the new content for a moment.
    """
    text = json.dumps(content).encode()
    if len(text) > ROOM:
        raise OSError(errno.ENOSPC, "more than was reserved", str(path))
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.pwrite(descriptor, text.ljust(ROOM), 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_json(path: Path) -> Any:
    """Return the content, or None when the file is missing or not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
