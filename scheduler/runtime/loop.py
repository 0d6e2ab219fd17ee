"""One run of the scheduler: alone, from a fresh snapshot, until nothing more can be placed.

PostgreSQL holds the truth. Whoever calls (a task on a poke, the beat tick, the command) may call
too often, too late or twice at once: each run derives everything anew.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import structlog
from django.db import connection

from portal.common.site_config import get_site_config
from portal.workloads.snapshot import load_snapshot
from scheduler.core.cycle import Decision
from scheduler.core.ledger import Ledger
from scheduler.core.snapshot import Snapshot
from scheduler.runtime import board, dump, plan_applier
from scheduler.runtime.collector import collector_at_rest
from scheduler.runtime.plan_applier import Applied

PASSES_MAX: Final = 5
"""Passes of one run: a plan that races against users is repaired at once, but not for ever."""
LOCK_KEY: Final = 0x6265_7274_68

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Run:
    """What one run did."""

    passes: int
    placed: int


def run_once() -> Run | None:
    """Place what can be placed now; return None at once if another copy is at work.

    The lock saves work, it does not keep anything correct: two schedulers at once would only have
    each other's placements refused.
    """
    with _single_flight() as is_alone:
        if not is_alone:
            return None
        placed = 0
        for passes in range(1, PASSES_MAX + 1):
            applied = _run_pass()
            placed += applied.placed
            if not (applied.placed and applied.refused):
                return Run(passes, placed)
        return Run(PASSES_MAX, placed)


@collector_at_rest()
def _run_pass() -> Applied:
    """Load, decide, apply; keep the snapshot if that fails.

    What starts is committed before it is worked out who leaves and why the others wait.
    """
    snapshot = load_snapshot()
    with _dumped_on_failure(snapshot):
        decision = Decision(Ledger(snapshot), snapshot.taken_at)
        applied = plan_applier.start(decision.places)
        is_told = board.is_due(snapshot)
        plan = decision.plan(explained=is_told)
        plan_applier.finish(plan, snapshot, undecided=applied.refused, is_told=is_told)
    if plan.places:
        logger.info(
            "scheduler.passed",
            placed=applied.placed,
            refused=len(applied.refused),
            waiting=len(snapshot.pending) - len(plan.places),
        )
    return applied


@contextlib.contextmanager
def _single_flight() -> Iterator[bool]:
    """Hold the advisory lock of the scheduler, if nobody else does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_KEY])
        (is_ours,) = cursor.fetchone()
    try:
        yield is_ours
    finally:
        if is_ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK_KEY])


@contextlib.contextmanager
def _dumped_on_failure(snapshot: Snapshot) -> Iterator[None]:
    """Keep the snapshot if the block fails."""
    try:
        yield
    except Exception:
        path = dump.keep(snapshot, get_site_config().storage_dir / "scheduler")
        logger.exception("scheduler.failed", snapshot=str(path))
        raise
