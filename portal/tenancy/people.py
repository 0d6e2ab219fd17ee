"""People: made, changed and given new passwords by administrators; nobody is ever deleted.

What somebody did stays under their name, so who leaves is only no longer active: signed out at
once, tokens and keys dead, work left to those who may stop it.
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
from portal.identity import services as identity
from portal.identity.models import User
from portal.tenancy import policies

_PASSWORD_BYTES: Final = 12


@dataclass(frozen=True, slots=True)
class NewPassword:
    """A person with a password that nobody will see again."""

    person: User
    password: str


def people_for(actor: Actor, search: str = "") -> QuerySet[User]:
    """Return people with their groups, to those who manage them; `search` is part of a name."""
    policies.require(actor, Action.USER_MANAGE, None)
    rows = User.objects.filter(kind=User.Kind.PERSON).prefetch_related("memberships__group")
    if search:
        rows = rows.filter(Q(username__icontains=search) | Q(display_name__icontains=search))
    return rows


def person_for(actor: Actor, user_id: UUID) -> User:
    """Return one person."""
    person = people_for(actor).filter(pk=user_id).first()
    if person is None:
        raise NotFoundError("user")
    return person


@transaction.atomic
def create(*, actor: Actor, username: str, display_name: str, platform_role: str) -> NewPassword:
    """Add a person with a password to be told once and changed by them."""
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
            )
    except IntegrityError as error:
        raise ConflictError("name_taken", name=username, pointer="/username") from error
    return NewPassword(person, password)


@transaction.atomic
def change(*, actor: Actor, user_id: UUID, changes: Mapping[str, Any]) -> User:
    """Change `display_name`, `platform_role` or `is_active`; the last administrator stays one."""
    person = person_for(actor, user_id)
    after = {"platform_role": person.platform_role, "is_active": person.is_active, **changes}
    if not (after["is_active"] and after["platform_role"] == User.PlatformRole.ADMIN):
        _require_another_admin(person)
    for name, value in changes.items():
        setattr(person, name, value)
    identity.save_person(person, sorted(changes))
    _audit(actor, "user.change", person, {name: changes[name] for name in sorted(changes)})
    return person


@transaction.atomic
def renew_password(*, actor: Actor, user_id: UUID) -> NewPassword:
    """Give a person another password; whoever is signed in with the old one no longer is."""
    person = person_for(actor, user_id)
    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    person.password = make_password(password)
    identity.save_person(person, ["password"])
    _audit(actor, "user.password", person, {})
    return NewPassword(person, password)


def _require_another_admin(person: User) -> None:
    """Keep the platform in somebody's hands: all administrators are locked while one of them goes."""
    admins = User.objects.select_for_update().filter(
        platform_role=User.PlatformRole.ADMIN, is_active=True
    )
    if {admin.pk for admin in admins.order_by("pk")} == {person.pk}:
        raise ConflictError("last_admin", name=person.username)


def _audit(actor: Actor, action: str, person: User, params: Mapping[str, Any]) -> None:
    audit.record(
        actor=actor,
        action=action,
        object_type="user",
        object_id=person.pk,
        params={"username": person.username, **params},
    )
