"""What keeps one workload waiting, who holds it, and what would let it start now.

Each question costs a few decisions of the engine, so it is answered for the workload that someone asks
about, never for a list.
"""

from dataclasses import dataclass, replace
from typing import Final

from portal.common.errors import InvalidError
from portal.inventory.cuts import TIME_LIMIT_S
from portal.inventory.models import Pool
from portal.workloads.models import Workload
from portal.workloads.retry import RestartRule, parse_restart_policy
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.submission.gpu_fractions import fit_request_to_pool
from scheduler.core.dry_run import DryRunResult, evaluate_submission
from scheduler.core.model.entities import PendingWorkload, PoolId, Request
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.reservation.expected_start import WHOLE_QUEUE
from scheduler.core.ways_out import AllowedChanges, WayOut, find_ways_out

_SHORTEST_S: Final = TIME_LIMIT_S[0]


@dataclass(frozen=True, slots=True)
class Wait:
    """The wait of one workload, as of now."""

    waiting: PendingWorkload
    result: DryRunResult
    ways: tuple[WayOut, ...] = ()


def examine_wait(workload: Workload, *, with_ways_out: bool) -> Wait | None:
    """Return why a queued workload waits, until when, and the ways out; None if it is not queued.

    Its expected start is computed however far down the queue it is.
    """
    snapshot = load_snapshot()
    waiting = next((item for item in snapshot.pending if item.id == str(workload.pk)), None)
    if waiting is None:
        return None
    result = evaluate_submission(snapshot, waiting, depth=WHOLE_QUEUE)
    if not with_ways_out:
        return Wait(waiting, result)
    is_interruptible = (
        workload.kind == Workload.Kind.TRAINING
        and parse_restart_policy(workload.restart, workload.retries_max).rule
        is not RestartRule.NEVER
    )
    return Wait(waiting, result, ways_out_of(snapshot, waiting, is_interruptible=is_interruptible))


def ways_out_of(
    snapshot: Snapshot, waiting: PendingWorkload, *, is_interruptible: bool
) -> tuple[WayOut, ...]:
    """Return the changes that its owner could make and after which it would start now."""
    allowed = AllowedChanges(
        pools=_other_pools(waiting),
        may_be_interruptible=is_interruptible,
        shortest_s=_SHORTEST_S,
    )
    return find_ways_out(snapshot, waiting, allowed)


def _other_pools(waiting: PendingWorkload) -> dict[PoolId, Request]:
    """Return the open pools in which it may run for its time, with its request in their terms."""
    if waiting.request.home_nodes:
        return {}
    own = replace(waiting.request, max_card_memory_mib=0)
    found = {}
    for pool in Pool.objects.filter(is_open=True, time_limit_s_max__gte=waiting.time_limit_s):
        try:
            found[PoolId(str(pool.pk))] = fit_request_to_pool(pool, own)
        except InvalidError:
            continue
    return found
