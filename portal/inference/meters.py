"""What this process saw since its last report: by service and second, by key and hour."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from hdrh.histogram import HdrHistogram

from portal.inference.openai import Usage
from portal.serving_usage.loads import (
    HIGHEST_US,
    LOWEST_US,
    SecondOfLoad,
    UseOfKey,
    encode_histogram,
    new_histogram,
)

_KeyHour = tuple[UUID, UUID, datetime]


@dataclass(slots=True)
class SecondCounts:
    """What happened at one service in the running second."""

    arrivals: int = 0
    completed: int = 0
    failed: int = 0
    refused: int = 0
    latency: HdrHistogram = field(default_factory=new_histogram)
    first_byte: HdrHistogram = field(default_factory=new_histogram)

    def note_time(self, histogram: HdrHistogram, seconds: float) -> None:
        """Add a duration to one of the histograms."""
        histogram.record_value(min(HIGHEST_US, max(LOWEST_US, round(seconds * 1_000_000))))

    def close(
        self,
        service_id: UUID,
        second: datetime,
        held: int,
        opened: Mapping[UUID, int],
        inside: tuple[int, int] = (0, 0),
    ) -> SecondOfLoad:
        """Return the second as it ends; `inside` is what waits inside servers, and for how long one is silent."""
        waiting, waiting_age_ms = inside
        return SecondOfLoad(
            service_id=service_id,
            second=second,
            in_flight=sum(opened.values()),
            held=held,
            arrivals=self.arrivals,
            completed=self.completed,
            failed=self.failed,
            refused=self.refused,
            waiting=waiting,
            waiting_age_ms=waiting_age_ms,
            open_by_replica={replica: count for replica, count in opened.items() if count},
            latency=encode_histogram(self.latency),
            first_byte=encode_histogram(self.first_byte),
        )


@dataclass(slots=True)
class _KeyUse:
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: int = 0
    failed: int = 0


class KeyMeter:
    """What keys used and was not reported yet; no more entries than keys have hours."""

    def __init__(self) -> None:
        """Start with nothing used."""
        self._used: dict[_KeyHour, _KeyUse] = {}

    def add(
        self, service_id: UUID, key_id: UUID, at: datetime, usage: Usage, *, is_failed: bool
    ) -> None:
        """Add one request."""
        hour = at.replace(minute=0, second=0, microsecond=0)
        use = self._used.setdefault((service_id, key_id, hour), _KeyUse())
        use.requests += 1
        use.prompt_tokens += usage.prompt_tokens
        use.completion_tokens += usage.completion_tokens
        use.cut += usage.is_cut
        use.failed += is_failed

    def take(self) -> tuple[UseOfKey, ...]:
        """Return what was used since the last call."""
        used, self._used = self._used, {}
        return tuple(
            UseOfKey(
                *key,
                requests=use.requests,
                prompt_tokens=use.prompt_tokens,
                completion_tokens=use.completion_tokens,
                cut=use.cut,
                failed=use.failed,
            )
            for key, use in used.items()
        )
