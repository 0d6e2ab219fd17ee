"""The load that a program declares of the simulated cards it holds, in place of what its processor does.

    SIMULATED_GPU="use=85..95 period=40 duty=85 warmup=30 memory=24000"

A program that only sleeps can show the curve of a training with it, or of a notebook. Of real cards it
says nothing: they measure themselves.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import structlog

from nodeagent.core.state import Container, ContainerKey

log = structlog.get_logger()

NOISE_PCT: Final = 3
"""How far a value strays from its curve."""
NOISE_S: Final = 4
"""How long a stray value stays."""
_PAIR: Final = re.compile(r"([a-z]+)=(\d{1,9})(?:\.\.(\d{1,9}))?")


class MalformedDeclarationError(ValueError):
    """A declaration is no list of known names with numbers."""


@dataclass(frozen=True, slots=True)
class DeclaredLoad:
    """A curve that repeats: busy for a part of each period, and less busy for the rest of it."""

    low_pct: int
    high_pct: int
    memory_mib: int
    """On each card, after the warm-up."""
    period_s: int = 60
    duty_pct: int = 85
    """Part of a period at `high_pct`."""
    warmup_s: int = 20
    """From the start until use and memory have risen."""

    def at(self, elapsed_s: float, seed: str) -> tuple[int, int]:
        """Return percent of use and MiB on each card, so long after the start; pure.

        Programs with different seeds are at different points of their periods.
        """
        shift = _draw(seed, "shift", self.period_s)
        is_high = (elapsed_s + shift) % self.period_s * 100 < self.duty_pct * self.period_s
        aim = self.high_pct if is_high else self.low_pct
        noise = _draw(seed, str(int(elapsed_s // NOISE_S)), 2 * NOISE_PCT + 1) - NOISE_PCT
        risen = min(1.0, max(0.0, elapsed_s) / self.warmup_s) if self.warmup_s else 1.0
        use = 0 if aim == 0 else round((aim + noise) * risen)
        return min(100, max(0, use)), math.ceil(self.memory_mib * risen)


def parse_declared_load(text: str) -> DeclaredLoad:
    """Return what a declaration says; raises `MalformedDeclarationError`.

    `use` and `memory` must be there; `use=30` is the same as `use=30..30`.
    """
    found: dict[str, tuple[int, int]] = {}
    for word in text.split():
        pair = _PAIR.fullmatch(word)
        if pair is None:
            raise MalformedDeclarationError(word)
        found[pair[1]] = int(pair[2]), int(pair[3] or pair[2])
    if not {"use", "memory"} <= found.keys() <= {"use", "memory", "period", "duty", "warmup"}:
        raise MalformedDeclarationError(text)
    low, high = found["use"]
    named: Mapping[str, int] = {
        name: found[word][0]
        for word, name in (("period", "period_s"), ("duty", "duty_pct"), ("warmup", "warmup_s"))
        if word in found
    }
    if not low <= high <= 100 or named.get("duty_pct", 0) > 100 or named.get("period_s") == 0:
        raise MalformedDeclarationError(text)
    return DeclaredLoad(low, high, found["memory"][0], **named)


class DeclaredLoads:
    """The declarations of the containers of a node, each read once."""

    def __init__(self, read: Callable[[ContainerKey], str]) -> None:
        """`read` returns the declaration of a container; empty without one."""
        self._read = read
        self._known: dict[ContainerKey, DeclaredLoad | None] = {}

    def find(
        self, containers: Collection[Container], wall_ms: int
    ) -> Mapping[ContainerKey, tuple[int, int]]:
        """Return percent of use and MiB on each card now, of the containers that declare it."""
        self._known = {
            item.key: self._known[item.key] if item.key in self._known else self._parse(item.key)
            for item in containers
            if item.started_at is not None
        }
        return {
            item.key: load.at((wall_ms - item.started_at) / 1000, item.key.allocation)
            for item in containers
            if item.started_at is not None and (load := self._known[item.key]) is not None
        }

    def _parse(self, key: ContainerKey) -> DeclaredLoad | None:
        text = self._read(key)
        try:
            return parse_declared_load(text) if text else None
        except MalformedDeclarationError as error:
            log.info("declared_load.malformed", allocation=key.allocation, error=str(error))
            return None


def _draw(seed: str, what: str, below: int) -> int:
    """Return a number below a bound, the same for the same words."""
    digest = blake2b(f"{seed}/{what}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % below
