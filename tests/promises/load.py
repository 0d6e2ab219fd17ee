"""What is asked of the site, by a seed: work of all kinds, reservations, lost nodes, changed rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Final

GRACES: Final = ((0, 60), (60, 10), (300, 60), (600, 300), (60, 600), (10, 0))
"""Of the pools training and development; the rules of another pair come into force every four hours."""
RULES_EVERY_S: Final = 4 * 3600
JOBS_PER_HOUR: Final = 40
"""With the lengths below more than the cards of both pools can do."""
BOOKINGS_PER_HOUR: Final = 0.7
OUTAGES_PER_HOUR: Final = 0.5
LENGTHS_S: Final = (60, 300, 600, 1200, 1800, 3600)
_LEAVES: Final = (
    "trap 'exit 143' TERM; sleep {runs_s} & wait",
    "trap 'sleep {saves_s}; exit 143' TERM; sleep {runs_s} & wait",
    "trap '' TERM; sleep {runs_s}",
)
"""At once, after it has saved for a while, or not until it is killed."""


@dataclass(frozen=True, slots=True)
class Due:
    """One thing that happens at a moment of the story."""

    at_s: float
    kind: str
    """`job`, `booking`, `outage` or `rules`."""
    what: dict[str, Any]


def draw_load(seed: int, hours: float) -> list[Due]:
    """Return all that happens within so many hours, in order; always the same for a seed."""
    draw = Random(seed)
    length_s = hours * 3600
    found = [
        Due(at_s, kind, make(draw))
        for kind, per_hour, make in (
            ("job", JOBS_PER_HOUR, _draw_job),
            ("booking", BOOKINGS_PER_HOUR, _draw_booking),
            ("outage", OUTAGES_PER_HOUR, _draw_outage),
        )
        for at_s in _moments(draw, per_hour, length_s)
    ]
    for number in range(int(length_s // RULES_EVERY_S) + 1):
        training, development = GRACES[(seed + number) % len(GRACES)]
        rules = {"training": training, "development": development}
        found.append(Due(float(number * RULES_EVERY_S), "rules", rules))
    return sorted(found, key=lambda due: due.at_s)


def _moments(draw: Random, per_hour: float, length_s: float) -> Iterator[float]:
    at_s = draw.expovariate(per_hour / 3600)
    while at_s < length_s:
        yield at_s
        at_s += draw.expovariate(per_hour / 3600)


def _draw_job(draw: Random) -> dict[str, Any]:
    """Draw a job of whole GPUs or, in development, of slices, with its way to leave."""
    pool = draw.choice(("training", "training", "training", "development"))
    gpus, replicas = draw.choice(((1, 1), (1, 1), (2, 1), (4, 1), (8, 1), (1, 2), (4, 2)))
    sizes = {"gpus": gpus, "replicas": replicas}
    if pool == "development":
        sizes = draw.choice(({"slices": 1}, {"slices": 4}, {"slices": 8}))
    limit_s = draw.choice(LENGTHS_S[1:])
    runs_s = min(draw.choice(LENGTHS_S), limit_s + 60)
    script = draw.choice(_LEAVES).format(runs_s=runs_s, saves_s=draw.choice((2, 20, 120)))
    return {
        "pool": pool,
        "script": f"#!/bin/bash\n{script}\n",
        "time_limit_s": limit_s,
        **sizes,
        "priority": draw.choice(("low", "normal", "normal", "high")),
        "preemptible": draw.random() < 0.75,
        "person": draw.randrange(1000),
    }


def _draw_booking(draw: Random) -> dict[str, Any]:
    return {
        "pool": draw.choice(("training", "development")),
        "amount": draw.choice((1, 2, 4, 8)),
        "begins_s": draw.choice((1, 10, 30, 90)) * 60,
        "length_s": draw.choice((900, 1800, 3600)),
        "person": draw.randrange(1000),
    }


def _draw_outage(draw: Random) -> dict[str, Any]:
    return {"node": draw.randrange(1000), "length_s": draw.choice((30, 90, 600, 3000))}
