"""Follows the event files in the outputs of jobs, and keeps their scalars as metrics lines to be shipped.

Only rank 0 is followed: all ranks of a job write into one folder. How far each file was read lies beside
the lines, so that an agent that starts continues where the last one ended.
"""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.forward_compat import from_known_fields
from nodeagent.host.event_files import find_event_files, opened_event_file
from nodeagent.host.threads import run_in_shared_thread
from nodeagent.telemetry.event_records import RECORD_MAX, read_records
from nodeagent.telemetry.scalar_lines import run_name, scalar_lines
from wire.log_lines import EVENTS_KEPT
from wire.log_marks import LogMark

log = structlog.get_logger()

PASS_BYTES: Final = 512 * 1024
"""Bytes of one job's event files that are read at a time."""
PASS_S: Final = 0.5
"""Between two such reads while there is more."""
WHOLE_RECORD: Final = RECORD_MAX + 16
"""Bytes that one record takes at most: fewer might hold none."""
OVER: Final = -1
"""Position of a file that is not read any more: broken, replaced or shortened."""


@dataclass(slots=True)
class Progress:
    """How far the event files of one container were read."""

    size: int = 0
    """Bytes of its metrics lines that belong to these positions."""
    first_run: str | None = None
    """Folder of the run whose metrics have no prefix."""
    positions: dict[str, int] = field(default_factory=dict)


class EventMetrics:
    """The metrics lines of each container's event files, read like a log."""

    def __init__(self, containers: Path, pass_s: float = PASS_S) -> None:
        """Follow the containers that have a directory below this one."""
        self._containers = containers
        self._pass_s = pass_s

    async def read_log(self, key: ContainerKey, offset: int, limit: int) -> bytes:
        """Return metrics lines from `offset` on; empty when all that the files hold has been read."""
        directory = ContainerDir(self._containers, key)
        while True:
            name = f"event files of {key.allocation}"
            found, has_more = await run_in_shared_thread(
                partial(_advance, directory, offset, limit), f"{name} from {offset}, {limit}"
            )
            if found or not has_more:
                return found
            await asyncio.sleep(self._pass_s)

    async def read_marks(self, _key: ContainerKey, _begin: int, _end: int, /) -> Sequence[LogMark]:
        """Return nothing: metrics have times of their own."""
        return ()

    async def read_excess(self, _key: ContainerKey, _offset: int, _limit: int, /) -> bytes:
        """Return nothing: what comes after the lines are full is not kept."""
        return b""


def _advance(directory: ContainerDir, offset: int, limit: int) -> tuple[bytes, bool]:
    """Return lines that are there already, else those of the next pass; blocks."""
    progress = _load(directory)
    has_more = False
    if offset >= progress.size:
        has_more = follow_once(directory, progress)
    return directory.read_events(offset, max(0, min(limit, progress.size - offset))), has_more


def follow_once(directory: ContainerDir, progress: Progress) -> bool:
    """Read what comes next in the event files of a container; return whether there is more. Blocks."""
    work, started_at = directory.read_work_folder(), directory.read_status().started_at
    if work is None or not work.is_outputs or started_at is None or progress.size >= EVENTS_KEPT:
        return False
    lines, left = list[bytes](), PASS_BYTES
    before = dict(progress.positions)
    for path in find_event_files(work.folder):
        if left <= 0:
            break
        left -= _follow_file(work.folder, path, started_at, progress, lines, left)
    if progress.positions != before:
        _save(directory, progress, b"".join(lines))
    return left <= 0


def _follow_file(
    root: Path, path: str, started_at: int, progress: Progress, lines: list[bytes], limit: int
) -> int:
    """Add the lines of one file's next records; return how many bytes were read."""
    position = progress.positions.get(path, 0)
    if position == OVER:
        return 0
    try:
        with opened_event_file(root, path) as file:
            found = os.fstat(file)
            if path not in progress.positions and found.st_mtime * 1000 < started_at:
                return 0  # of an earlier attempt
            if found.st_size <= position:
                if found.st_size < position:
                    progress.positions[path] = OVER
                return 0
            data = os.pread(file, max(limit, WHOLE_RECORD), position)
    except OSError as error:
        log.debug("events.unreadable", path=path, error=str(error))
        return 0
    read = read_records(data, found.st_size - position)
    progress.positions[path] = OVER if read.is_broken else position + read.length
    folder = path.rpartition("/")[0]
    if read.scalars and progress.first_run is None:
        progress.first_run = folder
    lines += scalar_lines(read.scalars, run_name(folder, progress.first_run or ""))
    # A record that is not whole yet is read again, and need not be waited for.
    return len(data) if read.length or read.is_broken else 0


def _load(directory: ContainerDir) -> Progress:
    content = directory.read_event_progress()
    return Progress() if content is None else from_known_fields(Progress, content)


def _save(directory: ContainerDir, progress: Progress, lines: bytes) -> None:
    """Keep the lines, then the positions they belong to: lines without positions are written again."""
    progress.size = directory.write_events(progress.size, lines)
    directory.write_event_progress(asdict(progress))
