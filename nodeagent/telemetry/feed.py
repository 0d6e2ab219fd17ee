"""Carries what was seen to the portal, and keeps the newest for whoever asks this node itself."""

from collections.abc import Callable, Mapping

from nodeagent.core.state import Key
from nodeagent.facts import Reading
from nodeagent.ports import Link
from nodeagent.telemetry.batch import Batch
from nodeagent.telemetry.samples import sample_of
from wire.samples import Sample


class TelemetryFeed:
    """Hears of every reading. A message that is lost with its link is a gap in a chart."""

    def __init__(
        self,
        link: Link,
        every_ms: int,
        folder_mib: Callable[[], Mapping[Key, int]] = dict,
    ) -> None:
        self._link = link
        self._batch = Batch(every_ms)
        self._folder_mib = folder_mib
        self.newest: tuple[Reading, Sample] | None = None

    def take(self, reading: Reading) -> None:
        """Keep a reading, and send what has come together when it is time."""
        sample = sample_of(reading, self._folder_mib())
        self.newest = (reading, sample)
        message = self._batch.add(sample)
        if message is not None:
            self._link.send(message)
