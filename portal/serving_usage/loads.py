"""What one process of the inference gateway saw, as values; and histograms, merged and never averaged."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from hdrh.histogram import HdrHistogram

LOWEST_US: Final = 1
HIGHEST_US: Final = 3_600_000_000
"""One hour; what takes longer counts as that."""
DIGITS: Final = 2
"""Significant digits of a percentile."""


@dataclass(frozen=True, slots=True)
class SecondOfLoad:
    """One service, as one process saw it in one second."""

    service_id: UUID
    second: datetime
    """Begin of the second, without a fraction."""
    in_flight: int
    """Requests at replicas at its end."""
    held: int
    """Requests that wait for a replica at its end."""
    arrivals: int = 0
    completed: int = 0
    failed: int = 0
    """Answered by 5xx of the server, cut by it, or without content."""
    refused: int = 0
    """Refused before any replica had them: a limit, the bound or the deadline of holding."""
    waiting: int = 0
    """Requests that wait inside replicas at its end, by their servers' own metrics; they are among those in flight."""
    waiting_age_ms: int = 0
    """For how long a replica that reported it does so no more; 0 is that all do, or none ever did."""
    open_by_replica: Mapping[UUID, int] = field(default_factory=dict)
    """Open requests by the workload of a replica."""
    latency: str = ""
    """Encoded histogram of whole requests in microseconds; empty is none."""
    first_byte: str = ""
    """Encoded histogram to the first byte of the answer, in microseconds."""


@dataclass(frozen=True, slots=True)
class UseOfKey:
    """What one key of a service used since the last report."""

    service_id: UUID
    key_id: UUID
    hour: datetime
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: int = 0
    """Answers that ended before the server reported their tokens: what was streamed is counted."""
    failed: int = 0


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a process reports at once; a report that comes twice counts once."""

    report_id: UUID
    process: str
    """Names the process, so that its seconds stand beside those of others."""
    seconds: tuple[SecondOfLoad, ...] = ()
    keys: tuple[UseOfKey, ...] = ()


def new_histogram() -> HdrHistogram:
    """Return an empty histogram of microseconds."""
    return HdrHistogram(LOWEST_US, HIGHEST_US, DIGITS)


def encode_histogram(histogram: HdrHistogram) -> str:
    """Return a histogram as text; an empty one is the empty text."""
    return str(histogram.encode().decode("ascii")) if histogram.get_total_count() else ""


def merge_histograms(encoded: Iterable[str]) -> HdrHistogram:
    """Return the sum of encoded histograms."""
    merged = new_histogram()
    for each in encoded:
        if each:
            merged.decode_and_add(each)
    return merged


def percentile_ms(histogram: HdrHistogram, percent: float) -> float | None:
    """Return a percentile in milliseconds; None of nothing."""
    if not histogram.get_total_count():
        return None
    return float(histogram.get_value_at_percentile(percent)) / 1000
