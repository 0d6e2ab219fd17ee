"""The files of volumes over REST, as each role."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.identity.models import User
from portal.volumes.files import volume_folder
from portal.volumes.models import Volume
from portal.volumes.tasks import tidy_files
from portal.volumes.tree.paths import to_text
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member, a_user
from tests.builders.volumes import a_group_volume, a_home
from tests.rest import API, browser, json_of, pipeline, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@dataclass
class Site:
    """A home and a group volume, and who may do what with them."""

    storage: Path
    home: Volume
    shared: Volume
    owner: User
    reader: User
    stranger: User

    def top(self, volume: Volume) -> Path:
        return volume_folder(self.storage, volume.pk)

    def url(self, volume: Volume, rest: str = "files") -> str:
        return f"{API}/volumes/{volume.pk}/{rest}"


@pytest.fixture
def site(tmp_path: Path, set_site: Callable[..., None]) -> Site:
    set_site(storage_dir=tmp_path)
    group = a_group()
    owner, reader = a_member(group, "developer"), a_member(group, "viewer")
    made = Site(tmp_path, a_home(owner), a_group_volume(group), owner, reader, a_member(a_group()))
    top = made.top(made.shared)
    (top / "folder").mkdir(parents=True)
    (top / "folder" / "报告.txt").write_text("hello")
    (top / "a.txt").write_text("a")
    Volume.objects.filter(pk=made.shared.pk).update(location=Volume.Location.SHARED)
    return made


OLD = os.fsdecode("中文.txt".encode("gbk"))
"""A name from an old zip file."""


def post(client: APIClient, url: str, **body: Any) -> Any:
    return client.post(url, body, "json")


def test_folder_is_listed_for_those_who_may_read(site: Site) -> None:
    listed = json_of(browser(site.owner).get(site.url(site.shared)))
    assert [(entry["name"], entry["kind"], entry["size"]) for entry in listed["entries"]] == [
        ("folder", "folder", 0),
        ("a.txt", "file", 1),
    ]
    assert (listed["total"], listed["may_write"], listed["is_cut"]) == (2, True, False)
    below = json_of(browser(site.reader).get(site.url(site.shared), {"path": "folder"}))
    assert ([entry["name"] for entry in below["entries"]], below["may_write"]) == (
        ["报告.txt"],
        False,
    )
    size = json_of(browser(site.reader).get(site.url(site.shared, "files/size")))
    assert size == {"size": 6, "files": 2, "is_whole": True}


def test_list_counts_names_that_are_no_utf_8_and_says_which_links_open(site: Site) -> None:
    top = site.top(site.shared)
    (top / OLD).write_text("four")
    (top / "link").symlink_to("folder/报告.txt")
    (top / "out").symlink_to("/etc/passwd")
    listed = json_of(browser(site.owner).get(site.url(site.shared)))
    assert (listed["total"], listed["unreadable_names"]) == (5, 1)
    assert {
        entry["name"]: (entry["size"], entry["has_content"]) for entry in listed["entries"]
    } == {
        "folder": (0, False),
        "a.txt": (1, True),
        to_text(OLD): (4, True),
        "link": (5, True),
        "out": (0, False),
    }
    size = json_of(browser(site.owner).get(site.url(site.shared, "files/size")))
    assert size == {"size": 10, "files": 3, "is_whole": True}


def test_part_of_a_folder_is_listed_in_the_order_that_is_asked_for(site: Site) -> None:
    for number in range(5):
        (site.top(site.shared) / f"{number}.bin").write_bytes(b"x" * (5 - number))
    query = {"sort": "size", "descending": "true", "offset": "2", "limit": "2"}
    page = json_of(browser(site.owner).get(site.url(site.shared), query))
    assert [entry["name"] for entry in page["entries"]] == ["1.bin", "2.bin"]
    for wrong in ({"sort": "colour"}, {"limit": "0"}, {"offset": "-1"}, {"cursor": "x"}):
        problem_of(browser(site.owner).get(site.url(site.shared), wrong), 400, "invalid_input")


WRITES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("folders", {"path": "made"}),
    ("files/move", {"path": "a.txt", "to": "b.txt"}),
    ("files/move-into", {"paths": ["a.txt"], "folder": "folder"}),
    ("files/trash", {"paths": ["a.txt"]}),
    ("files/restore", {"ids": ["x"]}),
    ("files/remove", {}),
)


@pytest.mark.parametrize(("what", "body"), WRITES)
def test_who_only_reads_changes_nothing(site: Site, what: str, body: dict[str, Any]) -> None:
    for client in (browser(site.reader), pipeline(site.owner, "volume.read")):
        assert post(client, site.url(site.shared, what), **body).status_code == 403
    problem_of(post(browser(site.stranger), site.url(site.shared, what), **body), 404, "not_found")
    assert {item.name for item in site.top(site.shared).iterdir()} == {"folder", "a.txt"}


@pytest.mark.parametrize("what", ["files", "files/size", "files/trashed", "folders"])
def test_what_is_not_ones_own_does_not_exist(site: Site, what: str) -> None:
    problem_of(browser(site.stranger).get(site.url(site.shared, what)), 404, "not_found")
    for other in (site.reader, site.stranger):
        problem_of(browser(other).get(site.url(site.home, what)), 404, "not_found")
    platform = a_user(role="platform_admin")
    for volume in (site.home, site.shared):
        problem_of(browser(platform).get(site.url(volume, what)), 403, "denied")


def test_files_are_made_moved_trashed_and_brought_back(site: Site) -> None:
    client, top = browser(site.owner), site.top(site.shared)
    assert post(client, site.url(site.shared, "folders"), path="new/ 深 ").status_code == 204
    moved = post(client, site.url(site.shared, "files/move"), path="a.txt", to="new/ 深 /b.txt")
    assert moved.status_code == 204
    assert (top / "new" / " 深 " / "b.txt").read_text() == "a"

    (gone,) = json_of(post(client, site.url(site.shared, "files/trash"), paths=["new"]))
    assert (gone["path"], (top / "new").exists()) == ("new", False)
    (listed,) = json_of(browser(site.reader).get(site.url(site.shared, "files/trashed")))
    assert (listed["path"], listed["kind"], listed["trashed_by"]) == (
        "new",
        "folder",
        site.owner.username,
    )
    names = [entry["name"] for entry in json_of(client.get(site.url(site.shared)))["entries"]]
    assert names == ["folder"]
    back = post(client, site.url(site.shared, "files/restore"), ids=[gone["id"]])
    assert json_of(back) == {"paths": ["new"]}
    assert (top / "new" / " 深 " / "b.txt").exists()

    post(client, site.url(site.shared, "files/trash"), paths=["new"])
    assert post(client, site.url(site.shared, "files/remove")).status_code == 204
    assert json_of(client.get(site.url(site.shared, "files/trashed"))) == []


def test_refusals_have_words(site: Site) -> None:
    client = browser(site.owner)
    post(client, site.url(site.shared, "folders"), path="made")
    cases: tuple[tuple[str, dict[str, Any], int, str], ...] = (
        ("folders", {"path": "made"}, 409, "file_exists"),
        ("folders", {"path": "../made"}, 422, "file_name"),
        ("folders", {"path": ".berth"}, 422, "file_name_reserved"),
        ("files/move", {"path": "gone", "to": "x"}, 404, "not_found"),
        ("files/move", {"path": "folder", "to": "folder/x"}, 409, "folder_into_itself"),
        ("files/move", {"path": "a.txt", "to": "made"}, 409, "file_exists"),
        ("files/move-into", {"paths": ["a.txt"], "folder": "gone"}, 404, "not_found"),
        ("files/restore", {"ids": ["gone"]}, 404, "not_found"),
    )
    for what, body, status, code in cases:
        problem = problem_of(post(client, site.url(site.shared, what), **body), status, code)
        assert "{" not in problem["detail"]


def test_home_that_was_never_used_is_empty_and_is_there_with_its_first_folder(site: Site) -> None:
    client = browser(site.owner)
    assert json_of(client.get(site.url(site.home)))["entries"] == []
    assert json_of(client.get(site.url(site.home, "files/trashed"))) == []
    assert post(client, site.url(site.home, "folders"), path="first").status_code == 204
    site.home.refresh_from_db()
    assert site.home.location == Volume.Location.SHARED
    assert (site.top(site.home) / "first").is_dir()


def test_files_that_lie_on_one_node_are_not_reached_and_it_says_so(site: Site) -> None:
    node = a_node(a_pool())
    Volume.objects.filter(pk=site.home.pk).update(location=Volume.Location.NODE, node=node)
    for answer in (
        browser(site.owner).get(site.url(site.home)),
        post(browser(site.owner), site.url(site.home, "folders"), path="x"),
    ):
        assert problem_of(answer, 409, "volume_on_node")["params"]["node"] == node.name


def test_full_volume_takes_nothing_more_and_lets_files_go(site: Site) -> None:
    Volume.objects.filter(pk=site.shared.pk).update(
        quota_mib=10, used_mib=10, measured_at=site.shared.created_at
    )
    client = browser(site.owner)
    full = problem_of(post(client, site.url(site.shared, "folders"), path="x"), 507, "volume_full")
    assert (full["params"]["used_mib"], full["params"]["quota_mib"]) == (10, 10)
    assert post(client, site.url(site.shared, "files/trash"), paths=["a.txt"]).status_code == 200
    assert post(client, site.url(site.shared, "files/remove")).status_code == 204


def test_tidying_leaves_what_is_young(site: Site) -> None:
    post(browser(site.owner), site.url(site.shared, "files/trash"), paths=["a.txt"])
    tidy_files()
    (kept,) = json_of(browser(site.owner).get(site.url(site.shared, "files/trashed")))
    assert kept["path"] == "a.txt"
