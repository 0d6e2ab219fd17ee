"""Requests while no replica is ready, while replicas come and go, and while the routes cannot be read."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace

from aiohttp import ClientResponse
from django.db import OperationalError

from portal.common.asgi.types import Message
from portal.common.clock import now
from portal.inference.answers import BEAT, Answer
from portal.inference.holding import open_request
from portal.inference.replicas import Replicas
from portal.inference.reporting import Reporter, read_routes
from portal.serving_usage.loads import LoadReport
from portal.serving_usage.routes import HoldRule, Protocol, RouteTable
from tests.portal.inference.model_server import model_server
from tests.portal.inference.site import (
    InferenceSite,
    content_of,
    events_of,
    inference_site,
    replica_of,
)
from tests.waiting import wait_until_async


def _replicas(site: InferenceSite) -> Replicas:
    service = site.plane.find("llm", "small")
    assert service is not None
    return service.replicas


async def test_a_thousand_requests_wait_for_the_first_replica_and_none_fails() -> None:
    async with model_server() as model, inference_site() as site:
        asked = [asyncio.create_task(site.chat(stream=n % 2 == 0)) for n in range(1000)]
        await wait_until_async(lambda: _replicas(site).held == len(asked) or _raise_of(asked))
        site.show(replica_of(model, is_ready=False))
        assert _replicas(site).held == 1000
        site.show(replica_of(model), open_max=64)
        answers = await asyncio.gather(*asked)
        assert {answer.status for answer in answers} == {200}
        bodies = await asyncio.gather(*(answer.text() for answer in answers))
        assert all(bodies)
        used = site.used()
        assert (used.requests, used.failed, used.cut) == (1000, 0, 0)
        assert (used.prompt_tokens, used.completion_tokens) == (1000, 3000)
        assert (model.prompt_tokens, model.completion_tokens) == (1000, 3000)
        assert model.most_open <= 64


def _raise_of(asked: list[asyncio.Task[ClientResponse]]) -> bool:
    for each in asked:
        if each.done():
            each.result()
    return False


async def test_beyond_the_bound_requests_are_refused_and_after_the_deadline_told_why() -> None:
    async with inference_site(hold=HoldRule(requests_max=1, within_s=0.2), reason="quota") as site:
        first = asyncio.create_task(site.chat())
        await wait_until_async(lambda: _replicas(site).held == 1)
        second = await site.chat()
        assert (second.status, second.headers["Retry-After"]) == (429, "5")
        assert (await second.json())["error"]["code"] == "hold_full"
        answer = await first
        assert answer.status == 504
        error = (await answer.json())["error"]
        assert (error["code"], "quota" in error["message"]) == ("hold_expired", True)
        assert _replicas(site).held == 0
        (second_of_load,) = site.plane.close_second(now())
        assert (second_of_load.refused, second_of_load.arrivals) == (2, 2)


async def test_a_client_that_leaves_waits_no_more() -> None:
    async with inference_site() as site:
        asked = asyncio.create_task(site.chat())
        await wait_until_async(lambda: _replicas(site).held == 1)
        asked.cancel()
        await wait_until_async(lambda: _replicas(site).held == 0)


async def test_who_waits_for_events_gets_signs_of_life_and_then_the_answer_or_the_reason() -> None:
    async with inference_site(hold=HoldRule(within_s=0.1)) as site:
        service, sent = site.plane.find("llm", "small"), list[Message]()
        assert service is not None

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {"type": "http", "headers": [], "raw_path": b"/"}
        answer = Answer(scope, send, Protocol.OPENAI)
        began = asyncio.get_running_loop().time() - 0.05
        async with model_server() as model:
            waiting = asyncio.create_task(
                open_request(service, {}, began=began, answer=answer, beat_s=0.01)
            )
            await wait_until_async(lambda: len(sent) > 1)
            site.show(replica_of(model), hold=HoldRule())
            opened = await waiting
            service.replicas.end(opened)
        assert sent[0]["status"] == 200
        assert sent[1]["body"] == BEAT


async def test_a_drained_replica_gets_no_more_and_ends_what_is_open() -> None:
    async with model_server() as old, model_server() as new, inference_site(old) as site:
        old.gate.clear()
        streams = [await site.chat(stream=True) for _ in range(3)]
        site.show(replica_of(old, is_draining=True), replica_of(new))
        assert [(await site.chat()).status for _ in range(5)] == [200] * 5
        assert (new.served, old.open) == (5, 3)
        site.show(replica_of(new))
        old.gate.set()
        bodies = [await each.text() for each in streams]
        assert [content_of(events_of(each)) for each in bodies] == [["0 ", "1 ", "2 "]] * 3
        assert site.used().failed == 0


async def test_beyond_the_drain_bound_a_stream_is_told_why_it_ends() -> None:
    async with model_server() as model, inference_site(model) as site:
        model.gate.clear()
        stream = await site.chat(stream=True)
        site.show(replica_of(model, is_draining=True), drain_s=0.05)
        assert events_of(await stream.text())[-1]["error"]["code"] == "replica_drained"
        assert site.used().cut == 1


async def test_a_removed_service_answers_those_who_wait() -> None:
    async with inference_site() as site:
        asked = asyncio.create_task(site.chat())
        await wait_until_async(lambda: _replicas(site).held == 1)
        site.remove()
        assert (await asked).status == 503
        assert (await site.chat()).status == 401


async def test_a_stopped_service_says_so_to_those_who_have_a_key_and_to_those_who_wait() -> None:
    async with inference_site() as site:
        asked = asyncio.create_task(site.chat())
        await wait_until_async(lambda: _replicas(site).held == 1)
        site.show(is_stopped=True)
        for answer in (await asked, await site.chat()):
            assert answer.status == 503
            assert (await answer.json())["error"]["code"] == "service_gone"
        assert (await site.chat(secret="wrong")).status == 401
        (second,) = site.plane.close_second(now())
        assert (second.arrivals, second.refused) == (2, 2)
        assert site.plane.close_second(now()) == []


async def test_a_service_started_a_moment_ago_answers_by_the_table_read_for_the_request() -> None:
    async with model_server() as model, inference_site(follows=False, is_stopped=True) as site:
        asked = asyncio.create_task(site.chat())
        await wait_until_async(lambda: site.plane.newer.waiting == 1)
        started = replace(site.route, is_stopped=False, replicas=(replica_of(model),))
        await read_routes(site.plane, lambda: RouteTable((started,), now()))
        assert (await asked).status == 200


async def test_what_is_open_as_a_service_is_stopped_ends_and_is_counted_until_then() -> None:
    async with model_server() as model, inference_site(model) as site:
        model.gate.clear()
        stream = await site.chat(stream=True)
        site.show(replica_of(model), is_stopped=True)
        (second,) = site.plane.close_second(now())
        assert second.open_by_replica == {replica_of(model).workload_id: 1}
        assert (await site.chat()).status == 503
        model.gate.set()
        assert content_of(events_of(await stream.text())) == ["0 ", "1 ", "2 "]


async def test_without_the_database_the_last_table_counts_and_health_says_so() -> None:
    async with model_server() as model, inference_site(model) as site:

        def away() -> RouteTable:
            raise OperationalError

        await read_routes(site.plane, away)
        assert (await site.chat()).status == 200
        health = await site.client.get(f"{site.url}/healthz")
        assert (health.status, (await health.json())["routes"]) == (200, "stale")
        await read_routes(site.plane, lambda: RouteTable((site.route,), now()))
        health = await site.client.get(f"{site.url}/healthz")
        assert (await health.json())["routes"] == "current"


async def test_a_report_is_repeated_as_it_was_until_it_is_stored_and_nothing_is_lost() -> None:
    async with model_server() as model, inference_site(model) as site:
        got, faults = list[LoadReport](), [True, True, False, False]

        def record(report: LoadReport) -> bool:
            got.append(report)
            if faults.pop(0):
                raise OperationalError
            return True

        reporter = Reporter(site.plane, record, "one")
        await site.chat()
        reporter.close_second()
        assert not await reporter.send()
        await site.chat()
        await site.chat()
        assert not await reporter.send()
        assert await reporter.send()
        reporter.close_second()
        assert await reporter.send()
        assert got[0] == got[1] == got[2]
        assert [each.keys[0].requests for each in (got[2], got[3])] == [1, 2]
        assert [each.seconds[0].completed for each in (got[2], got[3])] == [1, 2]
        assert got[2].report_id != got[3].report_id


async def test_the_second_tells_what_is_open_where_and_how_long_answers_took() -> None:
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(model_server())
        site = await stack.enter_async_context(inference_site(model))
        await site.chat()
        model.gate.clear()
        asked = asyncio.create_task(site.chat())
        await wait_until_async(lambda: model.open == 1)
        (second,) = site.plane.close_second(now())
        assert (second.arrivals, second.completed, second.in_flight) == (2, 1, 1)
        assert second.open_by_replica == {replica_of(model).workload_id: 1}
        assert second.latency
        assert second.first_byte
        model.gate.set()
        await asked
