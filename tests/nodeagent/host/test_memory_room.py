"""How much memory a process may still take: the tightest of its cgroups, or the host."""

from pathlib import Path

import pytest

from nodeagent.host.memory_room import find_memory_room_mib

MIB = 1024 * 1024
PID = 4711


class Host:
    """The files of a host, with one process in a cgroup."""

    def __init__(self, root: Path, available_mib: int, cgroup: str) -> None:
        self.proc, self.cgroups = root / "proc", root / "cgroup"
        (self.proc / str(PID)).mkdir(parents=True)
        (self.proc / str(PID) / "cgroup").write_text(cgroup)
        (self.proc / "meminfo").write_text(
            f"MemTotal: 9999999 kB\nMemAvailable: {available_mib * 1024} kB\n"
        )

    def limit(self, path: str, names: tuple[str, str, str], *values: str | int) -> None:
        """Write limit, use and droppable pages of a cgroup."""
        folder = self.cgroups / path
        folder.mkdir(parents=True, exist_ok=True)
        limit, used, droppable = values
        (folder / names[0]).write_text(f"{limit}\n")
        (folder / names[1]).write_text(f"{used}\n")
        (folder / "memory.stat").write_text(f"anon 1\n{names[2]} {droppable}\n")

    @property
    def room(self) -> int:
        return find_memory_room_mib(PID, self.proc, self.cgroups)


V2 = ("memory.max", "memory.current", "inactive_file")
V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def test_tightest_cgroup_counts_without_pages_that_can_be_dropped(tmp_path: Path) -> None:
    host = Host(tmp_path, 64_000, "0::/berth/job.0\n")
    host.limit("berth", V2, 32_000 * MIB, 30_000 * MIB, 0)
    host.limit("berth/job.0", V2, "max", 9_000 * MIB, 0)
    assert host.room == 2_000
    host.limit("berth/job.0", V2, 4_000 * MIB, 3_000 * MIB, 500 * MIB)
    assert host.room == 1_500


def test_first_version_of_cgroups_is_read_too(tmp_path: Path) -> None:
    host = Host(tmp_path, 64_000, "5:memory:/docker/abc\n0::/\n")
    host.limit("memory/docker/abc", V1, 4_000 * MIB, 1_000 * MIB, 100 * MIB)
    assert host.room == 3_100


@pytest.mark.parametrize("cgroup", ["0::/free\n", "0::/\n", "0::/../elsewhere\n"])
def test_without_a_limit_the_host_is_the_limit(tmp_path: Path, cgroup: str) -> None:
    host = Host(tmp_path, 7_000, cgroup)
    host.limit("free", V2, "max", 1_000 * MIB, 0)
    assert host.room == 7_000


def test_cgroup_above_its_limit_has_no_room(tmp_path: Path) -> None:
    host = Host(tmp_path, 64_000, "0::/full\n")
    host.limit("full", V2, 1_000 * MIB, 1_100 * MIB, 0)
    assert host.room == 0


def test_real_process_has_room() -> None:
    assert find_memory_room_mib(1) > 0
