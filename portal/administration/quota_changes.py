"""Changes of many quotas at once: asked for, previewed by the engine, saved, taken back.

The preview decides one cycle under the present quotas and one under the new ones, from the same
snapshot; no rule of quotas is written down a second time here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from portal.administration.quota_csv import (
    CsvQuota,
    CsvRefusedError,
    fault_at,
    read_quotas,
    write_amount,
)
from portal.approvals.services import lock_requests_about
from portal.common.actor import Actor
from portal.common.errors import DomainError, Fault, InvalidError
from portal.identity.models import User
from portal.inventory.gpu_models import model_name
from portal.inventory.selectors import pools_visible_to
from portal.quotas import changes, selectors
from portal.quotas import limits as member_limits
from portal.quotas.changes import default_limits, find_disorder, limits_of
from portal.quotas.delegation import require_edit_allowed
from portal.quotas.edits import (
    CHANGES_MAX,
    MemberEdit,
    QuotaEdit,
    QuotaSubject,
    refuse_impossible,
)
from portal.quotas.models import MemberCeiling, Quota, QuotaChange
from portal.tenancy.selectors import groups_visible_to, members_visible_to
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.uses import uses_for_system
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
def save_quota_change(*, actor: Actor, request: QuotaChangeRequest) -> QuotaChange:
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
        read_uses=uses_for_system,
    )


@dataclass(frozen=True, slots=True)
class FileEdits:
    """What a file would change."""

    edits: tuple[QuotaEdit, ...]
    members: tuple[MemberEdit, ...]


def read_csv_edits(*, actor: Actor, text: str) -> FileEdits:
    """Return what a file would change of what there is; rows that change nothing are left out.

    Raises:
        CsvRefusedError: with all cells that are not understood, name what does not exist, or
            contradict others.
    """
    faults: list[Fault] = []
    given = read_quotas(text, faults)
    unread = {fault.params["row"] for fault in faults}
    # All rows are looked up; those with cells that are not understood are not held to more.
    placed = [each for each in _place(actor, given, faults) if each.item.row not in unread]
    edits = _resolve([each for each in placed if not each.item.user], faults)
    members = _resolve_members(actor, [each for each in placed if each.item.user], faults)
    if faults:
        raise CsvRefusedError(faults)
    if max(len(edits), len(members)) > CHANGES_MAX:
        raise CsvRefusedError([fault_at(0, "", "csv_too_many_changes", max=CHANGES_MAX)])
    return FileEdits(tuple(edits), tuple(members))


@dataclass(frozen=True, slots=True)
class _Placed:
    """A row of a file whose group and pool there are."""

    item: CsvQuota
    group_id: UUID
    what: QuotaSubject


def _place(actor: Actor, given: Sequence[CsvQuota], faults: list[Fault]) -> list[_Placed]:
    """Find what rows are about; what there is not, or is named twice, joins the faults."""
    groups = dict(groups_visible_to(actor).values_list("name", "pk"))
    pools = dict(pools_visible_to(actor).values_list("name", "pk"))
    seen: set[tuple[UUID, QuotaSubject, str]] = set()
    found: list[_Placed] = []
    for item in given:
        unknown = []
        if item.group not in groups:
            unknown.append(fault_at(item.row, "group", "unknown_group"))
        if item.pool and item.pool not in pools:
            unknown.append(fault_at(item.row, "pool", "unknown_pool", pool=item.pool))
        faults += unknown
        if unknown:
            continue
        what = QuotaSubject(pools.get(item.pool), item.resource, model_name(item.model))
        key = groups[item.group], what, item.user
        if key in seen:
            faults.append(fault_at(item.row, "group", "said_twice"))
        seen.add(key)
        found.append(_Placed(item, groups[item.group], what))
    return found


def _resolve(given: Sequence[_Placed], faults: list[Fault]) -> list[QuotaEdit]:
    edits: list[QuotaEdit] = []
    present = {
        (row.group_id, QuotaSubject(row.pool_id, row.resource, row.model)): limits_of(row)
        for row in Quota.objects.filter(group__in={each.group_id for each in given})
    }
    for each in given:
        item, key, what = each.item, (each.group_id, each.what), each.what
        before = present.get(key)
        after = (before or default_limits()) | dict(item.limits)
        faults += [
            fault_at(item.row, pointer.rpartition("/")[2], code, **_as_written(what, params))
            for pointer, code, params in find_disorder(what, after)
        ]
        if after != before:
            edits.append(QuotaEdit(key[0], what, before, after))
    return edits


def _as_written(what: QuotaSubject, params: Mapping[str, int | str]) -> dict[str, int | str]:
    """Return the amounts of a fault as the file writes them."""
    return {name: write_amount(what.resource, int(amount)) for name, amount in params.items()}


def _resolve_members(
    actor: Actor, given: Sequence[_Placed], faults: list[Fault]
) -> list[MemberEdit]:
    groups = {each.group_id for each in given}
    members = {
        (group, member.user.pk) for group in groups for member in members_visible_to(actor, group)
    }
    names = [each.item.user for each in given]
    users = dict(User.objects.filter(username__in=names).values_list("username", "pk"))
    present = {
        (
            row.quota.group_id,
            row.user_id,
            QuotaSubject(row.quota.pool_id, row.quota.resource, row.quota.model),
        ): row.ceiling
        for row in MemberCeiling.objects.filter(quota__group__in=groups).select_related("quota")
    }
    edits: list[MemberEdit] = []
    for each in given:
        item = each.item
        if item.user not in users:
            faults.append(fault_at(item.row, "user", "not_a_member", group=item.group))
            continue
        if item.limits.keys() - {"ceiling"}:
            faults.append(fault_at(item.row, "user", "csv_member_has_a_ceiling"))
            continue
        user_id = users[item.user]
        before = present.get((each.group_id, user_id, each.what))
        after = item.limits.get("ceiling", before)
        if after is not None and (each.group_id, user_id) not in members:
            faults.append(fault_at(item.row, "user", "not_a_member", group=item.group))
        elif after != before:
            most = None if after is None else int(after)
            edits.append(MemberEdit(each.group_id, user_id, each.what, before, most))
    return edits


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
