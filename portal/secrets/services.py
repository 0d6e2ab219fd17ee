"""Writes of secrets, and the one place that reads their values: for work that a node starts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common import encryption
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import (
    ConflictError,
    DeniedError,
    ExhaustedError,
    InvalidError,
    NotFoundError,
)
from portal.common.uses.work import work_uses
from portal.identity.models import User
from portal.secrets.models import Secret
from portal.secrets.selectors import load_named_for_system, secret_for_owner
from portal.secrets.uses import SecretUse
from portal.tenancy import policies
from portal.tenancy.models import Group
from wire.secrets import SECRET_BYTES_MAX

SECRETS_PER_USER_MAX: Final = 50
"""Secrets of one user."""
SECRETS_PER_GROUP_MAX: Final = 100
"""Secrets of one group."""


@dataclass(frozen=True, slots=True)
class RevealedSecret:
    """A secret with its value, on its way to a node."""

    use: SecretUse
    value: str = field(repr=False)


class MissingSecretError(NotFoundError):
    """A secret that work names was deleted, or cannot be decrypted any more."""

    def __init__(self, name: str) -> None:
        """Keep the name."""
        super().__init__("secret")
        self.name = name


@transaction.atomic
def create_secret(*, actor: Actor, group_id: UUID | None, name: str, value: str) -> Secret:
    """Store a secret of the actor, or of a group.

    Raises:
        ConflictError: the owner has one of this name; its value is changed instead.
        ExhaustedError: the owner has as many as are allowed.
    """
    size = _require_storable(value)
    owner = _lock_owner(actor, group_id)
    limit = SECRETS_PER_USER_MAX if group_id is None else SECRETS_PER_GROUP_MAX
    if Secret.objects.filter(**owner).count() >= limit:
        raise ExhaustedError("too_many_secrets", limit=limit)
    secret = Secret(
        **owner,
        name=name,
        encrypted_value=encryption.encrypt(value),
        value_bytes=size,
        changed_at=now(),
    )
    try:
        with transaction.atomic():
            secret.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("secret_name_taken", name=name, pointer="/name") from error
    _audit(actor, "secret.create", secret)
    return secret


@transaction.atomic
def change_secret(*, actor: Actor, secret_id: UUID, value: str) -> Secret:
    """Replace the value; work that runs keeps the old one, work that starts gets the new one."""
    secret = secret_for_owner(actor, secret_id)
    size = _require_storable(value)
    secret.encrypted_value = encryption.encrypt(value)
    secret.value_bytes, secret.changed_at = size, now()
    secret.save(update_fields=["encrypted_value", "value_bytes", "changed_at"])
    _audit(actor, "secret.change", secret)
    return secret


@transaction.atomic
def delete_secret(*, actor: Actor, secret_id: UUID, is_forced: bool) -> None:
    """Delete a secret. Work that runs keeps what it got; work that names it cannot start again.

    Raises:
        ConflictError: such work exists, and the caller does not insist.
    """
    secret = secret_for_owner(actor, secret_id)
    if not is_forced:
        users = work_uses.get().users_of_secret_for_system(
            secret.name, user_id=secret.user_id, group_id=secret.group_id
        )
        if users.count:
            raise ConflictError("secret_in_use", name=users.first, count=users.count)
    _audit(actor, "secret.delete", secret)
    secret.delete()


@transaction.atomic
def reveal_secrets(
    uses: Sequence[SecretUse], *, actor: Actor, user_id: UUID, group_id: UUID, workload: UUID
) -> tuple[RevealedSecret, ...]:
    """Return the values for work that starts on a node, and record that they were used.

    The caller has checked that the node runs this work. Names are resolved at each start, so that
    a changed value is used from the next one on.

    Raises:
        MissingSecretError: one of them does not exist any more, or cannot be read.
    """
    rows = load_named_for_system(uses, user_id=user_id, group_id=group_id)
    found = []
    for use in uses:
        row = rows.get((use.scope, use.name))
        if row is None:
            raise MissingSecretError(use.name)
        try:
            found.append(RevealedSecret(use, encryption.decrypt(row.encrypted_value)))
        except encryption.UndecryptableError as error:
            raise MissingSecretError(use.name) from error
    keys = sorted(row.pk for row in rows.values())
    locked = Secret.objects.filter(pk__in=keys).select_for_update(no_key=True).order_by("id")
    for row in locked:
        row.last_used_at = now()
        row.save(update_fields=["last_used_at"])
        _audit(actor, "secret.use", row, workload=str(workload))
    return tuple(found)


@transaction.atomic
def encrypt_again() -> int:
    """Encrypt all values with the present key; return how many there are."""
    rows = list(Secret.objects.select_for_update(no_key=True).order_by("id"))
    for row in rows:
        row.encrypted_value = encryption.rotate(row.encrypted_value)
        row.save(update_fields=["encrypted_value"])
    return len(rows)


def _lock_owner(actor: Actor, group_id: UUID | None) -> dict[str, User | Group]:
    """Return the owner as columns; its lock serialises what is counted."""
    if group_id is not None:
        policies.require(actor, Action.SECRETS_MANAGE, group_id)
        group = Group.objects.select_for_update(no_key=True).filter(pk=group_id).first()
        if group is None:
            raise NotFoundError("group")
        return {"group": group}
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.SECRETS_MANAGE)
    return {"user": User.objects.select_for_update(no_key=True).get(pk=actor.user_id)}


def _require_storable(value: str) -> int:
    """Return the length of a value in bytes; raises `InvalidError` if it is none or too long."""
    size = len(value.encode())
    if not 1 <= size <= SECRET_BYTES_MAX:
        raise InvalidError("secret_size", pointer="/value", max=SECRET_BYTES_MAX)
    return size


def _audit(actor: Actor, action: str, secret: Secret, **more: str) -> None:
    owner = secret.user.username if secret.user else secret.group.name if secret.group else ""
    audit.record_event(
        actor=actor,
        action=action,
        object_type="secret",
        object_id=secret.pk,
        group_id=secret.group_id,
        params={"name": secret.name, "owner": owner, **more},
    )
