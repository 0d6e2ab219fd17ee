"""Full disks: `disk_pressure` comes early and goes late, so that it does not come and go."""

import pytest

from nodeagent.host.disk_space import DiskLimits, DiskSpace, DiskSpaceInspection


def code_of(check: DiskSpaceInspection, free_mib: int, size_mib: int = 100_000) -> str:
    return check.find_shortage("images", DiskSpace(size_mib, free_mib, 0, 0))


def test_pressure_lasts_until_there_is_more_room_than_when_it_came() -> None:
    check = DiskSpaceInspection({}, DiskLimits())
    seen = [
        (free_mib, code_of(check, free_mib))
        for free_mib in (5000, 2048, 2047, 2049, 4095, 511, 512, 4095, 4096, 2048)
    ]
    assert [code for _, code in seen] == [
        *("", "", "disk_pressure", "disk_pressure", "disk_pressure"),
        *("disk_full", "disk_pressure", "disk_pressure", "", ""),
    ]


@pytest.mark.parametrize(
    ("free_mib", "code"), [(101, ""), (100, ""), (99, "disk_full"), (199, "disk_pressure")]
)
def test_of_a_small_disk_the_last_tenth_counts(free_mib: int, code: str) -> None:
    check = DiskSpaceInspection({}, DiskLimits())
    if code == "disk_pressure":
        code_of(check, 1, size_mib=1000)
    assert code_of(check, free_mib, size_mib=1000) == code


def test_each_disk_has_its_own_memory() -> None:
    check = DiskSpaceInspection({}, DiskLimits())
    assert code_of(check, 1000) == "disk_pressure"
    assert check.find_shortage("storage", DiskSpace(100_000, 3000, 0, 0)) == ""
    assert code_of(check, 3000) == "disk_pressure"
