"""Checks that nothing of the last tenant is left in a card's memory before the next one starts.

What a process leaves in GPU memory may be read by the next process (LeftoverLocals, CVE-2023-4969),
and memory that was not returned is missing. So the first container on a card waits until the card
holds no more than an unused card does. Concurrent shares are separated only by their mode.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from typing import Final

from nodeagent.ports import StartError
from nodeagent.sharing.records import ShareRecord, ShareRecords
from wire.words import ExitCause

CLEAR_TIMEOUT_S: Final = 20.0
"""Longer than it takes to evaluate a card as dirty, after which no work is placed on it."""
POLL_S: Final = 0.5

FindOccupied = Callable[[Collection[str]], Awaitable[frozenset[str]]]
"""Reads which of these cards are in use by others now."""


class ResidualMemoryCheck:
    """Lets containers wait for the cards of one node."""

    def __init__(
        self, find_occupied: FindOccupied, records: ShareRecords, timeout_s: float = CLEAR_TIMEOUT_S
    ) -> None:
        self._find_occupied = find_occupied
        self._records = records
        self._timeout_s = timeout_s
        self._awaited: Counter[str] = Counter()

    async def wait_until_clear(self, record: ShareRecord) -> None:
        """Return once the cards on which this container is the first are empty.

        Raises `StartError` if one of them does not become empty.
        """
        cards = self._find_unshared(record)
        self._awaited.update(cards)
        occupied = cards
        try:
            async with asyncio.timeout(self._timeout_s):
                while True:
                    occupied = await self._find_occupied(occupied)
                    if not occupied:
                        return
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            raise StartError(
                ExitCause.NODE_FAULT, f"memory_not_returned: {min(occupied)}"
            ) from None
        finally:
            self._awaited.subtract(cards)

    def _find_unshared(self, record: ShareRecord) -> frozenset[str]:
        """Return the record's cards that no other container uses yet."""
        shared = {
            share.grant.uuid
            for other in self._records
            for share in other.shares
            if other.key != record.key and not self._awaited[share.grant.uuid]
        }
        cards = (share.grant.uuid for share in record.shares if not share.is_simulated)
        return frozenset(uuid for uuid in cards if uuid not in shared)
