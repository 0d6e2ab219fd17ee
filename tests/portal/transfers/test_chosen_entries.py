"""Some entries of a folder as one archive, named by a form as browsers and curl send it."""

import asyncio
import io
import os
import tarfile
import zipfile
from typing import Any
from urllib.parse import quote, quote_from_bytes, unquote, urlencode

import pytest

from portal.transfers.downloads import NAMES_BODY_MAX
from portal.volumes.many_files import PATHS_MAX
from portal.volumes.tree import archive
from portal.volumes.tree.paths import to_text
from tests.portal.transfers.file_site import PORTAL, Site
from tests.portal.volumes.tree.hostile import LINKS, NAMES, NO_PATHS, make_hostile_tree
from tests.rest import browser

pytestmark = pytest.mark.django_db(transaction=True)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def form(*names: str) -> bytes:
    return urlencode([("name", name) for name in names]).encode()


async def packed(site: Site, names: tuple[str, ...], query: str = "") -> dict[str, bytes]:
    options: dict[str, Any] = {"headers": FORM, "data": form(*names), "token": site.reader}
    async with site.call("POST", f"archive{query}", **options) as response:
        assert response.status == 200
        data = io.BytesIO(await response.read())
    with zipfile.ZipFile(data) as found:
        return {name: found.read(name) for name in found.namelist()}


async def test_named_entries_are_packed_with_all_below_them_and_nothing_else(site: Site) -> None:
    make_hostile_tree(site.top)
    for name in NAMES:
        (site.top / "folder" / name).write_text(name)
    assert await packed(site, ("notes.txt", "folder")) == {
        "notes.txt": b"mine",
        "folder/deep.txt": b"deep",
        **{f"folder/{name}": name.encode() for name in NAMES},
    }
    assert await packed(site, NAMES, "?path=folder") == {name: name.encode() for name in NAMES}
    assert await packed(site, ("inside", "out", "etc", "pipe")) == {"inside": b"mine"}


async def test_a_link_to_what_is_not_packed_is_packed_as_its_file(site: Site) -> None:
    (site.top / "a").mkdir()
    (site.top / "a" / "one").write_text("1")
    (site.top / "a" / "near").symlink_to("one")
    (site.top / "a" / "far").symlink_to("../b")
    (site.top / "b").write_text("2")
    async with site.call("POST", "archive?format=tar", headers=FORM, data=form("a")) as response:
        data = io.BytesIO(await response.read())
    with tarfile.open(fileobj=data) as found:
        assert {each.name: (each.issym(), each.size) for each in found} == {
            "a/one": (False, 1),
            "a/near": (True, 0),
            "a/far": (False, 1),
        }


async def test_only_entries_of_the_folder_can_be_named(site: Site) -> None:
    make_hostile_tree(site.top)
    for name in ("gone", "folder/deep.txt", *(set(NO_PATHS) | {*LINKS} - {"inside"}) - {"\udcff"}):
        if name in ("out", "etc", "passwd", "loop"):
            continue  # entries of the folder, of which nothing is packed
        status, code = await site.refusal(
            "POST", "archive", headers=FORM, data=form("notes.txt", name)
        )
        assert (status, code) in ((404, "not_found"), (400, "invalid_input")), name
    below = await site.refusal("POST", "archive?path=folder", headers=FORM, data=form("notes.txt"))
    assert below == (404, "not_found")
    raw = b"name=" + quote_from_bytes(os.fsencode("\udcff")).encode()
    assert await site.refusal("POST", "archive", headers=FORM, data=raw) == (404, "not_found")


async def test_form_is_bounded(site: Site) -> None:
    (site.top / "x").write_text("1")
    assert await packed(site, ("x",) * PATHS_MAX) == {"x": b"1"}
    for body in (b"", b"name=", form(*("x",) * (PATHS_MAX + 1)), form("x") + b"&colour=red"):
        found = await site.refusal("POST", "archive", headers=FORM, data=body)
        assert found == (400, "invalid_input")
    found = await site.refusal("POST", "archive", headers=FORM, data=b"a" * (NAMES_BODY_MAX + 1))
    assert found == (413, "body_too_large")


async def test_only_what_is_packed_counts(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "ARCHIVE_FILES_MAX", 3)
    for folder, files in (("many", 5), ("few", 2)):
        (site.top / folder).mkdir()
        for number in range(files):
            (site.top / folder / str(number)).touch()
    assert set(await packed(site, ("few",))) == {"few/0", "few/1"}
    found = await site.refusal("POST", "archive", headers=FORM, data=form("few", "many"))
    assert found == (422, "archive_too_large")


async def test_other_people_and_other_sites_get_nothing(site: Site) -> None:
    (site.top / "x").write_text("1")
    refused = await site.refusal("POST", "archive", token=site.stranger, data=form("x"))
    assert refused == (404, "not_found")
    key = await asyncio.to_thread(lambda: browser(site.owner).cookies["berth-session"].value)
    for origin, status in (
        ({}, 403),
        ({"Origin": "http://x.example"}, 403),
        ({"Origin": PORTAL}, 200),
    ):
        headers = {**FORM, "Cookie": f"berth-session={key}", **origin}
        async with site.client.post(
            site.address("archive"), headers=headers, data=form("x")
        ) as got:
            assert got.status == status


async def test_names_that_are_no_utf_8_are_packed_and_downloaded_by_their_texts(site: Site) -> None:
    old = os.fsdecode("中文.txt".encode("gbk"))
    (site.top / old).write_text("one")
    (site.top / "other").write_text("two")
    assert await packed(site, (to_text(old),)) == {"%D6%D0%CE%C4.txt": b"one"}
    async with site.call("GET", f"content?path={quote(to_text(old))}") as response:
        assert await response.read() == b"one"
        named = response.headers["Content-Disposition"]
    assert unquote(named.partition("''")[2]) == "\ufffd\ufffd\ufffd\ufffd.txt"
