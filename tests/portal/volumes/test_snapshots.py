"""Snapshots over REST: who may read a volume sees what it was, and who may write puts it back."""

from collections.abc import Callable
from pathlib import Path

import pytest

from portal.config.env import require_folder_below
from portal.identity.models import User
from portal.volumes.files import volume_folder
from portal.volumes.models import Volume
from tests.builders.people import a_group, a_member
from tests.builders.volumes import a_group_volume
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
FOLDER = ".zfs/snapshot"


class Lab:
    """A group volume, and two snapshots of its storage."""

    def __init__(self, storage: Path) -> None:
        group = a_group()
        self.volume = a_group_volume(group, location=Volume.Location.SHARED)
        self.owner, self.reader = a_member(group), a_member(group, "viewer")
        self.top = volume_folder(storage, self.volume.pk)
        self.top.mkdir(parents=True)
        for name in ("daily-1", "daily-2"):
            old = volume_folder(storage / FOLDER / name, self.volume.pk)
            (old / "run").mkdir(parents=True)
            (old / "run" / "a.txt").write_text(name)

    def url(self, rest: str) -> str:
        return f"{API}/volumes/{self.volume.pk}/{rest}"

    def restore(self, who: User, snapshot: str, path: str) -> object:
        body = {"snapshot": snapshot, "path": path}
        return browser(who).post(self.url("snapshots/restore"), body, format="json")


@pytest.fixture
def lab(tmp_path: Path, set_site: Callable[..., None]) -> Lab:
    set_site(storage_dir=tmp_path, snapshots_dir=FOLDER)
    return Lab(tmp_path)


def test_a_reader_looks_into_snapshots_and_changes_nothing(lab: Lab) -> None:
    reader = browser(lab.reader)
    found = json_of(reader.get(lab.url("snapshots")))
    assert [each["name"] for each in found] == ["daily-2", "daily-1"]

    listed = json_of(browser(lab.owner).get(lab.url("files?snapshot=daily-1&path=run")))
    assert [each["name"] for each in listed["entries"]] == ["a.txt"]
    assert listed["may_write"] is False
    assert json_of(reader.get(lab.url("files/size?snapshot=daily-1")))["files"] == 1
    problem_of(lab.restore(lab.reader, "daily-1", "run"), 403, "denied")
    problem_of(browser(a_member(a_group())).get(lab.url("snapshots")), 404, "not_found")


def test_a_writer_puts_a_file_back(lab: Lab) -> None:
    assert json_of(lab.restore(lab.owner, "daily-1", "run/a.txt"))["path"] == "run/a.txt"
    assert json_of(lab.restore(lab.owner, "daily-2", "run/a.txt"))["path"] == "run/a (2).txt"
    assert (lab.top / "run" / "a.txt").read_text() == "daily-1"
    assert (lab.top / "run" / "a (2).txt").read_text() == "daily-2"

    Volume.objects.filter(pk=lab.volume.pk).update(quota_mib=1, used_mib=1)
    problem_of(lab.restore(lab.owner, "daily-2", "run"), 507, "volume_full")


@pytest.mark.parametrize("name", ["none", "..", ".", "../snapshot/daily-1", "daily-1/volumes"])
def test_nothing_but_a_snapshot_is_one(lab: Lab, name: str) -> None:
    answer = browser(lab.owner).get(lab.url("files"), {"snapshot": name})
    assert problem_of(answer, 404, "not_found")["params"] == {"what": "snapshot"}


def test_a_volume_that_is_younger_is_empty_there(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / FOLDER / "before").mkdir()
    listed = json_of(browser(lab.owner).get(lab.url("files?snapshot=before")))
    assert (listed["entries"], listed["total"]) == ([], 0)
    problem_of(lab.restore(lab.owner, "before", "run"), 404, "not_found")


def test_without_the_setting_there_are_none(lab: Lab, set_site: Callable[..., None]) -> None:
    set_site(snapshots_dir="")
    assert json_of(browser(lab.owner).get(lab.url("snapshots"))) == []
    answer = browser(lab.owner).get(lab.url("files?snapshot=daily-1"))
    problem_of(answer, 404, "not_found")
    set_site(snapshots_dir=".snap")
    assert json_of(browser(lab.owner).get(lab.url("snapshots"))) == []


@pytest.mark.parametrize("path", ["/etc", "..", "a/../b", "a//b", "./a"])
def test_the_setting_names_a_folder_below_the_storage(path: str) -> None:
    assert require_folder_below(FOLDER) == FOLDER
    with pytest.raises(ValueError, match="relative"):
        require_folder_below(path)
