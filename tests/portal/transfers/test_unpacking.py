"""Archives that are sent and unpacked, against the real application."""

import asyncio
import io
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from portal.common.clock import now
from portal.identity.models import ApiToken
from portal.volumes.models import Volume
from tests.portal.transfers.file_site import PORTAL, Site
from tests.portal.volumes.tree.archives import tar_of
from tests.portal.volumes.tree.hostile import make_hostile_tree
from tests.rest import browser
from tests.waiting import wait_until_async

pytestmark = pytest.mark.django_db(transaction=True)


async def sent(
    site: Site, data: Any, rest: str = "archive", *, token: str = "", **headers: str
) -> tuple[int, Any]:
    """Send an archive; return the status and the document of the answer."""
    body = io.BytesIO(data) if isinstance(data, bytes) else data
    async with site.call("PUT", rest, token=token, data=body, headers=headers) as response:
        return response.status, await response.json(content_type=None)


def unfinished(site: Site) -> list[Path]:
    folder = site.top / ".berth" / "batches"
    return list(folder.iterdir()) if folder.exists() else []


async def test_folder_is_sent_by_tar_and_curl_and_comes_back(site: Site, tmp_path: Path) -> None:
    """As the documentation says it."""
    folder = tmp_path / "run 1"
    (folder / "深").mkdir(parents=True)
    for number in range(300):
        (folder / "深" / f"{number}.txt").write_text(f"{number}")
    line = (
        f"tar -cf - -C '{tmp_path}' 'run 1' | curl -sf -T - -H 'Authorization: Bearer {site.token}'"
        f" '{site.address('archive')}?path=sent%20by/curl'"
    )
    for answer in (b'{"written": 300, "unchanged": 0}', b'{"written": 0, "unchanged": 300}'):
        ran = await asyncio.to_thread(
            subprocess.run, ["bash", "-c", line], check=True, capture_output=True
        )
        assert ran.stdout == answer
    found = site.top / "sent by" / "curl" / "run 1" / "深"
    assert {item.name: item.read_text() for item in found.iterdir()} == {
        f"{number}.txt": f"{number}" for number in range(300)
    }
    assert unfinished(site) == []


async def test_refused_files_are_named_and_the_others_arrive(site: Site) -> None:
    make_hostile_tree(site.top)
    files = {"new": b"1", "notes.txt": b"2", "../x": b"3", "a~b/" + "c" * 256: b"4"}
    status, found = await sent(site, tar_of(files), **{"Accept-Language": "zh-CN"})
    assert (status, found["code"]) == (422, "files_refused")
    assert found["params"] == {"refused": 3, "written": 1, "unchanged": 0}
    assert "3" in found["detail"]
    assert {each["pointer"]: each["code"] for each in found["errors"]} == {
        "/notes.txt": "file_exists",
        "/..~1x": "file_name",
        f"/a~0b~1{'c' * 256}": "file_name",
    }
    assert all(each["detail"] for each in found["errors"])
    assert (site.top / "new").read_bytes() == b"1"
    status, found = await sent(site, tar_of({"notes.txt": b"2"}), "archive?replace=true")
    assert (status, (site.top / "notes.txt").read_bytes()) == (200, b"2")


async def test_broken_connection_keeps_what_came_and_the_batch_is_sent_again(site: Site) -> None:
    files = {f"{number}": bytes([number]) * 100_000 for number in range(40)}
    whole = tar_of(files)

    async def half() -> AsyncIterator[bytes]:
        yield whole[: len(whole) // 2]
        await asyncio.Event().wait()

    broken = asyncio.create_task(sent(site, half()))
    await wait_until_async(lambda: any(any(item.iterdir()) for item in unfinished(site)))
    broken.cancel()
    await asyncio.gather(broken, return_exceptions=True)
    await wait_until_async(lambda: unfinished(site) == [])

    arrived = [item for item in site.top.iterdir() if item.is_file()]
    assert all(item.read_bytes() == files[item.name] for item in arrived)
    assert 0 < len(arrived) < 40
    status, found = await sent(site, whole)
    assert (status, found) == (200, {"written": 40 - len(arrived), "unchanged": len(arrived)})


async def test_archive_that_ends_in_the_middle_is_not_taken_for_whole(site: Site) -> None:
    """`tar` may be killed while `curl` ends its request in good order."""
    whole = tar_of({"a": b"1", "b": b"2" * 5000})
    for cut in (512, 1024, 3000):
        status, found = await sent(site, whole[:cut])
        assert (status, found["code"]) == (422, "archive_cut"), cut
    assert (site.top / "a").read_bytes() == b"1"
    assert not (site.top / "b").exists()
    assert (await sent(site, b""))[1]["code"] == "archive_cut"


async def test_what_is_no_archive_or_no_folder_is_refused(site: Site) -> None:
    make_hostile_tree(site.top)
    assert (await sent(site, b"x" * 2000))[1]["code"] == "archive_not_tar"
    one = tar_of({"x": b"1"})
    for query, status in (
        ("path=../out", 422),
        ("path=.berth", 422),
        ("path=%00", 400),
        ("path=out", 422),
        ("path=notes.txt", 422),
        ("replace=perhaps", 400),
        ("colour=x", 400),
    ):
        assert (await sent(site, one, f"archive?{query}"))[0] == status, query
    assert not (site.top.parent / "x").exists()
    assert unfinished(site) == []


async def test_full_volume_refuses_what_does_not_fit(site: Site) -> None:
    mib = 1024 * 1024
    full = Volume.objects.filter(pk=site.volume.pk)
    await asyncio.to_thread(full.update, quota_mib=2, used_mib=1, measured_at=now())
    files = {"a": b"1" * (mib // 2), "b": b"2" * mib, "c": b"3" * (mib // 2)}
    status, found = await sent(site, tar_of(files))
    assert (status, found["params"]["written"]) == (422, 2)
    assert [(each["pointer"], each["code"]) for each in found["errors"]] == [("/b", "volume_full")]
    await asyncio.to_thread(full.update, used_mib=2)
    status, found = await sent(site, tar_of({"d": b""}))
    assert (status, found["code"]) == (507, "volume_full")


async def test_only_those_who_may_write_send_archives(site: Site) -> None:
    data = tar_of({"x": b"1"})
    for token, status in ((site.reader, 403), (site.stranger, 404), ("wrong", 401)):
        assert (await sent(site, data, token=token))[0] == status
    key = await asyncio.to_thread(lambda: browser(site.owner).cookies["berth-session"].value)
    for origin, status in (({}, 403), ({"Origin": PORTAL}, 200)):
        headers = {"Cookie": f"berth-session={key}", **origin}
        async with site.client.put(site.address("archive"), data=data, headers=headers) as response:
            assert response.status == status


async def test_rights_that_are_withdrawn_end_a_batch_without_a_trace(site: Site) -> None:
    data = tar_of({"x": b"1" * 3_000_000})

    async def endless() -> AsyncIterator[bytes]:
        yield data[:2_000_000]
        await asyncio.Event().wait()

    running = asyncio.create_task(sent(site, endless()))
    await wait_until_async(lambda: any(any(item.iterdir()) for item in unfinished(site)))
    tokens = ApiToken.objects.filter(user=site.owner)
    await asyncio.to_thread(tokens.update, revoked_at=now())
    # The server may close the connection before the client has read its answer.
    ended: list[Any] = list(await asyncio.gather(running, return_exceptions=True))
    assert isinstance(ended[0], OSError) or ended[0][0] == 403
    await wait_until_async(lambda: unfinished(site) == [])
    assert not (site.top / "x").exists()
