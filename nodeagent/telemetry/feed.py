"""Carries what was seen to the portal, and keeps the newest for whoever asks this node itself."""

from collections.abc import Callable, Mapping
from typing import Final

from nodeagent.core.state import ContainerKey
from nodeagent.ports import Link
from nodeagent.telemetry.reading import NodeReading
from nodeagent.telemetry.samples import build_sample
from wire.samples import Sample, Telemetry

SAMPLES_MAX: Final = 60
ROWS_MAX: Final = 4096
"""Cards and containers of one message, so that its frame stays far below the limit."""


class TelemetryFeed:
    """Hears of every reading. A message that is lost with its link is a gap in a chart."""

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
        """Keep a reading, and send what has come together when it is time."""
        sample = build_sample(reading, self._folder_mib())
        self.latest = (reading, sample)
        message = self._batch.add(sample)
        if message is not None:
            self._link.send(message)


class SampleBatch:
    """What was seen since the last message; bounded, whatever the clock does."""

    def __init__(self, every_ms: int) -> None:
        self._every_ms = every_ms
        self._samples: list[Sample] = []

    def add(self, sample: Sample) -> Telemetry | None:
        """Take a sample; return the message when its time or size is reached."""
        self._samples.append(sample)
        if not self._is_due(sample.at):
            return None
        message = Telemetry(samples=tuple(self._samples))
        self._samples = []
        return message

    def _is_due(self, now_ms: int) -> bool:
        rows = sum(len(item.cards) + len(item.containers) for item in self._samples)
        # A clock that was set back would otherwise hold everything up.
        age_ms = abs(now_ms - self._samples[0].at)
        return age_ms >= self._every_ms or len(self._samples) >= SAMPLES_MAX or rows >= ROWS_MAX
