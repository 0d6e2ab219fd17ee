"""Joining: a one-time token is exchanged for the node's first key."""

import asyncio
from typing import Final

import aiohttp
import structlog
from pydantic import ValidationError

from wire.messages import Join, Joined

log = structlog.get_logger()

JOIN_PATH: Final = "/node/v1/join"
TIMEOUT_S: Final = 15.0
PAUSE_S: Final = 1.0


class JoinRejectedError(Exception):
    """The portal does not accept the token; another try will not help."""


async def join_portal(portal_url: str, request: Join) -> Joined:
    """Exchange the token for a key; waits for a portal that is not up yet.

    Raises `JoinRejectedError` when the portal answers but refuses.
    """
    async with aiohttp.ClientSession() as session:
        while True:
            try:
                return await _ask(session, portal_url.rstrip("/") + JOIN_PATH, request)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                log.info("join.waiting", portal=portal_url, error=str(error) or repr(error))
            await asyncio.sleep(PAUSE_S)


async def _ask(session: aiohttp.ClientSession, url: str, request: Join) -> Joined:
    headers = {"Content-Type": "application/json"}
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    async with session.post(
        url, data=request.model_dump_json(), headers=headers, timeout=timeout
    ) as answer:
        text = await answer.text()
        if answer.status >= 500:
            raise aiohttp.ClientError(f"HTTP {answer.status}")
        if not answer.ok:
            raise JoinRejectedError(f"HTTP {answer.status}: {text[:500]}")
        try:
            return Joined.model_validate_json(text)
        except ValidationError as error:
            raise JoinRejectedError(f"not an answer to a join: {text[:200]}") from error
