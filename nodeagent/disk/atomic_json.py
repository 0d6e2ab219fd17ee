"""JSON files that are replaced atomically: a reader finds the old or the new content, never half."""

import json
import os
from pathlib import Path
from typing import Any, Final

PRIVATE: Final = 0o600


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
