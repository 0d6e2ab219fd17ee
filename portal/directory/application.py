"""Bringing people to what their directory says: plans made again under its lock, carried out by the writers of tenancy."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import F, Q

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DomainError
from portal.directory.models import Directory, ExternalAccount
from portal.directory.plans import Change, ChangeKind, DirectoryPlan
from portal.directory.selectors import load_plan_for_system
from portal.identity.models import User
from portal.tenancy import people
from portal.tenancy.members import give_role_for_directory
from portal.tenancy.models import Group

APPLIED_EVERY: Final = timedelta(days=1)
"""How often all people of a directory are compared with it, even if it sends nothing."""
_ACTIVITY: Final = {ChangeKind.ACTIVATE: True, ChangeKind.DEACTIVATE: False}

logger = structlog.get_logger(__name__)


def actor_of(directory: Directory, *, request_id: str = "", address: str = "") -> Actor:
    """Return a directory as the actor of what it causes."""
    return Actor(
        user_id=None,
        kind="system",
        name=f"directory:{directory.name}",
        request_id=request_id,
        address=address,
    )


def lock_directory(directory_id: UUID) -> Directory:
    """Lock a directory with all that it has reported: one thing at a time is written down and applied."""
    return Directory.objects.select_for_update().get(pk=directory_id)


def record_sign_in(directory: Directory) -> None:
    """Write down that somebody comes in by a directory, which the caller has locked."""
    directory.signed_in_at = now()
    directory.save(update_fields=["signed_in_at"])


def apply_to(directory: Directory, accounts: Iterable[UUID], *, actor: Actor) -> DirectoryPlan:
    """Carry out what changes for these people; the caller has locked the directory.

    Raises:
        ConflictError: it would leave the platform without an administrator.
    """
    plan = load_plan_for_system(directory, accounts)
    for change in sorted(plan.changes, key=_touches_account):
        _carry_out(directory, change, actor)
    return plan


def apply_due() -> int:
    """Bring all people to directories that are due: their rules have changed, or a day is over."""
    stale = Q(applied_at=None) | Q(applied_at__lt=F("rules_changed_at"))
    stale |= Q(applied_at__lt=now() - APPLIED_EVERY)
    due = list(Directory.objects.filter(stale).order_by("pk"))
    for directory in due:
        apply_all(directory)
    return len(due)


def apply_all(directory: Directory) -> None:
    """Bring all people of a directory to what it says, each in a transaction of their own."""
    began = now()
    changed = {change.user_id for change in load_plan_for_system(directory).changes}
    rows = ExternalAccount.objects.filter(directory=directory, user__in=changed)
    for account_id in rows.order_by("pk").values_list("pk", flat=True):
        _apply_alone(directory, account_id)
    Directory.objects.filter(pk=directory.pk).update(applied_at=began)


def _apply_alone(directory: Directory, account_id: UUID) -> None:
    actor = actor_of(directory)
    try:
        with transaction.atomic():
            apply_to(lock_directory(directory.pk), [account_id], actor=actor)
    except DomainError as error:
        logger.warning("directory.refused", account=str(account_id), code=error.code)
        audit.record_failure(
            actor=actor,
            action="directory.apply",
            object_type="directory",
            params={"name": directory.name, "code": error.code, **error.params},
        )


def _touches_account(change: Change) -> bool:
    """Return whether it locks the account, which comes after memberships."""
    return change.kind in _ACTIVITY or change.kind is ChangeKind.PLATFORM_ROLE


def _carry_out(directory: Directory, change: Change, actor: Actor) -> None:
    if not _touches_account(change):
        give_role_for_directory(
            actor=actor,
            group=Group.objects.get(name=change.group),
            user=User.objects.get(pk=change.user_id),
            role=change.after,
            directory=directory.name,
        )
        return
    account = ExternalAccount.objects.get(directory=directory, user=change.user_id)
    if change.kind is ChangeKind.PLATFORM_ROLE:
        people.change_person(
            actor=actor, user_id=change.user_id, changes={"platform_role": change.after}
        )
        account.given_platform_role = change.after
    else:
        is_active = _ACTIVITY[change.kind]
        people.change_person(actor=actor, user_id=change.user_id, changes={"is_active": is_active})
        account.is_shut_out = not is_active
    account.save(update_fields=["given_platform_role", "is_shut_out"])
