"""Quotas between two measurements: what comes by tus and by archives counts together."""

import asyncio
import io
import json
from typing import Any

import pytest

from portal.common.clock import now
from portal.volumes.models import Volume
from tests.portal.transfers.file_site import TUS, Site
from tests.portal.volumes.tree.archives import tar_of

pytestmark = pytest.mark.django_db(transaction=True)

MIB = 1024 * 1024


async def change(site: Site, **columns: Any) -> None:
    """Change the volume as a measurement or an admin does."""
    rows = Volume.objects.filter(pk=site.volume.pk)
    await asyncio.to_thread(rows.update, **columns)


@pytest.fixture
async def small(site: Site) -> Site:
    """A volume that may hold 10 MiB, and was empty when it was measured."""
    await change(site, quota_mib=10, used_mib=0, measured_at=now())
    return site


async def test_uploads_cannot_pass_the_quota_together(small: Site) -> None:
    assert (await small.begin("a", 5 * MIB, data=b"a" * (5 * MIB))).status == 201
    assert (await small.begin("b", 8 * MIB)).status == 507
    assert (await small.begin("c", 5 * MIB, data=b"c" * (5 * MIB))).status == 201
    assert (await small.begin("d", 1)).status == 507
    assert {item.name for item in small.top.iterdir()} == {".berth", "a", "c"}


async def test_concurrent_uploads_get_what_the_quota_has_room_for(small: Site) -> None:
    begun = await asyncio.gather(*(small.begin(f"{number}", 4 * MIB) for number in range(12)))
    assert sorted(each.status for each in begun) == [201, 201, *[507] * 10]


async def test_unfinished_uploads_keep_their_room_when_the_volume_is_measured(small: Site) -> None:
    location = (await small.begin("a", 9 * MIB)).headers["Location"]
    await small.patch(location, 0, b"a" * (3 * MIB))
    await change(small, used_mib=3, measured_at=now())
    assert (await small.begin("b", 2 * MIB)).status == 507
    assert (await small.begin("b", MIB)).status == 201
    assert (await small.patch(location, 3 * MIB, b"a" * (6 * MIB))).status == 204


async def test_upload_that_is_cancelled_gives_its_room_back(small: Site) -> None:
    location = (await small.begin("a", 9 * MIB)).headers["Location"]
    await small.patch(location, 0, b"a" * (3 * MIB))
    async with small.call("DELETE", location, headers=TUS) as ended:
        assert ended.status == 204
    assert (await small.begin("b", 10 * MIB)).status == 201


async def test_bytes_with_a_wrong_checksum_give_their_room_back(small: Site) -> None:
    location = (await small.begin("a", 6 * MIB)).headers["Location"]
    wrong = {"Upload-Checksum": "sha1 AAAA"}
    for _ in range(3):
        assert (await small.patch(location, 0, b"a" * (3 * MIB), **wrong)).status == 460
    assert (await small.begin("b", 4 * MIB)).status == 201


async def test_file_that_replaces_another_grows_the_volume_by_the_difference(small: Site) -> None:
    for _ in range(4):
        data = b"a" * (4 * MIB)
        assert (await small.begin("a", len(data), data=data, replace="true")).status == 201


async def test_archives_and_uploads_count_together(small: Site) -> None:
    (small.top / "same").write_bytes(b"s" * MIB)
    await change(small, used_mib=1, measured_at=now())
    assert (await small.begin("a", 4 * MIB)).status == 201
    files = {"same": b"s" * MIB, "b": b"b" * (2 * MIB), "c": b"c" * (3 * MIB)}
    for written, unchanged in ((1, 1), (0, 2)):
        async with small.call("PUT", "archive", data=io.BytesIO(tar_of(files))) as response:
            found = json.loads(await response.read())
        assert [(each["pointer"], each["code"]) for each in found["errors"]] == [
            ("/c", "volume_full")
        ]
        assert (found["params"]["written"], found["params"]["unchanged"]) == (written, unchanged)
    assert (await small.begin("d", 4 * MIB)).status == 507
    assert (await small.begin("d", 3 * MIB)).status == 201


async def test_file_that_is_larger_than_the_quota_is_told_so(small: Site) -> None:
    headers = {**TUS, "Upload-Length": str(10 * MIB + 1), "Upload-Metadata": "path eA=="}
    async with small.call("POST", "uploads", headers=headers) as response:
        problem = json.loads(await response.read())
    assert (response.status, problem["code"]) == (507, "volume_too_small")
    assert problem["params"] == {"name": small.volume.name, "quota_mib": 10, "size_mib": 11}
    assert "trash" not in problem["detail"]
