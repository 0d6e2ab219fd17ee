"""Folders outlive their work for as long as they shall, and no longer."""

from datetime import timedelta
from pathlib import Path

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now
from portal.common.ids import new_id
from portal.workloads.models import Dependency, Workload
from portal.workloads.retention import RetainedFolder, remove_expired_folders
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member
from tests.builders.workloads import a_workload, an_allocation

pytestmark = pytest.mark.django_db

WEEK = timedelta(days=7)
WORKSPACES = RetainedFolder("workspaces", WEEK)


def a_notebook(storage: Path, state: str, *, ended: timedelta | None = None) -> Workload:
    """Save a notebook with a file in its folder."""
    group = a_group()
    work = a_workload(a_member(group), group, a_pool(), kind="environment", state=state)
    if ended is not None:
        work.finished_at = now() - ended
        work.save()
    folder = storage / "workspaces" / str(work.pk)
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("mine")
    return work


def left(storage: Path) -> set[str]:
    """Return the names of the folders that are still there."""
    return {entry.name for entry in (storage / "workspaces").iterdir()}


def test_a_deleted_notebook_can_be_rescued_for_a_week(tmp_path: Path) -> None:
    old = a_notebook(tmp_path, "cancelled", ended=timedelta(days=8))
    fresh = a_notebook(tmp_path, "cancelled", ended=timedelta(days=6))
    asleep = a_notebook(tmp_path, "suspended", ended=timedelta(days=400))
    awake = a_notebook(tmp_path, "running")

    removed = remove_expired_folders(tmp_path, [WORKSPACES])

    assert removed == 1
    assert left(tmp_path) == {str(item.pk) for item in (fresh, asleep, awake)}
    act = AuditEvent.objects.get(action="storage.remove")
    assert (act.object_id, act.params["folder"]) == (str(old.pk), "workspaces")
    assert remove_expired_folders(tmp_path, [WORKSPACES]) == 0


def test_nothing_goes_while_a_node_may_still_write_there(tmp_path: Path) -> None:
    work = a_notebook(tmp_path, "cancelled", ended=timedelta(days=30))
    an_allocation(work, a_node(a_pool()))

    assert remove_expired_folders(tmp_path, [WORKSPACES]) == 0
    assert left(tmp_path) == {str(work.pk)}


def test_links_are_not_followed_and_strange_folders_are_left_alone(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("x")
    work = a_notebook(tmp_path, "cancelled", ended=timedelta(days=30))
    (tmp_path / "workspaces" / str(work.pk) / "away").symlink_to(outside)
    linked = a_notebook(tmp_path, "cancelled", ended=timedelta(days=30))
    folder = tmp_path / "workspaces" / str(linked.pk)
    (folder / "notes.txt").unlink()
    folder.rmdir()
    folder.symlink_to(outside)
    strangers = {str(new_id()), "lost+found"}
    for name in strangers:
        (tmp_path / "workspaces" / name).mkdir()

    assert remove_expired_folders(tmp_path, [WORKSPACES]) == 1
    assert (outside / "precious").exists()
    assert left(tmp_path) == strangers | {str(linked.pk)}


def test_a_long_pause_changes_nothing(tmp_path: Path) -> None:
    a_notebook(tmp_path, "cancelled", ended=timedelta(0))

    with freeze(now() + timedelta(days=365)):
        assert remove_expired_folders(tmp_path, [WORKSPACES, RetainedFolder("outputs", WEEK)]) == 1


@pytest.mark.parametrize(("state", "removed"), [("queued", 0), ("running", 0), ("succeeded", 1)])
def test_what_unfinished_work_depends_on_is_kept(tmp_path: Path, state: str, removed: int) -> None:
    first = a_notebook(tmp_path, "succeeded", ended=timedelta(days=30))
    second = a_workload(first.owner, first.group, first.pool, state=state)
    Dependency.objects.create(workload=second, type="after_ok", on_workload=first)

    assert remove_expired_folders(tmp_path, [WORKSPACES]) == removed
