"""Which file system a path lies in, from the kernel's table of mounts."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MOUNTINFO: Final = Path("/proc/self/mountinfo")
_ESCAPED: Final = re.compile(r"\\([0-7]{3})")
"""The kernel writes spaces and the like in octal."""


@dataclass(frozen=True, slots=True)
class MountEntry:
    """One line of the table."""

    point: Path
    kind: str
    """Such as `xfs`, `ext4`, `nfs4`."""
    source: str
    """The device, where it has one."""
    options: tuple[str, ...]
    """Of the mount, then of the file system."""


def find_mount(table: str, path: Path) -> MountEntry | None:
    """Return where a resolved path lies: the longest mount wins, of two alike the later one."""
    best: MountEntry | None = None
    for line in table.splitlines():
        found = _parsed(line)
        if path.is_relative_to(found.point) and (
            best is None or len(found.point.parts) >= len(best.point.parts)
        ):
            best = found
    return best


def _parsed(line: str) -> MountEntry:
    """Read one line; its optional fields end with a dash (proc(5))."""
    front, _, back = line.partition(" - ")
    kind, source, of_system = back.split(" ", 2)
    point, of_mount = front.split(" ")[4:6]
    return MountEntry(
        Path(_plain(point)), kind, _plain(source), (*of_mount.split(","), *of_system.split(","))
    )


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)), text)
