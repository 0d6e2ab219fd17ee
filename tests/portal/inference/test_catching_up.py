"""Requests for what the table does not have yet: they wait for one read of it, all together."""

import asyncio
from dataclasses import replace

from django.db import OperationalError

from portal.common.clock import now
from portal.common.ids import new_id
from portal.endpoints.values import digest_secret
from portal.inference.catching_up import WAITING_MAX, NewerTable
from portal.inference.reporting import follow_routes, read_routes
from portal.serving_usage.routes import KeyRoute, RouteTable, ServiceRoute
from tests.portal.inference.model_server import model_server
from tests.portal.inference.site import CHAT, KEY, InferenceSite, inference_site
from tests.waiting import wait_until_async

NEW = "made-a-moment-ago"


def with_new_key(route: ServiceRoute) -> ServiceRoute:
    """Return the route with one more key."""
    return replace(route, keys={**route.keys, digest_secret(NEW): KeyRoute(KEY)})


async def is_waiting(site: InferenceSite, count: int = 1) -> None:
    """Return as soon as so many requests wait for a newer table."""
    await wait_until_async(lambda: site.plane.newer.waiting == count)


async def test_a_key_made_a_moment_ago_is_taken_by_the_table_read_for_it() -> None:
    async with model_server() as model, inference_site(model, follows=False) as site:
        asked = asyncio.create_task(site.chat(secret=NEW))
        await is_waiting(site)
        await read_routes(site.plane, lambda: RouteTable((with_new_key(site.route),), now()))
        assert (await asked).status == 200


async def test_a_service_made_a_moment_ago_is_found() -> None:
    async with model_server() as model, inference_site(model, follows=False) as site:
        asked = asyncio.create_task(
            site.client.get(f"{site.url}/llm/newer{CHAT}", headers={"x-api-key": NEW})
        )
        await is_waiting(site)
        newer = replace(with_new_key(site.route), service_id=new_id(), name="newer")
        await read_routes(site.plane, lambda: RouteTable((site.route, newer), now()))
        assert (await asked).status == 200


async def test_wrong_keys_wait_for_one_read_together_and_are_refused() -> None:
    async with model_server() as model, inference_site(model, follows=False) as site:
        asked = [asyncio.create_task(site.chat(secret="wrong")) for _ in range(20)]
        await is_waiting(site, 20)
        await read_routes(site.plane, lambda: RouteTable((site.route,), now()))
        assert {(await each).status for each in asked} == {401}
        assert model.asked == []


async def test_while_no_table_can_be_read_the_last_one_decides() -> None:
    async with model_server() as model, inference_site(model, follows=False) as site:

        def away() -> RouteTable:
            raise OperationalError

        asked = asyncio.create_task(site.chat(secret=NEW))
        await is_waiting(site)
        await read_routes(site.plane, away)
        assert (await asked).status == 401
        assert (await site.chat()).status == 200


async def test_who_follows_the_routes_reads_them_for_those_who_wait() -> None:
    async with model_server() as model, inference_site(model, follows=False) as site:
        route, reads = with_new_key(site.route), [0]

        def load() -> RouteTable:
            reads[0] += 1
            return RouteTable((route if reads[0] > 1 else site.route,), now())

        following = asyncio.create_task(follow_routes(site.plane, load))
        await wait_until_async(lambda: reads[0] == 1)
        assert (await site.chat(secret=NEW)).status == 200
        following.cancel()


async def test_a_request_waits_within_a_bound_and_beyond_a_number_not_at_all() -> None:
    await NewerTable(wait_s=0.01).wait()
    newer = NewerTable(wait_s=60)
    waiting = [asyncio.create_task(newer.wait()) for _ in range(WAITING_MAX)]
    await wait_until_async(lambda: newer.waiting == WAITING_MAX)
    await newer.wait()
    with newer.reading():
        pass
    await asyncio.gather(*waiting)
    assert newer.waiting == 0
