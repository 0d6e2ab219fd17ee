"""Whether a grant still opens its notebook: asked for every request, remembered for two seconds."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError

from portal.common.threads import in_thread
from portal.environments.access import Upstream
from portal.gateway.use import UseNotes

REMEMBER_S: Final = 2.0
"""How long it is remembered that a browser may open a notebook."""
RECHECK_S: Final = 2.0
"""Remembered answer plus re-check stay below the 5 s in which a revocation must work."""
KNOWN_MAX: Final = 10_000
"""Answers that are remembered at a time."""

logger = structlog.get_logger(__name__)


Authorise = Callable[[str, UUID], Upstream | None]


@dataclass(frozen=True, slots=True)
class _Answer:
    upstream: "asyncio.Future[Upstream | None]"
    valid_until: float


class Grants:
    """Remembers answers of `authorise` for moments; many requests at once ask it only once."""

    def __init__(self, authorise: Authorise, uses: UseNotes | None = None) -> None:
        """Start with nothing remembered; `uses` hears what people do by their grants."""
        self.uses = uses or UseNotes()
        self._authorise = authorise
        self._answers: OrderedDict[tuple[str, UUID], _Answer] = OrderedDict()

    async def upstream(self, secret: str, workload_id: UUID) -> Upstream | None:
        """Return where the grant leads now, or None when it opens nothing."""
        key = (secret, workload_id)
        now = asyncio.get_running_loop().time()
        answer = self._answers.get(key)
        if answer is None or answer.valid_until <= now or _has_failed(answer.upstream):
            question = asyncio.ensure_future(in_thread(self._authorise, secret, workload_id))
            answer = _Answer(question, now + REMEMBER_S)
            self._remember(key, answer)
        return await asyncio.shield(answer.upstream)

    async def revoked(self, secret: str, workload_id: UUID) -> None:
        """Return once the grant leads nowhere, or cannot be checked any more: fail closed."""
        while True:
            await asyncio.sleep(RECHECK_S)
            try:
                if await self.upstream(secret, workload_id) is None:
                    return
            except (DatabaseError, TimeoutError) as error:
                logger.warning("grant.unchecked", workload=str(workload_id), error=repr(error))
                return

    def _remember(self, key: tuple[str, UUID], answer: _Answer) -> None:
        self._answers[key] = answer
        self._answers.move_to_end(key)
        while len(self._answers) > KNOWN_MAX:
            self._answers.popitem(last=False)


def _has_failed(question: "asyncio.Future[Upstream | None]") -> bool:
    return question.done() and (question.cancelled() or question.exception() is not None)
