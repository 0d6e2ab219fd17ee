"""Mode `timeslice`: the card's own time slicing; only `sharing.overuse` checks the memory."""

from nodeagent.ports import Injection, ProcessScope
from nodeagent.sharing.records import ShareRecord
from wire.words import Isolation


class TimesliceMode:
    """Sets nothing and releases nothing."""

    def __init__(self, isolation: Isolation = Isolation.TIMESLICE) -> None:
        self._isolation = isolation

    @property
    def isolation(self) -> Isolation:
        """The isolation level of the mode."""
        return self._isolation

    @property
    def can_resume(self) -> bool:
        """Nothing of it is inside the container."""
        return True

    async def prepare(self, record: ShareRecord) -> Injection:
        """Inject the card as it is."""
        del record
        return Injection()

    async def enforce(self, record: ShareRecord, scope: ProcessScope) -> None:
        """Do nothing: monitoring needs only the processes, which are on record."""

    async def release(self, record: ShareRecord) -> None:
        """Do nothing."""
