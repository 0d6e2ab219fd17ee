"""What a snapshot has is put back whole, beside what has its name by now, or not at all."""

import os
from pathlib import Path
from threading import BoundedSemaphore

import pytest

from portal.common.errors import DomainError
from portal.volumes.tree import restoring
from portal.volumes.tree.batches import tidy_batches
from portal.volumes.tree.paths import parse_path
from portal.volumes.tree.restoring import restore_copy


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A volume as it was in a snapshot."""
    top = tmp_path / "snapshots" / "daily" / "volume"
    (top / "run" / "logs").mkdir(parents=True)
    (top / "run" / "logs" / "图.bin").write_bytes(os.urandom(3_000_000))
    (top / "run" / "start.sh").write_text("#!/bin/sh\n")
    (top / "run" / "start.sh").chmod(0o750)
    (top / "run" / "out").symlink_to("/etc/passwd")
    os.mkfifo(top / "run" / "pipe")
    os.utime(top / "run" / "start.sh", (1_700_000_000, 1_700_000_000))
    return top


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """The volume as it is now."""
    made = tmp_path / "volume"
    made.mkdir()
    return made


def hidden(top: Path) -> list[Path]:
    return [it for it in (top / ".berth").rglob("*") if it.is_file()]


def restored(old: Path, top: Path, path: str, **how: float) -> str:
    return "/".join(restore_copy(old, parse_path(path), top, **how))


def test_a_folder_comes_back_with_modes_and_times(old: Path, top: Path) -> None:
    assert restored(old, top, "run") == "run"

    assert {str(it.relative_to(top / "run")) for it in (top / "run").rglob("*")} == {
        "logs",
        "logs/图.bin",
        "start.sh",
    }
    assert (top / "run/logs/图.bin").read_bytes() == (old / "run/logs/图.bin").read_bytes()
    facts = (top / "run" / "start.sh").stat()
    assert (facts.st_mode & 0o777, facts.st_mtime) == (0o750, 1_700_000_000)
    assert hidden(top) == []


def test_what_has_the_name_by_now_stays(old: Path, top: Path) -> None:
    (top / "run").mkdir()
    (top / "run" / "start.sh").write_text("new")

    assert restored(old, top, "run/start.sh") == "run/start (2).sh"
    assert restored(old, top, "run") == "run (2)"
    assert (top / "run" / "start.sh").read_text() == "new"
    assert (top / "run" / "start (2).sh").read_text() == "#!/bin/sh\n"


def test_folders_above_that_are_gone_are_made(old: Path, top: Path) -> None:
    assert restored(old, top, "run/logs/图.bin") == "run/logs/图.bin"
    assert (top / "run/logs/图.bin").stat().st_size == 3_000_000


@pytest.mark.parametrize("path", ["none", "run/out", "run/pipe", "run/none", ".berth"])
def test_nothing_else_comes_back(old: Path, top: Path, path: str) -> None:
    with pytest.raises(DomainError, match="not_found"):
        restored(old, top, path)
    assert [it.name for it in top.iterdir() if it.name != ".berth"] == []


def test_too_much_leaves_nothing(old: Path, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DomainError, match="restore_too_large"):
        restored(old, top, "run", within_s=-1)
    monkeypatch.setattr(restoring, "RESTORED_FILES_MAX", 1)
    with pytest.raises(DomainError, match="restore_too_large"):
        restored(old, top, "run")

    assert [it.name for it in top.iterdir()] == [".berth"]
    (top / ".berth" / "batches" / "killed").mkdir()
    assert tidy_batches(top, before=float("inf")) == 1


def test_restorations_leave_threads_to_others(
    old: Path, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restoring, "_places", BoundedSemaphore(1))
    with restoring._places, pytest.raises(DomainError, match="too_many_restores"):
        restored(old, top, "run")
    assert restored(old, top, "run") == "run"
    with pytest.raises(DomainError, match="not_found"):
        restored(old, top, "none")
    assert restored(old, top, "run/start.sh") == "run/start (2).sh"


def test_a_folder_of_the_platform_that_leads_elsewhere_is_not_followed(
    old: Path, top: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (top / ".berth").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(DomainError, match="not_found"):
        restored(old, top, "run")
    assert list((tmp_path / "elsewhere").iterdir()) == []
