"""Sends readings to the portal in batches, and keeps the newest for the node's own metrics."""

from collections.abc import Callable, Mapping
from typing import Final

from nodeagent.core.state import ContainerKey
from nodeagent.ports import Link
from nodeagent.telemetry.reading import NodeReading
from nodeagent.telemetry.samples import build_sample
from wire.samples import Sample, Telemetry

SAMPLES_MAX: Final = 60
ROWS_MAX: Final = 4096
"""Maximum number of cards and containers in one message, far below the frame limit."""


class TelemetryFeed:
    """Receives every reading. A message that is lost with its connection leaves a gap in a chart."""

    def __init__(
        self,
        link: Link,
        every_ms: int,
        folder_mib: Callable[[], Mapping[ContainerKey, int]] = dict,
    ) -> None:
        self._link = link
        self._batch = SampleBatch(every_ms)
        self._folder_mib = folder_mib
        self.latest: tuple[NodeReading, Sample] | None = None

    def add_reading(self, reading: NodeReading) -> None:
        """Store a reading, and send the batch when it is due."""
        sample = build_sample(reading, self._folder_mib())
        self.latest = (reading, sample)
        message = self._batch.add(sample)
        if message is not None:
            self._link.send(message)


class SampleBatch:
    """The samples since the last message; bounded, even if the clock is set back."""

    def __init__(self, every_ms: int) -> None:
        self._every_ms = every_ms
        self._samples: list[Sample] = []

    def add(self, sample: Sample) -> Telemetry | None:
        """Add a sample; return the message if its time or size limit is reached."""
        self._samples.append(sample)
        if not self._is_due(sample.at):
            return None
        message = Telemetry(samples=tuple(self._samples))
        self._samples = []
        return message

    def _is_due(self, now_ms: int) -> bool:
        rows = sum(len(item.cards) + len(item.containers) for item in self._samples)
        # A clock that was set back would otherwise delay the next message indefinitely.
        age_ms = abs(now_ms - self._samples[0].at)
        return age_ms >= self._every_ms or len(self._samples) >= SAMPLES_MAX or rows >= ROWS_MAX
