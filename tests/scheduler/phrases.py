"""The words of scenario files: how a line is cut, and how the rules of a pool are written."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from scheduler.core.model.entities import Millis
from scheduler.core.model.policy import (
    JobOrder,
    LendingPolicy,
    Packing,
    PoolPolicy,
    QueueRule,
    WeekWindow,
)

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_TIME_OF_WEEK = re.compile(rf"({'|'.join(_DAYS)})-(\d\d):(\d\d)")


@dataclass(frozen=True)
class Line:
    """`name: words`, in which a phrase is found by its unit or by its leading word."""

    name: str
    words: str

    def amount(self, unit: str, default: int = 0) -> int:
        """Return the number before a unit."""
        found = re.search(rf"(?<!\S)(\d+) {unit}(?!\S)", self.words)
        return int(found[1]) if found else default

    def number(self, word: str, default: int) -> int:
        """Return the number after a word or phrase."""
        found = re.search(rf"(?<!\S){word} (-?\d+)(?!\S)", self.words)
        return int(found[1]) if found else default

    def after(self, word: str, default: str) -> str:
        """Return the word after a word or phrase."""
        found = re.search(rf"(?<!\S){word} (\S+)", self.words)
        return found[1] if found else default

    def one_of(self, words: Iterable[str], default: str) -> str:
        """Return the first of these words that is there."""
        return next((word for word in words if word in self.words.split()), default)

    def says(self, phrase: str) -> bool:
        """Tell whether the phrase is there."""
        return f" {phrase} " in f" {self.words} "

    def without(self, pattern: str) -> "Line":
        """Return the line with everything that matches taken out."""
        return Line(self.name, " ".join(re.sub(pattern, " ", self.words).split()))

    def ahead(self, phrase: str, now: Millis) -> Millis | None:
        """Return the moment of `<phrase> 600 s`, so long after now."""
        found = re.search(rf"(?<!\S){phrase} (\d+) s(?!\S)", self.words)
        return Millis(now + int(found[1]) * 1000) if found else None

    def ago(self, phrase: str, now: Millis) -> Millis | None:
        """Return the moment of `<phrase> 600 s ago`."""
        found = re.search(rf"(?<!\S){phrase} (\d+) s ago(?!\S)", self.words)
        return Millis(now - int(found[1]) * 1000) if found else None


def lines(rows: Iterable[str]) -> list[Line]:
    """Cut rows into names and words. Commas are for the reader."""
    parts = (row.replace(",", " ").partition(": ") for row in rows)
    return [Line(name.strip(), " ".join(words.split())) for name, _, words in parts]


def policy(line: Line) -> PoolPolicy:
    """Read the rules of a pool; what is not said is the product's default."""
    rules = PoolPolicy()
    return PoolPolicy(
        queue=QueueRule.STRICT if line.says("strict") else rules.queue,
        packing=Packing.SPREAD if line.says("spread") else rules.packing,
        order=_order(line),
        patience_s=line.number("patience", rules.patience_s),
        stretch=line.number("stretch", rules.stretch),
        turn_s=line.number("turns of", rules.turn_s),
        backfill_depth=line.number("depth", rules.backfill_depth),
        preemption=not line.says("no preemption"),
        reclaim=not line.says("no reclaim"),
        min_runtime_s=line.number("protects", rules.min_runtime_s),
        reclaim_min_runtime_s=line.number("reclaims after", rules.reclaim_min_runtime_s),
        grace_s=line.number("grace", rules.grace_s),
        consolidate=line.says("consolidates"),
        victims_max=line.number("victims", rules.victims_max),
        fall_back=tuple(name for name in line.after("falls back to", "").split("+") if name),
        lending=_lending(line),
    )


def _order(line: Line) -> JobOrder:
    if line.says("least served first"):
        return JobOrder.LEAST_SERVED
    return JobOrder.SHORTEST if line.says("shortest first") else PoolPolicy().order


def _lending(line: Line) -> LendingPolicy:
    rules = LendingPolicy()
    moments = [
        (_DAYS.index(day) * 24 + int(hour)) * 60 + int(minute)
        for day, hour, minute in _TIME_OF_WEEK.findall(line.words)
    ]
    return LendingPolicy(
        to_pools=frozenset(name for name in line.after("lends to", "").split("+") if name),
        windows=tuple(WeekWindow(*pair) for pair in zip(moments[::2], moments[1::2], strict=True)),
        by_day=not line.says("not by day"),
        keep_gpus=line.number("keeps", rules.keep_gpus),
        bound_s=line.number("bound", rules.bound_s),
    )
