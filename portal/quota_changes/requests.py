"""Changes of many quotas at once: asked for, previewed by the engine, saved, taken back.

The preview decides one cycle under the present quotas and one under the new ones, from the same
snapshot; no rule of quotas is written down a second time here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from portal.approvals.services import lock_requests_about
from portal.common.actor import Actor
from portal.common.errors import DomainError, Fault, InvalidError
from portal.inventory.selectors import pools_visible_to
from portal.quotas import changes, selectors
from portal.quotas import limits as member_limits
from portal.quotas.delegation import require_edit_allowed
from portal.quotas.edits import (
    MemberEdit,
    QuotaEdit,
    QuotaSubject,
    refuse_impossible,
)
from portal.quotas.models import QuotaChange
from portal.tenancy.selectors import groups_visible_to
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.model.entities import GroupId, PoolId, QuotaView, UserId
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
    """Edits of quotas and of what members may hold of them, or an earlier change to take back."""

    edits: tuple[QuotaEdit, ...] = ()
    members: tuple[MemberEdit, ...] = ()
    undo: UUID | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class QuotaPreview:
    """What a change would do, before it is saved."""

    edits: tuple[QuotaEdit, ...]
    members: tuple[MemberEdit, ...]
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
    edits, members = _checked(actor, request)
    snapshot = load_snapshot()
    rows = _with_members(_quotas_under(snapshot, edits), members)
    changed = with_quotas(snapshot, rows)
    return QuotaPreview(
        edits,
        members,
        evaluate_quota_change(snapshot, rows) if edits or members else QuotaChangeEffect(),
        find_overcommits(changed),
        frozenset(find_overcommits(snapshot)),
        dict(installed_capacities(snapshot)),
        dict(scope_capacities(snapshot)),
    )


@transaction.atomic
def change_quotas(*, actor: Actor, request: QuotaChangeRequest) -> QuotaChange:
    """Save a change as a whole.

    Raises:
        QuotaChangeOutdatedError: somebody changed some of these quotas meanwhile.
        QuotaChangeInvalidError: cells contradict each other, or are not the actor's to change.
        InvalidError: nothing is changed.
    """
    edits, members = _checked(actor, request)
    if not edits and not members:
        raise InvalidError("quota_change_empty", pointer="/changes")
    rows = zip(edits, changes.find_rows(edits), strict=True)
    if removed := [row.pk for edit, row in rows if row is not None and edit.after is None]:
        lock_requests_about(removed)
    return changes.save_quota_change(
        actor=actor,
        edits=edits,
        members=members,
        reason=request.reason,
        undoes=request.undo,
    )


def _checked(
    actor: Actor, request: QuotaChangeRequest
) -> tuple[tuple[QuotaEdit, ...], tuple[MemberEdit, ...]]:
    """Return the edits of a request once rights, names, limits and the present rows allow them."""
    edits = tuple(edit for edit in request.edits if edit.before != edit.after)
    members = tuple(edit for edit in request.members if edit.before != edit.after)
    code = "quotas_changed"
    if request.undo is not None:
        edits, members = _undoing(actor, request.undo)
        code = UNDO_CODE
    _require_known(actor, edits)
    rows = changes.find_rows(edits)
    faults: list[Fault] = []
    for position, (edit, row) in enumerate(zip(edits, rows, strict=True)):
        try:
            require_edit_allowed(actor, edit, row)
        except DomainError as error:
            faults.append(_at_row(f"/changes/{position}", error))
    for position, member in enumerate(members):
        try:
            member_limits.require_edit_allowed(actor, member)
        except DomainError as error:
            faults.append(_at_row(f"/members/{position}", error))
    refuse_impossible(faults)
    changes.require_current(edits, rows, code=code)
    member_limits.require_current_ceilings(members, code=code)
    changes.require_possible(edits)
    member_limits.require_possible_ceilings(members, edits)
    return edits, members


def _at_row(row: str, error: DomainError) -> Fault:
    """Return a refusal as the fault of one row; what is denied of one row denies nothing of others."""
    pointer = str(error.params.get("pointer", ""))
    params = {
        name: value
        for name, value in error.params.items()
        if name != "pointer" and isinstance(value, int | str)
    }
    return Fault(f"{row}{pointer}", error.code, params)


def _undoing(actor: Actor, change_id: UUID) -> tuple[tuple[QuotaEdit, ...], tuple[MemberEdit, ...]]:
    change = selectors.quota_change_visible_to(actor, change_id)
    edits = tuple(
        QuotaEdit(
            item.group_id,
            QuotaSubject(item.pool_id, item.resource, item.model),
            item.after,
            item.before,
        )
        for item in change.items.all()
    )
    members = tuple(
        MemberEdit(
            item.group_id,
            item.user_id,
            QuotaSubject(item.pool_id, item.resource, item.model),
            item.after,
            item.before,
        )
        for item in change.members.all()
    )
    return edits, members


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
    refuse_impossible(faults)


def _quotas_under(snapshot: Snapshot, edits: Iterable[QuotaEdit]) -> tuple[QuotaView, ...]:
    """Return the quotas of the snapshot with the edits applied."""
    rows: dict[RowKey, QuotaView] = {row_key(row): row for row in snapshot.quotas}
    for edit in edits:
        where = _scope_of(edit)
        key = (*where, edit.what.model)
        if edit.after is None:
            rows.pop(key, None)
            continue
        limits: dict[str, Any] = dict(edit.after)
        limits["weight"] = OverQuotaWeight(limits["weight"])
        before = rows.get(key) or QuotaView(*where, ceiling=None, model=edit.what.model)
        rows[key] = replace(before, **limits)
    return tuple(rows.values())


def _with_members(
    rows: Iterable[QuotaView], members: Iterable[MemberEdit]
) -> tuple[QuotaView, ...]:
    """Return the quotas with other ceilings of members."""
    found = {row_key(row): row for row in rows}
    for edit in members:
        key = (*_scope_of(edit), edit.what.model)
        row, user = found.get(key), UserId(str(edit.user_id))
        if row is None:  # the quota goes, and the ceiling with it
            continue
        own = [each for each in row.own_ceilings if each[0] != user]
        if edit.after is not None:
            own.append((user, edit.after))
        found[key] = replace(row, own_ceilings=tuple(sorted(own)))
    return tuple(found.values())


def _scope_of(edit: QuotaEdit | MemberEdit) -> tuple[GroupId, PoolId | None, Resource]:
    pool = edit.what.pool_id
    return (
        GroupId(str(edit.group_id)),
        None if pool is None else PoolId(str(pool)),
        Resource(edit.what.resource),
    )
