"""Learned run times: what similar work took before. For order, backfill hints and display only.

A workload is compared with past runs at several levels of similarity, from the narrowest to the
widest: the same command of the same user in the same image and size, down to everything of that
size. The narrowest level with enough runs answers, with a quantile of its latest runs, so that one
run that hung for a week does not spoil it. No reservation rests on the answer.
"""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

RUNS_KEPT: Final = 256
"""Latest runs that are remembered at each level of similarity."""
RUNS_NEEDED: Final = (1, 3, 5, 8, 1)
"""Runs that a level needs before it answers, from the narrowest to the widest."""
_INSERTED_MAX: Final = 32
"""New runs of a level that are put among the ranked ones one by one; more are ranked with all others."""


class JobTraits(NamedTuple):
    """What is known of a workload before it runs. Empty strings are unknown and match each other."""

    group: str
    user: str
    gpus: int
    """Over all replicas, in thousandths for shares."""
    image: str = ""
    command: str = ""
    """Digest of the command line."""

    def similarity_keys(self) -> tuple[tuple[str | int, ...], ...]:
        """Return what to compare by, from the narrowest to the widest."""
        return (
            (0, self.group, self.user, self.image, self.command, self.gpus),
            (1, self.group, self.user, self.image, self.gpus),
            (2, self.group, self.user, self.gpus),
            (3, self.group, self.gpus),
            (4, self.gpus),
        )


@dataclass(frozen=True, slots=True)
class RunTimePrediction:
    """An expected run time and how much it rests on."""

    seconds: int
    runs: int
    """Past runs that it was taken from."""
    level: int
    """0 is the same command of the same user; greater is less similar."""


class RunTimePredictor:
    """Past run times, learned one by one; the same history gives the same answers."""

    def __init__(self, percent: int = 50) -> None:
        """Answer with the value that `percent` of the remembered runs did not exceed."""
        self._percent = percent
        self._runs: defaultdict[tuple[str | int, ...], _LatestRuns] = defaultdict(_LatestRuns)
        self._levels: dict[JobTraits, tuple[_LatestRuns, ...]] = {}

    def learn(self, traits: JobTraits, seconds: int) -> None:
        """Remember a run that ended by itself."""
        levels = self._levels.get(traits)
        if levels is None:
            levels = tuple([self._runs[key] for key in traits.similarity_keys()])
            self._levels[traits] = levels
        for runs in levels:
            runs.add(seconds)

    def predict(self, traits: JobTraits, ran_s: int = 0) -> RunTimePrediction | None:
        """Return the expected run time of work that has already run so long; None of no history.

        The longer it has run, the fewer past runs it is compared with: those that were not
        shorter. Work that outran them all is expected to take as long again.
        """
        levels: Iterable[_LatestRuns | None] = self._levels.get(traits) or map(
            self._runs.get, traits.similarity_keys()
        )
        for level, (past, enough) in enumerate(zip(levels, RUNS_NEEDED, strict=True)):
            if past is None or len(past.by_age) < enough:
                continue
            ranked = past.ranked()
            start = bisect_right(ranked, ran_s) if ran_s else 0
            rest = len(ranked) - start
            if rest == 0:
                continue
            at = start + min(rest * self._percent // 100, rest - 1)
            return RunTimePrediction(ranked[at], rest, level)
        return RunTimePrediction(2 * ran_s, 0, len(RUNS_NEEDED)) if ran_s else None


class _LatestRuns:
    """Runs by age, and the latest of them by length: ranked when asked, because most levels never are."""

    __slots__ = ("_ranked", "_ranked_until", "by_age")

    def __init__(self) -> None:
        self.by_age: list[int] = []
        self._ranked: list[int] = []
        self._ranked_until = 0

    def add(self, seconds: int) -> None:
        """Remember one more; what is too old to count goes, many at a time."""
        if len(self.by_age) == 2 * RUNS_KEPT:
            del self.by_age[:RUNS_KEPT]
            self._ranked_until = 0
        self.by_age.append(seconds)

    def ranked(self) -> list[int]:
        """Return the latest runs, the shortest first."""
        known = len(self.by_age)
        if known - self._ranked_until > _INSERTED_MAX:
            self._ranked = sorted(self.by_age[-RUNS_KEPT:])
        else:
            for at in range(self._ranked_until, known):
                if at >= RUNS_KEPT:
                    del self._ranked[bisect_left(self._ranked, self.by_age[at - RUNS_KEPT])]
                insort(self._ranked, self.by_age[at])
        self._ranked_until = known
        return self._ranked


@dataclass(frozen=True, slots=True)
class PredictionAccuracy:
    """How good predictions were, known after the run."""

    runs: int
    within_factor_two_percent: int
    """Share of runs, in percent, that took between half and twice of what was predicted."""
    over_percent: int
    """Share that took less than predicted."""
    under_percent: int
    """Share that took longer than predicted."""
    median_error_percent: int
    """Half of the predictions were off by at most this much of the true run time."""


def measure_accuracy(pairs: Iterable[tuple[int, int]]) -> PredictionAccuracy:
    """Compare (predicted, true) seconds; true ones are positive."""
    rows = list(pairs)
    count = len(rows)
    if count == 0:
        return PredictionAccuracy(0, 0, 0, 0, 0)
    within = sum(1 for guess, true in rows if true <= 2 * guess and guess <= 2 * true)
    over = sum(1 for guess, true in rows if guess > true)
    under = sum(1 for guess, true in rows if guess < true)
    errors = sorted(abs(guess - true) * 100 // true for guess, true in rows)
    return PredictionAccuracy(
        runs=count,
        within_factor_two_percent=within * 100 // count,
        over_percent=over * 100 // count,
        under_percent=under * 100 // count,
        median_error_percent=errors[(count - 1) // 2],
    )
