"""Reads the world of the activity: its live work, what is free, and what people hold."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db.models import Sum

from portal.common.clock import now
from portal.demo.activity.world import GPU, Amount, Ceiling, Room, Work, World
from portal.demo.organisation import (
    DEVELOPMENT,
    SHARES,
    SLICES_PER_CARD,
    TEAMS,
    TRAINING,
)
from portal.inventory.models import Accelerator
from portal.jobs import services as jobs
from portal.quotas.models import Quota
from portal.site.selectors import settings_for_system
from portal.workloads.models import Allocation, AllocationDevice, Dependency, Workload
from scheduler.core.model.resources import Resource
from scheduler.core.model.states import (
    LIVE_ALLOCATION,
    TERMINAL,
    AcceleratorState,
    NodeState,
    WorkloadState,
)

_ALIVE: Final = [state.value for state in WorkloadState if state not in TERMINAL]
_LIVE: Final = [state.value for state in LIVE_ALLOCATION]


def read_world(seed: int = 0) -> World:
    """Return the world at this moment, by the site's clock; `seed` is what is drawn from."""
    moment = now()
    zone = settings_for_system().days.zone
    return World(
        seed=seed,
        now=moment.astimezone(ZoneInfo(zone)),
        room=_read_room(),
        work=tuple(_read_work(moment)),
        ceilings=_read_ceilings(),
        used_by_others=_read_use_of_others(),
        are_others_waiting=Workload.objects.filter(
            simulated=False, state=WorkloadState.QUEUED, held_by="", not_before=None
        ).exists(),
    )


def _read_work(moment: datetime) -> Iterable[Work]:
    rows = list(
        Workload.objects.filter(simulated=True, state__in=_ALIVE)
        .select_related("owner", "group", "pool", "array")
        .defer("spec")
        .order_by("id")
    )
    job_ids = [row.pk for row in rows if row.kind == jobs.KIND]
    dependent = set(
        Dependency.objects.filter(
            workload__in=[row.pk for row in rows], settled_at=None
        ).values_list("workload", flat=True)
    )
    lent = set(
        Allocation.objects.filter(workload__in=job_ids, state__in=_LIVE)
        .exclude(pool__name=TRAINING)
        .values_list("workload", flat=True)
    )
    for row in rows:
        runs = row.state == WorkloadState.RUNNING and row.started_at is not None
        yield Work(
            id=str(row.pk),
            owner=row.owner.username,
            group=row.group.name,
            pool=row.pool.name,
            is_job=row.kind == jobs.KIND,
            state=row.state,
            amount=_amount(row),
            gpus=row.gpus,
            slices=row.slices,
            priority=row.priority,
            age_s=(moment - row.submitted_at).total_seconds(),
            wait_s=(moment - row.queued_at).total_seconds(),
            run_s=(moment - row.started_at).total_seconds() if runs and row.started_at else 0,
            array="" if row.array is None else str(row.array.pk),
            running_max=0 if row.array is None else row.array.running_max or row.array.size,
            is_lent=row.pk in lent,
            is_held=bool(row.held_by),
            has_begin=row.not_before is not None and row.not_before > moment,
            depends=row.pk in dependent,
        )


def _amount(row: Workload) -> Amount:
    one = row.gpus * GPU or row.gpu_milli or row.slices * GPU // SLICES_PER_CARD
    return Amount(one * row.replicas, row.cpu_milli * row.replicas)


def _read_room() -> Room:
    usable = Accelerator.objects.filter(state=AcceleratorState.OK, node__state=NodeState.READY)
    cards = usable.values_list("pk", "pool__name", "node_id")
    taken: Counter[Any] = Counter()
    live = AllocationDevice.objects.filter(released_at=None)
    for card, slices, milli in live.values_list("accelerator", "slices", "gpu_milli"):
        taken[card] += milli or GPU // slices
    free: dict[str, Counter[Any]] = defaultdict(Counter)
    left: Counter[str] = Counter()
    for card, pool, node in cards:
        free[pool][node] += card not in taken
        left[pool] += GPU - taken[card]
    training = free[TRAINING]
    return Room(
        training_largest=max(training.values(), default=0),
        training_free=sum(training.values()),
        lendable=sum(free[DEVELOPMENT].values()),
        slices_free=left[DEVELOPMENT] * SLICES_PER_CARD // GPU,
        share_milli_free=left[SHARES],
    )


def _read_ceilings() -> Mapping[str, Ceiling]:
    names = [team.name for team in TEAMS]
    rows = Quota.objects.filter(group__name__in=names, pool=None)
    found = {
        (group, resource): ceiling
        for group, resource, ceiling in rows.values_list("group__name", "resource", "ceiling")
    }
    groups = {group for group, _ in found}
    return {
        group: Ceiling(
            found.get((group, Resource.GPU.value)), found.get((group, Resource.CPU.value))
        )
        for group in groups
    }


def _read_use_of_others() -> Mapping[str, Amount]:
    held = Allocation.objects.filter(state__in=_LIVE, workload__simulated=False)
    sums = held.values("workload__group__name").annotate(
        gpu=Sum("total_gpu_milli"), cpu=Sum("cpu_milli")
    )
    return {row["workload__group__name"]: Amount(row["gpu"], row["cpu"]) for row in sums.order_by()}
