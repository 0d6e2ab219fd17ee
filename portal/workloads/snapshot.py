"""Everything a scheduling cycle decides on, read at one moment in a fixed number of queries."""

import contextlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

from portal.common.clock import now, to_millis
from portal.inventory.card_facts import enforced_isolation, parse_mig_profiles
from portal.inventory.models import Accelerator, Node, Pool
from portal.inventory.policy import read_policy
from portal.quotas.models import Budget, Quota, UserUse
from portal.tenancy.models import Group
from portal.workloads import snapshot_queue as queue
from portal.workloads import snapshot_use as use
from portal.workloads import snapshot_work as work
from portal.workloads.accounting import FAIR_SHARE
from portal.workloads.idle_facts import idle_since_for_system
from portal.workloads.snapshot_returns import waiting_for_cards
from portal.workloads.snapshot_work import Held
from scheduler.core import entities
from scheduler.core.entities import (
    AcceleratorId,
    AcceleratorView,
    GroupId,
    GroupView,
    Millis,
    NodeId,
    NodeView,
    PoolId,
    PoolView,
    QuotaView,
    UserId,
)
from scheduler.core.partitions import Profiles
from scheduler.core.policy import Weight
from scheduler.core.resources import Resource
from scheduler.core.snapshot import Snapshot
from scheduler.core.states import AcceleratorState, NodeState


def load_snapshot() -> Snapshot:
    """Read the whole cluster and its queue as they were at one moment."""
    with _one_moment():
        moment = now()
        held = work.live_allocations(moment)
        returns = waiting_for_cards(held, moment)
        pending = (*queue.pending(held, moment), *returns.pending)
        return Snapshot(
            taken_at=Millis(to_millis(moment)),
            pools=pools(),
            nodes=_nodes(held),
            accelerators=_accelerators(held),
            groups=groups(),
            quotas=_quotas(),
            user_use=_user_use(),
            counters=work.counters(
                [item for item in held if item.workload not in returns.workloads], pending
            ),
            pending=pending,
            running=work.running(held, moment, idle_since_for_system(moment)),
            usage=use.usage(held, moment),
            budgets=use.budgets(held, moment),
            fair_share=FAIR_SHARE,
        )


def load_site() -> Snapshot:
    """Read what there is and what groups may hold, without anything that waits or runs."""
    with _one_moment():
        moment = now()
        return Snapshot(
            taken_at=Millis(to_millis(moment)),
            pools=pools(),
            nodes=_nodes(()),
            accelerators=_accelerators(()),
            groups=groups(),
            quotas=_quotas(),
            # Any other budget may do for work that starts late in its period.
            budgets=use.budgets((), moment, Budget.objects.filter(card_hours=0).order_by("id")),
        )


@contextlib.contextmanager
def _one_moment() -> Iterator[None]:
    """Give all queries inside the same view of the data; a caller's own transaction is joined."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def pools() -> tuple[PoolView, ...]:
    """Return every pool with its rules."""
    columns = ("id", "name", "is_open", "slices_per_card", "slice_mib", "policy")
    rows = list(Pool.objects.order_by("id").values_list(*columns))
    ids = {row[1]: PoolId(str(row[0])) for row in rows}
    return tuple(
        PoolView(ids[name], name, is_open, slices, slice_mib, read_policy(name, stored, ids))
        for _, name, is_open, slices, slice_mib, stored in rows
    )


_OF_NODE: Final = (
    *("id", "name", "state", "cpu_milli", "pool__cpu_overcommit_pct", "memory_mib", "switch"),
)


def _nodes(held: Collection[Held]) -> tuple[NodeView, ...]:
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
            cpu=cpu_milli * overcommit_pct // 100,
            memory=memory_mib,
            cpu_used=cpu[node],
            memory_used=memory[node],
            switch=switch,
        )
        for key, name, state, cpu_milli, overcommit_pct, memory_mib, switch in (
            Node.objects.order_by("id").values_list(*_OF_NODE)
        )
    )


_OF_CARD: Final = (
    *("id", "node", "pool", "model", "memory_mib", "state", "slices", "index", "island"),
    *("is_simulated", "isolation", "mode", "slice_mib", "mig_profiles"),
)


def _accelerators(held: Collection[Held]) -> tuple[AcceleratorView, ...]:
    taken: dict[str, set[int]] = defaultdict(set)
    cuts = _Cuts()
    milli: Counter[str] = Counter()
    mib: Counter[str] = Counter()
    for item in held:
        share, share_mib = item.request.share, item.request.share_mib
        for accelerator, slot in item.devices:
            if share:
                milli[accelerator] += share
                mib[accelerator] += share_mib
            else:
                taken[accelerator].add(slot)
    return tuple(
        AcceleratorView(
            id=AcceleratorId(card := str(key)),
            node=NodeId(str(node)),
            pool=PoolId(str(pool)),
            model=model,
            memory_mib=slice_mib if slices == 1 else memory_mib,
            state=AcceleratorState(state),
            slices=slices,
            taken=frozenset(taken[card]) if card in taken else frozenset(),
            index=index,
            island=island,
            share_taken=milli[card],
            share_mib_taken=mib[card],
            isolation=enforced_isolation(isolation, is_simulated=is_simulated),
            is_divided=slices == 1 and mode == Pool.Mode.SHARED,
            profiles=cuts.of(profiles) if mode == Pool.Mode.MIG else (),
        )
        for (
            *(key, node, pool, model, memory_mib, state, slices, index, island),
            is_simulated,
            isolation,
            mode,
            slice_mib,
            profiles,
        ) in Accelerator.objects.order_by("id").values_list(*_OF_CARD)
    )


class _Cuts:
    """One value for all cards that can be cut alike, so that what is known of one serves all."""

    def __init__(self) -> None:
        self._known: dict[str, Profiles] = {}

    def of(self, stored: list[Any]) -> Profiles:
        return self._known.setdefault(str(stored), parse_mig_profiles(stored))


def groups() -> tuple[GroupView, ...]:
    """Return every group with its way from the root."""
    rows = {row[0]: row for row in Group.objects.order_by("id").values_list("id", "name", "parent")}

    def path(group_id: UUID | None) -> tuple[GroupId, ...]:
        if group_id is None:
            return ()
        return (*path(rows[group_id][2]), GroupId(str(group_id)))

    return tuple(GroupView(GroupId(str(key)), row[1], path(key)) for key, row in rows.items())


def _quotas() -> tuple[QuotaView, ...]:
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
            weight=Weight(row.weight),
        )
        for row in Quota.objects.order_by("id")
    )


def _user_use() -> tuple[entities.UserUse, ...]:
    rows = UserUse.objects.filter(quota__user_ceiling__isnull=False).order_by("id")
    columns = ("user", "quota__group", "quota__pool", "quota__resource", "used")
    return tuple(
        entities.UserUse(
            user=UserId(str(user)),
            group=GroupId(str(group)),
            pool=_pool_id(pool),
            resource=Resource(resource),
            used=used,
        )
        for user, group, pool, resource, used in rows.values_list(*columns)
    )


def _pool_id(key: UUID | None) -> PoolId | None:
    return None if key is None else PoolId(str(key))
