"""Calls from pages in a browser: those of the portal may read answers, no others."""

import json

import pytest
from aiohttp import ClientResponse

from portal.serving_usage.routes import Protocol
from tests.portal.inference.model_server import model_server
from tests.portal.inference.site import (
    CHAT,
    PORTAL,
    SECRET,
    InferenceSite,
    content_of,
    events_of,
    inference_site,
)

ALLOWED = "Access-Control-Allow-Origin"


async def ask(site: InferenceSite, origin: str, *, key: str = SECRET) -> ClientResponse:
    """Ask for a stream as a page does."""
    headers = {"Authorization": f"Bearer {key}", "Origin": origin}
    body = json.dumps({"messages": ["hello"], "stream": True})
    return await site.client.post(f"{site.url}/llm/small{CHAT}", data=body, headers=headers)


async def test_a_page_of_the_portal_may_ask_and_read_with_a_key_only() -> None:
    async with model_server() as model, inference_site(model) as site:
        asked = {"Origin": PORTAL, "Access-Control-Request-Method": "POST"}
        preflight = await site.client.options(f"{site.url}/llm/small{CHAT}", headers=asked)
        assert (preflight.status, preflight.headers[ALLOWED]) == (204, PORTAL)
        assert "authorization" in preflight.headers["Access-Control-Allow-Headers"]
        assert model.asked == []

        answer = await ask(site, PORTAL)
        assert (answer.status, answer.headers[ALLOWED]) == (200, PORTAL)
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert content_of(events_of(await answer.text())) == ["0 ", "1 ", "2 "]

        refused = await ask(site, PORTAL, key="wrong")
        assert (refused.status, refused.headers[ALLOWED]) == (401, PORTAL)


@pytest.mark.parametrize("origin", ["https://elsewhere.example.org", "null", f"{PORTAL}.evil.org"])
async def test_no_other_page_may(origin: str) -> None:
    async with model_server() as model, inference_site(model) as site:
        assert ALLOWED not in (await ask(site, origin)).headers
        asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        preflight = await site.client.options(f"{site.url}/llm/small{CHAT}", headers=asked)
        assert (preflight.status, preflight.headers.get(ALLOWED)) == (401, None)


async def test_what_a_server_says_of_other_origins_does_not_count_for_the_portal() -> None:
    async with model_server() as model, inference_site(model, protocol=Protocol.HTTP) as site:
        model.more_headers = {ALLOWED: "*", "Access-Control-Allow-Credentials": "true"}
        headers = {"x-api-key": SECRET}
        theirs = await site.client.get(f"{site.url}/llm/small/x", headers=headers)
        assert theirs.headers.getall(ALLOWED) == ["*"]
        ours = await site.client.get(
            f"{site.url}/llm/small/x", headers={**headers, "Origin": PORTAL}
        )
        assert ours.headers.getall(ALLOWED) == [PORTAL]
        assert "Access-Control-Allow-Credentials" not in ours.headers
