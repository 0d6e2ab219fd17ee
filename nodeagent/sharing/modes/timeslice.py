"""Mode `timeslice`: the card's own turns, nothing set; `watch` is what looks after it."""

from nodeagent.ports import Injection, ProcessScope
from nodeagent.sharing.records import ShareRecord
from wire.words import Isolation


class TimesliceMode:
    """Has nothing to set and nothing to take back."""

    def __init__(self, isolation: Isolation = Isolation.TIMESLICE) -> None:
        self._isolation = isolation

    @property
    def isolation(self) -> Isolation:
        """Which step of the ladder it is."""
        return self._isolation

    @property
    def can_resume(self) -> bool:
        """Nothing of it is inside the container."""
        return True

    async def prepare(self, record: ShareRecord) -> Injection:
        """Give the container the card as it is."""
        del record
        return Injection()

    async def enforce(self, record: ShareRecord, scope: ProcessScope) -> None:
        """Where its processes are is on record: that is all the watch needs."""

    async def release(self, record: ShareRecord) -> None:
        """Nothing was set."""
