"""Logins of registries other than the platform's: kept encrypted, given to nodes that pull from there."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from portal.audit import services as audit
from portal.common import encryption
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, ExhaustedError, InvalidError, NotFoundError
from portal.common.site_config import get_site_config
from portal.images.models import RegistryCredential
from portal.tenancy import policies
from wire.images import LOGIN_HOSTS_MAX, RegistryLogin, registry_host

USE_NOTED_EVERY: Final = timedelta(minutes=1)
"""How often it is written down that a login was given."""


def registries_visible_to(actor: Actor) -> "QuerySet[RegistryCredential]":
    """Return the registries that have a login; only who manages images sees them."""
    policies.require(actor, Action.IMAGE_MANAGE, None)
    return RegistryCredential.objects.select_related("changed_by")


@transaction.atomic
def add_registry(*, actor: Actor, host: str, username: str, password: str) -> RegistryCredential:
    """Store the login of a registry; nodes get it from now on.

    Raises:
        ConflictError: there is one for this registry.
        ExhaustedError: there are as many as nodes can be sent.
        InvalidError: it is the platform's own registry, whose login is in the configuration.
    """
    policies.require(actor, Action.IMAGE_MANAGE, None)
    own = get_site_config().registry
    if own is not None and own.host == host:
        raise InvalidError("registry_is_own", pointer="/host", host=host)
    if RegistryCredential.objects.count() >= LOGIN_HOSTS_MAX:
        raise ExhaustedError("too_many_registries", limit=LOGIN_HOSTS_MAX)
    row = RegistryCredential(host=host)
    _fill(row, actor, username, password)
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("registry_taken", host=host, pointer="/host") from error
    _audit(actor, "registry.create", row)
    return row


@transaction.atomic
def change_registry(
    *, actor: Actor, registry_id: UUID, username: str, password: str
) -> RegistryCredential:
    """Replace a login; pulls that have begun continue with the old one."""
    row = _locked(actor, registry_id)
    _fill(row, actor, username, password)
    row.save(update_fields=["username", "encrypted_password", "changed_at", "changed_by"])
    _audit(actor, "registry.change", row)
    return row


@transaction.atomic
def remove_registry(*, actor: Actor, registry_id: UUID) -> None:
    """Delete a login; images from there stay in the catalogue, and are pulled without one."""
    row = _locked(actor, registry_id)
    _audit(actor, "registry.remove", row)
    row.delete()


def hosts_with_login_for_system(references: Iterable[str]) -> tuple[str, ...]:
    """Return the registries of these references that have a login, sorted (one query)."""
    named = {registry_host(reference) for reference in references}
    rows = RegistryCredential.objects.filter(host__in=named) if named else []
    return tuple(sorted(row.host for row in rows))


@transaction.atomic
def reveal_registry(host: str) -> RegistryLogin:
    """Return the login of a registry for a node; whether it may have it has been checked.

    Raises:
        NotFoundError: there is none, or it cannot be decrypted any more.
    """
    row = RegistryCredential.objects.filter(host=host).select_for_update(no_key=True).first()
    if row is None:
        raise NotFoundError("registry")
    try:
        password = encryption.decrypt(row.encrypted_password)
    except encryption.UndecryptableError as error:
        raise NotFoundError("registry") from error
    if row.last_used_at is None or now() - row.last_used_at > USE_NOTED_EVERY:
        row.last_used_at = now()
        row.save(update_fields=["last_used_at"])
    return RegistryLogin(host=host, username=row.username, password=password)


@transaction.atomic
def encrypt_again() -> int:
    """Encrypt all passwords with the present key; return how many there are."""
    rows = list(RegistryCredential.objects.select_for_update(no_key=True).order_by("id"))
    for row in rows:
        row.encrypted_password = encryption.rotate(row.encrypted_password)
        row.save(update_fields=["encrypted_password"])
    return len(rows)


def _fill(row: RegistryCredential, actor: Actor, username: str, password: str) -> None:
    row.username, row.encrypted_password = username, encryption.encrypt(password)
    row.changed_at, row.changed_by_id = now(), actor.user_id


def _locked(actor: Actor, registry_id: UUID) -> RegistryCredential:
    rows = registries_visible_to(actor).select_for_update(no_key=True, of=("self",))
    row = rows.filter(pk=registry_id).first()
    if row is None:
        raise NotFoundError("registry")
    return row


def _audit(actor: Actor, action: str, row: RegistryCredential) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="registry",
        object_id=row.pk,
        params={"host": row.host, "username": row.username},
    )
