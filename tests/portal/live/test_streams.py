"""Waiting and following over HTTP, on real rows and real files, without Redis."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from portal.common.asgi.types import Receive, Scope, Send, raw_path, send_response
from portal.common.clock import now
from portal.identity.models import ApiToken, User
from portal.live.authentication import RECHECK_S, authenticate
from portal.live.broadcast import Broadcaster
from portal.live.streams import STREAMS_PER_USER_MAX, WorkloadStreams
from portal.workloads.logs.files import log_path
from portal.workloads.logs.marks import append_marks, marks_path
from portal.workloads.models import Workload
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member, a_token
from tests.builders.workloads import a_workload
from tests.documented import documented_session
from tests.serving import free_socket, serving, url_of
from tests.waiting import PATIENCE_S, wait_until_async
from wire.log_marks import LogMark

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class Job:
    """A job of somebody with a token, and its storage."""

    work: Workload
    owner: User
    token: str
    storage: Path

    def write(self, text: bytes, *, rank: int = 0, epoch: int = 0, at_ms: int = 0) -> None:
        file = log_path(self.storage, self.work.pk, rank, epoch)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as log:
            mark = LogMark(log.tell(), at_ms)
            log.write(text)
        if at_ms:
            append_marks(marks_path(self.storage, self.work.pk, rank, epoch), [mark])

    def become(self, state: str, **columns: Any) -> None:
        """Move as the database allows; `queued` rows may fail directly."""
        Workload.objects.filter(pk=self.work.pk).update(state=state, **columns)


@dataclass
class Site:
    """A server with the job's streams, and a pipeline that uses them."""

    url: str
    broadcaster: Broadcaster
    client: ClientSession
    job: Job

    def get(self, target: str, **headers: str) -> Any:
        sent = {"Authorization": f"Bearer {self.job.token}", **headers}
        return self.client.get(f"{self.url}/api/v1/jobs/{self.job.work.pk}/{target}", headers=sent)

    async def text(self, target: str) -> str:
        async with self.get(target) as response:
            assert response.status == 200, await response.text()
            return str(await response.text())


@pytest.fixture
def job(tmp_path: Path) -> Job:
    group = a_group()
    owner = a_member(group)
    work = a_workload(owner, group, a_pool(), replicas=2)
    return Job(work, owner, str(a_token(owner)), tmp_path)


async def present(scope: Scope, receive: Receive, send: Send) -> None:
    """Stand in for the web process: tell what it was asked."""
    asked = {"path": raw_path(scope), "query": scope["query_string"].decode()}
    await send_response(
        scope, send, 200, [(b"content-type", b"application/json")], json.dumps(asked).encode()
    )


@pytest.fixture
def pauses() -> dict[str, Any]:
    return {}


HASTY = pytest.mark.parametrize("pauses", [{"recheck_s": 0.05, "wait_poll_s": 0.05}], ids=["hasty"])
"""Rights and states are read again at once."""
PATIENT = pytest.mark.parametrize(
    "pauses", [{"wait_poll_s": 2 * PATIENCE_S, "log_poll_s": 2 * PATIENCE_S}], ids=["patient"]
)
"""Nothing is read again without a notification."""


@pytest.fixture
async def site(job: Job, pauses: dict[str, Any]) -> AsyncIterator[Site]:
    listener, broadcaster = free_socket(), Broadcaster()
    streams = WorkloadStreams(
        broadcaster=broadcaster,
        session_cookie="berth-session",
        authenticate=authenticate,
        storage_dir=job.storage,
        present=present,
        **pauses,
    )
    async with documented_session() as client, serving(streams, listener):
        yield Site(url_of(listener), broadcaster, client, job)


@PATIENT
async def test_waiting_ends_with_the_state_and_shows_the_workload(site: Site) -> None:
    waiting = asyncio.create_task(site.text("wait?timeout=300"))
    await wait_until_async(lambda: site.broadcaster.subscribers_of)
    await asyncio.to_thread(site.job.become, "failed", finished_at=now())
    site.broadcaster.publish(f"workload:{site.job.work.pk}", 1)
    async with asyncio.timeout(PATIENCE_S):
        answered = json.loads(await waiting)
    assert answered == {"path": f"/api/v1/jobs/{site.job.work.pk}", "query": ""}
    await wait_until_async(lambda: not site.broadcaster.subscribers_of)


@HASTY
async def test_waiting_works_without_a_notification(site: Site) -> None:
    waiting = asyncio.create_task(site.text("wait?timeout=60"))
    await wait_until_async(lambda: site.broadcaster.subscribers_of)
    await asyncio.to_thread(site.job.become, "failed", finished_at=now())
    async with asyncio.timeout(PATIENCE_S):
        await waiting


async def test_waiting_ends_with_its_time(site: Site) -> None:
    async with asyncio.timeout(PATIENCE_S):
        assert "path" in await site.text("wait?timeout=1&state=running")


@pytest.mark.parametrize(
    "target",
    [
        "wait?timeout=301",
        "wait?timeout=-1",
        "wait?timeout=x",
        "wait?state=queued",
        "wait?timeout=1&timeout=2",
        "wait?cursor=1",
        "logs?rank=-1",
        "logs?rank=64",
        "logs?rank=0,0",
        "logs?rank=0,x",
        "logs?offset=1,2",
        "logs?times=often",
        "logs?format=xml",
        "logs?offset=1e9",
        "logs?limit=0",
        "logs?follow=perhaps",
        "logs?path=../../etc/passwd",
    ],
)
async def test_bad_parameters_are_named(site: Site, target: str) -> None:
    async with site.get(target) as response:
        problem = await response.json(content_type="application/problem+json")
    assert (response.status, problem["code"]) == (400, "invalid_input")
    assert problem["errors"][0]["pointer"].startswith("/")
    assert problem["errors"][0]["detail"]


@pytest.mark.parametrize("target", ["wait", "logs", "logs?follow=1"])
async def test_what_is_not_ones_own_does_not_exist(site: Site, target: str) -> None:
    stranger = await asyncio.to_thread(lambda: str(a_token(a_member(a_group()))))
    async with site.get(target, Authorization=f"Bearer {stranger}") as foreign:
        assert foreign.status == 404
    async with site.get(target, Authorization="Bearer wrong") as unknown:
        assert unknown.status == 401
        assert unknown.headers["WWW-Authenticate"].startswith("Bearer")
    url = f"{site.url}/api/v1/environments/{site.job.work.pk}/{target}"
    headers = {"Authorization": f"Bearer {site.job.token}"}
    async with site.client.get(url, headers=headers) as other_kind:
        assert other_kind.status == 404


async def test_a_log_is_read_in_parts(site: Site) -> None:
    site.job.write(b"0123456789")
    assert await site.text("logs") == "0123456789"
    assert await site.text("logs?offset=8&limit=1") == "8"
    async with site.get("logs?offset=-3") as response:
        assert await response.text() == "789"
        shown = [response.headers[f"X-Log-{name}"] for name in ("Epoch", "Offset", "Size")]
    assert shown == ["0", "7", "10"]
    assert await site.text("logs?offset=99") == ""
    assert await site.text("logs?rank=1") == ""
    async with site.get("logs?rank=2") as response:
        assert response.status == 404


async def test_a_large_log_comes_whole(site: Site) -> None:
    site.job.write(b"x" * 5_000_000)
    assert len(await site.text("logs")) == 5_000_000
    assert len(await site.text("logs?limit=3000000")) == 3_000_000


async def test_ranks_are_merged_by_time_and_times_are_only_sent_if_asked_for(site: Site) -> None:
    site.job.write(b"a\n", at_ms=1_000)
    site.job.write(b"c\n", at_ms=3_000)
    site.job.write(b"b\n", rank=1, at_ms=2_000)

    assert await site.text("logs") == "a\nc\n"
    assert await site.text("logs?rank=all") == "[0] a\n[1] b\n[0] c\n"
    assert await site.text("logs?rank=1&times=1") == "1970-01-01T00:00:02.000Z b\n"
    assert await site.text("logs?rank=1,0&offset=0,2") == "[1] b\n[0] c\n"
    async with site.get("logs?rank=all&format=records") as response:
        records = [json.loads(line) async for line in response.content]
        assert response.headers["X-Log-Size"] == "4,2"
    assert [(item["rank"], item["at"], item["text"]) for item in records] == [
        (0, 1_000, "a\n"),
        (1, 2_000, "b\n"),
        (0, 3_000, "c\n"),
    ]


async def test_merged_logs_are_followed_over_attempts_until_the_end(site: Site) -> None:
    site.job.write(b"one\nopen", at_ms=1_000)
    async with site.get("logs?rank=all&follow=1&times=1") as response:
        assert await response.content.readline() == b"1970-01-01T00:00:01.000Z [0] one\n"
        site.job.write(b"two\n", rank=1, at_ms=2_000)
        site.broadcaster.publish(f"log:{site.job.work.pk}:1")
        assert await response.content.readline() == b"1970-01-01T00:00:02.000Z [1] two\n"
        await asyncio.to_thread(site.job.become, "queued", epoch=1)
        site.job.write(b"three\n", epoch=1, at_ms=3_000)
        assert await response.content.readline() == b"1970-01-01T00:00:01.000Z [0] open\n"
        assert await response.content.readline() == b"1970-01-01T00:00:03.000Z [0] three\n"
        await asyncio.to_thread(site.job.become, "failed", finished_at=now())
        assert await response.content.read() == b""


async def test_a_followed_log_grows_over_attempts_until_the_end(site: Site) -> None:
    site.job.write(b"one ")
    async with site.get("logs?follow=1") as response:
        assert await response.content.readany() == b"one "
        site.job.write(b"two ")
        site.broadcaster.publish(f"log:{site.job.work.pk}:0")
        assert await response.content.readany() == b"two "
        await asyncio.to_thread(site.job.become, "queued", epoch=1)
        site.job.write(b"three", epoch=1)
        assert await response.content.readany() == b"three"
        await asyncio.to_thread(site.job.become, "failed", finished_at=now())
        assert await response.content.read() == b""


@PATIENT
async def test_a_finished_log_is_followed_without_waiting(site: Site) -> None:
    site.job.write(b"done")
    await asyncio.to_thread(site.job.become, "failed", finished_at=None)
    async with asyncio.timeout(PATIENCE_S):
        assert await site.text("logs?follow=true") == "done"


def test_rights_are_looked_at_again_within_five_seconds() -> None:
    assert RECHECK_S < 5


@HASTY
async def test_a_revoked_token_ends_a_followed_log(site: Site) -> None:
    async with site.get("logs?follow=1") as response:
        await asyncio.to_thread(
            ApiToken.objects.filter(user=site.job.owner).update, revoked_at=now()
        )
        async with asyncio.timeout(PATIENCE_S):
            assert await response.content.read() == b""


async def test_a_client_that_left_is_forgotten(site: Site) -> None:
    for target in ("logs?follow=1", "wait"):
        pending = asyncio.create_task(site.text(target))
        await wait_until_async(lambda: site.broadcaster.subscribers_of)
        pending.cancel()
        await wait_until_async(lambda: not site.broadcaster.subscribers_of)


async def test_streams_of_one_user_are_counted(site: Site) -> None:
    pending = [asyncio.create_task(site.text("wait")) for _ in range(STREAMS_PER_USER_MAX)]
    topic = f"workload:{site.job.work.pk}"
    await wait_until_async(
        lambda: len(site.broadcaster.subscribers_of.get(topic, ())) == STREAMS_PER_USER_MAX
    )
    async with site.get("wait") as response:
        problem = await response.json(content_type="application/problem+json")
    assert (response.status, problem["params"]) == (429, {"limit": STREAMS_PER_USER_MAX})
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)


async def test_only_get_is_offered(site: Site) -> None:
    async with site.client.post(f"{site.url}/api/v1/jobs/{site.job.work.pk}/wait") as response:
        assert (response.status, response.headers["Allow"]) == (405, "GET")


async def test_a_log_that_the_client_has_is_not_sent_again(site: Site) -> None:
    site.job.write(b"one\n")
    async with site.get("logs") as response:
        tag = response.headers["ETag"]
    for target in ("logs", "logs?follow=0"):
        async with site.get(target) as response:
            known = response.headers["ETag"]
        async with site.get(target, **{"If-None-Match": known}) as response:
            assert (response.status, await response.read()) == (304, b"")
            assert response.headers["X-Log-Size"] == "4"
    async with site.get("logs?rank=1", **{"If-None-Match": tag}) as response:
        assert response.status == 200
    site.job.write(b"two\n")
    async with site.get("logs", **{"If-None-Match": tag}) as response:
        assert (response.status, await response.text()) == (200, "one\ntwo\n")
    await asyncio.to_thread(site.job.become, "failed", finished_at=now() - timedelta(hours=1))
    async with site.get("logs?follow=1", **{"If-None-Match": "*"}) as response:
        assert (response.status, "ETag" in response.headers) == (200, False)
