"""Folders of live work are measured, and what outgrows its limit is warned first."""

import os
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from nodeagent.core.state import ContainerKey, Finished
from nodeagent.disk.container_dir import ContainerDir, WorkFolder
from nodeagent.host.folder_size import measure_folder_mib
from nodeagent.host.workspace_monitor import WorkspaceMonitor
from wire.words import ExitCause

MIB = 1024 * 1024


@dataclass
class RecordingSupervisor:
    """Writes down whom it was told to warn and to stop."""

    told: list[tuple[str, str, str]] = field(default_factory=list)

    def live_keys(self) -> Collection[ContainerKey]:
        return ()

    async def warn_for(self, key: ContainerKey, cause: ExitCause, detail: str) -> None:
        self.told.append(("warn", key.allocation, detail))

    async def stop_for(self, key: ContainerKey, cause: ExitCause, detail: str) -> None:
        assert cause is ExitCause.DISK_FULL
        self.told.append(("stop", key.allocation, detail))


def a_file(path: Path, mib: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * (mib * MIB))


def a_place(root: Path, name: str, folder: Path, limit_mib: int) -> ContainerDir:
    place = ContainerDir(root, ContainerKey(name, 1))
    os.close(place.create(()))
    place.write_work_folder(WorkFolder(folder, limit_mib))
    return place


def test_files_count_once_and_links_count_nothing(tmp_path: Path) -> None:
    folder, other = tmp_path / "folder", tmp_path / "other"
    a_file(folder / "a" / "b", 2)
    a_file(other / "large", 8)
    (folder / "same").hardlink_to(folder / "a" / "b")
    (folder / "away").symlink_to(other)

    assert measure_folder_mib(folder, lambda: True) in (2, 3)  # folders have blocks of their own
    assert measure_folder_mib(folder, lambda: False) is None
    assert measure_folder_mib(tmp_path / "none", lambda: True) is None


def test_time_is_over_also_inside_of_a_folder_of_millions(tmp_path: Path) -> None:
    for number in range(3):
        a_file(tmp_path / str(number), 1)
    moments = iter([True, True, False])
    assert measure_folder_mib(tmp_path, lambda: next(moments)) is None


async def test_what_is_too_large_is_warned_and_then_stopped(tmp_path: Path) -> None:
    large, small = tmp_path / "large", tmp_path / "small"
    a_file(large / "x", 5)
    a_file(small / "x", 1)
    root = tmp_path / "containers"
    a_place(root, "large.0", large, limit_mib=4)
    a_place(root, "small.0", small, limit_mib=4)
    a_place(root, "free.0", large, limit_mib=0)
    supervisor, watch = RecordingSupervisor(), WorkspaceMonitor(root)

    await watch.check(supervisor)
    await watch.check(supervisor)

    assert [(act, who) for act, who, _ in supervisor.told] == [
        ("warn", "large.0"),
        ("stop", "large.0"),
    ]
    assert "of at most 4 MiB" in supervisor.told[0][2]
    assert watch.folder_sizes()[ContainerKey("large.0", 1)] >= 5
    assert set(watch.folder_sizes()) == {
        ContainerKey(name, 1) for name in ("large.0", "small.0", "free.0")
    }


async def test_who_makes_room_in_time_goes_on(tmp_path: Path) -> None:
    folder, root = tmp_path / "work", tmp_path / "containers"
    a_file(folder / "x", 5)
    a_place(root, "a.0", folder, limit_mib=4)
    supervisor, watch = RecordingSupervisor(), WorkspaceMonitor(root)

    await watch.check(supervisor)
    (folder / "x").unlink()
    await watch.check(supervisor)
    a_file(folder / "x", 5)
    await watch.check(supervisor)

    assert [act for act, *_ in supervisor.told] == ["warn", "warn"]


async def test_ended_work_is_not_measured(tmp_path: Path) -> None:
    folder, root = tmp_path / "work", tmp_path / "containers"
    a_file(folder / "x", 5)
    place = a_place(root, "a.0", folder, limit_mib=4)
    place.write_end(Finished(place.key, ExitCause.EXITED, 1))
    supervisor, watch = RecordingSupervisor(), WorkspaceMonitor(root)

    await watch.check(supervisor)

    assert (supervisor.told, dict(watch.folder_sizes())) == ([], {})
