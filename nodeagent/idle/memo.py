"""What is known of a container that leaves its cards or has left them, beside its other files.

It is written before the first process is touched: a later agent finds what is off its card, and
brings back nothing else.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from nodeagent.disk.atomic import read_json, write_json
from nodeagent.process import tree

FILE: Final = "parked.json"


@dataclass(frozen=True, slots=True)
class Saved:
    """A process whose CUDA state is in the host's memory; its birth tells it from a namesake."""

    pid: int
    born: str


def saved(pid: int) -> Saved:
    """Return a living process as it is remembered."""
    return Saved(pid, tree.born(pid))


def living(found: Sequence[Saved]) -> tuple[int, ...]:
    """Return those that still live."""
    return tuple(item.pid for item in found if item.born and tree.born(item.pid) == item.born)


def keep(folder: Path, found: Sequence[Saved]) -> None:
    """Remember these."""
    write_json(folder / FILE, {"processes": [asdict(item) for item in found]}, is_durable=True)


def kept(folder: Path) -> tuple[Saved, ...]:
    """Return what is remembered; nothing where nothing was ever saved."""
    content = read_json(folder / FILE) or {"processes": []}
    return tuple(Saved(**item) for item in content["processes"])


def forget(folder: Path) -> None:
    """Everything is back on its card, or ended."""
    (folder / FILE).unlink(missing_ok=True)
