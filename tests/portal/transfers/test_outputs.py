"""Downloads of the outputs of jobs, against the real application: one file, a folder, all of them."""

import asyncio
import io
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from yarl import URL

from portal.common.actions import Action
from portal.identity.models import ApiToken, User
from portal.volumes.output_folders import outputs_folder
from portal.workloads.models import Workload
from tests.builders.people import a_member, a_token
from tests.builders.scenes import Scene, a_scene
from tests.portal.transfers.file_site import Site
from tests.portal.volumes.tree.hostile import LONGEST_NAME, NO_PATHS, SPECIALS, make_hostile_tree

pytestmark = pytest.mark.django_db(transaction=True)
MODEL = os.urandom(700_000)


@dataclass
class Outputs:
    """A job with outputs, and who may read them."""

    site: Site
    job: Workload
    top: Path
    owner: User
    tokens: dict[str, str]

    @property
    def url(self) -> str:
        return f"/api/v1/jobs/{self.job.pk}/outputs"

    async def ask(self, rest: str, who: str = "owner", **headers: str) -> tuple[int, bytes]:
        """Send a path as it is, without the corrections of a client."""
        sent = {"Authorization": f"Bearer {self.tokens[who]}", **headers}
        url = URL(f"{self.site.url}{self.url}{rest}", encoded=True)
        async with self.site.client.get(url, headers=sent) as response:
            return response.status, await response.read()

    async def unpacked(self, rest: str = "") -> dict[str, bytes]:
        status, data = await self.ask(f"-archive{rest}")
        assert status == 200
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
async def outputs(site: Site, tmp_path: Path) -> Outputs:
    def people() -> tuple[Scene, Workload, dict[str, str]]:
        scene = a_scene()
        tokens = {
            "owner": a_token(scene.owner),
            "viewer": a_token(a_member(scene.group, "viewer")),
            "narrow": a_token(scene.owner, Action.VOLUME_READ),
            "stranger": site.stranger,
        }
        return scene, scene.work(name="夜间 训练"), tokens

    scene, job, tokens = await asyncio.to_thread(people)
    top = outputs_folder(tmp_path, job.pk)
    (top / "ck" / "第 2 轮").mkdir(parents=True)
    (top / "log.txt").write_text("done")
    (top / "报告 1.html").write_text("<script>alert(1)</script>")
    (top / "ck" / "第 2 轮" / "model.pt").write_bytes(MODEL)
    (top / "ck" / "latest.pt").symlink_to("第 2 轮/model.pt")
    (top / "ck" / "latest").symlink_to("第 2 轮")
    (top.parent / "secret.txt").write_text("not yours")
    return Outputs(site, job, top, scene.owner, tokens)


async def test_one_file_comes_as_an_attachment_that_nothing_runs(outputs: Outputs) -> None:
    assert await outputs.ask("/log.txt") == (200, b"done")
    rest = f"{outputs.url}/{quote('报告 1.html')}"
    async with outputs.site.call("GET", rest, token=outputs.tokens["viewer"]) as response:
        assert await response.read() == b"<script>alert(1)</script>"
        assert response.headers["Content-Type"] == "application/octet-stream"
        assert response.headers["Content-Disposition"].startswith("attachment")
        assert response.headers["Content-Security-Policy"].startswith("sandbox")
    (outputs.top / LONGEST_NAME).write_text("long")
    assert await outputs.ask(f"/{quote(LONGEST_NAME)}") == (200, b"long")


async def test_a_part_of_a_file_is_sent_alone(outputs: Outputs) -> None:
    """A preview of a large file asks for its beginning."""
    rest = f"/{quote('ck/第 2 轮/model.pt')}"
    assert await outputs.ask(rest, Range="bytes=0-99") == (206, MODEL[:100])


async def test_a_link_inside_comes_as_what_it_leads_to(outputs: Outputs) -> None:
    for path in ("ck/latest.pt", "ck/latest/model.pt"):
        assert await outputs.ask(f"/{path}") == (200, MODEL), path
    rest = f"{outputs.url}/ck/latest.pt"
    async with outputs.site.call("HEAD", rest, token=outputs.tokens["owner"]) as response:
        assert response.headers["Content-Disposition"] == 'attachment; filename="latest.pt"'


async def test_nothing_else_is_sent(outputs: Outputs) -> None:
    make_hostile_tree(outputs.top)
    beyond = ("out/secret.txt", "up/secret.txt", "etc/passwd", "passwd", "loop", "out", "up", "ck")
    for path in (*(set(NO_PATHS) - {"\udcff"}), *beyond, *SPECIALS):
        for sent in (path, quote(path), quote(path, safe="")):
            if sent.isascii() and "\0" not in sent:
                assert (await outputs.ask(f"/{sent}"))[0] in (400, 404), sent
    for sent in ("%ff%fe", "%2e%2e/secret.txt", "..%2fsecret.txt", "%00", f"../{outputs.job.pk}/x"):
        assert (await outputs.ask(f"/{sent}"))[0] in (400, 404), sent


async def test_all_outputs_come_as_one_archive(outputs: Outputs) -> None:
    make_hostile_tree(outputs.top)
    found = await outputs.unpacked()
    assert found == {
        "log.txt": b"done",
        "报告 1.html": b"<script>alert(1)</script>",
        "ck/第 2 轮/model.pt": MODEL,
        "ck/latest.pt": MODEL,
        "notes.txt": b"mine",
        "inside": b"mine",
        "folder/deep.txt": b"deep",
    }
    rest = f"{outputs.url}-archive?format=tar"
    async with outputs.site.call("GET", rest, token=outputs.tokens["viewer"]) as response:
        assert quote("夜间 训练.tar") in response.headers["Content-Disposition"]
        assert MODEL in await response.read()


async def test_one_folder_comes_as_an_archive_also_through_a_link(outputs: Outputs) -> None:
    assert await outputs.unpacked("?path=ck") == {"第 2 轮/model.pt": MODEL, "latest.pt": MODEL}
    assert await outputs.unpacked("?path=ck/latest") == {"model.pt": MODEL}
    for path in ("log.txt", "nothing", "..", "../..", f"../{outputs.job.pk}"):
        assert (await outputs.ask(f"-archive?path={path}"))[0] == 404, path
    for query in ("format=rar", "snapshot=x", "colour=x"):
        assert (await outputs.ask(f"-archive?{query}"))[0] == 400, query


async def test_an_archive_holds_more_files_than_a_list_names(outputs: Outputs) -> None:
    for number in range(1503):
        (outputs.top / f"{number}.txt").touch()
    assert len(await outputs.unpacked()) == 1503 + 4


async def test_too_many_files_for_one_archive_are_refused_first(
    outputs: Outputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.volumes.tree.archive.ARCHIVE_FILES_MAX", 3)
    status, body = await outputs.ask("-archive")
    assert (status, b"archive_too_large" in body) == (422, True)


async def test_only_who_may_see_the_job_gets_anything(outputs: Outputs) -> None:
    for rest in ("/log.txt", "-archive", "-archive?path=ck", "/ck/latest.pt"):
        assert (await outputs.ask(rest, "stranger"))[0] == 404, rest
        assert (await outputs.ask(rest, "narrow"))[0] == 403, rest
        url = f"{outputs.site.url}{outputs.url}{rest}"
        async with outputs.site.client.get(url) as response:
            assert response.status == 401, rest
        for method in ("PUT", "POST", "PATCH", "DELETE"):
            async with outputs.site.call(method, outputs.url + rest) as response:
                assert (response.status, response.headers["Allow"]) == (405, "GET, HEAD"), rest


async def test_a_revoked_token_ends_a_download(
    outputs: Outputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.truncate(outputs.top / "log.txt", 1 << 30)
    headers = {"Authorization": f"Bearer {outputs.tokens['owner']}"}
    url = f"{outputs.site.url}{outputs.url}-archive"
    async with outputs.site.client.get(url, headers=headers) as response:
        await response.content.readexactly(1000)
        await asyncio.to_thread(ApiToken.objects.all().delete)
        with pytest.raises(Exception, match="payload is not completed"):
            await response.content.read()
