"""Who gains and loses what by the word of a directory: pure, for dry runs and application.

What a person was given by hand is never touched, nor what another directory gave. Whatever this directory gave, it keeps
as its rules have it, and takes when they have it no more.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from portal.directory.mapping import MappedRoles, Rule, map_groups

BY_HAND: Final = ""
"""In place of a directory."""


class ChangeKind(StrEnum):
    """What becomes of a person."""

    ACTIVATE = "activate"
    DEACTIVATE = "deactivate"
    GIVE_ROLE = "give_role"
    CHANGE_ROLE = "change_role"
    TAKE_ROLE = "take_role"
    PLATFORM_ROLE = "platform_role"


@dataclass(frozen=True, slots=True)
class HeldRole:
    """The role of a person in one of our groups, and which directory gave it."""

    role: str
    directory: str = BY_HAND


@dataclass(frozen=True, slots=True)
class DirectoryPerson:
    """A person of a directory, as the database has them now."""

    user_id: UUID
    username: str
    external_groups: frozenset[str]
    """Names and ids of all groups of the directory in which the person is."""
    is_present: bool
    """Whether the directory still has the person; else the person has nothing by it."""
    is_wanted: bool
    is_active: bool
    is_shut_out: bool
    """Whether the directory deactivated the account; what an administrator did, it does not undo."""
    platform_role: str
    given_platform_role: str
    """That of the directory, if any."""
    held: Mapping[str, HeldRole]
    """By name of our group: own memberships only."""


@dataclass(frozen=True, slots=True)
class Change:
    """One person gains or loses one thing."""

    kind: ChangeKind
    user_id: UUID
    username: str
    group: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class DirectoryPlan:
    """All that changes."""

    changes: tuple[Change, ...]
    kept: tuple[Change, ...]
    """What the rules want otherwise but somebody else gave: it stays."""
    unknown_groups: tuple[str, ...]
    """Names of our groups in rules that do not exist: nothing is given there."""


def make_plan(
    directory: str,
    rules: Sequence[Rule],
    people: Iterable[DirectoryPerson],
    groups: Collection[str],
) -> DirectoryPlan:
    """Return what these people gain and lose; `groups` are the names of all our groups."""
    valid = [rule for rule in rules if not rule.group or rule.group in groups]
    unknown = {rule.group for rule in rules if rule.group and rule.group not in groups}
    changes: list[Change] = []
    kept: list[Change] = []
    for person in people:
        wanted = map_groups(valid if person.is_present else (), person.external_groups)
        for change, is_ours in _changes(directory, person, wanted):
            (changes if is_ours else kept).append(change)
    return DirectoryPlan(tuple(changes), tuple(kept), tuple(sorted(unknown)))


def _changes(
    directory: str, person: DirectoryPerson, wanted: MappedRoles
) -> Iterator[tuple[Change, bool]]:
    """Yield each difference, and whether it is the directory's to make."""
    yield from _access_changes(person)
    for group in sorted({*wanted.roles, *person.held}):
        yield from _role_changes(directory, person, group, wanted.roles.get(group, ""))
    yield from _platform_changes(person, wanted.platform_role)


def _access_changes(person: DirectoryPerson) -> Iterator[tuple[Change, bool]]:
    if person.is_wanted == person.is_active:
        return
    kind = ChangeKind.ACTIVATE if person.is_wanted else ChangeKind.DEACTIVATE
    may = person.is_shut_out or not person.is_wanted
    yield Change(kind, person.user_id, person.username), may


def _role_changes(
    directory: str, person: DirectoryPerson, group: str, wanted: str
) -> Iterator[tuple[Change, bool]]:
    held = person.held.get(group)
    before = held.role if held else ""
    is_ours = held is None or held.directory == directory
    if before == wanted or not (wanted or is_ours):
        return
    kind = ChangeKind.CHANGE_ROLE
    if not before:
        kind = ChangeKind.GIVE_ROLE
    elif not wanted:
        kind = ChangeKind.TAKE_ROLE
    yield Change(kind, person.user_id, person.username, group, before, wanted), is_ours


def _platform_changes(person: DirectoryPerson, wanted: str) -> Iterator[tuple[Change, bool]]:
    before, given = person.platform_role, person.given_platform_role
    is_ours = before in ("", given)
    if before == wanted or not (wanted or (given and is_ours)):
        return
    change = Change(
        ChangeKind.PLATFORM_ROLE, person.user_id, person.username, before=before, after=wanted
    )
    yield change, is_ours
