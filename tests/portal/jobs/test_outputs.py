"""The list of a job's outputs, folder by folder; their bytes are tested in `tests/portal/live`."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from portal.common.actions import Action
from portal.identity.models import User
from portal.jobs.api.views import OUTPUTS_MAX
from portal.volumes.output_folders import outputs_folder
from portal.volumes.tree.paths import to_text
from tests.builders.scenes import Scene, a_scene
from tests.portal.volumes.tree.hostile import LONGEST_NAME, NO_PATHS, make_hostile_tree
from tests.rest import API, browser, json_of, pipeline, problem_of, stranger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


class Outputs:
    """A job with a folder, and those who look into it."""

    def __init__(self, storage: Path, scene: Scene) -> None:
        self.owner: User = scene.owner
        self.job = scene.work()
        self.top = outputs_folder(storage, self.job.pk)
        self.client = browser(scene.owner)
        self.url = f"{API}/jobs/{self.job.pk}/outputs"

    def get(self, path: str = "", **query: object) -> Any:
        asked = "".join(f"&{name}={value}" for name, value in query.items())
        return self.client.get(f"{self.url}?path={quote(path)}{asked}")

    def folder(self, path: str = "", **query: object) -> Any:
        return json_of(self.get(path, **query))

    def kinds(self, path: str = "") -> dict[str, str]:
        entries = self.folder(path)["entries"]
        assert all(each["has_content"] is (each["kind"] == "file") for each in entries)
        return {each["name"]: each["kind"] for each in entries}


@pytest.fixture
def outputs(tmp_path: Path, set_site: Callable[..., None]) -> Outputs:
    set_site(storage_dir=tmp_path)
    found = Outputs(tmp_path, a_scene())
    found.top.mkdir(parents=True)
    return found


def test_folders_are_listed_one_at_a_time_by_name(outputs: Outputs) -> None:
    (outputs.top / "模型 1" / "epoch 2").mkdir(parents=True)
    (outputs.top / "模型 1" / "权重.pt").write_bytes(b"12345")
    (outputs.top / "模型 1" / LONGEST_NAME).touch()
    (outputs.top / "b.txt").write_text("b")
    (outputs.top / "A.txt").write_text("a")

    listed = outputs.folder()
    assert [(it["name"], it["kind"], it["size"]) for it in listed["entries"]] == [
        ("模型 1", "folder", 0),
        ("A.txt", "file", 1),
        ("b.txt", "file", 1),
    ]
    assert (listed["path"], listed["total"], listed["is_cut"]) == ("", 3, False)
    assert outputs.kinds("模型 1") == {"epoch 2": "folder", "权重.pt": "file", LONGEST_NAME: "file"}
    assert outputs.folder("模型 1/epoch 2")["entries"] == []
    problem_of(outputs.get("b.txt"), 404, "not_found")
    problem_of(outputs.get("nothing"), 404, "not_found")


def test_a_job_that_left_nothing_has_an_empty_folder(outputs: Outputs) -> None:
    outputs.top.rmdir()
    assert outputs.folder() == {
        "path": "",
        "entries": [],
        "total": 0,
        "is_cut": False,
        "unreadable_names": 0,
    }
    problem_of(outputs.get("ck"), 404, "not_found")


def test_more_files_than_one_answer_has_come_in_pages(outputs: Outputs) -> None:
    names = [f"{number:05}.txt" for number in range(OUTPUTS_MAX + 3)]
    for name in reversed(names):
        (outputs.top / name).touch()

    first, rest = outputs.folder(), outputs.folder(offset=OUTPUTS_MAX)
    assert [it["name"] for it in first["entries"] + rest["entries"]] == names
    assert len(first["entries"]) == OUTPUTS_MAX
    assert (first["total"], first["is_cut"]) == (len(names), False)
    assert [it["name"] for it in outputs.folder(offset=1, limit=2)["entries"]] == names[1:3]
    problem_of(outputs.get(limit=OUTPUTS_MAX + 1), 400, "invalid_input")


def test_a_folder_with_more_entries_than_are_looked_at_says_so(
    outputs: Outputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.volumes.tree.listing.FOLDER_ENTRIES_MAX", 2)
    for name in "abc":
        (outputs.top / name).touch()
    assert outputs.folder()["is_cut"] is True


def test_links_inside_are_what_they_lead_to_and_others_are_only_named(outputs: Outputs) -> None:
    make_hostile_tree(outputs.top)
    (outputs.top / "ck" / "step 9").mkdir(parents=True)
    (outputs.top / "ck" / "step 9" / "model.pt").write_bytes(b"12345")
    (outputs.top / "ck" / "latest.pt").symlink_to("step 9/model.pt")
    (outputs.top / "ck" / "latest").symlink_to("step 9")
    (outputs.top / "ck" / "other").symlink_to(f"../../{outputs.job.pk}/notes.txt")

    assert outputs.kinds("ck") == {
        "step 9": "folder",
        "latest": "folder",
        "latest.pt": "file",
        "other": "link",
    }
    assert outputs.kinds("ck/latest") == {"model.pt": "file"}
    kinds = outputs.kinds()
    assert kinds["inside"] == "file"
    assert {kinds[name] for name in ("out", "up", "etc", "passwd", "loop")} == {"link"}
    assert {kinds[name] for name in ("pipe", "socket")} == {"special"}
    for path in ("out", "up", "etc", "passwd", "loop", "pipe", *(set(NO_PATHS) - {"\udcff"})):
        assert outputs.get(path).status_code in (400, 404), path


def test_names_that_are_no_utf_8_are_listed_by_texts_and_counted(outputs: Outputs) -> None:
    folder = os.fsdecode(b"\xff")
    (outputs.top / folder).mkdir()
    (outputs.top / folder / "log.txt").touch()
    listed = outputs.folder()
    assert [entry["name"] for entry in listed["entries"]] == [to_text(folder)]
    assert listed["unreadable_names"] == 1
    assert outputs.kinds(to_text(folder)) == {"log.txt": "file"}


def test_a_folder_that_was_replaced_by_a_link_is_not_entered(outputs: Outputs) -> None:
    moved = outputs.top.rename(outputs.top.with_name("moved"))
    (moved / "log.txt").touch()
    outputs.top.symlink_to(moved)
    problem_of(outputs.get(), 404, "not_found")


def test_outputs_of_another_group_do_not_exist(tmp_path: Path, outputs: Outputs) -> None:
    theirs = Outputs(tmp_path, a_scene())
    theirs.top.mkdir()
    (theirs.top / "model.pt").write_text("weights")

    assert outputs.folder()["entries"] == []
    problem_of(outputs.client.get(theirs.url), 404, "not_found")
    problem_of(outputs.get(f"../{theirs.job.pk}"), 404, "not_found")
    problem_of(stranger().get(outputs.url), 401, "not_authenticated")


def test_a_robot_lists_what_its_scopes_let_it_see(outputs: Outputs) -> None:
    (outputs.top / "accuracy.txt").touch()
    robot = pipeline(outputs.owner)
    assert [it["name"] for it in json_of(robot.get(outputs.url))["entries"]] == ["accuracy.txt"]
    narrow = pipeline(outputs.owner, Action.VOLUME_READ)
    problem_of(narrow.get(outputs.url), 403, "scope_missing")
