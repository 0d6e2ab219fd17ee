"""Whether a grant still opens its notebook: checked for every request, cached for two seconds."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError

from portal.common.concurrency import run_in_thread
from portal.endpoints.values import Endpoint

CACHE_S: Final = 2.0
"""How long it is cached that a browser may open a notebook."""
RECHECK_S: Final = 2.0
"""Cached answer plus re-check stay below the 5 s in which a revocation must take effect."""
KNOWN_MAX: Final = 10_000
"""Answers that are remembered at a time."""
TRIED_MAX: Final = 16
"""Grants of one work in one request, at most."""

logger = structlog.get_logger(__name__)


AuthorizeGrant = Callable[[str, UUID], Endpoint | None]
RecogniseGrants = Callable[[Sequence[str], UUID], Sequence[str]]
"""Returns those of many secrets that are of live grants of this work, in one query."""


@dataclass(frozen=True, slots=True)
class _CachedAnswer:
    endpoint: "asyncio.Future[Endpoint | None]"
    valid_until: float


class GrantCache:
    """Caches the answers of `authorize` for moments; simultaneous requests share one query."""

    def __init__(
        self,
        authorize: AuthorizeGrant,
        *,
        recognise: RecogniseGrants = lambda secrets, _: secrets,
        cache_s: float = CACHE_S,
        recheck_s: float = RECHECK_S,
    ) -> None:
        """Start empty."""
        self._authorize = authorize
        self._recognise = recognise
        self._cache_s = cache_s
        self._recheck_s = recheck_s
        self._answers: OrderedDict[tuple[str, UUID], _CachedAnswer] = OrderedDict()

    async def choose(
        self, secrets: Sequence[str], workload_id: UUID
    ) -> tuple[str, Endpoint | None]:
        """Return which of a request's secrets counts, and where it leads; none is the empty secret.

        Scripts of all work on an origin can set cookies, those of a colleague's page included: what they add must
        not shut out the reader, and not open that page as its owner's, without the policy that confines it. So all
        are tried, and of several that open the work a colleague's counts first.
        """
        if len(secrets) > 1:
            secrets = await run_in_thread(self._recognise, secrets, workload_id)
        found = [
            (secret, await self.resolve(secret, workload_id)) for secret in secrets[:TRIED_MAX]
        ]
        return min(found, key=_rank, default=("", None))

    async def resolve(self, secret: str, workload_id: UUID) -> Endpoint | None:
        """Return where the grant leads now, or None when it opens nothing."""
        key = (secret, workload_id)
        now = asyncio.get_running_loop().time()
        answer = self._answers.get(key)
        if answer is None or answer.valid_until <= now or _has_failed(answer.endpoint):
            query = asyncio.ensure_future(run_in_thread(self._authorize, secret, workload_id))
            answer = _CachedAnswer(query, now + self._cache_s)
            self._cache(key, answer)
        return await asyncio.shield(answer.endpoint)

    async def until_revoked(
        self, secret: str, workload_id: UUID, *, may_change: bool = False
    ) -> None:
        """Return once the grant opens nothing, or cannot be checked any more: fail closed.

        What `may_change` the work ends, too, once the grant lets its holder only view it.
        """
        while True:
            await asyncio.sleep(self._recheck_s)
            try:
                endpoint = await self.resolve(secret, workload_id)
                if endpoint is None or (may_change and endpoint.access.is_view_only):
                    return
            except (DatabaseError, TimeoutError) as error:
                logger.warning("grant.unchecked", workload=str(workload_id), error=repr(error))
                return

    def _cache(self, key: tuple[str, UUID], answer: _CachedAnswer) -> None:
        self._answers[key] = answer
        self._answers.move_to_end(key)
        while len(self._answers) > KNOWN_MAX:
            self._answers.popitem(last=False)


def _rank(found: tuple[str, Endpoint | None]) -> int:
    _, endpoint = found
    if endpoint is None:
        return 2
    return 0 if endpoint.access.visitor else 1


def _has_failed(query: "asyncio.Future[Endpoint | None]") -> bool:
    return query.done() and (query.cancelled() or query.exception() is not None)
