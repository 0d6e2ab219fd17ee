"""Accounts of people, managed by platform administrators. An account is never deleted.

Past acts refer to it, so it is deactivated instead: its sessions end at once, its tokens and keys
stop working, what runs continues, and nothing more of it starts.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, NotFoundError
from portal.identity import second_factors
from portal.identity import services as identity
from portal.identity.models import User, UserKind
from portal.tenancy import policies

_PASSWORD_BYTES: Final = 12


@dataclass(frozen=True, slots=True)
class NewPassword:
    """A person with a new password, which is shown only once."""

    person: User
    password: str


def people_visible_to(actor: Actor, search: str = "") -> QuerySet[User]:
    """Return people with their groups; `search` is part of a name. Denied to non-administrators."""
    policies.require(actor, Action.USER_MANAGE, None)
    rows = User.objects.filter(kind=UserKind.PERSON).prefetch_related("memberships__group")
    if search:
        rows = rows.filter(Q(username__icontains=search) | Q(display_name__icontains=search))
    return rows


def person_visible_to(actor: Actor, user_id: UUID) -> User:
    """Return one person."""
    person = people_visible_to(actor).filter(pk=user_id).first()
    if person is None:
        raise NotFoundError("user")
    return person


@transaction.atomic
def create_person(
    *, actor: Actor, username: str, display_name: str, platform_role: str, email: str = ""
) -> NewPassword:
    """Create an account with a generated password, which the person should change."""
    policies.require(actor, Action.USER_MANAGE, None)
    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    try:
        with transaction.atomic():
            person = identity.create_person(
                actor=actor,
                username=username,
                display_name=display_name,
                encoded_password=make_password(password),
                platform_role=platform_role,
                email=email,
            )
    except IntegrityError as error:
        raise ConflictError("name_taken", name=username, pointer="/username") from error
    return NewPassword(person, password)


@transaction.atomic
def create_person_of_directory(
    *, actor: Actor, username: str, display_name: str, email: str
) -> User:
    """Create an account without a password: its person comes in by a directory."""
    policies.require(actor, Action.USER_MANAGE, None)
    return identity.create_person(
        actor=actor,
        username=username,
        display_name=display_name,
        encoded_password=make_password(None),
        platform_role=User.PlatformRole.NONE,
        email=email,
    )


@transaction.atomic
def change_person(*, actor: Actor, user_id: UUID, changes: Mapping[str, Any]) -> User:
    """Change `display_name`, `email`, `platform_role` or `is_active`.

    Raises:
        ConflictError: it would leave the platform without an administrator.
    """
    person = person_visible_to(actor, user_id)
    after = {"platform_role": person.platform_role, "is_active": person.is_active, **changes}
    if not (after["is_active"] and after["platform_role"] == User.PlatformRole.ADMIN):
        _require_another_admin(person)
    for name, value in changes.items():
        setattr(person, name, value)
    identity.update_person(person, sorted(changes))
    if not person.is_active:
        identity.end_access(actor=actor, user=person)
    _audit(actor, "user.change", person, {name: changes[name] for name in sorted(changes)})
    return person


@transaction.atomic
def reset_password(*, actor: Actor, user_id: UUID) -> NewPassword:
    """Give a person a generated password; all sessions of the person end."""
    person = person_visible_to(actor, user_id)
    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    person.password = make_password(password)
    identity.update_person(person, ["password"])
    _audit(actor, "user.password", person, {})
    return NewPassword(person, password)


@transaction.atomic
def remove_second_factors(*, actor: Actor, user_id: UUID) -> None:
    """Let a person who lost phone and recovery codes sign in with the password alone."""
    person = person_visible_to(actor, user_id)
    removed = second_factors.remove_second_factors(person)
    if removed:
        _audit(actor, "user.second_factor", person, {"removed": removed})


def _require_another_admin(person: User) -> None:
    """Raise unless another active administrator remains; locks all of them meanwhile."""
    admins = User.objects.select_for_update().filter(
        platform_role=User.PlatformRole.ADMIN, is_active=True
    )
    if {admin.pk for admin in admins.order_by("pk")} == {person.pk}:
        raise ConflictError("last_admin", name=person.username)


def _audit(actor: Actor, action: str, person: User, params: Mapping[str, Any]) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="user",
        object_id=person.pk,
        params={"username": person.username, **params},
    )
