"""Random worlds: replicas come, drain, fail and go while requests run. None is lost, and the books agree."""

import asyncio
import random
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest

from portal.serving_usage.routes import ReplicaRoute
from tests.portal.inference.model_server import ModelServer, model_server
from tests.portal.inference.site import InferenceSite, events_of, inference_site, replica_of

REQUESTS = 120
STEPS = 30


async def _ask(site: InferenceSite, chance: random.Random) -> int:
    """Ask once; return the tokens that the answer brought."""
    stream, tokens = chance.random() < 0.5, chance.randrange(1, 6)
    answer = await site.chat(stream=stream, tokens=tokens)
    body = await answer.text()
    assert answer.status == 200, body
    if stream:
        assert events_of(body)[-1] == "[DONE]"
    return tokens


async def _change(site: InferenceSite, models: list[ModelServer], chance: random.Random) -> None:
    """Let the world change, and at last be whole."""
    for _ in range(STEPS):
        for model in models:
            model.is_broken = chance.random() < 0.2
            model.is_empty = chance.random() < 0.1
        site.show(*(_at_random(each, chance) for each in models if chance.random() < 0.7))
        for _ in range(chance.randrange(40)):
            await asyncio.sleep(0)  # turns of the loop, not time
    for model in models:
        model.is_broken = model.is_empty = False
    site.show(*(replica_of(each) for each in models))


def _at_random(model: ModelServer, chance: random.Random) -> ReplicaRoute:
    route = replica_of(model, revision=chance.choice((1, 2)))
    return replace(route, is_ready=chance.random() < 0.8, is_draining=chance.random() < 0.2)


@pytest.mark.parametrize("seed", range(6))
async def test_no_request_is_lost_and_the_meter_equals_the_servers_own(seed: int) -> None:
    chance = random.Random(seed)
    async with AsyncExitStack() as stack:
        models = [await stack.enter_async_context(model_server()) for _ in range(3)]
        site = await stack.enter_async_context(inference_site())
        asked = [asyncio.create_task(_ask(site, chance)) for _ in range(REQUESTS)]
        await _change(site, models, chance)
        tokens = sum(await asyncio.gather(*asked))
        used = site.used()
        assert (used.requests, used.failed, used.cut) == (REQUESTS, 0, 0)
        assert used.completion_tokens == tokens == sum(each.completion_tokens for each in models)
        assert used.prompt_tokens == sum(each.prompt_tokens for each in models) == REQUESTS
