"""The services that the rules are compared on, made from a folder of public traces."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.scaling.traffic import Traffic, counted, language_model, load_times, pictures

DAY_MS: Final = 86_400_000
WARM_UP_MS: Final = 300_000
"""Each case is scored only after the rules have seen so much of it."""
WAKE_MS: Final = (1_300,)
"""Of a replica asleep: a base model's load, eighteen times faster."""
CONVERSATION: Final = "azure-llm-2023-conversation-first-half.csv.gz"
CODE: Final = "azure-llm-2023-code.csv.gz"
PICTURES: Final = "alibaba-genai-requests-until-2024-11-30.csv.gz"
LOADS: Final = "alibaba-genai-basemodel_update_latency.csv.gz"
COUNTS: Final = ("nab-elb-request-count.csv.gz", "nab-volume-amzn.csv.gz")


@dataclass(frozen=True, slots=True)
class Case:
    """One service: its requests, its starts and its least number of replicas."""

    traffic: Traffic
    cold_starts: tuple[int, ...]
    minimum: int
    scored_from: int = WARM_UP_MS


def cases(folder: Path) -> Iterator[tuple[str, Case]]:
    """Yield the cases by name; their files are read when it is their turn.

    The rule's constants were chosen on the conversation, the code, the first six days of
    pictures and days 7 and 10; the counts were kept back.
    """
    loads = load_times(folder / LOADS)
    for wait in (1_000, 2_000):
        talk = language_model(folder / CONVERSATION, 8, wait)
        yield f"conversation, cold, {wait // 1000} s", Case(talk, loads, 1)
    for wait in (2_000, 3_000):
        code = language_model(folder / CODE, 8, wait)
        yield f"code, asleep, {wait // 1000} s", Case(code, WAKE_MS, 1)
    yield "code, cold, 3 s", Case(language_model(folder / CODE, 8, 3_000), loads, 1)
    for wait, starts in ((10_000, WAKE_MS), (30_000, loads), (60_000, loads)):
        later = pictures(folder / PICTURES, wait).between(7 * DAY_MS, 12 * DAY_MS)
        warmth = "asleep" if starts == WAKE_MS else "cold"
        yield f"pictures later, {warmth}, {wait // 1000} s", Case(later, starts, 1)
    for name in COUNTS:
        series = counted(folder / name, 20_000, 4, 5_000)
        last = series.arrivals[-1] // DAY_MS * DAY_MS
        yield name.removesuffix(".csv.gz"), Case(series.between(last - 2 * DAY_MS, last), loads, 1)
