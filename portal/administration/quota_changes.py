"""Changes of many quotas at once: asked for, previewed by the engine, saved, taken back.

The preview decides one cycle under the present quotas and one under the new ones, from the same
snapshot; no rule of quotas is written down a second time here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from portal.administration.quota_csv import CsvQuota, CsvRefusedError, fault_at, read_quotas
from portal.approvals.services import lock_requests_about
from portal.common.actor import Actor
from portal.common.errors import DomainError, Fault, InvalidError
from portal.inventory.gpu_models import model_name
from portal.inventory.selectors import pools_visible_to
from portal.quotas import changes, selectors
from portal.quotas.changes import (
    CHANGES_MAX,
    QuotaChangeInvalidError,
    QuotaEdit,
    QuotaSubject,
    default_limits,
    find_disorder,
    limits_of,
)
from portal.quotas.delegation import require_edit_allowed
from portal.quotas.models import Quota, QuotaChange
from portal.tenancy.selectors import groups_visible_to
from portal.workloads.selectors import uses_for_system
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.model.entities import GroupId, PoolId, QuotaView
from scheduler.core.model.policy import OverQuotaWeight
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.quota_change import QuotaChangeEffect, evaluate_quota_change, with_quotas
from scheduler.core.quotas.ceilings import RowKey, row_key
from scheduler.core.quotas.demand import ScopeResource, installed_capacities, scope_capacities
from scheduler.core.quotas.overcommit import Overcommit, find_overcommits

UNDO_CODE: Final = "quotas_changed_again"


@dataclass(frozen=True, slots=True)
class QuotaChangeRequest:
    """Edits, or an earlier change to take back."""

    edits: tuple[QuotaEdit, ...] = ()
    undo: UUID | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class QuotaPreview:
    """What a change would do, before it is saved."""

    edits: tuple[QuotaEdit, ...]
    effect: QuotaChangeEffect
    overcommits: tuple[Overcommit, ...]
    overcommits_before: frozenset[Overcommit]
    installed: dict[ScopeResource, int]
    usable: dict[ScopeResource, int]


def preview_quota_change(*, actor: Actor, request: QuotaChangeRequest) -> QuotaPreview:
    """Return what the change would do now; without edits, what there is to share out.

    Raises:
        QuotaChangeOutdatedError: somebody changed some of these quotas meanwhile.
        QuotaChangeInvalidError: cells contradict each other, or are not the actor's to change.
    """
    edits = _checked(actor, request)
    snapshot = load_snapshot()
    rows = _quotas_under(snapshot, edits)
    changed = with_quotas(snapshot, rows)
    return QuotaPreview(
        edits,
        evaluate_quota_change(snapshot, rows) if edits else QuotaChangeEffect(),
        find_overcommits(changed),
        frozenset(find_overcommits(snapshot)),
        dict(installed_capacities(snapshot)),
        dict(scope_capacities(snapshot)),
    )


@transaction.atomic
def save_quota_change(*, actor: Actor, request: QuotaChangeRequest) -> QuotaChange:
    """Save a change as a whole.

    Raises:
        QuotaChangeOutdatedError: somebody changed some of these quotas meanwhile.
        QuotaChangeInvalidError: cells contradict each other, or are not the actor's to change.
        InvalidError: nothing is changed.
    """
    edits = _checked(actor, request)
    if not edits:
        raise InvalidError("quota_change_empty", pointer="/changes")
    rows = zip(edits, changes.find_rows(edits), strict=True)
    if removed := [row.pk for edit, row in rows if row is not None and edit.after is None]:
        lock_requests_about(removed)
    return changes.save_quota_change(
        actor=actor,
        edits=edits,
        reason=request.reason,
        undoes=request.undo,
        read_uses=uses_for_system,
    )


def read_csv_edits(*, actor: Actor, text: str) -> tuple[QuotaEdit, ...]:
    """Return what a file would change of the present quotas; rows that change nothing are left out.

    Raises:
        CsvRefusedError: rows name what does not exist, or contradict themselves.
    """
    given = read_quotas(text)
    edits, faults = _resolve(actor, given)
    if faults:
        raise CsvRefusedError(faults)
    if len(edits) > CHANGES_MAX:
        raise CsvRefusedError([fault_at(0, "", "csv_too_many_changes", max=CHANGES_MAX)])
    return tuple(edits)


def _resolve(actor: Actor, given: Sequence[CsvQuota]) -> tuple[list[QuotaEdit], list[Fault]]:
    groups = dict(groups_visible_to(actor).values_list("name", "pk"))
    pools = dict(pools_visible_to(actor).values_list("name", "pk"))
    edits: list[QuotaEdit] = []
    faults: list[Fault] = []
    seen: set[tuple[UUID, QuotaSubject]] = set()
    present = {
        (row.group_id, QuotaSubject(row.pool_id, row.resource, row.model)): limits_of(row)
        for row in Quota.objects.filter(group__in=groups.values())
    }
    for item in given:
        if item.group not in groups:
            faults.append(fault_at(item.row, "group", "unknown_group"))
            continue
        if item.pool and item.pool not in pools:
            faults.append(fault_at(item.row, "pool", "unknown_pool", pool=item.pool))
            continue
        what = QuotaSubject(pools.get(item.pool), item.resource, model_name(item.model))
        key = groups[item.group], what
        if key in seen:
            faults.append(fault_at(item.row, "group", "said_twice"))
        seen.add(key)
        before = present.get(key)
        after = (before or default_limits()) | dict(item.limits)
        faults += [
            fault_at(item.row, pointer.rpartition("/")[2], code, **params)
            for pointer, code, params in find_disorder(what, after)
        ]
        if after != before:
            edits.append(QuotaEdit(key[0], what, before, after))
    return edits, faults


def _checked(actor: Actor, request: QuotaChangeRequest) -> tuple[QuotaEdit, ...]:
    """Return the edits of a request once rights, names, limits and the present rows allow them."""
    edits = tuple(edit for edit in request.edits if edit.before != edit.after)
    code = "quotas_changed"
    if request.undo is not None:
        edits, code = _undoing(actor, request.undo), UNDO_CODE
    _require_known(actor, edits)
    rows = changes.find_rows(edits)
    faults: list[Fault] = []
    for position, (edit, row) in enumerate(zip(edits, rows, strict=True)):
        try:
            require_edit_allowed(actor, edit, row)
        except DomainError as error:
            faults.append(_at_row(position, error))
    if faults:
        raise QuotaChangeInvalidError(faults)
    changes.require_current(edits, rows, code=code)
    changes.require_possible(edits)
    return edits


def _at_row(position: int, error: DomainError) -> Fault:
    """Return a refusal as the fault of one row; what is denied of one row denies nothing of others."""
    pointer = str(error.params.get("pointer", ""))
    params = {
        name: value
        for name, value in error.params.items()
        if name != "pointer" and isinstance(value, int | str)
    }
    return Fault(f"/changes/{position}{pointer}", error.code, params)


def _undoing(actor: Actor, change_id: UUID) -> tuple[QuotaEdit, ...]:
    change = selectors.quota_change_visible_to(actor, change_id)
    return tuple(
        QuotaEdit(
            item.group_id,
            QuotaSubject(item.pool_id, item.resource, item.model),
            item.after,
            item.before,
        )
        for item in change.items.all()
    )


def _require_known(actor: Actor, edits: Sequence[QuotaEdit]) -> None:
    groups = set(groups_visible_to(actor).values_list("pk", flat=True))
    pools = set(pools_visible_to(actor).values_list("pk", flat=True))
    faults: list[Fault] = []
    for position, edit in enumerate(edits):
        pool = edit.what.pool_id
        if edit.group_id not in groups:
            faults.append(Fault(f"/changes/{position}/group", "unknown_group", {}))
        if pool is not None and pool not in pools:
            params = {"pool": str(pool)}
            faults.append(Fault(f"/changes/{position}/pool", "unknown_pool", params))
    if faults:
        raise QuotaChangeInvalidError(faults)


def _quotas_under(snapshot: Snapshot, edits: Iterable[QuotaEdit]) -> tuple[QuotaView, ...]:
    """Return the quotas of the snapshot with the edits applied."""
    rows: dict[RowKey, QuotaView] = {row_key(row): row for row in snapshot.quotas}
    for edit in edits:
        pool = edit.what.pool_id
        where = (
            GroupId(str(edit.group_id)),
            None if pool is None else PoolId(str(pool)),
            Resource(edit.what.resource),
        )
        key = (*where, edit.what.model)
        if edit.after is None:
            rows.pop(key, None)
            continue
        limits: dict[str, Any] = dict(edit.after)
        limits["weight"] = OverQuotaWeight(limits["weight"])
        before = rows.get(key) or QuotaView(*where, ceiling=None, model=edit.what.model)
        rows[key] = replace(before, **limits)
    return tuple(rows.values())
