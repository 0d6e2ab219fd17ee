"""Many files in one request: each path has its own answer; and the folders that a tree of them shows."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.audit.models import AuditEvent
from portal.volumes.files import volume_folder
from portal.volumes.many_files import PATHS_MAX
from portal.volumes.models import Volume
from portal.volumes.tree import subfolders
from portal.volumes.tree.paths import to_text
from tests.builders.people import a_group, a_member
from tests.builders.volumes import a_group_volume, a_home
from tests.portal.volumes.tree.hostile import LINKS, NAMES, NO_PATHS, SPECIALS, make_hostile_tree
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
ODD = sorted({*NO_PATHS} - {"\udcff", "notes.txt\0", "a" * 5000})
"""Paths that name no file, and yet are text that a request takes."""


class Place:
    """A volume, and who may write in it."""

    def __init__(self, volume: Volume, storage: Path, client: APIClient) -> None:
        self.volume, self.client = volume, client
        self.top = volume_folder(storage, volume.pk)
        self.top.mkdir(parents=True, exist_ok=True)
        Volume.objects.filter(pk=volume.pk).update(location=Volume.Location.SHARED)

    def post(self, what: str, **body: Any) -> Any:
        return self.client.post(f"{API}/volumes/{self.volume.pk}/files/{what}", body, "json")

    def folders(self, **query: str) -> dict[str, list[str]]:
        found = json_of(self.client.get(f"{API}/volumes/{self.volume.pk}/folders", query))
        return {each["path"]: each["names"] for each in found}

    def holds(self) -> set[str]:
        return {str(item.relative_to(self.top)) for item in self.top.rglob("*")}


@pytest.fixture
def places(tmp_path: Path, set_site: Callable[..., None]) -> tuple[Place, Place]:
    """A group volume with a hostile tree, and the home of who writes there."""
    set_site(storage_dir=tmp_path)
    group = a_group()
    owner = a_member(group, "developer")
    client = browser(owner)
    shared = Place(a_group_volume(group), tmp_path, client)
    make_hostile_tree(shared.top)
    return shared, Place(a_home(owner), tmp_path, client)


@pytest.fixture
def shared(places: tuple[Place, Place]) -> Place:
    return places[0]


def codes(answer: Any) -> dict[str, str | None]:
    """Return the code of each path's refusal."""
    fates = json_of(answer)
    assert all("{" not in fate["refusal"]["detail"] for fate in fates if fate["refusal"])
    return {fate["path"]: fate["refusal"] and fate["refusal"]["code"] for fate in fates}


@pytest.mark.parametrize(
    ("what", "more"), [("trash", {}), ("move-into", {"folder": "folder/below"})]
)
def test_each_path_has_its_answer_and_none_stops_the_others(
    shared: Place, what: str, more: dict[str, str]
) -> None:
    asked = ["gone", "notes.txt", *ODD, "etc/passwd", "out/secret.txt", "folder/deep.txt"]
    found = codes(shared.post(what, paths=asked, **more))
    assert [path for path, code in found.items() if code is None] == [
        "notes.txt",
        "folder/deep.txt",
    ]
    assert {code for code in found.values() if code} == {"not_found"}
    assert list(found) == list(dict.fromkeys(asked))
    assert (shared.top.parent / "secret.txt").read_text() == "not yours"
    assert not {"notes.txt", "folder/deep.txt"} & shared.holds()


def test_what_was_trashed_comes_back_by_the_id_in_its_answer(shared: Place) -> None:
    fates = json_of(shared.post("trash", paths=["notes.txt", "gone", "folder"]))
    ids = [fate["id"] for fate in fates]
    assert ids[1] is None
    back = shared.post("restore", ids=[ids[0], ids[2]])
    assert json_of(back) == {"paths": ["notes.txt", "folder"]}


def test_files_of_any_name_move_and_say_where_they_are(shared: Place) -> None:
    for name in NAMES:
        (shared.top / name).write_text(name)
    fates = json_of(
        shared.post("move-into", paths=[*NAMES, *SPECIALS[:2], "loop"], folder="folder")
    )
    assert {fate["to"] for fate in fates} == {
        f"folder/{name}" for name in (*NAMES, *SPECIALS[:2], "loop")
    }
    assert all((shared.top / "folder" / name).read_text() == name for name in NAMES)
    assert (shared.top / "folder" / "loop").is_symlink()
    back = json_of(shared.post("move-into", paths=[f"folder/{name}" for name in NAMES]))
    assert [fate["to"] for fate in back] == [*NAMES]


def test_nothing_is_replaced_nor_moved_into_itself_nor_over_what_is_the_platforms(
    shared: Place,
) -> None:
    (shared.top / "folder" / "notes.txt").write_text("other")
    (shared.top / "folder" / ".berth").mkdir()
    asked = ["notes.txt", "folder", "folder/deep.txt"]
    assert codes(shared.post("move-into", paths=asked, folder="folder")) == {
        "notes.txt": "file_exists",
        "folder": "folder_into_itself",
        "folder/deep.txt": None,
    }
    assert codes(shared.post("move-into", paths=["folder/.berth"])) == {
        "folder/.berth": "file_name_reserved"
    }
    assert (shared.top / "folder" / "notes.txt").read_text() == "other"


@pytest.mark.parametrize("folder", ["gone", "notes.txt", "out", "up", *ODD])
def test_no_other_place_gets_files(shared: Place, folder: str) -> None:
    before = shared.holds()
    problem_of(shared.post("move-into", paths=["notes.txt"], folder=folder), 404, "not_found")
    assert shared.holds() == before


def test_paths_mean_the_volume_of_the_address_alone(places: tuple[Place, Place]) -> None:
    shared, home = places
    (home.top / "diary.txt").write_text("mine")
    for path in ("diary.txt", f"../{home.volume.pk}/diary.txt", str(home.top / "diary.txt")):
        for what in ("trash", "move-into"):
            assert codes(shared.post(what, paths=[path])) == {path: "not_found"}
    assert home.holds() == {"diary.txt"}


@pytest.mark.parametrize("what", ["trash", "move-into"])
def test_number_of_paths_is_bounded(shared: Place, what: str) -> None:
    before = shared.holds()
    for paths in ([], ["notes.txt"] * (PATHS_MAX + 1), ["notes.txt", ""], ["notes.txt", 7]):
        problem_of(shared.post(what, paths=paths), 400, "invalid_input")
    assert shared.holds() == before
    found = codes(shared.post(what, paths=["notes.txt"] * PATHS_MAX))
    assert found == {"notes.txt": None}


@pytest.mark.parametrize("what", ["trash", "move-into"])
def test_request_that_is_sent_again_changes_nothing_more(shared: Place, what: str) -> None:
    asked = {"paths": ["notes.txt"], **({"folder": "folder"} if what == "move-into" else {})}
    assert codes(shared.post(what, **asked)) == {"notes.txt": None}
    before = shared.holds()
    assert codes(shared.post(what, **asked)) == {"notes.txt": "not_found"}
    assert shared.holds() == before


def test_one_entry_tells_of_all_and_names_nothing_of_a_home(places: tuple[Place, Place]) -> None:
    shared, home = places
    shared.post("trash", paths=["notes.txt", "gone", "pipe"])
    shared.post("move-into", paths=["loop"], folder="folder")
    shared.post("trash", paths=["gone"])
    (home.top / "diary.txt").write_text("mine")
    home.post("trash", paths=["diary.txt"])
    events = AuditEvent.objects.filter(object_type="file").order_by("id")
    assert [(event.action, event.object_id, event.params) for event in events] == [
        (
            "file.trash",
            str(shared.volume.pk),
            {"name": shared.volume.name, "files": 2, "path": ["notes.txt", "pipe"]},
        ),
        (
            "file.move",
            str(shared.volume.pk),
            {"name": shared.volume.name, "files": 1, "folder": "folder", "path": ["loop"]},
        ),
        ("file.trash", str(home.volume.pk), {"name": home.volume.name, "files": 1}),
    ]


def test_folders_along_a_path_come_in_one_answer(shared: Place) -> None:
    (shared.top / ".berth").mkdir()
    (shared.top / "Beta").mkdir()
    assert shared.folders() == {"": ["Beta", "folder"]}
    assert shared.folders(path="folder") == {"folder": ["below"]}
    everything = {"": ["Beta", "folder"], "folder": ["below"], "folder/below": []}
    assert shared.folders(path="folder/below", along="true") == everything
    assert shared.folders(path="folder/below/gone", along="true") == everything
    assert shared.folders(path="out", along="true") == {"": ["Beta", "folder"]}


@pytest.mark.parametrize("path", ["gone", "notes.txt", *LINKS, *ODD])
def test_folders_of_anything_else_are_not_there(shared: Place, path: str) -> None:
    answer = shared.client.get(f"{API}/volumes/{shared.volume.pk}/folders", {"path": path})
    problem_of(answer, 404, "not_found")


def test_more_folders_than_a_tree_shows_are_cut(
    shared: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subfolders, "SUBFOLDERS_MAX", 2)
    for name in ("c", "b", "a"):
        (shared.top / "folder" / "below" / name).mkdir()
    cut = subfolders.list_subfolders(shared.top, ("folder", "below"))
    assert (cut.names, cut.is_cut) == (["a", "b"], True)
    assert not subfolders.list_subfolders(shared.top, ("folder",)).is_cut


def test_home_that_was_never_used_has_no_folders(places: tuple[Place, Place]) -> None:
    home = places[1]
    home.top.rmdir()
    assert home.folders() == {"": []}
    assert home.folders(path="x", along="true") == {"": []}


def test_names_that_are_no_utf_8_are_renamed_moved_trashed_and_brought_back(shared: Place) -> None:
    old, folder = os.fsdecode("中文.txt".encode("gbk")), os.fsdecode("数据".encode("gbk"))
    (shared.top / folder).mkdir()
    (shared.top / folder / "plain.txt").write_text("three")
    (shared.top / old).write_text("one")
    assert to_text(folder) in shared.folders()[""]
    assert codes(shared.post("move-into", paths=[to_text(old)], folder=to_text(folder))) == {
        to_text(old): None
    }
    inside = f"{to_text(folder)}/{to_text(old)}"
    (gone,) = json_of(shared.post("trash", paths=[inside]))
    listed = json_of(shared.client.get(f"{API}/volumes/{shared.volume.pk}/files/trashed"))
    assert [each["path"] for each in listed] == [inside]
    assert json_of(shared.post("restore", ids=[gone["id"]])) == {"paths": [inside]}
    assert (shared.top / folder / old).read_text() == "one"
    taken = problem_of(
        shared.post("move", path=inside, to=f"{to_text(folder)}/plain.txt"), 409, "file_exists"
    )
    assert taken["params"] == {"path": f"{to_text(folder)}/plain.txt"}
    problem_of(shared.post("move", path=inside, to=to_text(old)), 422, "file_name")
    for path, to in ((inside, f"{to_text(folder)}/中文.txt"), (to_text(folder), "数据")):
        assert shared.post("move", path=path, to=to).status_code == 204
    assert (shared.top / "数据" / "中文.txt").read_text() == "one"
    assert shared.folders(path="数据") == {"数据": []}
