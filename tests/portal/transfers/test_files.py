"""Uploads by raw requests of the tus protocol, and downloads, against the real application."""

import asyncio
import base64
import hashlib
import io
import os
import zipfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from portal.common.clock import now
from portal.identity.models import ApiToken
from portal.volumes.files import volume_folder
from portal.volumes.models import Volume
from tests.builders.volumes import a_home
from tests.portal.transfers.file_site import BYTES, PORTAL, TUS, Site
from tests.portal.volumes.tree.hostile import LINKS, NO_PATHS, SPECIALS, make_hostile_tree
from tests.rest import browser
from tests.waiting import wait_until_async

pytestmark = pytest.mark.django_db(transaction=True)


async def test_server_says_what_it_can(site: Site) -> None:
    async with site.client.options(site.address("uploads")) as response:
        assert (response.status, response.headers["Tus-Version"]) == (204, "1.0.0")
        assert {"creation", "termination", "checksum", "expiration"} <= set(
            response.headers["Tus-Extension"].split(",")
        )


async def test_upload_in_parts_appears_whole(site: Site) -> None:
    data = os.urandom(2_500_000)
    begun = await site.begin("数据/train.bin", len(data))
    location, done = begun.headers["Location"], begun
    assert (begun.status, begun.headers["Upload-Offset"]) == (201, "0")
    assert begun.headers["Upload-Expires"].endswith("GMT")
    for start in range(0, len(data), 1_000_000):
        part = data[start : start + 1_000_000]
        assert await site.offset(location) == start
        assert not (site.top / "数据").exists()
        done = await site.patch(location, start, part)
        assert (done.status, done.headers["Upload-Offset"]) == (204, str(start + len(part)))
    assert done.headers["Upload-Path"] == quote("数据/train.bin")
    assert (site.top / "数据" / "train.bin").read_bytes() == data
    assert await site.offset(location) == len(data)


async def test_small_file_needs_one_request(site: Site) -> None:
    begun = await site.begin("small.txt", 5, data=b"hello")
    assert (begun.status, begun.headers["Upload-Offset"]) == (201, "5")
    assert (site.top / "small.txt").read_bytes() == b"hello"
    empty = await site.begin("empty", 0)
    assert (empty.status, (site.top / "empty").read_bytes()) == (201, b"")


async def test_broken_connection_is_continued_where_it_broke(site: Site) -> None:
    data = os.urandom(6_000_000)
    location = (await site.begin("large.bin", len(data))).headers["Location"]

    async def half() -> AsyncIterator[bytes]:
        yield data[:3_500_000]
        await asyncio.Event().wait()

    headers = {**BYTES, "Upload-Offset": "0", "Content-Length": str(len(data))}
    broken = asyncio.create_task(site.patch(location, 0, half(), **headers))
    (held,) = (
        item for item in (site.top / ".berth" / "uploads").iterdir() if item.suffix != ".json"
    )
    await wait_until_async(lambda: held.stat().st_size >= 3_000_000)
    broken.cancel()
    await asyncio.gather(broken, return_exceptions=True)

    await wait_until_async(lambda: held.stat().st_size == 3_500_000)
    offset = await site.offset(location)
    assert offset == 3_500_000
    assert (await site.patch(location, offset, data[offset:])).status == 204
    found = (site.top / "large.bin").read_bytes()
    assert hashlib.sha256(found).digest() == hashlib.sha256(data).digest()


async def test_wrong_offset_is_refused_with_the_right_one(site: Site) -> None:
    location = (await site.begin("x", 6)).headers["Location"]
    await site.patch(location, 0, b"one")
    for wrong in (0, 2, 4):
        assert (await site.patch(location, wrong, b"two")).status == 409
    assert await site.offset(location) == 3
    assert (await site.patch(location, 3, b"two")).status == 204
    assert (site.top / "x").read_bytes() == b"onetwo"
    assert (await site.patch(location, 3, b"two")).status == 409


async def test_more_than_was_announced_is_refused(site: Site) -> None:
    location = (await site.begin("x", 3)).headers["Location"]
    assert (await site.patch(location, 0, b"longer")).status == 413
    assert not (site.top / "x").exists()


async def test_checksum_is_compared_and_wrong_bytes_are_taken_back(site: Site) -> None:
    location = (await site.begin("x", 6)).headers["Location"]

    def of(data: bytes, name: str = "sha256") -> str:
        return f"{name} {base64.b64encode(hashlib.new(name, data).digest()).decode()}"

    wrong = await site.patch(location, 0, b"one", **{"Upload-Checksum": of(b"other")})
    assert (wrong.status, await site.offset(location)) == (460, 0)
    for unknown in ("md5 xx", "sha256 %%%", "sha256"):
        refused = await site.patch(location, 0, b"one", **{"Upload-Checksum": unknown})
        assert refused.status == (460 if unknown == "sha256" else 400)
    right = {"Upload-Checksum": of(b"one", "sha1")}
    assert (await site.patch(location, 0, b"one", **right)).status == 204
    right = {"Upload-Checksum": of(b"two")}
    assert (await site.patch(location, 3, b"two", **right)).status == 204
    assert (site.top / "x").read_bytes() == b"onetwo"


async def test_cancelled_upload_is_gone(site: Site) -> None:
    location = (await site.begin("x", 6)).headers["Location"]
    async with site.call("DELETE", location, headers=TUS) as ended:
        assert ended.status == 204
    assert await site.refusal("PATCH", location, headers={**BYTES, "Upload-Offset": "0"}) == (
        404,
        "not_found",
    )
    assert list((site.top / ".berth" / "uploads").iterdir()) == []


async def test_requests_that_break_the_protocol_are_refused(site: Site) -> None:
    location = (await site.begin("x", 6)).headers["Location"]
    offset, sized = {"Upload-Offset": "0"}, {**TUS, "Upload-Length": "1"}
    zipped = {"Content-Encoding": "gzip"}
    cases: tuple[tuple[str, str, dict[str, str], int, str], ...] = (
        ("PATCH", location, {**BYTES, **offset, "Tus-Resumable": "0.2.2"}, 412, "tus_version"),
        ("POST", "uploads", {}, 412, "tus_version"),
        ("PATCH", location, {**TUS, **offset}, 415, "upload_media_type"),
        ("PATCH", location, BYTES, 400, "upload_header"),
        ("PATCH", location, {**BYTES, "Upload-Offset": "-1"}, 400, "upload_header"),
        ("POST", "uploads", TUS, 400, "upload_header"),
        ("POST", "uploads", {**TUS, "Upload-Length": "9" * 15}, 413, "upload_too_long"),
        ("POST", "uploads", {**sized, "Upload-Metadata": "path %%"}, 400, "upload_header"),
        (
            "POST",
            "uploads",
            {**sized, "Upload-Metadata": "path YQ==,path Yg=="},
            400,
            "upload_header",
        ),
        ("POST", "uploads", sized, 422, "file_name"),
        ("PATCH", location, {**BYTES, **offset, **zipped}, 415, "encoding_unsupported"),
        ("POST", "uploads", {**sized, **zipped}, 415, "encoding_unsupported"),
        ("PUT", "archive", zipped, 415, "encoding_unsupported"),
        ("GET", location, TUS, 405, "method_not_allowed"),
        ("PATCH", "uploads", BYTES, 405, "method_not_allowed"),
        ("POST", "content", {}, 405, "method_not_allowed"),
        ("PUT", "content", {}, 405, "method_not_allowed"),
        ("PATCH", "archive", {}, 405, "method_not_allowed"),
    )
    for method, where, headers, status, code in cases:
        assert await site.refusal(method, where, headers=headers) == (status, code), (method, code)
    old = {**BYTES, **offset, "X-HTTP-Method-Override": "PATCH"}
    async with site.call("POST", location, headers=old, data=b"onetwo") as response:
        assert response.status == 204


@pytest.mark.parametrize("path", [*sorted(set(NO_PATHS) - {"\udcff", "notes.txt/x"}), "", "a\nb"])
async def test_no_path_is_uploaded_to(site: Site, path: str) -> None:
    assert (await site.begin(path, 1)).status == 422
    assert {item.name for item in site.top.iterdir()} <= {".berth"}


async def test_name_that_is_taken_and_full_volumes_are_refused(site: Site) -> None:
    (site.top / "x").write_text("old")
    assert (await site.begin("x", 3, data=b"new")).status == 409
    assert (await site.begin("x", 3, data=b"new", replace="true")).status == 201
    assert (site.top / "x").read_text() == "new"
    full = Volume.objects.filter(pk=site.volume.pk)
    await asyncio.to_thread(full.update, quota_mib=2, used_mib=1, measured_at=now())
    assert (await site.begin("y", 1024 * 1024 + 1)).status == 507
    assert (await site.begin("y", 1024 * 1024)).status == 201


async def test_only_those_who_may_write_upload(site: Site) -> None:
    headers = {**TUS, "Upload-Length": "1", "Upload-Metadata": "path eA=="}
    for token, status in ((site.reader, 403), (site.stranger, 404), ("wrong", 401)):
        found = await site.refusal("POST", "uploads", token=token, headers=headers)
        assert found[0] == status
    location = (await site.begin("x", 3)).headers["Location"]
    for method in ("PATCH", "DELETE"):
        found = await site.refusal(method, location, token=site.stranger, headers=BYTES)
        assert found == (404, "not_found")


async def test_other_sites_cannot_use_a_session(site: Site) -> None:
    """A page elsewhere makes the browser send the cookie; it cannot make it send our origin."""

    def session() -> str:
        return browser(site.owner).cookies["berth-session"].value

    key = await asyncio.to_thread(session)
    headers = {**TUS, "Upload-Length": "1", "Upload-Metadata": "path eA=="}
    cookie = {"Cookie": f"berth-session={key}"}
    for origin, status in (
        ({}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": PORTAL}, 201),
    ):
        sent = {**headers, **cookie, **origin}
        async with site.client.post(site.address("uploads"), headers=sent) as response:
            assert response.status == status
    async with site.client.get(site.address("archive"), headers=cookie) as response:
        assert response.status == 200


async def test_rights_that_are_withdrawn_end_an_upload(site: Site) -> None:
    location = (await site.begin("x", 10_000_000)).headers["Location"]

    async def endless() -> AsyncIterator[bytes]:
        yield b"x" * 1_200_000
        await asyncio.Event().wait()

    running = asyncio.create_task(site.patch(location, 0, endless()))
    (held,) = (
        item for item in (site.top / ".berth" / "uploads").iterdir() if item.suffix != ".json"
    )
    await wait_until_async(lambda: held.stat().st_size > 0)
    tokens = ApiToken.objects.filter(user=site.owner)
    await asyncio.to_thread(tokens.update, revoked_at=now())
    # The server may close the connection before the client has read its answer.
    ended: list[Any] = list(await asyncio.gather(running, return_exceptions=True))
    assert isinstance(ended[0], OSError) or ended[0].status == 403


async def test_silent_sender_is_ended_and_what_came_is_kept(site: Site) -> None:
    location = (await site.begin("x", 10_000_000)).headers["Location"]

    async def silent() -> AsyncIterator[bytes]:
        yield b"x" * 2_000_000
        await asyncio.Event().wait()

    running = asyncio.create_task(site.patch(location, 0, silent()))
    await asyncio.gather(running, return_exceptions=True)
    assert await site.offset(location) >= 1_048_576


async def test_download_is_whole_and_harmless(site: Site) -> None:
    page = b"<script>fetch('/api/v1/me')</script>"
    (site.top / "报告 1.html").write_bytes(page)
    address = f"content?path={quote('报告 1.html')}"
    async with site.call("GET", address, token=site.reader) as response:
        assert await response.read() == page
    async with site.call("GET", address) as response:
        headers = response.headers
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Content-Disposition"].startswith("attachment; filename*=utf-8''")
    assert headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in headers["Cache-Control"]


async def test_a_snapshot_is_downloaded_as_it_was(
    site: Site, set_site: Callable[..., None]
) -> None:
    set_site(snapshots_dir=".snap")
    storage = site.top.parent.parent
    old = volume_folder(storage / ".snap" / "每日 1", site.volume.pk)
    (old / "run").mkdir(parents=True)
    (old / "run" / "a.txt").write_text("old")
    (site.top / "run").mkdir()
    (site.top / "run" / "a.txt").write_text("new")
    asked = f"path={quote('run/a.txt', safe='')}&snapshot={quote('每日 1')}"
    async with site.call("GET", f"content?{asked}", token=site.reader) as response:
        assert await response.read() == b"old"
    async with site.call("GET", f"archive?path=run&snapshot={quote('每日 1')}") as response:
        assert zipfile.ZipFile(io.BytesIO(await response.read())).read("a.txt") == b"old"
    for wrong in ("none", "..", "%E6%AF%8F%E6%97%A5%201/volumes"):
        assert await site.refusal("GET", f"content?path=run/a.txt&snapshot={wrong}") == (
            404,
            "not_found",
        )


async def test_a_file_that_the_client_has_is_not_sent_again(site: Site) -> None:
    """`HEAD` too; a file that has changed is, and whoever wants only the old one is told."""
    (site.top / "model.bin").write_bytes(b"0123456789")
    async with site.call("GET", "content?path=model.bin") as response:
        tag = response.headers["ETag"]
    for method in ("GET", "HEAD"):
        for known in (tag, f'"other", W/{tag}', "*"):
            headers = {"If-None-Match": known, "Range": "bytes=0-3"}
            async with site.call(method, "content?path=model.bin", headers=headers) as response:
                assert (response.status, await response.read()) == (304, b"")
                assert response.headers["ETag"] == tag
                assert "Content-Length" not in response.headers or not int(
                    response.headers["Content-Length"]
                )
    async with site.call("GET", "content?path=model.bin", headers={"If-Match": tag}) as response:
        assert (response.status, await response.read()) == (200, b"0123456789")

    (site.top / "model.bin").write_bytes(b"another")
    headers = {"If-None-Match": tag}
    async with site.call("GET", "content?path=model.bin", headers=headers) as response:
        assert (response.status, await response.read()) == (200, b"another")
    refused = await site.refusal("GET", "content?path=model.bin", headers={"If-Match": tag})
    assert refused == (412, "file_changed")


async def test_ranges_are_sent(site: Site) -> None:
    (site.top / "x").write_bytes(b"0123456789")
    cases = (
        ("bytes=0-3", 206, b"0123", "bytes 0-3/10"),
        ("bytes=8-", 206, b"89", "bytes 8-9/10"),
        ("bytes=-3", 206, b"789", "bytes 7-9/10"),
        ("bytes=5-99", 206, b"56789", "bytes 5-9/10"),
        ("bytes=0-1,3-4", 200, b"0123456789", None),
        ("lines=1-2", 200, b"0123456789", None),
        ("bytes=-", 200, b"0123456789", None),
    )
    for asked, status, data, named in cases:
        async with site.call("GET", "content?path=x", headers={"Range": asked}) as response:
            assert (response.status, await response.read()) == (status, data), asked
            assert response.headers.get("Content-Range") == named
    async with site.call("HEAD", "content?path=x") as response:
        assert (response.status, response.headers["Content-Length"]) == (200, "10")
        etag = response.headers["ETag"]
    for beyond in ("bytes=10-", "bytes=99-100", "bytes=5-2"):
        found = await site.refusal("GET", "content?path=x", headers={"Range": beyond})
        assert found == (416, "range_not_there")
    old = {"Range": "bytes=0-3", "If-Range": '"other"'}
    async with site.call("GET", "content?path=x", headers=old) as response:
        assert response.status == 200
    same = {"Range": "bytes=0-3", "If-Range": etag}
    async with site.call("GET", "content?path=x", headers=same) as response:
        assert response.status == 206


async def test_nothing_else_is_sent(site: Site) -> None:
    make_hostile_tree(site.top)
    paths = {*NO_PATHS, *LINKS, *SPECIALS, "folder", ""} - {"\udcff", "inside"}
    for path in sorted(paths):
        found = await site.refusal("GET", f"content?path={quote(path)}")
        assert found[0] in (400, 404), path
    found = await site.refusal("GET", "content?path=notes.txt", token=site.stranger)
    assert found == (404, "not_found")
    assert (await site.refusal("GET", "content?colour=x"))[0] == 400


async def test_link_to_a_file_of_the_volume_is_downloaded_as_that_file(site: Site) -> None:
    make_hostile_tree(site.top)
    async with site.call("GET", "content?path=inside", headers={"Range": "bytes=1-"}) as response:
        assert (response.status, await response.read()) == (206, b"ine")
        assert response.headers["Content-Disposition"] == 'attachment; filename="inside"'


async def test_large_file_and_folder_come_whole(site: Site) -> None:
    make_hostile_tree(site.top)
    data = os.urandom(5_000_000)
    (site.top / "folder" / "large.bin").write_bytes(data)
    async with site.call("GET", "content?path=folder/large.bin") as response:
        assert await response.read() == data
    async with site.call("GET", "archive?path=folder") as response:
        archive = await response.read()
        assert response.headers["Content-Disposition"] == 'attachment; filename="folder.zip"'
    assert data[:1000] in archive
    assert b"not yours" not in archive
    async with site.call("GET", "archive?path=folder&format=tar") as response:
        assert data[:1000] in await response.read()
        assert response.headers["Content-Disposition"] == 'attachment; filename="folder.tar"'
    assert (await site.refusal("GET", "archive?format=rar"))[0] == 400
    assert await site.refusal("GET", "archive?path=notes.txt") == (404, "not_found")


async def test_home_of_another_person_is_reached_no_way(site: Site, tmp_path: Path) -> None:
    """Not by a colleague of the same group, not by another group, not through one's own volume."""
    home = await asyncio.to_thread(a_home, site.owner, location=Volume.Location.SHARED)
    top = volume_folder(tmp_path, home.pk)
    top.mkdir()
    (top / "diary.txt").write_text("mine")
    address = f"/api/v1/volumes/{home.pk}"
    headers = {**TUS, "Upload-Length": "1", "Upload-Metadata": "path eA=="}
    for token in (site.reader, site.stranger):
        for method, rest in (
            ("GET", "content?path=diary.txt"),
            ("HEAD", "content?path=diary.txt"),
            ("GET", "archive"),
            ("GET", "archive?format=tar"),
            ("PUT", "archive"),
            ("POST", "uploads"),
        ):
            where = f"{address}/{rest}"
            async with site.call(method, where, token=token, headers=headers) as response:
                assert response.status == 404, (method, rest)
    for path in (f"../{home.pk}/diary.txt", f"..%2f{home.pk}%2fdiary.txt"):
        async with site.call("GET", f"content?path={path}") as response:
            assert response.status == 404
    assert {item.name for item in top.iterdir()} == {"diary.txt"}
