"""Creating, renaming and removing groups, checked against the work and quotas they have."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, RestrictedError

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, InvalidError
from portal.common.notifications import wake_scheduler
from portal.common.uses.ports import Port
from portal.tenancy import policies
from portal.tenancy.models import Group, Membership
from portal.tenancy.selectors import group_visible_to, paths_for_system

DEPTH_MAX: Final = 8
"""Levels of groups; every placement counts against the quotas of all of them."""


class RemoveRequests(Protocol):
    """Removes what a group has asked for, before the group is locked."""

    def __call__(self, *, actor: Actor, group_id: UUID) -> None:
        """Remove requests that wait, too."""


@dataclass(frozen=True, slots=True)
class GroupTies:
    """What apps above have of a group."""

    count_work: Callable[[UUID], int]
    """Also of the past."""
    count_unfinished: Callable[[UUID], int]
    count_limits: Callable[[UUID], int]
    """Quotas and budgets."""
    remove_requests: RemoveRequests


group_ties: Final[Port[GroupTies]] = Port()


@transaction.atomic
def create_group(
    *, actor: Actor, name: str, title_en: str, title_zh: str, parent_id: UUID | None
) -> Group:
    """Create a group below another one, or the organisation itself when there is none yet."""
    policies.require(actor, Action.GROUP_MANAGE, None)
    parent = _lock_parent(parent_id)
    group = Group(name=name, title_en=title_en, title_zh=title_zh, parent=parent)
    try:
        with transaction.atomic():
            group.save(force_insert=True)
    except IntegrityError as error:
        if parent is None and Group.objects.filter(parent=None).exists():
            raise InvalidError("parent_missing", pointer="/parent") from error
        raise ConflictError("name_taken", name=name, pointer="/name") from error
    _audit(actor, "group.create", group, {"name": name})
    wake_scheduler()
    return group


@transaction.atomic
def rename_group(*, actor: Actor, group_id: UUID, titles: Mapping[str, str]) -> Group:
    """Change `title_en`, `title_zh` or both of a group; its name is used in files and scripts and never changes."""
    group = _lock_group(actor, group_id)
    group.title_en = titles.get("title_en", group.title_en)
    group.title_zh = titles.get("title_zh", group.title_zh)
    group.save(update_fields=["title_en", "title_zh"])
    _audit(actor, "group.change", group, _titles(group))
    return group


@transaction.atomic
def remove_group(*, actor: Actor, group_id: UUID) -> None:
    """Remove a group without work (past or present), quotas, subgroups and robots.

    Its members leave it, and requests to change its limits go with it, also those that wait.
    """
    policies.require(actor, Action.GROUP_MANAGE, group_visible_to(actor, group_id).pk)
    ties = group_ties.get()
    ties.remove_requests(actor=actor, group_id=group_id)
    group = _lock_group(actor, group_id)
    counts = {
        "group_has_groups": Group.objects.filter(parent=group).count(),
        "group_has_past": ties.count_work(group.pk),
        "group_has_quotas": ties.count_limits(group.pk),
        "group_has_robots": Membership.objects.filter(group=group, user__kind="robot").count(),
    }
    for code, count in counts.items():
        if count:
            raise ConflictError(code, name=group.name, count=count)
    _audit(actor, "group.delete", group, _titles(group))
    try:
        with transaction.atomic():
            Membership.objects.filter(group=group).delete()
            group.delete()
    except (ProtectedError, RestrictedError, IntegrityError) as error:
        raise ConflictError("group_in_use", name=group.name) from error
    wake_scheduler()


def _lock_parent(parent_id: UUID | None) -> Group | None:
    """Return the parent group, locked so that no work can be submitted to it meanwhile."""
    if parent_id is None:
        return None
    parent = Group.objects.select_for_update().filter(pk=parent_id).first()
    if parent is None:
        raise InvalidError("unknown_group", pointer="/parent")
    if len(paths_for_system([parent.pk])[parent.pk]) >= DEPTH_MAX:
        raise InvalidError("groups_too_deep", pointer="/parent", max=DEPTH_MAX)
    if unfinished := group_ties.get().count_unfinished(parent.pk):
        raise ConflictError("group_has_work", name=parent.name, count=unfinished)
    return parent


def _lock_group(actor: Actor, group_id: UUID) -> Group:
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.GROUP_MANAGE, group.pk)
    return Group.objects.select_for_update().get(pk=group.pk)


def _titles(group: Group) -> Mapping[str, str]:
    return {"name": group.name, "title_en": group.title_en, "title_zh": group.title_zh}


def _audit(actor: Actor, action: str, group: Group, params: Mapping[str, str]) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="group",
        object_id=group.pk,
        group_id=group.pk,
        params=params,
    )
