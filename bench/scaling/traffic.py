"""Requests of a trace, as the simulated service gets them; read from a folder of public traces."""

import csv
import gzip
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

LLM_FIRST_MS: Final = 50
"""Before the first token of an empty prompt."""
LLM_PREFILL_TOKENS_PER_MS: Final = 8
LLM_TOKEN_MS: Final = 30
"""One generated token beside others: a dense model of about 70 billion weights on a node of GPUs."""
COUNT_MS: Final = 300_000
"""The NAB counts are of five minutes."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """One service's requests by arrival, and what serves them; times in milliseconds."""

    arrivals: tuple[int, ...]
    services: tuple[int, ...]
    """How long each request takes a slot of a replica."""
    slots: int
    """Requests that a replica answers at once without slowing down."""
    slack_ms: int
    """How long a request may wait for its slot and still meet the target."""

    def between(self, start: int, end: int) -> "Traffic":
        """The requests of a span, counted from its start."""
        kept = [
            (at - start, needs)
            for at, needs in zip(self.arrivals, self.services, strict=True)
            if start <= at < end
        ]
        return Traffic(
            tuple(at for at, _ in kept),
            tuple(needs for _, needs in kept),
            self.slots,
            self.slack_ms,
        )


def language_model(path: Path, slots: int, slack_ms: int) -> Traffic:
    """Read an Azure LLM trace: time, tokens of the prompt, tokens of the answer."""
    rows = sorted(
        (
            datetime.fromisoformat(row["TIMESTAMP"][:26]),
            int(row["ContextTokens"]),
            int(row["GeneratedTokens"]),
        )
        for row in _rows(path)
    )
    first = rows[0][0]
    return Traffic(
        tuple(round((at - first).total_seconds() * 1000) for at, _, _ in rows),
        tuple(
            LLM_FIRST_MS + prompt // LLM_PREFILL_TOKENS_PER_MS + answer * LLM_TOKEN_MS
            for _, prompt, answer in rows
        ),
        slots,
        slack_ms,
    )


def pictures(path: Path, slack_ms: int) -> Traffic:
    """Read the GenAI trace: time and seconds of run of each request that came through."""
    rows = sorted(
        (datetime.fromisoformat(row["gmt_create"]), round(float(row["exec_time_seconds"]) * 1000))
        for row in _rows(path)
        if row["predict_status"] == "SUCCEED"
    )
    first = rows[0][0].replace(hour=0, minute=0, second=0)
    return Traffic(
        tuple(round((at - first).total_seconds() * 1000) for at, _ in rows),
        tuple(max(1, needs) for _, needs in rows),
        1,
        slack_ms,
    )


def counted(path: Path, service_ms: int, slots: int, slack_ms: int) -> Traffic:
    """Draw arrivals for a NAB series of counts: each count spread by chance over its five minutes."""
    drawn = random.Random(path.name)  # noqa: S311  repeatable, nothing secret
    arrivals: list[int] = []
    services: list[int] = []
    for index, row in enumerate(_rows(path)):
        count = int(float(row["value"]))
        moments = sorted(drawn.randrange(COUNT_MS) for _ in range(count))
        arrivals.extend(index * COUNT_MS + moment for moment in moments)
        services.extend(max(1, round(drawn.expovariate(1 / service_ms))) for _ in moments)
    return Traffic(tuple(arrivals), tuple(services), slots, slack_ms)


def load_times(path: Path) -> tuple[int, ...]:
    """Read a file of model loads: milliseconds each, shuffled so that any stretch is typical."""
    found = [max(1, round(float(row["milliseconds"]))) for row in _rows(path)]
    random.Random(len(found)).shuffle(found)  # noqa: S311  repeatable, nothing secret
    return tuple(found)


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from csv.DictReader(lines)
