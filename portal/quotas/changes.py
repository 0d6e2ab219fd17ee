"""Changes of quotas: one or many rows in one transaction, with a reason and a history.

A change says for each row what it was and what it is to be. It is saved only if every row still is
what it was said to be, so that no change of others is lost unseen; to undo a change is to save it the
other way round. The only writer of limits and of their history.
"""

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from django.db import connection, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, Fault, InvalidError, NotFoundError
from portal.common.notifications import wake_scheduler
from portal.inventory.gpu_models import model_name
from portal.inventory.selectors import pool_visible_to
from portal.quotas import limits as member_limits
from portal.quotas import selectors
from portal.quotas.edits import (
    LIMITS,
    Limits,
    MemberEdit,
    QuotaChangeInvalidError,
    QuotaChangeOutdatedError,
    QuotaEdit,
    QuotaSubject,
    refuse_impossible,
)
from portal.quotas.models import Quota, QuotaChange, QuotaChangeItem
from portal.quotas.services import recount_quotas
from portal.quotas.ties import quota_ties
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to
from scheduler.core.model.resources import Resource


def limits_of(row: Quota) -> dict[str, int | str | None]:
    """Return the limits of a quota."""
    return {name: getattr(row, name) for name in LIMITS}


def default_limits() -> dict[str, int | str | None]:
    """Return the limits of a quota that says nothing."""
    return limits_of(Quota())


@transaction.atomic
def save_quota_change(
    *,
    actor: Actor,
    edits: Sequence[QuotaEdit],
    members: Sequence[MemberEdit] = (),
    reason: str = "",
    undoes: UUID | None = None,
) -> QuotaChange:
    """Save all rows of a change or none; what new quotas count is counted from the start.

    Ceilings of members are set after the quotas that they are parts of.

    Callers have checked what the actor may do (`portal.quotas.delegation`).

    Raises:
        QuotaChangeOutdatedError: somebody changed some of these quotas meanwhile.
        QuotaChangeInvalidError: limits contradict each other.
    """
    member_limits.lock_members(members)
    if any(edit.before is None for edit in edits):
        with connection.cursor() as cursor:
            # A transaction that is about to reserve has already read which quotas exist; without
            # waiting for all of these, what they reserve would not be counted here.
            cursor.execute("LOCK TABLE quotas_quota IN EXCLUSIVE MODE")
    rows = _lock(edits, members)
    code = "quotas_changed" if undoes is None else "quotas_changed_again"
    require_current(edits, rows, code=code)
    member_limits.require_current_ceilings(members, code=code)
    require_possible(edits)
    member_limits.require_possible_ceilings(members, edits)
    change = QuotaChange.objects.create(
        actor_id=actor.user_id, actor_name=actor.name, reason=reason, undoes_id=undoes
    )
    for edit, row in zip(edits, rows, strict=True):
        _write(actor, change, edit, row)
    member_limits.save_member_edits(actor=actor, change=change, edits=members)
    if any(edit.before is None for edit in edits):
        recount_quotas()
    wake_scheduler()
    return change


def find_rows(edits: Sequence[QuotaEdit]) -> list[Quota | None]:
    """Return the present quota of every row, None where there is none."""
    groups = {edit.group_id for edit in edits}
    found = {
        (row.group_id, QuotaSubject(row.pool_id, row.resource, row.model)): row
        for row in Quota.objects.filter(group__in=groups)
    }
    return [found.get((edit.group_id, edit.what)) for edit in edits]


def require_current(edits: Sequence[QuotaEdit], rows: Sequence[Quota | None], *, code: str) -> None:
    """Require that every row is what the change was made from."""
    faults = [
        Fault(f"/changes/{position}", "quota_changed", {})
        for position, (edit, row) in enumerate(zip(edits, rows, strict=True))
        if edit.before != (None if row is None else limits_of(row))
    ]
    if faults:
        raise QuotaChangeOutdatedError(code, faults)


def require_possible(edits: Sequence[QuotaEdit]) -> None:
    """Require that the limits of every row agree with each other, and no quota is named twice."""
    faults: list[Fault] = []
    seen: set[tuple[UUID, QuotaSubject]] = set()
    for position, edit in enumerate(edits):
        if (key := (edit.group_id, edit.what)) in seen:
            faults.append(Fault(f"/changes/{position}", "said_twice", {}))
        seen.add(key)
        if edit.after is not None:
            faults += [
                Fault(f"/changes/{position}{pointer}", code, params)
                for pointer, code, params in find_disorder(edit.what, edit.after)
            ]
    refuse_impossible(faults)


def find_disorder(
    what: QuotaSubject, limits: Limits
) -> list[tuple[str, str, Mapping[str, int | str]]]:
    """Return in what limits contradict each other: pointer, code and parameters."""
    guarantee, deserved = int(limits["guarantee"] or 0), int(limits["deserved"] or 0)
    ceiling = limits["ceiling"]
    if what.model and what.resource != Resource.GPU:
        return [("/resource", "quota_of_model_counts_gpus", {})]
    if what.model and (guarantee or deserved):
        return [("/after/deserved", "quota_of_model_promises_nothing", {})]
    found: list[tuple[str, str, Mapping[str, int | str]]] = []
    if deserved < guarantee:
        found.append(("/after/deserved", "quota_order", {"min": guarantee}))
    if ceiling is not None and int(ceiling) < deserved:
        found.append(("/after/ceiling", "quota_order", {"min": deserved}))
    return found


def _lock(edits: Sequence[QuotaEdit], members: Sequence[MemberEdit]) -> list[Quota | None]:
    """Lock the quotas of every row, in the order of their ids, and return them as they are now."""
    parts = member_limits.find_quotas(members)
    keys = [row.pk for row in (*find_rows(edits), *parts) if row is not None]
    locked = Quota.objects.filter(pk__in=keys).order_by("pk").select_for_update(no_key=True)
    by_key = {
        (row.group_id, QuotaSubject(row.pool_id, row.resource, row.model)): row for row in locked
    }
    return [by_key.get((edit.group_id, edit.what)) for edit in edits]


def _write(actor: Actor, change: QuotaChange, edit: QuotaEdit, row: Quota | None) -> None:
    before, after = edit.before, edit.after
    if after is None and row is not None:
        Quota.objects.filter(pk=row.pk).delete()
    elif after is not None and row is None:
        row = Quota(
            group_id=edit.group_id,
            pool_id=edit.what.pool_id,
            resource=edit.what.resource,
            model=edit.what.model,
            **after,
        )
        row.save(force_insert=True)
    elif after is not None and row is not None:
        for name, value in after.items():
            setattr(row, name, value)
        row.save(update_fields=list(LIMITS))
    if row is None:
        return
    QuotaChangeItem.objects.create(
        change=change,
        group_id=edit.group_id,
        pool_id=edit.what.pool_id,
        resource=edit.what.resource,
        model=edit.what.model,
        before=None if before is None else dict(before),
        after=None if after is None else dict(after),
    )
    _audit(actor, change, edit, row.pk)


def _audit(actor: Actor, change: QuotaChange, edit: QuotaEdit, quota_id: UUID) -> None:
    before, after = edit.before, edit.after
    said: dict[str, object] = {}
    if before is None and after is not None:
        action, said["after"] = "quota.add", dict(after)
    elif after is None and before is not None:
        action, said["before"] = "quota.remove", dict(before)
    else:
        action, (old, new) = "quota.change", (before or {}, after or {})
        names = [name for name in LIMITS if old[name] != new[name]]
        said["before"] = {name: old[name] for name in names}
        said["after"] = {name: new[name] for name in names}
    if change.reason:
        said["reason"] = change.reason
    audit.record_event(
        actor=actor,
        action=action,
        object_type="quota",
        object_id=quota_id,
        group_id=edit.group_id,
        params={
            "resource": edit.what.resource,
            "pool": str(edit.what.pool_id or ""),
            "model": edit.what.model,
            **said,
        },
    )


# One quota at a time, as scripts and requests for more change them.


@transaction.atomic
def add_quota(
    *,
    actor: Actor,
    group_id: UUID,
    what: QuotaSubject,
    limits: Limits,
) -> Quota:
    """Limit a group for one more resource; what it holds counts from the start.

    Raises:
        ConflictError: the group has such a quota.
    """
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.QUOTA_EDIT, group.pk)
    pool = None if what.pool_id is None else pool_visible_to(actor, what.pool_id)
    what = QuotaSubject(pool.pk if pool else None, what.resource, model_name(what.model))
    edit = QuotaEdit(group.pk, what, None, default_limits() | dict(limits))
    try:
        _save_one(actor, edit)
    except QuotaChangeOutdatedError as error:
        raise ConflictError("quota_exists", group=group.name, resource=what.resource) from error
    (row,) = find_rows([edit])
    if row is None:  # its group was removed at this very moment
        raise NotFoundError("quota")
    return row


@transaction.atomic
def remove_quota(*, actor: Actor, quota_id: UUID) -> None:
    """Remove a quota with the requests for more of it; those of the groups above remain."""
    quota_ties.get().lock_requests([quota_id])
    quota = selectors.quota_visible_to(actor, quota_id)
    policies.require(actor, Action.QUOTA_EDIT, quota.group_id, what="quota")
    _save_locked(actor, quota_id, lambda _: None)


@transaction.atomic
def change_quota(*, actor: Actor, quota_id: UUID, changes: Limits, reason: str = "") -> None:
    """Set new limits of a quota; running work continues, also above the new limits."""
    quota = selectors.quota_visible_to(actor, quota_id)
    policies.require(actor, Action.QUOTA_EDIT, quota.group_id, what="quota")
    _save_locked(actor, quota_id, lambda limits: {**limits, **changes}, reason)


@transaction.atomic
def raise_ceiling(*, actor: Actor, quota_id: UUID, ceiling: int, reason: str) -> None:
    """Raise a ceiling for an actor whose right `portal.quotas.delegation` has checked."""
    _save_locked(actor, quota_id, lambda limits: {**limits, "ceiling": ceiling}, reason)


def _save_locked(
    actor: Actor,
    quota_id: UUID,
    new: Callable[[dict[str, int | str | None]], Limits | None],
    reason: str = "",
) -> None:
    """Save what `new` makes of the limits that the quota has once it is locked."""
    row = Quota.objects.filter(pk=quota_id).select_for_update(no_key=True).first()
    if row is None:  # removed at this very moment
        raise NotFoundError("quota")
    what, before = QuotaSubject(row.pool_id, row.resource, row.model), limits_of(row)
    after = new(before)
    if after != before:
        _save_one(actor, QuotaEdit(row.group_id, what, before, after), reason)


def _save_one(actor: Actor, edit: QuotaEdit, reason: str = "") -> None:
    """Save a change of one row; a fault names the field of that row."""
    try:
        save_quota_change(actor=actor, edits=[edit], reason=reason)
    except QuotaChangeInvalidError as error:
        fault = error.faults[0]
        pointer = fault.pointer.removeprefix("/changes/0").replace("/after", "")
        raise InvalidError(fault.code, pointer=pointer, **fault.params) from error
