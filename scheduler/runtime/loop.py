"""One run of the scheduler: alone, from a fresh snapshot, until nothing more can be placed.

PostgreSQL holds the truth. A run may be asked for (by a task, the beat tick, the command) too often,
too late or twice at once: each run derives everything from the database again.
"""

import contextlib
import json
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog
from django.db import connection

from portal.common.site_config import get_site_config
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.cycle import Decision
from scheduler.core.ledger import Ledger
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.snapshot_codec import encode_snapshot
from scheduler.runtime import board, plan_applier
from scheduler.runtime.collector import garbage_collection_paused
from scheduler.runtime.plan_applier import AppliedPlan

PASSES_MAX: Final = 5
"""Passes of one run: a plan that races against users is repaired at once, but not indefinitely."""
LOCK_KEY: Final = 0x6265_7274_68
FAILED_SNAPSHOT: Final = "failed-snapshot.json"

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SchedulerRun:
    """What one run did."""

    passes: int
    placed: int


def run_once(committer: Executor | None = None) -> SchedulerRun | None:
    """Place what can be placed now; return None at once if another copy is at work.

    A `committer` with one thread commits what is decided while more is decided.

    The lock saves work, it does not keep anything correct: two schedulers at once would only have
    each other's placements refused.
    """
    with _single_flight() as is_alone:
        if not is_alone:
            return None
        placed = 0
        for passes in range(1, PASSES_MAX + 1):
            applied = _run_pass(committer)
            placed += applied.placed
            if not (applied.placed and applied.refused):
                return SchedulerRun(passes, placed)
        return SchedulerRun(PASSES_MAX, placed)


@garbage_collection_paused()
def _run_pass(committer: Executor | None) -> AppliedPlan:
    """Load, decide, apply; keep the snapshot if that fails.

    Starts are committed while evictions and reasons are decided: they need not wait for them.
    """
    snapshot = load_snapshot()
    with _saved_on_failure(snapshot):
        decision = Decision(Ledger(snapshot), snapshot.taken_at)
        commits = plan_applier.begin_starts(decision.iterate_starts(), committer)
        try:
            is_explained = board.is_explanation_due(snapshot)
            plan = decision.plan_rest(explained=is_explained)
        finally:
            applied = commits.finish()
        plan_applier.commit_rest(
            plan, snapshot, undecided=applied.refused, is_explained=is_explained
        )
    if plan.starts:
        logger.info(
            "scheduler.passed",
            placed=applied.placed,
            refused=len(applied.refused),
            waiting=len(snapshot.pending) - len(plan.starts),
        )
    return applied


@contextlib.contextmanager
def _single_flight() -> Iterator[bool]:
    """Hold the advisory lock of the scheduler, if it is free; yield whether it is held here."""
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
def _saved_on_failure(snapshot: Snapshot) -> Iterator[None]:
    """Save the snapshot if the block fails, so that the bug can become a scenario."""
    try:
        yield
    except Exception:
        path = save_failed_snapshot(snapshot, get_site_config().storage_dir / "scheduler")
        logger.exception("scheduler.failed", snapshot=str(path))
        raise


def save_failed_snapshot(snapshot: Snapshot, folder: Path) -> Path:
    """Write the snapshot in place of an earlier one, and return where."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / FAILED_SNAPSHOT
    unfinished = target.with_suffix(".tmp")
    text = json.dumps(encode_snapshot(snapshot), indent=1)
    unfinished.write_text(text, encoding="utf-8")
    return unfinished.replace(target)
