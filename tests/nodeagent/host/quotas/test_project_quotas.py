"""Limits of folders by project quotas: a kernel in memory, on real folders and a written table of mounts."""

import errno
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from nodeagent.host.mount_table import MOUNTINFO, find_mount
from nodeagent.host.quotas.project_quotas import PROJECT_FIRST, PROJECT_LAST, ProjectQuotas
from nodeagent.host.quotas.quota_calls import KernelQuotas, ProjectUsage

DEVICE = "/dev/sdb1"


@dataclass
class FakeKernel:
    """Projects by inode, limits by project."""

    projects: dict[int, int] = field(default_factory=dict)
    limits: dict[int, int] = field(default_factory=dict)
    used_bytes: int = 0
    refuses: bool = False

    def get_project(self, descriptor: int) -> int:
        return self.projects.get(os.fstat(descriptor).st_ino, 0)

    def set_project(self, descriptor: int, project: int) -> None:
        self.projects[os.fstat(descriptor).st_ino] = project

    def get_usage(self, device: str, project: int) -> ProjectUsage:
        assert device == DEVICE
        inodes = sum(item == project for item in self.projects.values())
        return ProjectUsage(self.limits.get(project, 0), self.used_bytes, inodes)

    def set_limit(self, device: str, project: int, limit_kib: int) -> None:
        assert device == DEVICE
        if self.refuses:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        self.limits[project] = limit_kib


@pytest.fixture
def kernel() -> FakeKernel:
    return FakeKernel()


def quotas(
    root: Path, kernel: FakeKernel, kind: str = "xfs", option: str = "prjquota"
) -> ProjectQuotas:
    table = root / "mountinfo"
    table.write_text(f"9 1 8:17 / {root} rw,nosuid - {kind} {DEVICE} rw,{option}\n")
    return ProjectQuotas(kernel, table)


def a_home(root: Path, name: str = "home") -> Path:
    folder = root / name
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "file").touch()
    (folder / "away").symlink_to("/etc/passwd")
    return folder


def project_of(kernel: FakeKernel, path: Path) -> int:
    return kernel.projects.get(path.stat().st_ino, 0)


def test_a_folder_with_all_that_is_in_it_is_one_project_with_a_limit(
    tmp_path: Path, kernel: FakeKernel
) -> None:
    home, there = a_home(tmp_path), quotas(tmp_path, kernel)
    assert there.set_limit(home, 10)
    project = project_of(kernel, home)
    assert PROJECT_FIRST <= project <= PROJECT_LAST
    inside = (home / "deep", home / "deep" / "file")
    assert [project_of(kernel, path) for path in inside] == [project, project]
    assert len(kernel.projects) == 3  # what a link points to is not its own
    kernel.used_bytes = 3 * 2**20 + 1
    assert (kernel.limits, there.used_mib(home)) == ({project: 10 * 1024}, 4)

    # Another start, with another limit: the same project; and no limit at all.
    assert there.set_limit(home, 20)
    assert there.set_limit(home, 0)
    assert (project_of(kernel, home), kernel.limits) == (project, {project: 0})


def test_two_folders_never_share_a_project(tmp_path: Path, kernel: FakeKernel) -> None:
    there = quotas(tmp_path, kernel)
    homes = [a_home(tmp_path / str(number)) for number in range(3)]  # of one name: one first number
    assert all(there.set_limit(home, 10) for home in homes)
    assert len({project_of(kernel, home) for home in homes}) == 3


@pytest.mark.parametrize(
    ("kind", "option", "can"),
    [
        ("xfs", "prjquota", True),
        ("xfs", "pquota", True),
        ("ext4", "prjquota", True),
        ("xfs", "pqnoenforce", False),
        ("xfs", "usrquota", False),
        ("nfs4", "prjquota", False),
    ],
)
def test_only_a_file_system_that_refuses_counts(
    tmp_path: Path, kernel: FakeKernel, kind: str, option: str, *, can: bool
) -> None:
    there, home = quotas(tmp_path, kernel, kind, option), a_home(tmp_path)
    assert there.can_limit(home) is there.set_limit(home, 10) is can
    assert (there.used_mib(home) is not None) is can


def test_a_limit_that_cannot_be_set_is_not_said_to_be_in_force(
    tmp_path: Path, kernel: FakeKernel
) -> None:
    home = a_home(tmp_path)
    kernel.refuses = True
    assert not quotas(tmp_path, kernel).set_limit(home, 10)
    assert not quotas(tmp_path, kernel).set_limit(tmp_path / "none", 10)
    kernel.refuses = False
    (tmp_path / "link").symlink_to(home)
    assert not quotas(tmp_path, kernel).set_limit(tmp_path / "link", 10)


def test_this_host_is_asked_without_harm(tmp_path: Path) -> None:
    there, home = ProjectQuotas(KernelQuotas()), a_home(tmp_path)
    assert there.set_limit(home, 0) <= there.can_limit(home)
    assert find_mount(MOUNTINFO.read_text(encoding="utf-8"), home.resolve()) is not None


def test_the_innermost_and_last_mount_counts() -> None:
    table = (
        "1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        "2 1 8:2 / /srv rw,nosuid - ext4 /dev/sda2 rw\n"
        "4 1 8:4 / /srv rw,nosuid master:2 shared:7 - xfs /dev/sdb1 rw,prjquota\n"
        "3 2 8:3 / /srv/with\\040space rw,nodev - ext4 /dev/sda3 rw\n"
    )

    def at(path: str) -> tuple[str, tuple[str, ...]]:
        found = find_mount(table, Path(path))
        assert found is not None
        return found.source, found.options

    assert at("/srv/berth") == ("/dev/sdb1", ("rw", "nosuid", "rw", "prjquota"))
    assert at("/srv/with space/x") == ("/dev/sda3", ("rw", "nodev", "rw"))
    assert at("/home") == ("/dev/sda1", ("rw", "relatime", "rw"))
