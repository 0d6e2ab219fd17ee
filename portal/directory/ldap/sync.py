"""Readings of directories by LDAP: what they say now is written down, leavers first, each in a transaction of their own."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import Q

from portal.audit import services as audit
from portal.common import encryption
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DomainError
from portal.directory import accounts, external_groups
from portal.directory.accounts import ReportedPerson
from portal.directory.application import actor_of, apply_all
from portal.directory.external_groups import ReportedGroup
from portal.directory.ldap.client import LdapError, open_client
from portal.directory.ldap.entries import LdapGroup, LdapPerson, people_of_groups
from portal.directory.ldap.settings import LdapSettings
from portal.directory.models import Directory, ExternalAccount, ExternalGroup

LEAVERS_FREE: Final = 10
"""So many may leave at once, however few there are; more only up to half of all, unless an administrator says so."""
AGAIN_AFTER: Final = timedelta(minutes=5)
"""When a directory is tried again that could not be read."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LdapReading:
    """All that a directory says."""

    people: tuple[LdapPerson, ...]
    groups: tuple[LdapGroup, ...]


def sync_due() -> int:
    """Read the directories that are due, and follow them; return how many were read."""
    return sum(_claim(row) and sync(row) for row in _due_for_system())


def sync(directory: Directory) -> bool:
    """Read a directory and follow it; return whether it could be read. What went wrong stands on its page."""
    try:
        reading = read_directory(directory)
        _require_plausible(directory, reading)
    except LdapError as fault:
        logger.warning("directory.unread", directory=directory.name, code=fault.code)
        _finish(directory, fault)
        return False
    _follow(directory, reading)
    _finish(directory, None)
    return True


def read_directory(directory: Directory) -> LdapReading:
    """Return what a directory says now; raises `LdapError`."""
    settings = LdapSettings.read(directory.ldap or {})
    with open_client(settings, bind_password(directory)) as client:
        return LdapReading(tuple(client.people()), tuple(client.groups()))


def bind_password(directory: Directory) -> str:
    """Return the password of the account that reads a directory."""
    stored = directory.encrypted_bind_password
    return encryption.decrypt(stored) if stored else ""


def _due_for_system() -> list[Directory]:
    moment = now()
    rows = Directory.objects.filter(ldap__isnull=False).order_by("pk")
    return [
        row
        for row in rows
        if row.sync_tried_at is None or moment >= row.sync_tried_at + _pause_after(row)
    ]


def _pause_after(row: Directory) -> timedelta:
    pause = timedelta(minutes=LdapSettings.read(row.ldap or {}).every_min)
    return min(pause, AGAIN_AFTER) if row.sync_fault else pause


def _claim(row: Directory) -> bool:
    """Take a directory that is due, unless another process has."""
    is_same = Q(sync_tried_at=row.sync_tried_at)
    return bool(Directory.objects.filter(is_same, pk=row.pk).update(sync_tried_at=now()))


def _require_plausible(directory: Directory, reading: LdapReading) -> None:
    """Refuse to shut out most people for what is more likely a filter or base that is wrong."""
    found = {person.reported.external_id for person in reading.people}
    present = _present(directory)
    leavers = len(present.keys() - found)
    if leavers > max(LEAVERS_FREE, len(present) // 2) and not directory.accepts_leavers:
        raise LdapError("ldap_too_many_leave", leavers=leavers, people=len(present))
    if not found and present and not directory.accepts_leavers:
        raise LdapError("ldap_nobody_found")


def _follow(directory: Directory, reading: LdapReading) -> None:
    actor = actor_of(directory)
    present = _present(directory)
    people = {person.reported.external_id: person.reported for person in reading.people}
    for external_id in present.keys() - people.keys():
        gone = present[external_id].pk
        _alone(directory, partial(accounts.remove_person, directory.pk, gone, actor=actor))
    # Those who are out come first: somebody waits for that.
    for reported in sorted(people.values(), key=lambda each: each.is_wanted):
        _follow_person(directory, present.get(reported.external_id), reported, actor)
    _follow_groups(directory, reading, actor)
    accounts.forget_claims(directory)
    apply_all(directory)


def _follow_person(
    directory: Directory, account: ExternalAccount | None, reported: ReportedPerson, actor: Actor
) -> None:
    if account is None:
        if reported.is_wanted:
            _alone(directory, partial(accounts.add_person, directory.pk, reported, actor=actor))
        return
    told = (account.user_name, account.is_wanted, account.document)
    if told != (reported.user_name, reported.is_wanted, reported.document):
        act = partial(accounts.change_person, directory.pk, account.pk, reported, actor=actor)
        _alone(directory, act)


def _follow_groups(directory: Directory, reading: LdapReading, actor: Actor) -> None:
    ids = {external_id: account.pk for external_id, account in _present(directory).items()}
    members = people_of_groups(reading.groups, reading.people)
    known = {row.external_id: row for row in ExternalGroup.objects.filter(directory=directory)}
    in_groups = _members_of(known.values())
    for gone in known.keys() - members.keys():
        group_id = known[gone].pk
        _alone(
            directory, partial(external_groups.remove_group, directory.pk, group_id, actor=actor)
        )
    for group in reading.groups:
        inside = frozenset(ids[each] for each in members[group.external_id] if each in ids)
        told = ReportedGroup(group.name, group.external_id, inside)
        row = known.get(group.external_id)
        if row is None:
            _alone(directory, partial(external_groups.add_group, directory.pk, told, actor=actor))
        elif (row.display_name, in_groups.get(row.pk, frozenset())) != (group.name, inside):
            act = partial(external_groups.change_group, directory.pk, row.pk, told, actor=actor)
            _alone(directory, act)


def _members_of(groups: Collection[ExternalGroup]) -> Mapping[UUID, frozenset[UUID]]:
    found: dict[UUID, set[UUID]] = {}
    rows = ExternalGroup.members.through.objects.filter(externalgroup__in=groups)
    for group, account in rows.values_list("externalgroup", "externalaccount"):
        found.setdefault(group, set()).add(account)
    return {group: frozenset(inside) for group, inside in found.items()}


def _present(directory: Directory) -> dict[str, ExternalAccount]:
    rows = ExternalAccount.objects.filter(directory=directory, removed_at=None)
    return {row.external_id: row for row in rows}


def _alone(directory: Directory, act: Callable[[], Any]) -> None:
    """Carry out one thing; what is refused is written down, and the others follow."""
    try:
        act()
    except DomainError as error:
        logger.warning("directory.refused", directory=directory.name, code=error.code)
        audit.record_failure(
            actor=actor_of(directory),
            action="directory.apply",
            object_type="directory",
            params={"name": directory.name, "code": error.code, **error.params},
        )


@transaction.atomic
def _finish(directory: Directory, fault: LdapError | None) -> None:
    told = {"code": fault.code, "params": fault.params} if fault else None
    row = Directory.objects.filter(pk=directory.pk)
    row.update(sync_fault=told, accepts_leavers=False)
    if fault is None:
        row.update(synced_at=now())
    was = (directory.sync_fault or {}).get("code")
    if fault is not None and was != fault.code:
        audit.record_failure(
            actor=actor_of(directory),
            action="directory.sync",
            object_type="directory",
            params={"name": directory.name, "code": fault.code},
        )
