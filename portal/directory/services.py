"""Directories, as administrators set them up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.audit.versions import DIRECTORY, require_version
from portal.common import encryption
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, ExhaustedError, NotFoundError
from portal.directory.application import lock_directory
from portal.directory.mapping import Rule, read_rules
from portal.directory.models import Directory
from portal.directory.plans import DirectoryPlan
from portal.directory.selectors import directory_visible_to, load_plan_for_system
from portal.identity.services import digest_token, generate_token
from portal.tenancy import policies
from portal.tenancy.members import release_roles_of_directory

DIRECTORIES_MAX: Final = 20
"""Directories of one platform."""


@dataclass(frozen=True, slots=True)
class ScimToken:
    """The token of a directory, which is shown only once."""

    directory: Directory
    secret: str


@transaction.atomic
def create_directory(*, actor: Actor, name: str, title: str, links_existing: bool) -> Directory:
    """Set up a directory without rules: its people come in and have nothing yet.

    Raises:
        ConflictError: the name is taken.
        ExhaustedError: there are as many as are allowed.
    """
    policies.require(actor, Action.DIRECTORY_MANAGE, None)
    if Directory.objects.count() >= DIRECTORIES_MAX:
        raise ExhaustedError("too_many_directories", limit=DIRECTORIES_MAX)
    row = Directory(name=name, title=title, links_existing=links_existing)
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("name_taken", name=name, pointer="/name") from error
    _audit(actor, "directory.create", row, {"title": title, "links_existing": links_existing})
    return row


@transaction.atomic
def change_directory(
    *, actor: Actor, directory_id: UUID, changes: Mapping[str, Any], version: int | None = None
) -> Directory:
    """Change `title`, `links_existing`, `rules` or how people sign in; they follow new rules within two minutes.

    `client_secret` is kept encrypted and never shown; it ends with the issuer for which it was given.

    Raises:
        ConflictError: `version`, which the caller read, is not the present one.
    """
    row = _locked(actor, directory_id)
    require_version(DIRECTORY, row.pk, version)
    written = dict(changes)
    if "rules" in written:
        written["rules"] = [rule.write() for rule in written["rules"]]
    if written.get("issuer", row.issuer) != row.issuer:
        written.setdefault("client_secret", "")
    if "client_secret" in written:
        secret = written.pop("client_secret")
        written["encrypted_client_secret"] = encryption.encrypt(secret) if secret else ""
    before = {name: getattr(row, name) for name in written}
    if before == written:
        return row
    for name, value in written.items():
        setattr(row, name, value)
    if "rules" in written:
        row.rules_changed_at = now()
    row.save(update_fields=[*written, "rules_changed_at"])
    _audit_change(actor, row, written)
    return row


@transaction.atomic
def remove_directory(*, actor: Actor, directory_id: UUID) -> None:
    """Forget a directory; its people keep their accounts and what it gave them, which are people's to change now."""
    row = _locked(actor, directory_id)
    release_roles_of_directory(actor=actor, directory=row.name)
    _audit(actor, "directory.remove", row, {})
    row.delete()


@transaction.atomic
def issue_scim_token(*, actor: Actor, directory_id: UUID) -> ScimToken:
    """Make the token with which a directory provisions people; an earlier one ends at once."""
    row = _locked(actor, directory_id)
    secret = generate_token()
    row.scim_digest = str(digest_token(secret))
    row.scim_used_at = None
    row.save(update_fields=["scim_digest", "scim_used_at"])
    _audit(actor, "directory.token", row, {"is_active": True})
    return ScimToken(row, secret)


@transaction.atomic
def revoke_scim_token(*, actor: Actor, directory_id: UUID) -> None:
    """End the token of a directory at once."""
    row = _locked(actor, directory_id)
    if row.scim_digest:
        row.scim_digest = ""
        row.save(update_fields=["scim_digest"])
        _audit(actor, "directory.token", row, {"is_active": False})


@transaction.atomic
def encrypt_again() -> int:
    """Encrypt the secrets of all clients with the present key; return how many there are."""
    rows = Directory.objects.select_for_update().exclude(encrypted_client_secret="")
    found = list(rows.order_by("pk"))
    for row in found:
        row.encrypted_client_secret = encryption.rotate(row.encrypted_client_secret)
        row.save(update_fields=["encrypted_client_secret"])
    return len(found)


def try_rules(*, actor: Actor, directory_id: UUID, rules: Sequence[Rule] | None) -> DirectoryPlan:
    """Return who would gain and lose what by these rules, or by those in force; nothing is changed."""
    row = directory_visible_to(actor, directory_id)
    if rules is not None:
        row.rules = [rule.write() for rule in rules]
    return load_plan_for_system(row)


def find_by_token(secret: str) -> Directory | None:
    """Return the directory whose token this is; its last use is known to the minute."""
    digest = digest_token(secret)
    row = Directory.objects.filter(scim_digest=digest).first() if digest else None
    if row is None:
        return None
    moment = now()
    if row.scim_used_at is None or (moment - row.scim_used_at).total_seconds() >= _USE_RECORDED_S:
        Directory.objects.filter(pk=row.pk).update(scim_used_at=moment)
    return row


_USE_RECORDED_S: Final = 60


def _locked(actor: Actor, directory_id: UUID) -> Directory:
    policies.require(actor, Action.DIRECTORY_MANAGE, None)
    try:
        return lock_directory(directory_id)
    except Directory.DoesNotExist:
        raise NotFoundError("directory") from None


def _audit_change(actor: Actor, row: Directory, changed: Mapping[str, Any]) -> None:
    """Write down what was changed; of a secret, that there is another."""
    now_is: dict[str, Any] = {
        "title": row.title,
        "links_existing": row.links_existing,
        "rules": [str(rule) for rule in read_rules(row.rules)],
        "issuer": row.issuer,
        "client_id": row.client_id,
        "subject_claim": row.subject_claim,
        "groups_claim": row.groups_claim,
    }
    shown = {name: now_is[name] for name in now_is if name in changed}
    if "encrypted_client_secret" in changed:
        shown["has_new_secret"] = True
    _audit(actor, "directory.change", row, shown)


def _audit(actor: Actor, action: str, row: Directory, params: Mapping[str, Any]) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="directory",
        object_id=row.pk,
        params={"name": row.name, **params},
    )
