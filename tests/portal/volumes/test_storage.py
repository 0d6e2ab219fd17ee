"""Sizes of volumes, and the end of those in the trash."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import now
from portal.volumes.file_access import open_to_read, open_to_write
from portal.volumes.files import volume_folder
from portal.volumes.models import Volume
from portal.volumes.services import MEASURED_EVERY, TRASH_KEPT, empty_trash, measure_volumes
from portal.volumes.sizes import measure_mib
from portal.volumes.tree.listing import list_folder
from portal.volumes.tree.paths import StorageUnavailableError
from portal.workloads.models import Workload
from portal.workloads.retention import RetainedFolder, remove_expired_folders
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_user, an_actor
from tests.builders.scenes import a_scene
from tests.builders.volumes import a_group_volume, a_home

pytestmark = pytest.mark.django_db
MIB = 1024 * 1024


def filled(storage: Path, volume: Volume, mib: int) -> Path:
    folder = volume_folder(storage, volume.pk)
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "data.bin").write_bytes(os.urandom(mib * MIB))
    return folder


def test_volumes_are_measured_and_found_full(tmp_path: Path) -> None:
    small, full, untouched = a_home(a_user()), a_home(a_user(), quota_mib=2), a_home(a_user())
    filled(tmp_path, small, 1)
    filled(tmp_path, full, 3)

    assert measure_volumes(tmp_path) == 3

    found = {row.pk: row for row in Volume.objects.all()}
    assert [found[item.pk].used_mib for item in (small, full, untouched)] == [2, 4, 0]
    assert [found[item.pk].is_full for item in (small, full)] == [False, True]
    assert measure_volumes(tmp_path) == 0
    Volume.objects.update(measured_at=now() - MEASURED_EVERY - timedelta(seconds=1))
    assert measure_volumes(tmp_path) == 3


def test_what_lies_on_a_node_or_in_the_trash_is_not_measured(tmp_path: Path) -> None:
    a_home(a_user(), location="node", node=a_node(a_pool()))
    a_home(a_user(), state="trashed", trashed_at=now())

    assert measure_volumes(tmp_path) == 0


def test_links_are_not_followed_and_hard_links_count_once(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "a").write_bytes(os.urandom(MIB))
    os.link(inside / "a", inside / "b")
    (tmp_path / "outside").write_bytes(os.urandom(3 * MIB))
    (inside / "out").symlink_to(tmp_path / "outside")
    os.mkfifo(inside / "pipe")

    assert measure_mib(inside, lambda: True) in (1, 2)
    assert measure_mib(inside, lambda: False) is None
    assert measure_mib(tmp_path / "missing", lambda: True) == 0


def test_a_volume_leaves_the_trash_after_its_days_with_its_files(tmp_path: Path) -> None:
    group = a_group()
    over, fresh = (
        a_group_volume(group, state="trashed", trashed_at=now() - age)
        for age in (TRASH_KEPT + timedelta(hours=1), TRASH_KEPT - timedelta(hours=1))
    )
    active = a_group_volume(group)
    folders = [filled(tmp_path, volume, 1) for volume in (over, fresh, active)]
    (tmp_path / "precious").mkdir()
    (folders[0] / "link").symlink_to(tmp_path / "precious")

    assert empty_trash(tmp_path) == 1

    assert [folder.exists() for folder in folders] == [False, True, True]
    assert (tmp_path / "precious").is_dir()
    assert set(Volume.objects.all()) == {fresh, active}
    assert AuditEvent.objects.get(action="volume.remove").object_id == str(over.pk)


def test_a_volume_without_files_leaves_the_trash_too(tmp_path: Path) -> None:
    a_group_volume(a_group(), state="trashed", trashed_at=now() - 2 * TRASH_KEPT)

    assert empty_trash(tmp_path) == 1


@pytest.mark.parametrize("mounted", ["", "volumes"], ids=["all of it", "its volumes"])
def test_storage_that_is_not_mounted_loses_and_changes_nothing(
    tmp_path: Path, mounted: str
) -> None:
    """Its folder is an empty one of another disk, which must not be taken for it."""
    storage, away = tmp_path / "storage", tmp_path / "away"
    owner, group = a_user(), a_group()
    home = a_home(owner, location="shared")
    trashed = a_group_volume(group, location="shared", state="trashed", trashed_at=now())
    for volume in (home, trashed):
        filled(storage, volume, 1)
    actor = an_actor(owner)
    measure_volumes(storage)
    Volume.objects.filter(pk=trashed.pk).update(trashed_at=now() - 2 * TRASH_KEPT)
    Volume.objects.update(measured_at=None)
    (storage / mounted).rename(away)
    (storage / mounted).mkdir()

    new = a_user()
    new_home = a_home(new)
    uses: list[Callable[[], object]] = [
        lambda: open_to_read(actor, home.pk, storage),
        lambda: open_to_write(actor, home.pk, storage),
        lambda: open_to_write(an_actor(new), new_home.pk, storage),
        lambda: measure_volumes(storage),
        lambda: empty_trash(storage),
    ]
    for use in uses:
        with pytest.raises(StorageUnavailableError):
            use()
    assert list((storage / mounted).iterdir()) == []
    assert Volume.objects.get(pk=home.pk).used_mib == 2
    assert Volume.objects.filter(pk=trashed.pk).exists()

    (storage / mounted).rmdir()
    away.rename(storage / mounted)
    opened = open_to_read(actor, home.pk, storage)
    assert [entry.name for entry in list_folder(opened.top, ()).entries] == ["deep"]
    assert empty_trash(storage) == 1


def test_outputs_are_kept_while_other_work_reads_them(tmp_path: Path) -> None:
    scene = a_scene()
    first, second = scene.work(), scene.work()
    long_ago = now() - timedelta(days=400)
    Workload.objects.filter(pk=first.pk).update(state="cancelled", finished_at=long_ago)
    Workload.objects.filter(pk=second.pk).update(files=[f"input:{first.pk}"])
    (tmp_path / "outputs" / str(first.pk)).mkdir(parents=True)
    kinds = [RetainedFolder("outputs", timedelta(days=90))]

    assert remove_expired_folders(tmp_path, kinds) == 0
    Workload.objects.filter(pk=second.pk).update(state="cancelled")
    assert remove_expired_folders(tmp_path, kinds) == 1
