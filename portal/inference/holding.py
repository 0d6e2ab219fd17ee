"""Waiting for a replica, within a bound and a deadline, with signs of life for those who wait for events."""

import asyncio
from typing import Final

from portal.inference.answers import Answer
from portal.inference.plane import CalledService
from portal.inference.refusals import Refusal
from portal.inference.replicas import HoldFullError, OpenRequest, ServiceGoneError, Tried

BEAT_S: Final = 5.0
"""Between two signs of life; before the first, a refusal still has a status of its own."""
TRY_AGAIN_S: Final = 5.0
"""When to come again, as a request is answered that may not wait."""

GONE: Final = Refusal(503, "service_gone")
"""The answer of a service that was stopped or deleted."""


class RequestRefusedError(Exception):
    """The gateway answers itself."""

    def __init__(self, refusal: Refusal) -> None:
        """Answer with this."""
        super().__init__(refusal.code)
        self.refusal = refusal


async def open_request(
    service: CalledService,
    tried: Tried,
    *,
    began: float,
    answer: Answer | None,
    beat_s: float = BEAT_S,
) -> OpenRequest:
    """Return an open request at a replica; the caller ends it.

    `began` is when the request came, by the loop's clock; `answer` gets the signs of life.

    Raises:
        RequestRefusedError: too many wait (429), it waited too long (504), the service is gone (503).
    """
    replicas = service.replicas
    if opened := replicas.try_open(tried):
        return opened
    try:
        future = replicas.wait(tried)
    except HoldFullError as error:
        limit = service.route.hold.requests_max
        refusal = Refusal(429, "hold_full", {"limit": limit}, retry_after_s=TRY_AGAIN_S)
        raise RequestRefusedError(refusal) from error
    except ServiceGoneError as error:
        raise RequestRefusedError(GONE) from error
    try:
        await _wait(service, future, began, answer, beat_s)
        return future.result()
    except ServiceGoneError as error:
        raise RequestRefusedError(GONE) from error
    except BaseException:
        replicas.abandon(future)
        raise


async def _wait(
    service: CalledService,
    future: asyncio.Future[OpenRequest],
    began: float,
    answer: Answer | None,
    beat_s: float,
) -> None:
    loop = asyncio.get_running_loop()
    while not future.done():
        route = service.route
        left = began + route.hold.within_s - loop.time()
        if left <= 0:
            params = {"seconds": round(route.hold.within_s), "reason": route.reason}
            raise RequestRefusedError(Refusal(504, "hold_expired", params))
        await asyncio.wait({future}, timeout=min(left, beat_s))
        if answer is not None and not future.done() and loop.time() - began >= beat_s:
            await answer.beat()
