"""Load a snapshot: all that a scheduling pass or a dry run decides on, in a fixed number of queries."""

import contextlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from typing import Final
from uuid import UUID

from django.db import connection, transaction

from portal.common.clock import now, to_millis
from portal.common.postgresql.column_lists import fill_columns, select_list
from portal.inventory.models import Pool
from portal.inventory.policy import read_policy
from portal.quotas.models import Quota
from portal.site.days import build_clock
from portal.site.selectors import settings_for_system
from portal.tenancy.models import Group
from portal.workloads.idleness import idle_since_for_system
from portal.workloads.models import JobArray
from portal.workloads.snapshot.cached_contents import load_cached_contents
from portal.workloads.snapshot.cards import NOTHING_TAKEN, load_cards, taken_by
from portal.workloads.snapshot.gpu_requests import load_gpu_requests
from portal.workloads.snapshot.pending import load_pending
from portal.workloads.snapshot.published import load_published_for_system
from portal.workloads.snapshot.reservations import load_reservations
from portal.workloads.snapshot.running import (
    LiveAllocation,
    build_running,
    count_running,
    fetch_rows,
    load_live_allocations,
)
from portal.workloads.snapshot.usage import (
    count_uncounted,
    load_budgets,
    load_unused_budgets_for_system,
    load_usage,
)
from scheduler.core.model.entities import (
    ArrayId,
    ArrayView,
    GroupId,
    GroupView,
    Millis,
    NodeId,
    NodeView,
    PendingWorkload,
    PoolId,
    PoolView,
    QuotaView,
    UserId,
    UserQuotaUse,
)
from scheduler.core.model.policy import REAL_OVERHEADS, OverQuotaWeight
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import NodeState


def load_snapshot() -> Snapshot:
    """Return the whole cluster and its queue as they are at one moment."""
    with consistent_read():
        moment = now()
        settings = settings_for_system()
        held = load_live_allocations(moment)
        requests = load_gpu_requests(held, moment)
        pending = (*load_pending(held, moment), *requests.pending)
        pools = load_pools_for_system()
        graces = {pool.id: pool.policy.grace_s for pool in pools}
        return Snapshot(
            taken_at=Millis(to_millis(moment)),
            pools=pools,
            nodes=_load_nodes(held),
            accelerators=load_cards(taken_by(held)),
            groups=load_groups_for_system(),
            quotas=load_quotas(),
            user_use=_load_user_use(),
            counters=count_running(
                [item for item in held if item.workload not in requests.workloads], pending
            ),
            pending=pending,
            running=build_running(held, moment, idle_since_for_system(moment), graces),
            usage=load_usage(count_uncounted(held, moment), moment, settings.half_life_s),
            budgets=load_budgets(held, moment, settings.days),
            arrays=_load_arrays(pending),
            fair_share=settings.fair_share,
            clock=build_clock(settings.time_zone, moment),
            reservations=load_reservations(),
            overheads=REAL_OVERHEADS,
            published=load_published_for_system(),
            cached=load_cached_contents(),
        )


def load_site() -> Snapshot:
    """Return nodes, cards, groups and quotas, without anything that waits or runs."""
    with consistent_read():
        moment = now()
        settings = settings_for_system()
        return Snapshot(
            taken_at=Millis(to_millis(moment)),
            pools=load_pools_for_system(),
            nodes=_load_nodes(()),
            accelerators=load_cards(NOTHING_TAKEN),
            groups=load_groups_for_system(),
            quotas=load_quotas(),
            budgets=load_unused_budgets_for_system(moment, settings.days),
            fair_share=settings.fair_share,
            clock=build_clock(settings.time_zone, moment),
        )


@contextlib.contextmanager
def consistent_read() -> Iterator[None]:
    """Read in one repeatable-read transaction, so that all queries see the same moment.

    Inside a transaction of the caller, the queries belong to that one.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def load_pools_for_system() -> tuple[PoolView, ...]:
    """Return every pool with its policy."""
    columns = ("id", "name", "is_open", "slices_per_card", "slice_mib", "policy")
    rows = list(Pool.objects.order_by("id").values_list(*columns))
    ids = {row[1]: PoolId(str(row[0])) for row in rows}
    return tuple(
        PoolView(ids[name], name, is_open, slices, slice_mib, read_policy(name, stored, ids))
        for _, name, is_open, slices, slice_mib, stored in rows
    )


_NODES: Final = """
SELECT node.id::text, node.name, node.state, node.cpu_milli, pool.cpu_overcommit_pct, node.memory_mib,
    node.switch
FROM inventory_node node JOIN inventory_pool pool ON pool.id = node.pool_id ORDER BY node.id
"""


def _load_nodes(held: Collection[LiveAllocation]) -> tuple[NodeView, ...]:
    cpu: Counter[str] = Counter()
    memory: Counter[str] = Counter()
    for item in held:
        cpu[item.node] += item.cpu_milli
        memory[item.node] += item.memory_mib
    return tuple(
        NodeView(
            id=NodeId(node),
            name=name,
            state=NodeState(state),
            cpu_milli=cpu_milli * overcommit_pct // 100,
            memory_mib=memory_mib,
            cpu_used_milli=cpu[node],
            memory_used_mib=memory[node],
            switch=switch,
        )
        for node, name, state, cpu_milli, overcommit_pct, memory_mib, switch in (
            fetch_rows(_NODES, {})
        )
    )


def load_groups_for_system() -> tuple[GroupView, ...]:
    """Return every group with its path from the root."""
    rows = {row[0]: row for row in Group.objects.order_by("id").values_list("id", "name", "parent")}

    def path(group_id: UUID | None) -> tuple[GroupId, ...]:
        if group_id is None:
            return ()
        return (*path(rows[group_id][2]), GroupId(str(group_id)))

    return tuple(GroupView(GroupId(str(key)), row[1], path(key)) for key, row in rows.items())


_QUOTA_COLUMNS: Final = (
    *("id", "group", "pool", "resource", "ceiling", "used", "user_ceiling", "guarantee"),
    *("deserved", "weight", "model"),
)
_QUOTAS: Final = fill_columns(
    "SELECT {columns} FROM quotas_quota quota WHERE resource = ANY(%(resources)s) ORDER BY quota.id",
    columns=select_list(Quota, _QUOTA_COLUMNS, table="quota"),
)
_MEMBER_CEILINGS: Final = """
SELECT quota_id::text, user_id::text, ceiling FROM quotas_memberceiling ORDER BY user_id
"""
_USER_USE: Final = """
SELECT used.user_id::text, quota.group_id::text, quota.pool_id::text, quota.resource, used.used, quota.model
FROM quotas_useruse used JOIN quotas_quota quota ON quota.id = used.quota_id
WHERE quota.user_ceiling IS NOT NULL OR EXISTS (
    SELECT 1 FROM quotas_memberceiling own WHERE own.quota_id = quota.id AND own.user_id = used.user_id
) ORDER BY used.id
"""


def load_quotas(resources: Collection[Resource] = tuple(Resource)) -> tuple[QuotaView, ...]:
    """Return the quotas of some resources, or of all."""
    own: dict[str, list[tuple[UserId, int]]] = defaultdict(list)
    for quota, user, member_ceiling in fetch_rows(_MEMBER_CEILINGS, {}):
        own[quota].append((UserId(user), member_ceiling))
    return tuple(
        QuotaView(
            group=GroupId(group),
            pool=None if pool is None else PoolId(pool),
            resource=Resource(resource),
            ceiling=ceiling,
            used=used,
            user_ceiling=user_ceiling,
            guarantee=guarantee,
            deserved=deserved,
            weight=OverQuotaWeight(weight),
            own_ceilings=tuple(own.get(key, ())),
            model=model,
        )
        for (
            *(key, group, pool, resource, ceiling, used, user_ceiling, guarantee, deserved),
            weight,
            model,
        ) in fetch_rows(_QUOTAS, {"resources": [str(each) for each in resources]})
    )


def _load_user_use() -> tuple[UserQuotaUse, ...]:
    return tuple(
        UserQuotaUse(
            user=UserId(user),
            group=GroupId(group),
            pool=None if pool is None else PoolId(pool),
            resource=Resource(resource),
            used=used,
            model=model,
        )
        for user, group, pool, resource, used, model in fetch_rows(_USER_USE, {})
    )


def _load_arrays(pending: Collection[PendingWorkload]) -> tuple[ArrayView, ...]:
    """Return the limits of the arrays that have tasks in the queue."""
    queued = {item.array for item in pending if item.array is not None}
    if not queued:
        return ()
    rows = JobArray.objects.filter(pk__in=queued, running_max__isnull=False).order_by("id")
    return tuple(
        ArrayView(ArrayId(str(key)), running_max)
        for key, running_max in rows.values_list("pk", "running_max")
        if running_max is not None
    )
