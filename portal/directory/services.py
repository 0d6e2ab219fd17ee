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
from portal.common.errors import ConflictError, ExhaustedError, InvalidError, NotFoundError
from portal.common.notifications import start_task
from portal.directory.application import lock_directory
from portal.directory.ldap.settings import LdapSettings
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
def create_directory(
    *,
    actor: Actor,
    name: str,
    title: str,
    links_existing: bool,
    changes: Mapping[str, Any] | None = None,
) -> Directory:
    """Set up a directory without rules: its people come in and have nothing yet.

    `changes` is how they sign in, as in `change_directory`.

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
    if changes:
        return change_directory(actor=actor, directory_id=row.pk, changes=changes)
    return row


@transaction.atomic
def change_directory(
    *, actor: Actor, directory_id: UUID, changes: Mapping[str, Any], version: int | None = None
) -> Directory:
    """Change `title`, `links_existing`, `rules` or how people sign in; they follow new rules within two minutes.

    `client_secret` and `bind_password` are kept encrypted and never shown; they end with the issuer or server for which
    they were given.

    Raises:
        ConflictError: `version`, which the caller read, is not the present one.
        InvalidError: it is to be read by LDAP while there is another way.
    """
    row = _locked(actor, directory_id)
    require_version(DIRECTORY, row.pk, version)
    wished = _columns(row, changes)
    written = {name: value for name, value in wished.items() if getattr(row, name) != value}
    if not written:
        return row
    for name, value in written.items():
        setattr(row, name, value)
    if row.ldap and (row.issuer or row.scim_digest):
        raise InvalidError("ldap_is_alone", pointer="/ldap")
    if "rules" in written:
        row.rules_changed_at = now()
    if not {"ldap", "encrypted_bind_password"}.isdisjoint(written):
        row.sync_tried_at = row.synced_at = row.sync_fault = None
        start_task(SYNC_TASK)
    row.save(update_fields=[*written, "rules_changed_at", *_OF_READINGS])
    _audit_change(actor, row, written)
    return row


@transaction.atomic
def ask_for_sync(*, actor: Actor, directory_id: UUID, accepts_leavers: bool) -> None:
    """Have a directory read at once by LDAP; `accepts_leavers`: however many have left.

    Raises:
        ConflictError: it is not read by LDAP.
    """
    row = _locked(actor, directory_id)
    if not row.ldap:
        raise ConflictError("not_by_ldap")
    row.sync_tried_at, row.accepts_leavers = None, accepts_leavers
    row.save(update_fields=["sync_tried_at", "accepts_leavers"])
    _audit(actor, "directory.ask", row, {"accepts_leavers": accepts_leavers})
    start_task(SYNC_TASK)


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
    if row.ldap:
        raise ConflictError("ldap_is_alone")
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
    """Encrypt all secrets of directories with the present key; return how many there are."""
    count = 0
    for row in Directory.objects.select_for_update().order_by("pk"):
        stored = {name: getattr(row, name) for name in _ENCRYPTED.values() if getattr(row, name)}
        for name, value in stored.items():
            setattr(row, name, encryption.rotate(value))
        row.save(update_fields=list(stored))
        count += len(stored)
    return count


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
_OF_READINGS: Final = ("sync_tried_at", "synced_at", "sync_fault")
SYNC_TASK: Final = "directory.sync_due"
_ENCRYPTED: Final = {
    "client_secret": "encrypted_client_secret",
    "bind_password": "encrypted_bind_password",
}
"""Columns of what is stored and never shown."""


def _columns(row: Directory, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes as columns; a secret ends with what it was for, unless another is given."""
    written = dict(changes)
    if "rules" in written:
        written["rules"] = [rule.write() for rule in written["rules"]]
    if written.get("issuer", row.issuer) != row.issuer:
        written.setdefault("client_secret", "")
    if "ldap" in written:
        settings: LdapSettings | None = written["ldap"]
        written["ldap"] = settings.write() if settings else None
        if (settings.url if settings else "") != (row.ldap or {}).get("url", ""):
            written.setdefault("bind_password", "")
    for name in _ENCRYPTED.keys() & written.keys():
        secret = written.pop(name)
        written[_ENCRYPTED[name]] = encryption.encrypt(secret) if secret else ""
    return written


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
    if "ldap" in changed:
        shown["server"] = (row.ldap or {}).get("url", "")
    if not set(_ENCRYPTED.values()).isdisjoint(changed):
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
