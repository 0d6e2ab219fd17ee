"""Memberships of groups, changed by administrators of the group or of the platform."""

from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, InvalidError, NotFoundError
from portal.common.notifications import invalidate_lists, invalidate_rights, wake_scheduler
from portal.identity.models import User, UserKind
from portal.tenancy import policies
from portal.tenancy.models import Group, Membership
from portal.tenancy.selectors import group_visible_to


@transaction.atomic
def add_member(*, actor: Actor, group_id: UUID, username: str, role: str) -> Membership:
    """Give a person a role in a group.

    The user name must be exact, so that the answer does not reveal who else has an account.
    """
    group = _managed_group(actor, group_id)
    user = User.objects.filter(username=username, kind=UserKind.PERSON, is_active=True).first()
    if user is None:
        raise InvalidError("unknown_person", pointer="/username", name=username)
    membership = Membership(user=user, group=group, role=role)
    try:
        with transaction.atomic():
            membership.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("already_member", name=username, pointer="/username") from error
    _announce(actor, "member.add", membership)
    return membership


@transaction.atomic
def change_member(*, actor: Actor, group_id: UUID, user_id: UUID, role: str) -> Membership:
    """Give a member another role."""
    membership = _changeable_membership(_managed_group(actor, group_id), user_id)
    membership.role = role
    membership.save(update_fields=["role"])
    _announce(actor, "member.change", membership)
    return membership


@transaction.atomic
def remove_member(*, actor: Actor, group_id: UUID, user_id: UUID) -> None:
    """End a membership; what runs of the member continues, and nothing more of it starts."""
    membership = _changeable_membership(_managed_group(actor, group_id), user_id)
    _announce(actor, "member.remove", membership)
    membership.delete()


@transaction.atomic
def give_role_for_directory(
    *, actor: Actor, group: Group, user: User, role: str, directory: str
) -> None:
    """Give a person the role that a directory says, unless somebody else has given one there.

    An empty role takes what the directory gave.
    """
    rows = Membership.objects.select_for_update(of=("self",)).select_related("user")
    found = rows.filter(group=group, user=user).first()
    if found is None:
        if role:
            made = Membership(user=user, group=group, role=role, directory=directory)
            made.save(force_insert=True)
            _announce(actor, "member.add", made)
    elif found.directory != directory:
        return
    elif role:
        found.role = role
        found.save(update_fields=["role"])
        _announce(actor, "member.change", found)
    else:
        _announce(actor, "member.remove", found)
        found.delete()


@transaction.atomic
def release_roles_of_directory(*, actor: Actor, directory: str) -> None:
    """Leave what a directory gave, which is removed, to people."""
    rows = Membership.objects.select_for_update(of=("self",)).select_related("user")
    for found in rows.filter(directory=directory).order_by("pk"):
        found.directory = ""
        found.save(update_fields=["directory"])
        _announce(actor, "member.change", found)


def _managed_group(actor: Actor, group_id: UUID) -> Group:
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.MEMBER_MANAGE, group.pk)
    return group


def _changeable_membership(group: Group, user_id: UUID) -> Membership:
    """Return a person's membership of this very group, unless a directory gave it."""
    found = _own_membership(group, user_id)
    if found.directory:
        raise ConflictError("given_by_directory", directory=found.directory)
    return found


def _own_membership(group: Group, user_id: UUID) -> Membership:
    """Return a person's membership of this very group; that of a robot cannot be changed."""
    rows = Membership.objects.select_for_update(of=("self",)).select_related("user")
    found = rows.filter(group=group, user=user_id, user__kind=UserKind.PERSON).first()
    if found is None:
        raise NotFoundError("member")
    return found


def _announce(actor: Actor, action: str, membership: Membership) -> None:
    """Record the change, and tell pages and the scheduler: the right to submit may be given or gone."""
    invalidate_rights([membership.user_id])
    wake_scheduler()
    invalidate_lists("group")
    audit.record_event(
        actor=actor,
        action=action,
        object_type="user",
        object_id=membership.user_id,
        group_id=membership.group_id,
        params={"username": membership.user.username, "role": membership.role},
    )
