"""Finds the file system of a path in the kernel's mount table."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MOUNTINFO: Final = Path("/proc/self/mountinfo")
_ESCAPED: Final = re.compile(r"\\([0-7]{3})")
"""The kernel writes spaces and similar characters in octal."""


@dataclass(frozen=True, slots=True)
class MountEntry:
    """One line of the table."""

    point: Path
    kind: str
    """Such as `xfs`, `ext4`, `nfs4`."""
    source: str
    """The device, if it has one."""
    options: tuple[str, ...]
    """Of the mount, then of the file system."""


def find_mount(table: str, path: Path) -> MountEntry | None:
    """Return the mount of a resolved path: the longest mount point, of equal ones the last."""
    best: MountEntry | None = None
    for found in _entries(table):
        if path.is_relative_to(found.point) and (
            best is None or len(found.point.parts) >= len(best.point.parts)
        ):
            best = found
    return best


def find_mounts_below(table: str, folder: Path) -> dict[Path, MountEntry]:
    """Return what is mounted at a resolved folder and below it, by mount point; of equal points the last."""
    return {found.point: found for found in _entries(table) if found.point.is_relative_to(folder)}


def _entries(table: str) -> Iterator[MountEntry]:
    return map(_parse_line, table.splitlines())


def _parse_line(line: str) -> MountEntry:
    """Parse one line; its optional fields end with a dash (proc(5))."""
    front, _, back = line.partition(" - ")
    kind, source, system_options = back.split(" ", 2)
    point, mount_options = front.split(" ")[4:6]
    return MountEntry(
        Path(_unescape(point)),
        kind,
        _unescape(source),
        (*mount_options.split(","), *system_options.split(",")),
    )


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)), text)
