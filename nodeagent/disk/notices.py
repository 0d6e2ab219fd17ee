"""Files that the agent and the work in a container exchange: stop notice and checkpoint.

The folder of the notice belongs to the agent, and the work can only read it. The work may write
anything into the other one: nothing there is opened, and no link is followed.
"""

import json
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from nodeagent.core.state import ContainerKey
from nodeagent.core.stop_notice import StopNotice
from nodeagent.disk.atomic_json import read_json
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.stop_files import StopOrder
from wire.words import ExitCause

NOTICE_NAME: Final = "notice.json"
CHECKPOINT_NAME: Final = "checkpoint"
HOSTFILE_NAME: Final = "hostfile"
NS_PER_MS: Final = 1_000_000


class NoticeFiles:
    """The files of one container, on the host."""

    def __init__(self, directory: ContainerDir) -> None:
        self.notice_dir = directory.path / "notices"
        """Written by the agent: the stop notice, the hostfile."""
        self.checkpoint_dir = directory.path / "checkpoints"
        """Written by the work: its checkpoint file, whose time of change is what counts."""

    def create(self) -> None:
        """Make both folders; the runtime sets the owner of the second one."""
        self.notice_dir.mkdir(exist_ok=True)
        self.notice_dir.chmod(0o755)
        self.checkpoint_dir.mkdir(exist_ok=True)

    def write_file(self, name: str, text: str) -> None:
        """Replace one file of the agent's by this text, atomically."""
        scratch = self.notice_dir / f".{name}"
        scratch.write_text(text, encoding="utf-8")
        scratch.chmod(0o644)
        scratch.replace(self.notice_dir / name)

    def write_notice(self, content: Mapping[str, int | str]) -> None:
        """Write the stop notice; does nothing when the container has ended meanwhile."""
        if self.notice_dir.is_dir():
            self.write_file(NOTICE_NAME, json.dumps(dict(content)) + "\n")

    def read_deadline(self) -> int:
        """Return by when the work was instructed to have ended, in seconds since 1970; 0 is never."""
        content = read_json(self.notice_dir / NOTICE_NAME)
        deadline = content.get("deadline") if isinstance(content, dict) else 0
        return deadline if isinstance(deadline, int) else 0

    def read_checkpointed_at(self) -> int | None:
        """Return when the checkpoint file was last written, UTC in ms; None when there is none."""
        try:
            facts = os.lstat(self.checkpoint_dir / CHECKPOINT_NAME)
        except OSError:
            return None
        at = facts.st_mtime_ns // NS_PER_MS
        return at if stat.S_ISREG(facts.st_mode) and at >= 0 else None


def announce_stop(directory: ContainerDir, notice: StopNotice) -> None:
    """Tell the work of its stop; does nothing when the container has ended meanwhile.

    The watchdog may have ordered a stop that the agent, frozen for a while, does not know: its deadline holds.
    """
    if notice.stop is not None and directory.exists:
        directory.stops.write_announced(notice.stop)
    files = NoticeFiles(directory)
    files.write_notice(notice.content())
    # Read after the notice is written, as `order_stop` reads the notice after its order: one sees the other.
    order = directory.stops.read_order()
    if order is not None and (ordered := _cut_to_order(notice, order)) != notice:
        files.write_notice(ordered.content())


def _cut_to_order(notice: StopNotice, order: StopOrder) -> StopNotice:
    """Return the notice with the deadline of an order that was given before, where that is sooner."""
    stop = notice.stop
    if stop is None or stop.notice is None or stop.warned_at is None:
        return notice
    late_ms = stop.warned_at + stop.notice.total_ms - order.deadline
    deadline = notice.deadline - max(0, late_ms)
    return replace(notice, deadline=deadline, stop_at=min(notice.stop_at, deadline))


def order_stop(
    directory: ContainerDir, cause: ExitCause, grace_ms: int, *, now_ms: int, wall_ms: int
) -> StopOrder:
    """Order a container to stop; work that was given a later deadline is given this one.

    The times are those of the two clocks. Raises `OSError` when the order cannot be written.
    """
    order = directory.stops.write_order(cause, now_ms + grace_ms)
    files, deadline = NoticeFiles(directory), wall_ms + order.deadline - now_ms
    if files.read_deadline() > deadline // 1000:
        notice = StopNotice(cause.value, "", wall_ms, deadline)
        with suppress(OSError):  # the stop matters more
            files.write_notice(notice.content())
    return order


def read_checkpoints(root: Path, keys: Iterable[ContainerKey]) -> Mapping[ContainerKey, int]:
    """Return when the work of each of these containers last wrote its checkpoint file."""
    found = ((key, NoticeFiles(ContainerDir(root, key)).read_checkpointed_at()) for key in keys)
    return {key: at for key, at in found if at is not None}


def notice_environment(notice_dir: Path, checkpoint_dir: Path) -> dict[str, str]:
    """Return the variables that name the files, with the paths that the work sees."""
    return {
        "BERTH_NOTICE_FILE": str(notice_dir / NOTICE_NAME),
        "BERTH_CHECKPOINT_FILE": str(checkpoint_dir / CHECKPOINT_NAME),
    }
