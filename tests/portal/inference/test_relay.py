"""What goes through the inference gateway: keys, choice of a replica, retries, streams, tokens."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from aiohttp import ClientPayloadError

from portal.common.clock import now
from portal.endpoints.values import digest_secret
from portal.inference.bodies import READ_MAX, REPLAY_MAX
from portal.serving_usage.routes import HoldRule, KeyRoute, Protocol
from tests.portal.inference.model_server import model_server
from tests.portal.inference.site import (
    CHAT,
    KEY,
    SECRET,
    content_of,
    events_of,
    inference_site,
    replica_of,
)
from tests.serving import free_socket, port_of
from tests.waiting import wait_until_async


async def test_a_request_with_a_key_is_answered_and_the_replica_never_sees_the_key() -> None:
    async with model_server() as model, inference_site(model) as site:
        answer = await site.chat(tokens=5)
        assert answer.status == 200
        assert (await answer.json())["usage"]["completion_tokens"] == 5
        assert SECRET not in str(model.headers)
        plain = await site.get("/v1/models?limit=2%20")
        assert (await plain.json())["path"] == "/v1/models?limit=2%20"
        used = site.used()
        assert (used.requests, used.prompt_tokens, used.completion_tokens) == (2, 1, 5)


@pytest.mark.parametrize("secret", ["", "wrong", "expired"])
async def test_without_a_valid_key_nothing_is_told_of_a_service(secret: str) -> None:
    async with model_server() as model, inference_site(model) as site:
        over = KeyRoute(KEY, expires_at=now() - timedelta(seconds=1))
        site.show(replica_of(model), keys={digest_secret("expired"): over})
        answer = await site.chat(secret=secret)
        assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
        assert (await answer.json())["error"]["code"] == "service_key_refused"
        elsewhere = await site.client.post(f"{site.url}/llm/none{CHAT}")
        assert (elsewhere.status, model.asked) == (401, [])


async def test_errors_of_other_services_are_problem_documents() -> None:
    async with inference_site(protocol=Protocol.HTTP, hold=HoldRule(requests_max=0)) as site:
        answer = await site.get("/predict")
        assert answer.status == 429
        assert answer.content_type == "application/problem+json"
        assert (await answer.json())["code"] == "hold_full"


async def test_the_replica_with_the_fewest_open_requests_is_next() -> None:
    async with model_server() as busy, model_server() as free, inference_site(busy, free) as site:
        busy.gate.clear()
        free.gate.clear()
        asked = [asyncio.create_task(site.chat()) for _ in range(6)]
        await wait_until_async(lambda: (busy.open, free.open) == (3, 3))
        free.gate.set()
        await wait_until_async(lambda: free.open == 0)
        for _ in range(3):
            await site.chat()
        assert (busy.open, free.served) == (3, 6)
        busy.gate.set()
        assert [(await each).status for each in asked] == [200] * 6


async def test_a_canary_gets_its_share_and_a_revision_without_weight_none() -> None:
    async with AsyncExitStack() as stack:
        old, new, past = [await stack.enter_async_context(model_server()) for _ in range(3)]
        site = await stack.enter_async_context(inference_site())
        site.show(
            replica_of(old),
            replica_of(new, revision=2),
            replica_of(past, revision=3),
            weights={1: 9, 2: 1},
        )
        for _ in range(50):
            await site.chat()
        assert (old.served, new.served, past.served) == (45, 5, 0)


async def test_a_request_without_an_answer_goes_to_another_replica_only() -> None:
    async with model_server() as bad, model_server() as good, inference_site(bad, good) as site:
        bad.is_broken = True
        answers = [(await site.chat()).status for _ in range(4)]
        assert answers == [200] * 4
        assert (good.served, len(bad.asked)) == (4, 1)
        used = site.used()
        assert (used.requests, used.failed) == (4, 0)


async def test_a_replica_that_is_away_is_probed_before_it_gets_requests_again() -> None:
    async with model_server() as model, inference_site(model) as site:
        model.is_broken = True
        waiting = asyncio.create_task(site.chat())
        await wait_until_async(lambda: len(model.asked) == 1)
        model.is_broken = False
        assert (await waiting).status == 200
        assert model.asked[0] == model.asked[1]
        assert model.served >= 2  # a probe, and the request


async def test_answers_of_500_take_a_replica_out_until_it_passes_a_probe() -> None:
    async with model_server() as bad, model_server() as good, inference_site(bad, good) as site:
        bad.status = 500
        statuses = [(await site.chat()).status for _ in range(12)]
        assert statuses.count(500) >= 5
        bad.status = 200
        assert (await site.chat()).status == 200


async def test_a_200_without_content_counts_as_no_answer() -> None:
    async with model_server() as bad, model_server() as good, inference_site(bad, good) as site:
        bad.is_empty = True
        for stream in (True, False, True):
            answer = await site.chat(stream=stream)
            assert answer.status == 200
            assert await answer.text()
        assert good.served == 3


async def test_a_stream_comes_piece_by_piece_and_its_tokens_are_counted_unseen() -> None:
    async with model_server() as model, inference_site(model) as site:
        model.gate.clear()
        answer = await site.chat(stream=True, tokens=3)
        first = await answer.content.readuntil(b"\n\n")
        second = await answer.content.readuntil(b"\n\n")
        assert content_of(events_of((first + second).decode())) == ["0 "]
        model.gate.set()
        events = events_of((first + second + await answer.read()).decode())
        assert content_of(events) == ["0 ", "1 ", "2 "]
        assert events[-1] == "[DONE]"
        assert "usage" not in str(events)
        assert model.asked[0]["stream_options"] == {"include_usage": True}
        used = site.used()
        assert (used.prompt_tokens, used.completion_tokens, used.cut) == (1, 3, 0)


async def test_a_client_that_asks_for_the_usage_of_a_stream_gets_it() -> None:
    async with model_server() as model, inference_site(model) as site:
        answer = await site.chat(stream=True, stream_options={"include_usage": True})
        events = events_of(await answer.text())
        assert events[-2]["usage"] == {"prompt_tokens": 1, "completion_tokens": 3}


@pytest.mark.parametrize("end", ["die_after", "stop_after"])
async def test_a_stream_that_its_server_cuts_ends_with_an_error_event_and_is_counted(
    end: str,
) -> None:
    async with model_server() as model, inference_site(model) as site:
        answer = await site.chat(stream=True, tokens=9, **dict[str, Any]({end: 4}))
        body = await answer.text()
        assert "event: error\n" in body
        assert events_of(body)[-1]["error"]["code"] == "replica_lost"
        assert content_of(events_of(body)) == ["0 ", "1 ", "2 ", "3 "]
        used = site.used()
        assert (used.requests, used.completion_tokens, model.completion_tokens) == (1, 4, 4)
        assert (used.cut, used.failed) == (1, 1)


async def test_a_stream_that_its_client_leaves_is_ended_at_the_replica_and_counted() -> None:
    async with model_server() as model, inference_site(model) as site:
        model.gate.clear()
        answer = await site.chat(stream=True, tokens=1000)
        await answer.content.readuntil(b"0 ")
        answer.close()
        replicas = site.plane.find("llm", "small")
        assert replicas is not None
        await wait_until_async(lambda: not any(replicas.replicas.open_by_replica().values()))
        used = site.used()
        assert (used.requests, used.completion_tokens, used.cut, used.failed) == (1, 1, 1, 0)


async def test_an_answer_that_is_no_stream_is_visibly_cut() -> None:
    async with inference_site(protocol=Protocol.HTTP) as site:
        listener = free_socket()

        async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\nhalf")
            await writer.drain()
            writer.close()

        async with model_server() as model:
            replica = replace(replica_of(model), port=port_of(listener))
            async with await asyncio.start_server(half, sock=listener):
                site.show(replica)
                answer = await site.get("/file")
                with pytest.raises(ClientPayloadError):
                    await answer.read()


async def test_large_bodies_are_passed_on_once_and_too_large_ones_refused() -> None:
    async with model_server() as model, inference_site(model) as site:
        size = REPLAY_MAX * 3
        headers = {"Authorization": f"Bearer {SECRET}"}
        url = f"{site.url}/llm/small"
        body = BytesIO(b"x" * size)
        answer = await site.client.post(f"{url}/upload", data=body, headers=headers)
        assert (await answer.json())["size"] == size
        length = {**headers, "Content-Length": str(READ_MAX + 1)}
        refused = await site.client.post(f"{url}{CHAT}", data=b"{}", headers=length)
        assert refused.status == 413


async def test_limits_of_a_key_are_told_with_the_time_to_wait() -> None:
    async with model_server() as model, inference_site(model) as site:
        site.show(
            replica_of(model), keys={digest_secret(SECRET): KeyRoute(KEY, requests_per_minute=2)}
        )
        assert [(await site.chat()).status for _ in range(3)] == [200, 200, 429]
        site.show(
            replica_of(model), keys={digest_secret(SECRET): KeyRoute(KEY, tokens_per_minute=60)}
        )
        assert (await site.chat(tokens=100)).status == 200
        refused = await site.chat()
        assert (refused.status, await refused.json())[1]["error"]["type"] == "rate_limit_error"
        assert 40 <= int(refused.headers["Retry-After"]) <= 43
