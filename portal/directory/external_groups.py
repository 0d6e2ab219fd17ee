"""Groups that a directory tells of, and who is in them."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, ExhaustedError, InvalidError, NotFoundError
from portal.directory.application import apply_to, lock_directory
from portal.directory.models import Directory, ExternalAccount, ExternalGroup

GROUPS_MAX: Final = 5_000
"""Groups of one directory."""


@dataclass(frozen=True, slots=True)
class ReportedGroup:
    """What a directory tells of a group."""

    display_name: str
    external_id: str = ""
    members: frozenset[UUID] = frozenset()
    """Ids of its people here."""


@transaction.atomic
def add_group(directory_id: UUID, reported: ReportedGroup, *, actor: Actor) -> ExternalGroup:
    """Write down a group of a directory; its people get what the rules say.

    Raises:
        ConflictError: the directory has one of this name or id.
        InvalidError: somebody in it is no person of the directory.
        ExhaustedError: there are as many groups as are allowed.
    """
    directory = lock_directory(directory_id)
    if ExternalGroup.objects.filter(directory=directory).count() >= GROUPS_MAX:
        raise ExhaustedError("too_many_external_groups", limit=GROUPS_MAX)
    return _write(ExternalGroup(directory=directory), reported, actor)


@transaction.atomic
def change_group(
    directory_id: UUID, group_id: UUID, reported: ReportedGroup, *, actor: Actor
) -> ExternalGroup:
    """Write down what a directory now tells of a group; raises as `add_group`."""
    directory = lock_directory(directory_id)
    return _write(group_of(directory, group_id), reported, actor)


@transaction.atomic
def remove_group(directory_id: UUID, group_id: UUID, *, actor: Actor) -> None:
    """Forget a group of a directory; its people lose what the rules gave them for it."""
    directory = lock_directory(directory_id)
    group = group_of(directory, group_id)
    members = _members(group)
    group.delete()
    apply_to(directory, members, actor=actor)


def group_of(directory: Directory, group_id: UUID) -> ExternalGroup:
    """Return a group that the directory has."""
    group = ExternalGroup.objects.filter(directory=directory, pk=group_id).first()
    if group is None:
        raise NotFoundError("external_group")
    return group


def _write(group: ExternalGroup, reported: ReportedGroup, actor: Actor) -> ExternalGroup:
    _require_free(group, reported)
    _require_people(group.directory, reported.members)
    was_known_as = (group.display_name, group.external_id)
    group.display_name, group.external_id = reported.display_name, reported.external_id
    group.changed_at = now()
    group.save()
    before = _members(group)
    accounts = ExternalAccount.objects
    group.members.remove(*accounts.filter(pk__in=before - reported.members))
    group.members.add(*accounts.filter(pk__in=reported.members - before))
    is_renamed = was_known_as != (reported.display_name, reported.external_id)
    touched = before | reported.members if is_renamed else before ^ reported.members
    apply_to(group.directory, touched, actor=actor)
    return group


def _require_free(group: ExternalGroup, reported: ReportedGroup) -> None:
    is_same = Q(display_name__iexact=reported.display_name)
    if reported.external_id:
        is_same |= Q(external_id=reported.external_id)
    others = ExternalGroup.objects.filter(is_same, directory=group.directory).exclude(pk=group.pk)
    if others.exists():
        raise ConflictError("external_group_exists", name=reported.display_name)


def _require_people(directory: Directory, members: Collection[UUID]) -> None:
    rows = ExternalAccount.objects.filter(directory=directory, removed_at=None, pk__in=members)
    if rows.count() != len(members):
        raise InvalidError("unknown_external_member")


def _members(group: ExternalGroup) -> frozenset[UUID]:
    return frozenset(group.members.values_list("pk", flat=True))
