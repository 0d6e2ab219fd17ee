"""A card changes hands when nothing of its last tenant is left on it.

What a process leaves in a card's memory may be read by the next one (LeftoverLocals, CVE-2023-4969),
and memory that has not come back is missing. So the first container on a card waits until the card
holds no more than one that nobody uses. Shares beside each other are kept apart by their mode only.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from typing import Final

from nodeagent.ports import StartError
from nodeagent.sharing.records import ShareRecord, ShareRecords
from wire.words import ExitCause

PATIENCE_S: Final = 20.0
"""Longer than it takes a card to be called dirty: then nothing is placed on it any more."""
POLL_S: Final = 0.5

FindOccupied = Callable[[Collection[str]], Awaitable[frozenset[str]]]
"""Looks now, and tells which of these cards hold something of somebody."""


class ResidualMemoryCheck:
    """Who waits for which cards of one node."""

    def __init__(
        self, occupied: FindOccupied, records: ShareRecords, patience_s: float = PATIENCE_S
    ) -> None:
        self._find_occupied = occupied
        self._records = records
        self._patience_s = patience_s
        self._awaited: Counter[str] = Counter()

    async def wait_until_clear(self, record: ShareRecord) -> None:
        """Return once the cards on which this container is the first are empty.

        Raises `StartError` when one of them does not become so.
        """
        cards = self._first_on(record)
        self._awaited.update(cards)
        left = cards
        try:
            async with asyncio.timeout(self._patience_s):
                while True:
                    left = await self._find_occupied(left)
                    if not left:
                        return
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            raise StartError(ExitCause.NODE_FAULT, f"memory_not_returned: {min(left)}") from None
        finally:
            self._awaited.subtract(cards)

    def _first_on(self, record: ShareRecord) -> frozenset[str]:
        """Return its cards that no other container has taken over yet."""
        taken = {
            share.grant.uuid
            for other in self._records
            for share in other.shares
            if other.key != record.key and not self._awaited[share.grant.uuid]
        }
        own = (share.grant.uuid for share in record.shares if not share.is_simulated)
        return frozenset(uuid for uuid in own if uuid not in taken)
