"""Ceilings: what a group, its ancestors and its members may hold at most, and what they hold.

A ceiling counts everything of its group and of all groups below it: in one pool, over all pools, or
only on cards of one model. Where cards differ, one that is too large, or of a model of which the ceiling
is reached, is left out of what the work may start on (`CeilingBook.narrow`); it is refused only when no
card is left.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, NamedTuple

from scheduler.core.model.card_kind import is_card_suitable
from scheduler.core.model.entities import (
    GroupId,
    PendingWorkload,
    PoolId,
    QuotaView,
    Request,
    RunningWorkload,
    UserQuotaUse,
)
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.demand import DemandTable, Scope, Workload
from scheduler.core.quotas.group_tree import GroupPath

RowKey = tuple[GroupId, Scope, Resource, str]
"""Group, pool, resource and model of a quota."""


class Limit(NamedTuple):
    """One ceiling, of a group or of one member, against what a workload asks for."""

    code: ReasonCode
    row: QuotaView
    used: int
    requested: int
    most: int

    @property
    def is_broken(self) -> bool:
        """Return whether the request does not fit above what is used."""
        return self.used + self.requested > self.most

    @property
    def is_too_small(self) -> bool:
        """Return whether the request would not even fit if nothing were used."""
        return self.requested > self.most


class CeilingBook:
    """Every quota row with its use, of the whole group and of each member; writes can be undone."""

    def __init__(
        self,
        snapshot: Snapshot,
        paths: Mapping[GroupId, GroupPath],
        demand: DemandTable,
        undo_log: UndoLog,
    ) -> None:
        """Copy what the snapshot counted; all later writes go through the undo log."""
        self._undo_log = undo_log
        self._paths = paths
        self._demand = demand
        self._rows: dict[GroupId, list[QuotaView]] = defaultdict(list)
        for row in sorted(snapshot.quotas, key=_row_order):
            self._rows[row.group].append(row)
        self.promises_gpus: Final = any(
            row.guarantee or row.deserved
            for row in snapshot.quotas
            if row.resource is Resource.GPU and not row.model
        )
        """Whether any group is guaranteed, or deserves, some GPUs."""
        self._views: dict[RowKey, QuotaView] = {}
        self._over: dict[tuple[GroupId, PoolId], tuple[QuotaView, ...]] = {}
        self._by_card: dict[tuple[GroupId, PoolId], tuple[QuotaView, ...]] = {}
        self._used = {row_key(row): row.used for row in snapshot.quotas}
        self._used_by = {
            (use.user, (use.group, use.pool, use.resource, use.model)): use.used
            for use in snapshot.user_use
        }

    def rows(self) -> tuple[QuotaView, ...]:
        """Return every quota with what is used of it now."""
        return tuple(self._counted(row) for rows in self._rows.values() for row in rows)

    def rows_of(self, group: GroupId) -> tuple[QuotaView, ...]:
        """Return the group's own quotas with what is used of them now."""
        return tuple(self._counted(row) for row in self._rows.get(group, ()))

    def rows_over(self, work: Workload) -> tuple[QuotaView, ...]:
        """Return the quotas that count the work, from the root down, with their use now."""
        return tuple(self._counted(row) for row in self.rows_counting(work))

    def rows_counting(self, work: Workload) -> tuple[QuotaView, ...]:
        """Return the same as they are in the snapshot."""
        place = work.group, work.pool
        if place not in self._over:
            self._over[place] = tuple(
                row
                for group in self._paths[work.group]
                for row in self._rows.get(group, ())
                if row.pool in {None, work.pool}
            )
        return self._over[place]

    def depends_on_cards(self, work: Workload) -> bool:
        """Return whether it matters to some quota which cards the work gets."""
        return bool(self._rows_by_card(work))

    def count(self, work: RunningWorkload, times: int) -> None:
        """Count the work as held by its user and group, under every ancestor; `times` may be -1."""
        rows = self.rows_counting(work)
        if not rows:
            return
        amount = self._demand.total(work)
        by_model = self._demand.gpu_milli_by_model(work) if _names_model(rows) else {}
        for row in rows:
            held = by_model.get(row.model, 0) if row.model else amount.get(row.resource)
            if held == 0:
                continue
            holder, key = (work.user, row_key(row)), row_key(row)
            self._undo_log.write(self._used, key, self._used[key] + held * times)
            before = self._used_by.get(holder, 0)
            self._undo_log.write(self._used_by, holder, before + held * times)

    def amount_in(self, row: QuotaView, work: RunningWorkload) -> int:
        """Return what running work holds of one quota; 0 if that does not count it."""
        if row not in self.rows_counting(work):
            return 0
        if row.model:
            return self._demand.gpu_milli_by_model(work).get(row.model, 0)
        return self._demand.total(work).get(row.resource)

    def broken(self, workload: PendingWorkload, *, borrowed: bool) -> tuple[Limit, ...]:
        """Return every ceiling that starting the workload now would break.

        With `borrowed`, ceilings that depend on the cards are left to `narrow`: what its own pool has
        says nothing about the cards of others.
        """
        found = tuple(
            limit
            for limit in self.limits(workload)
            if limit.is_broken and not (borrowed and limit.row.resource is Resource.GPU_MEMORY)
        )
        if found or borrowed or self._leaves_a_card(workload, self.narrow(workload)):
            return found
        return self.left_out(workload)

    def permanently_broken(self, workload: PendingWorkload) -> tuple[Limit, ...]:
        """Return every limit that the workload would break even if nothing ran."""
        by_model = [limit for limit in self._by_model(workload) if limit.is_too_small]
        excluded = {limit.row.model for limit in by_model}
        if self._leaves_a_card(workload, _without(workload.request, excluded, self._demand.models)):
            by_model = []
        found = [limit for limit in self.limits(workload) if limit.is_too_small]
        return (*found, *by_model)

    def limits(self, workload: PendingWorkload) -> Iterator[Limit]:
        """Yield every finite limit on something that the workload asks for, of whatever model."""
        amount = self._demand.total(workload)
        for row in self.rows_counting(workload):
            requested = 0 if row.model else amount.get(row.resource)
            if requested:
                yield from self._limits_of(row, requested, workload)

    def limits_over(self, workload: PendingWorkload) -> Iterator[Limit]:
        """Yield every finite limit on the member's work in its pool, with nothing requested."""
        for row in self.rows_counting(workload):
            if not row.model:
                yield from self._limits_of(row, 0, workload)

    def limits_on(self, model: str, workload: PendingWorkload) -> Iterator[Limit]:
        """Yield every finite limit on cards of one model, as if all replicas got such cards."""
        return (limit for limit in self._by_model(workload) if limit.row.model == model)

    def narrow(self, workload: PendingWorkload) -> Request | None:
        """Return the request for the cards that the quotas leave it; None if they leave none.

        It is the very same request where they leave all.
        """
        request = workload.request
        if not self._rows_by_card(workload):
            return request
        most_mib = self._memory_left(workload)
        if most_mib == 0:
            return None
        if most_mib < self._demand.card_sizes_mib[-1]:
            most = min(most_mib, request.max_card_memory_mib or most_mib)
            request = replace(request, max_card_memory_mib=most)
        excluded = {limit.row.model for limit in self._by_model(workload) if limit.is_broken}
        return _without(request, excluded, self._demand.models)

    def left_out(self, workload: PendingWorkload) -> tuple[Limit, ...]:
        """Return the limits for which `narrow` leaves cards out, with what such a card would take."""
        by_model = [limit for limit in self._by_model(workload) if limit.is_broken]
        most_mib = self._memory_left(workload)
        suitable = self._demand.kinds_for(workload.request, workload.pool)
        larger = [kind.memory_mib for kind in suitable if kind.memory_mib > most_mib]
        if not larger:
            return tuple(by_model)
        devices = workload.request.gpus * workload.request.replicas
        by_memory = [
            limit._replace(requested=devices * min(larger))
            for limit in self.limits(workload)
            if limit.row.resource is Resource.GPU_MEMORY
        ]
        return (*by_model, *(limit for limit in by_memory if limit.is_broken))

    def _by_model(self, workload: PendingWorkload) -> Iterator[Limit]:
        """Yield the limits of each model, as if all replicas got cards of it."""
        requested = self._demand.total(workload).gpu
        for row in self._rows_by_card(workload) if requested else ():
            if row.model:
                yield from self._limits_of(row, requested, workload)

    def _limits_of(
        self, row: QuotaView, requested: int, workload: PendingWorkload
    ) -> Iterator[Limit]:
        key = row_key(row)
        if row.ceiling is not None:
            yield Limit(ReasonCode.QUOTA_CEILING, row, self._used[key], requested, row.ceiling)
        if (most := row.member_ceiling(workload.user)) is not None:
            used = self._used_by.get((workload.user, key), 0)
            yield Limit(ReasonCode.QUOTA_USER_CEILING, row, used, requested, most)

    def _memory_left(self, workload: PendingWorkload) -> int:
        """Return the memory of the largest cards that the quotas leave; 0 if they leave none."""
        devices = workload.request.gpus * workload.request.replicas
        left = [
            max(limit.most - limit.used, 0) // devices  # one that was lowered may be exceeded
            for limit in (self.limits(workload) if devices else ())
            if limit.row.resource is Resource.GPU_MEMORY
        ]
        sizes = self._demand.card_sizes_mib
        return sizes[-1] if not left else sizes[bisect_right(sizes, min(left)) - 1]

    def _leaves_a_card(self, workload: PendingWorkload, left: Request | None) -> bool:
        """Return whether its pool has a card that `left` accepts, if it has one for the workload."""
        if left is workload.request:
            return True
        suitable = self._demand.kinds_for(workload.request, workload.pool)
        return not suitable or (
            left is not None and any(is_card_suitable(kind, left) for kind in suitable)
        )

    def _rows_by_card(self, work: Workload) -> tuple[QuotaView, ...]:
        """Return the rows over the work for which it matters which cards it gets."""
        place = work.group, work.pool
        if place not in self._by_card:
            self._by_card[place] = tuple(
                row
                for row in self.rows_counting(work)
                if (row.model or row.resource is Resource.GPU_MEMORY)
                and (row.ceiling is not None or row.limits_members)
            )
        return self._by_card[place]

    def _counted(self, row: QuotaView) -> QuotaView:
        key = row_key(row)
        used, view = self._used[key], self._views.get(key, row)
        if view.used != used:
            view = self._views[key] = replace(row, used=used)
        return view


def row_key(row: QuotaView | UserQuotaUse) -> RowKey:
    """Return what identifies a quota."""
    return row.group, row.pool, row.resource, row.model


def _without(
    request: Request, excluded: AbstractSet[str], models: frozenset[str]
) -> Request | None:
    """Return the request without these models; None if it accepts no other."""
    if not excluded:
        return request
    left = (request.gpu_models or models) - excluded
    return replace(request, gpu_models=frozenset(left)) if left else None


def _names_model(rows: Iterable[QuotaView]) -> bool:
    return any(row.model for row in rows)


def _row_order(row: QuotaView) -> tuple[str, str, str]:
    """Order the rows of a group: all pools together first, then by pool and resource."""
    return row.pool or "", row.resource, row.model
