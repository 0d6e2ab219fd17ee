"""Limits that are counted per user: of all members of a group, and of single members."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, Fault, InvalidError, NotFoundError
from portal.common.notifications import wake_scheduler
from portal.quotas.edits import (
    MemberEdit,
    QuotaChangeOutdatedError,
    QuotaEdit,
    QuotaSubject,
    refuse_impossible,
)
from portal.quotas.models import (
    GroupLimit,
    MemberCeiling,
    MemberCeilingChange,
    MemberLimit,
    Quota,
    QuotaChange,
)
from portal.quotas.selectors import highest_priorities_for_system
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to, groups_visible_to, members_visible_to

QUOTA_MIB_MAX: Final = 2**40
"""Largest quota of a volume, and of those of a group together."""
_OF_GROUP: Final[Mapping[str, str]] = {
    "time_limit_s_max": "time_limit_s_max",
    "pending_max": "pending_per_user_max",
    "running_max": "running_per_user_max",
    "environments_max": "environments_per_user_max",
}
"""Counted limits of single members, and the group's that each must keep within."""
MEMBER_LIMITS: Final = (*_OF_GROUP, "priority_max")
"""What may be limited of a member, besides its part of quotas."""
Member = tuple[UUID, UUID]
"""A group and a user in it."""


def group_limit_visible_to(actor: Actor, group_id: UUID) -> GroupLimit:
    """Return the counted limits of a visible group; unsaved defaults where none were set."""
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.QUOTA_VIEW, group.pk)
    return GroupLimit.objects.filter(group=group).first() or GroupLimit(group=group)


def group_limits_visible_to(actor: Actor) -> list[GroupLimit]:
    """Return the counted limits of every visible group; unsaved defaults where none were set."""
    groups = groups_visible_to(actor).order_by("name")
    found = {row.group_id: row for row in GroupLimit.objects.select_related("group")}
    return [found.get(group.pk) or GroupLimit(group=group) for group in groups]


def shared_limits_for_system(
    group_id: UUID, role: str | None, ceilings: Collection[str]
) -> Mapping[str, int | None]:
    """Return what a group sets for every member of a role, by the names of a member's own limits.

    Ceilings of these quotas are by their keys; the least of the group's and of each member's.
    """
    of_group = GroupLimit.objects.filter(group=group_id).first() or GroupLimit()
    counts = {name: getattr(of_group, column) for name, column in _OF_GROUP.items()}
    roles = {group_id: role} if role else {}
    quotas = Quota.objects.filter(group=group_id, pk__in=ceilings)
    parts = {
        str(row.pk): min(
            (most for most in (row.ceiling, row.user_ceiling) if most is not None), default=None
        )
        for row in quotas
    }
    priority = highest_priorities_for_system(None, roles).get(group_id)
    return {**counts, **parts, "priority_max": priority}


@transaction.atomic
def change_group_limit(
    *, actor: Actor, group_id: UUID, changes: Mapping[str, int | None]
) -> GroupLimit:
    """Set counted limits of a group; queued and running work is not affected."""
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.QUOTA_EDIT, group.pk)
    row, _ = GroupLimit.objects.update_or_create(group=group, defaults=dict(changes))
    audit.record_event(
        actor=actor,
        action="group.limits",
        object_type="group",
        object_id=group.pk,
        group_id=group.pk,
        params=dict(changes),
    )
    wake_scheduler()
    return row


def member_limits_visible_to(actor: Actor, group_id: UUID | None = None) -> "QuerySet[MemberLimit]":
    """Return the limits of single members in the actor's groups."""
    visible = policies.visible_group_ids(actor)
    rows = MemberLimit.objects.select_related("group", "user")
    if visible is not None:
        rows = rows.filter(group__in=visible)
    if group_id is not None:
        rows = rows.filter(group=group_id)
    return rows.order_by("group__name", "user__username")


def member_ceilings_for_system(rows: Iterable[MemberLimit]) -> Mapping[Member, list[MemberCeiling]]:
    """Return the ceilings of these members, by group and user, each with its quota (one query)."""
    users = {row.user_id for row in rows}
    found: dict[Member, list[MemberCeiling]] = defaultdict(list)
    ceilings = MemberCeiling.objects.filter(user__in=users).select_related("quota__pool")
    for ceiling in ceilings.order_by("quota__resource", "quota_id"):
        found[ceiling.quota.group_id, ceiling.user_id].append(ceiling)
    return found


@transaction.atomic
def set_member_limit(
    *,
    actor: Actor,
    group_id: UUID,
    user_id: UUID,
    limits: Mapping[str, int | None],
    ceilings: Mapping[UUID, int],
) -> MemberLimit:
    """Limit one member, within what the group has; what is left out has no limit of its own.

    `ceilings` are by quota of the group. Queued and running work is not affected.

    Raises:
        InvalidError: the user is no member, or a limit is above the group's.
        DeniedError: only others set one's limits.
    """
    group = group_visible_to(actor, group_id)
    _require_other(actor, group.pk, user_id)
    if user_id not in {member.user.pk for member in members_visible_to(actor, group.pk)}:
        raise InvalidError("not_a_member", pointer="/user", group=group.name)
    if not ceilings and all(limit is None for limit in limits.values()):
        raise InvalidError("nothing_limited", pointer="/time_limit_s_max")
    _require_within_group(group.pk, limits)
    given = {name: limits.get(name) for name in MEMBER_LIMITS}
    row, _ = MemberLimit.objects.update_or_create(group=group, user_id=user_id, defaults=given)
    _write_ceilings(group.pk, user_id, ceilings)
    said = {**given, "ceilings": describe_ceilings(ceilings)}
    _audit(actor, "member_limit.set", row, said)
    return row


def describe_ceilings(ceilings: Mapping[Any, int | None]) -> list[dict[str, int | str | None]]:
    """Return ceilings by quota as the audit log has them: quotas as people know them."""
    rows = Quota.objects.filter(pk__in=ceilings).select_related("pool").order_by("pk")
    by_key = {str(key): ceiling for key, ceiling in ceilings.items()}
    return [
        {
            "resource": row.resource,
            "pool": row.pool.name if row.pool else "",
            "model": row.model,
            "ceiling": by_key[str(row.pk)],
        }
        for row in rows
    ]


@transaction.atomic
def remove_member_limit(*, actor: Actor, limit_id: UUID) -> None:
    """Remove a member's limits; those of the group and of the pool remain."""
    row = member_limits_visible_to(actor).filter(pk=limit_id).first()
    if row is None:
        raise NotFoundError("member_limit")
    _require_other(actor, row.group_id, row.user_id)
    _audit(actor, "member_limit.remove", row, {})
    MemberLimit.objects.filter(pk=row.pk).delete()
    _write_ceilings(row.group_id, row.user_id, {})


def _require_other(actor: Actor, group_id: UUID, user_id: UUID) -> None:
    """Require that the actor may limit this member; only the platform's admins limit themselves."""
    policies.require(actor, Action.MEMBER_LIMIT_EDIT, group_id, what="member_limit")
    if actor.user_id == user_id and not policies.can(actor, Action.QUOTA_EDIT, None):
        raise DeniedError("own_limit", group_id=group_id)


def _require_within_group(group_id: UUID, limits: Mapping[str, int | None]) -> None:
    of_group = GroupLimit.objects.filter(group=group_id).first() or GroupLimit()
    for name, column in _OF_GROUP.items():
        own, most = limits.get(name), getattr(of_group, column)
        if own is not None and most is not None and own > most:
            raise InvalidError("above_group_limit", pointer=f"/{name}", max=most)


def _write_ceilings(group_id: UUID, user_id: UUID, ceilings: Mapping[UUID, int]) -> None:
    """Replace a member's ceilings; the quotas are locked, so that no placement counts meanwhile."""
    locked = Quota.objects.filter(group=group_id).select_for_update(no_key=True).order_by("id")
    quotas = {row.pk: row for row in locked}
    for quota_id, ceiling in ceilings.items():
        if quota_id not in quotas:
            raise InvalidError("unknown_quota", pointer="/ceilings")
        row = quotas[quota_id]
        most = min((m for m in (row.ceiling, row.user_ceiling) if m is not None), default=ceiling)
        if ceiling > most:
            raise InvalidError("above_group_limit", pointer="/ceilings", max=most)
    MemberCeiling.objects.filter(quota__in=quotas, user=user_id).delete()
    MemberCeiling.objects.bulk_create(
        MemberCeiling(quota_id=quota_id, user_id=user_id, ceiling=ceiling)
        for quota_id, ceiling in ceilings.items()
    )


def _audit(actor: Actor, action: str, row: MemberLimit, params: Mapping[str, Any]) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="member_limit",
        object_id=row.pk,
        group_id=row.group_id,
        params={"user": row.user.username, **params},
    )
    wake_scheduler()


# Ceilings of members as rows of a change of quotas (`portal.quotas.changes`).


def find_quotas(edits: Sequence[MemberEdit]) -> list[Quota | None]:
    """Return the quota that each edit is a part of, None where the group has no such quota."""
    groups = {edit.group_id for edit in edits}
    found = {
        (row.group_id, QuotaSubject(row.pool_id, row.resource, row.model)): row
        for row in (Quota.objects.filter(group__in=groups) if groups else ())
    }
    return [found.get((edit.group_id, edit.what)) for edit in edits]


def require_edit_allowed(actor: Actor, edit: MemberEdit) -> None:
    """Require that the actor may limit this user, who must belong to the group unless a limit ends.

    Raises:
        NotFoundError: the actor may not even see the group.
        DeniedError: the actor sets no limits there, or only others set one's own.
        InvalidError: the user is no member.
    """
    group = group_visible_to(actor, edit.group_id)
    _require_other(actor, group.pk, edit.user_id)
    if edit.after is not None and edit.user_id not in {
        member.user.pk for member in members_visible_to(actor, group.pk)
    }:
        raise InvalidError("not_a_member", pointer="/user", group=group.name)


def require_current_ceilings(edits: Sequence[MemberEdit], *, code: str) -> None:
    """Require that every ceiling is what the change was made from.

    Raises:
        QuotaChangeOutdatedError: somebody changed some of them meanwhile.
    """
    parts = find_quotas(edits)
    quotas = [row.pk for row in parts if row is not None]
    rows = MemberCeiling.objects.filter(quota__in=quotas).values_list("quota", "user", "ceiling")
    own = {(quota, user): ceiling for quota, user, ceiling in rows}
    faults = [
        Fault(f"/members/{position}", "quota_changed", {})
        for position, (edit, part) in enumerate(zip(edits, parts, strict=True))
        if edit.before != (own.get((part.pk, edit.user_id)) if part else None)
    ]
    if faults:
        raise QuotaChangeOutdatedError(code, faults)


def require_possible_ceilings(edits: Sequence[MemberEdit], others: Sequence[QuotaEdit]) -> None:
    """Require that each is a part of a quota that there is after `others`, and within its limits.

    Raises:
        QuotaChangeInvalidError: some are not, or are named twice.
    """
    after = {(edit.group_id, edit.what): edit.after for edit in others}
    faults: list[Fault] = []
    seen: set[tuple[UUID, UUID, QuotaSubject]] = set()
    for position, (edit, part) in enumerate(zip(edits, find_quotas(edits), strict=True)):
        if (key := (edit.group_id, edit.user_id, edit.what)) in seen:
            faults.append(Fault(f"/members/{position}", "said_twice", {}))
        seen.add(key)
        if edit.after is None:
            continue
        where = edit.group_id, edit.what
        of_part = {"ceiling": part.ceiling, "user_ceiling": part.user_ceiling} if part else None
        limits = after.get(where) if where in after else of_part
        if limits is None:
            faults.append(Fault(f"/members/{position}/after", "unknown_quota", {}))
        elif (most := _most_of(limits)) is not None and edit.after > most:
            faults.append(Fault(f"/members/{position}/after", "above_group_limit", {"max": most}))
    refuse_impossible(faults)


def lock_members(edits: Sequence[MemberEdit]) -> None:
    """Lock the limits of the members of a change, which come before quotas in the order of locks."""
    if edits:
        found = MemberLimit.objects.filter(
            group__in={edit.group_id for edit in edits}, user__in={edit.user_id for edit in edits}
        )
        list(found.order_by("pk").select_for_update(no_key=True))


def save_member_edits(*, actor: Actor, change: QuotaChange, edits: Sequence[MemberEdit]) -> None:
    """Write the ceilings of a change, under the locks of their quotas, with their history."""
    for edit, part in zip(edits, find_quotas(edits), strict=True):
        if part is not None:
            _write_ceiling(part, edit)
        MemberCeilingChange.objects.create(
            change=change,
            group_id=edit.group_id,
            user_id=edit.user_id,
            pool_id=edit.what.pool_id,
            resource=edit.what.resource,
            model=edit.what.model,
            before=edit.before,
            after=edit.after,
        )
        row = _keep_listed(edit.group_id, edit.user_id)
        said = {"resource": edit.what.resource, "pool": str(edit.what.pool_id or "")}
        said |= {"model": edit.what.model, "reason": change.reason}
        both = {"before": {"ceiling": edit.before}, "after": {"ceiling": edit.after}}
        _audit(actor, "member_limit.set", row, said | both)


def _write_ceiling(quota: Quota, edit: MemberEdit) -> None:
    MemberCeiling.objects.filter(quota=quota, user=edit.user_id).delete()
    if edit.after is not None:
        MemberCeiling.objects.create(quota=quota, user_id=edit.user_id, ceiling=edit.after)


def _keep_listed(group_id: UUID, user_id: UUID) -> MemberLimit:
    """Return the row of a member's limits, which is there for as long as anything is limited."""
    row, _ = MemberLimit.objects.get_or_create(group_id=group_id, user_id=user_id)
    has_ceilings = MemberCeiling.objects.filter(quota__group=group_id, user=user_id).exists()
    if not has_ceilings and all(getattr(row, name) is None for name in MEMBER_LIMITS):
        MemberLimit.objects.filter(pk=row.pk).delete()
    return row


def _most_of(limits: Mapping[str, Any]) -> int | None:
    found = [limits["ceiling"], limits["user_ceiling"]]
    return min((int(most) for most in found if most is not None), default=None)
