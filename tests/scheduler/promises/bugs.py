"""The planted bugs: each rule must be broken by the one that it is there for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import pytest

from scheduler.core.actions import consolidate, preempt, reclaim, victims


@dataclass(frozen=True)
class Bug:
    """One mistake, the rule that must notice it, and the seeds among which it shows."""

    name: str
    breaks: str
    plant: Callable[[pytest.MonkeyPatch], None]
    seeds: range


def _protects_nobody(patch: pytest.MonkeyPatch) -> None:
    """Every rule may evict what has only just begun."""

    def is_evictable(work: Any, ledger: Any, _protected_s: int) -> bool:
        return victims.is_evictable(work, ledger, 0)

    for rule in (preempt, reclaim, consolidate):
        patch.setattr(rule, "is_evictable", is_evictable)


BUGS: Final = [
    Bug(plant.__name__.strip("_"), breaks, plant, seeds)
    for plant, breaks, seeds in ((_protects_nobody, "protected_run_time_is_kept", range(30)),)
]
