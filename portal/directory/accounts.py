"""People that a directory tells of: who of them is which account here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, ExhaustedError, NotFoundError
from portal.directory.account_names import choose_name
from portal.directory.application import apply_to, lock_directory, record_sign_in
from portal.directory.models import Directory, ExternalAccount
from portal.directory.selectors import taken_names_for_system
from portal.identity.models import User, UserKind
from portal.tenancy import people

ACCOUNTS_MAX: Final = 50_000
"""People of one directory, those that it has removed included."""
_DISPLAY_NAME_LENGTH: Final = 100


@dataclass(frozen=True, slots=True)
class ReportedPerson:
    """What a directory tells of a person."""

    user_name: str
    external_id: str = ""
    display_name: str = ""
    email: str = ""
    is_wanted: bool = True
    document: Mapping[str, Any] = field(default_factory=dict)
    """All of it, as the directory reads it again."""


@transaction.atomic
def add_person(directory_id: UUID, reported: ReportedPerson, *, actor: Actor) -> ExternalAccount:
    """Write down a person of a directory, and make the account that is theirs.

    One that the directory had removed is the same account again.

    Raises:
        ConflictError: the directory has this person already, or an account of that name is somebody else's.
        ExhaustedError: there are as many people as are allowed.
    """
    directory = lock_directory(directory_id)
    if _same(directory, reported).filter(removed_at=None).exists():
        raise ConflictError("external_account_exists", name=reported.user_name)
    account = _removed(directory, reported)
    if account is None:
        account = ExternalAccount(
            directory=directory, user=_account_for(directory, reported, actor)
        )
    _write(account, reported, actor)
    apply_to(directory, [account.pk], actor=actor)
    return account_of(directory, account.pk)


@transaction.atomic
def change_person(
    directory_id: UUID, account_id: UUID, reported: ReportedPerson, *, actor: Actor
) -> ExternalAccount:
    """Write down what a directory now tells of a person.

    Raises:
        ConflictError: the new name or id is another person's, or the platform would lose its last administrator.
    """
    directory = lock_directory(directory_id)
    account = account_of(directory, account_id)
    if _same(directory, reported).filter(removed_at=None).exclude(pk=account_id).exists():
        raise ConflictError("external_account_exists", name=reported.user_name)
    _write(account, reported, actor)
    apply_to(directory, [account.pk], actor=actor)
    return account_of(directory, account.pk)


@transaction.atomic
def person_who_signs_in(
    directory_id: UUID, reported: ReportedPerson, groups: Sequence[str], *, actor: Actor
) -> ExternalAccount:
    """Return the person whom a provider of the directory vouches for, made if the directory lets sign-in do that.

    Where the directory provisions people, only whom it has may come in, as it has reported them: by the id, or by the name
    that the provider gives as such.

    Raises:
        ConflictError: the directory does not have this person.
    """
    directory = lock_directory(directory_id)
    record_sign_in(directory)
    account = _signing_in(directory, reported)
    if directory.scim_digest:
        if account is None or account.removed_at is not None:
            raise ConflictError("not_provisioned")
        return account
    if account is None:
        account = ExternalAccount(
            directory=directory, user=_account_for(directory, reported, actor)
        )
    if _same(directory, reported).filter(removed_at=None).exclude(pk=account.pk).exists():
        reported = replace(reported, user_name=reported.external_id)  # its name is another person's
    account.claimed_groups = list(groups)
    _write(account, reported, actor)
    apply_to(directory, [account.pk], actor=actor)
    return account_of(directory, account.pk)


@transaction.atomic
def remove_person(directory_id: UUID, account_id: UUID, *, actor: Actor) -> None:
    """Let a person of a directory go: shut out, without what the directory gave; the account stays."""
    directory = lock_directory(directory_id)
    account = account_of(directory, account_id)
    account.is_wanted = False
    account.removed_at = account.changed_at = now()
    account.save(update_fields=["is_wanted", "removed_at", "changed_at"])
    account.groups.clear()
    apply_to(directory, [account.pk], actor=actor)


def forget_claims(directory: Directory) -> None:
    """Forget the groups that were claimed at sign-ins: all of them have been read since."""
    rows = ExternalAccount.objects.filter(directory=directory).exclude(claimed_groups=[])
    rows.update(claimed_groups=[])


def account_of(directory: Directory, account_id: UUID) -> ExternalAccount:
    """Return a person whom the directory has."""
    rows = ExternalAccount.objects.filter(directory=directory, removed_at=None)
    account = rows.select_related("user").filter(pk=account_id).first()
    if account is None:
        raise NotFoundError("external_account")
    return account


def _signing_in(directory: Directory, reported: ReportedPerson) -> ExternalAccount | None:
    rows = ExternalAccount.objects.filter(directory=directory).select_related("user")
    by_id = rows.filter(external_id=reported.external_id)
    found = by_id.order_by(F("removed_at").asc(nulls_first=True)).first()
    if found is not None or not directory.scim_digest:
        return found
    return rows.filter(user_name__iexact=reported.external_id, removed_at=None).first()


def _same(directory: Directory, reported: ReportedPerson) -> QuerySet[ExternalAccount]:
    is_same = Q(user_name__iexact=reported.user_name)
    if reported.external_id:
        is_same |= Q(external_id=reported.external_id)
    return ExternalAccount.objects.filter(is_same, directory=directory)


def _removed(directory: Directory, reported: ReportedPerson) -> ExternalAccount | None:
    """Return the person if the directory had removed it: by its id, without ids by its name."""
    gone = ExternalAccount.objects.filter(directory=directory).exclude(removed_at=None)
    gone = gone.select_related("user").order_by("-removed_at")
    if reported.external_id:
        found = gone.filter(external_id=reported.external_id).first()
        if found is not None:
            return found
    unnamed = gone.filter(external_id="") if reported.external_id else gone
    return unnamed.filter(user_name__iexact=reported.user_name).first()


def _account_for(directory: Directory, reported: ReportedPerson, actor: Actor) -> User:
    """Return the account of a new person: one that is there, if the directory may take it, else a new one."""
    if ExternalAccount.objects.filter(directory=directory).count() >= ACCOUNTS_MAX:
        raise ExhaustedError("too_many_external_accounts", limit=ACCOUNTS_MAX)
    existing = User.objects.filter(username=reported.user_name.partition("@")[0].lower()).first()
    if existing is not None and directory.links_existing and _may_be_linked(directory, existing):
        return existing
    try:
        name = choose_name(reported.user_name, taken_names_for_system)
        with transaction.atomic():
            return people.create_person_of_directory(
                actor=actor,
                username=name,
                display_name=(reported.display_name or name)[:_DISPLAY_NAME_LENGTH],
                email=reported.email,
            )
    except (ValueError, IntegrityError) as error:
        raise ConflictError("name_taken", name=reported.user_name) from error


def _may_be_linked(directory: Directory, user: User) -> bool:
    """Return whether a directory may take an account over: no robot, no role over the platform, none of its own."""
    is_plain = user.kind == UserKind.PERSON and not user.platform_role
    return is_plain and not ExternalAccount.objects.filter(directory=directory, user=user).exists()


def _write(account: ExternalAccount, reported: ReportedPerson, actor: Actor) -> None:
    account.user_name, account.external_id = reported.user_name, reported.external_id
    account.document, account.is_wanted = dict(reported.document), reported.is_wanted
    account.changed_at, account.removed_at = now(), None
    account.save()
    wanted = {
        "display_name": reported.display_name[:_DISPLAY_NAME_LENGTH] or account.user.display_name,
        "email": reported.email,
    }
    changes = {
        name: value for name, value in wanted.items() if getattr(account.user, name) != value
    }
    if changes:
        people.change_person(actor=actor, user_id=account.user_id, changes=changes)
