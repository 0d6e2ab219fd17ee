"""Load a snapshot: all that a scheduling pass or a dry run decides on, in a fixed number of queries."""

import contextlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q

from portal.common.clock import now, to_millis
from portal.inventory.card_facts import (
    enforced_isolation,
    parse_mig_profiles,
    usable_gpu_memory_mib,
)
from portal.inventory.gpu_models import find_gpu_model, model_name
from portal.inventory.models import Accelerator, Node, Pool
from portal.inventory.policy import read_policy
from portal.quotas.models import MemberCeiling, Quota, UserUse
from portal.site.days import build_clock
from portal.site.selectors import settings_for_system
from portal.tenancy.models import Group
from portal.workloads.column_lists import fill_columns, select_list
from portal.workloads.idleness import idle_since_for_system
from portal.workloads.models import JobArray
from portal.workloads.snapshot.cached_contents import load_cached_contents
from portal.workloads.snapshot.gpu_requests import load_gpu_requests
from portal.workloads.snapshot.pending import load_pending
from portal.workloads.snapshot.reservations import load_reservations
from portal.workloads.snapshot.running import (
    LiveAllocation,
    build_running,
    count_running,
    fetch_rows,
    load_live_allocations,
)
from portal.workloads.snapshot.usage import load_budgets, load_empty_budgets, load_usage
from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
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
from scheduler.core.model.isolation import IsolationLevel
from scheduler.core.model.mig import MigProfiles
from scheduler.core.model.policy import OverQuotaWeight
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState


def load_snapshot() -> Snapshot:
    """Return the whole cluster and its queue as they are at one moment."""
    with consistent_read():
        moment = now()
        settings = settings_for_system()
        held = load_live_allocations(moment)
        requests = load_gpu_requests(held, moment)
        pending = (*load_pending(held, moment), *requests.pending)
        return Snapshot(
            taken_at=Millis(to_millis(moment)),
            pools=load_pools(),
            nodes=_load_nodes(held),
            accelerators=_load_accelerators(held),
            groups=load_groups(),
            quotas=_load_quotas(),
            user_use=_load_user_use(),
            counters=count_running(
                [item for item in held if item.workload not in requests.workloads], pending
            ),
            pending=pending,
            running=build_running(held, moment, idle_since_for_system(moment)),
            usage=load_usage(held, moment, settings.half_life_s),
            budgets=load_budgets(held, moment, settings.days),
            arrays=_load_arrays(pending),
            fair_share=settings.fair_share,
            clock=build_clock(settings.time_zone, moment),
            reservations=load_reservations(),
            cached=load_cached_contents(),
        )


def load_site() -> Snapshot:
    """Return nodes, cards, groups and quotas, without anything that waits or runs."""
    with consistent_read():
        moment = now()
        settings = settings_for_system()
        return Snapshot(
            taken_at=Millis(to_millis(moment)),
            pools=load_pools(),
            nodes=_load_nodes(()),
            accelerators=_load_accelerators(()),
            groups=load_groups(),
            quotas=_load_quotas(),
            # Work that starts late in its period can fit into any budget but an empty one.
            budgets=load_empty_budgets(moment, settings.days),
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


def load_pools() -> tuple[PoolView, ...]:
    """Return every pool with its policy."""
    columns = ("id", "name", "is_open", "slices_per_card", "slice_mib", "policy")
    rows = list(Pool.objects.order_by("id").values_list(*columns))
    ids = {row[1]: PoolId(str(row[0])) for row in rows}
    return tuple(
        PoolView(ids[name], name, is_open, slices, slice_mib, read_policy(name, stored, ids))
        for _, name, is_open, slices, slice_mib, stored in rows
    )


_NODE_COLUMNS: Final = (
    *("id", "name", "state", "cpu_milli", "pool__cpu_overcommit_pct", "memory_mib", "switch"),
)


def _load_nodes(held: Collection[LiveAllocation]) -> tuple[NodeView, ...]:
    cpu: Counter[str] = Counter()
    memory: Counter[str] = Counter()
    for item in held:
        cpu[item.node] += item.cpu_milli
        memory[item.node] += item.memory_mib
    return tuple(
        NodeView(
            id=NodeId(node := str(key)),
            name=name,
            state=NodeState(state),
            cpu_milli=cpu_milli * overcommit_pct // 100,
            memory_mib=memory_mib,
            cpu_used_milli=cpu[node],
            memory_used_mib=memory[node],
            switch=switch,
        )
        for key, name, state, cpu_milli, overcommit_pct, memory_mib, switch in (
            Node.objects.order_by("id").values_list(*_NODE_COLUMNS)
        )
    )


_CARD_COLUMNS: Final = (
    *("id", "node", "pool", "model", "memory_mib", "state", "slices", "index", "island"),
    *("is_simulated", "mode", "slice_mib", "isolation", "mig_profiles"),
)
_CARDS: Final = fill_columns(
    "SELECT {columns} FROM inventory_accelerator card ORDER BY card.id",
    columns=select_list(Accelerator, _CARD_COLUMNS, table="card"),
)


def _load_accelerators(held: Collection[LiveAllocation]) -> tuple[AcceleratorView, ...]:
    taken: dict[str, set[int]] = defaultdict(set)
    milli: Counter[str] = Counter()
    mib: Counter[str] = Counter()
    for item in held:
        share, gpu_memory_mib = item.request.gpu_milli, item.request.gpu_memory_mib
        for accelerator, slot in item.devices:
            if share:
                milli[accelerator] += share
                mib[accelerator] += gpu_memory_mib
            else:
                taken[accelerator].add(slot)
    return tuple(
        AcceleratorView(
            id=AcceleratorId(card),
            node=NodeId(node),
            pool=PoolId(pool),
            model=(known := _model_facts(model)).name,
            memory_mib=usable_gpu_memory_mib(memory_mib, slices, slice_mib),
            state=AcceleratorState(state),
            slices=slices,
            taken_slots=frozenset(taken[card]) if card in taken else frozenset(),
            index=index,
            island=island,
            gpu_milli_taken=milli[card],
            gpu_memory_taken_mib=mib[card],
            isolation=None if is_simulated else _isolation(isolation),
            is_fractional=slices == 1 and mode == Pool.Mode.SHARED,
            mig_profiles=_mig_profiles(mig_profiles) if mode == Pool.Mode.MIG else (),
            features=known.features,
            bandwidth_gbps=known.bandwidth_gbps,
        )
        for (
            *(card, node, pool, model, memory_mib, state, slices, index, island),
            is_simulated,
            mode,
            slice_mib,
            isolation,
            mig_profiles,
        ) in fetch_rows(_CARDS, {})
    )


class _ModelFacts(NamedTuple):
    """What is known of a model."""

    name: str
    features: frozenset[str] = frozenset()
    bandwidth_gbps: int = 0


# Thousands of cards have few models and abilities between them: each is worked out once, and is one
# value, by which the engine keeps what it derives.
@lru_cache(maxsize=1024)
def _model_facts(reported: str) -> _ModelFacts:
    known = find_gpu_model(reported)
    if known is None:
        return _ModelFacts(model_name(reported))
    return _ModelFacts(model_name(reported), known.features, known.bandwidth_gbps)


@lru_cache(maxsize=1024)
def _isolation(stored: str) -> frozenset[IsolationLevel] | None:
    return enforced_isolation(json.loads(stored), is_simulated=False)


@lru_cache(maxsize=1024)
def _mig_profiles(stored: str) -> MigProfiles:
    return parse_mig_profiles(json.loads(stored))


def load_groups() -> tuple[GroupView, ...]:
    """Return every group with its path from the root."""
    rows = {row[0]: row for row in Group.objects.order_by("id").values_list("id", "name", "parent")}

    def path(group_id: UUID | None) -> tuple[GroupId, ...]:
        if group_id is None:
            return ()
        return (*path(rows[group_id][2]), GroupId(str(group_id)))

    return tuple(GroupView(GroupId(str(key)), row[1], path(key)) for key, row in rows.items())


def _load_quotas() -> tuple[QuotaView, ...]:
    own: dict[UUID, list[tuple[UserId, int]]] = defaultdict(list)
    rows = MemberCeiling.objects.order_by("user").values_list("quota", "user", "ceiling")
    for quota, user, ceiling in rows:
        own[quota].append((UserId(str(user)), ceiling))
    return tuple(
        QuotaView(
            group=GroupId(str(row.group_id)),
            pool=_pool_id(row.pool_id),
            resource=Resource(row.resource),
            ceiling=row.ceiling,
            used=row.used,
            user_ceiling=row.user_ceiling,
            guarantee=row.guarantee,
            deserved=row.deserved,
            weight=OverQuotaWeight(row.weight),
            own_ceilings=tuple(own.get(row.pk, ())),
            model=row.model,
        )
        for row in Quota.objects.order_by("id")
    )


def _load_user_use() -> tuple[UserQuotaUse, ...]:
    is_own = Exists(MemberCeiling.objects.filter(quota=OuterRef("quota"), user=OuterRef("user")))
    rows = UserUse.objects.filter(Q(quota__user_ceiling__isnull=False) | is_own).order_by("id")
    columns = ("user", "quota__group", "quota__pool", "quota__resource", "used", "quota__model")
    return tuple(
        UserQuotaUse(
            user=UserId(str(user)),
            group=GroupId(str(group)),
            pool=_pool_id(pool),
            resource=Resource(resource),
            used=used,
            model=model,
        )
        for user, group, pool, resource, used, model in rows.values_list(*columns)
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


def _pool_id(key: UUID | None) -> PoolId | None:
    return None if key is None else PoolId(str(key))
