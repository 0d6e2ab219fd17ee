"""What keeps one workload waiting, who holds it, and what would let it start now.

Each question costs a few decisions of the engine, so it is answered for the workload that someone asks
about, never for a list; what is the same for all questions is decided once.
"""

from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic
from typing import Final

from django.db.models import QuerySet

from portal.common.errors import InvalidError
from portal.common.site_config import get_site_config
from portal.inventory.cuts import TIME_LIMIT_S
from portal.inventory.models import Pool
from portal.workloads.models import Workload
from portal.workloads.retry import RestartRule, parse_restart_policy
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.submission.gpu_fractions import fit_request_to_pool
from scheduler.core.dry_run import DryRunResult, Outlook
from scheduler.core.model.entities import PendingWorkload, PoolId, Request
from scheduler.core.reservation.expected_start import WHOLE_QUEUE
from scheduler.core.ways_out import AllowedChanges, WayOut, find_ways_out

_SHORTEST_S: Final = TIME_LIMIT_S[0]


@dataclass(frozen=True, slots=True)
class Wait:
    """The wait of one workload, as of a moment ago."""

    kind: str
    waiting: PendingWorkload
    result: DryRunResult
    ways: tuple[WayOut, ...] = ()


def examine_wait(workload: Workload, *, with_ways_out: bool) -> Wait | None:
    """Return why a queued workload waits, until when, and the ways out; None if it is not queued.

    Its expected start is computed however far down the queue it is. The rest of the site is as it was
    up to `queue_view_age_s` ago.
    """
    return _queue_view.examine(workload, with_ways_out=with_ways_out)


def ways_out_of(
    outlook: Outlook, waiting: PendingWorkload, *, is_interruptible: bool
) -> tuple[WayOut, ...]:
    """Return the changes that its owner could make and after which it would start now."""
    allowed = AllowedChanges(
        pools=_other_pools(waiting),
        may_be_interruptible=is_interruptible,
        shortest_s=_SHORTEST_S,
    )
    return find_ways_out(outlook, waiting, allowed)


def pools_for(time_limit_s: int | None) -> "QuerySet[Pool]":
    """Return the open pools in which work may run for so long; None is work with an open end."""
    rows = Pool.objects.filter(is_open=True)
    return rows if time_limit_s is None else rows.filter(time_limit_s_max__gte=time_limit_s)


class _QueueView:
    """The whole queue, decided on once for all who ask why something waits."""

    def __init__(self) -> None:
        self._lock = Lock()  # threads of the web process share the view, and its lazy parts
        self._outlook: Outlook | None = None
        self._pending: dict[str, PendingWorkload] = {}
        self._ways: dict[str, tuple[WayOut, ...]] = {}
        self._read_at = 0.0

    def examine(self, workload: Workload, *, with_ways_out: bool) -> Wait | None:
        with self._lock:
            key = str(workload.pk)
            outlook, waiting = self._outlook, self._pending.get(key)
            if outlook is None or not self._is_recent() or not _is_of(waiting, workload):
                outlook = self._read()
                waiting = self._pending.get(key)
            if waiting is None:
                return None
            result = outlook.of(waiting)
            if not with_ways_out:
                return Wait(workload.kind, waiting, result)
            if key not in self._ways:
                self._ways[key] = ways_out_of(
                    outlook, waiting, is_interruptible=_may_be_interruptible(workload)
                )
            return Wait(workload.kind, waiting, result, self._ways[key])

    def _is_recent(self) -> bool:
        return monotonic() - self._read_at < get_site_config().queue_view_age_s

    def _read(self) -> Outlook:
        self._read_at = monotonic()
        self._outlook = Outlook(load_snapshot(), depth=WHOLE_QUEUE)
        self._pending = {item.id: item for item in self._outlook.snapshot.pending}
        self._ways = {}
        return self._outlook


def _is_of(waiting: PendingWorkload | None, workload: Workload) -> bool:
    """Return whether the view has this workload as it is now."""
    return waiting is not None and waiting.version == workload.version


def _may_be_interruptible(workload: Workload) -> bool:
    if not workload.terms.preemptible_by_default:
        return False
    rule = parse_restart_policy(workload.restart, workload.retries_max).rule
    return rule is not RestartRule.NEVER


def _other_pools(waiting: PendingWorkload) -> dict[PoolId, Request]:
    """Return the open pools in which it may run for its time, with its request in their terms."""
    if waiting.request.home_nodes:
        return {}
    own = replace(waiting.request, max_card_memory_mib=0)
    found = {}
    for pool in pools_for(waiting.time_limit_s):
        try:
            found[PoolId(str(pool.pk))] = fit_request_to_pool(pool, own)
        except InvalidError:
            continue
    return found


_queue_view: Final = _QueueView()
