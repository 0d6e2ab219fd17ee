"""Reads of directories, and of their people as plans want them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.directory.mapping import read_rules
from portal.directory.models import Directory, ExternalAccount, ExternalGroup
from portal.directory.plans import DirectoryPerson, DirectoryPlan, HeldRole, make_plan
from portal.identity.models import User
from portal.tenancy import policies
from portal.tenancy.models import Group, Membership


@dataclass(frozen=True, slots=True)
class SignInOffer:
    """A directory by which people sign in."""

    name: str
    title: str
    kind: str
    """`oidc`: at its provider; `ldap`: here, with its password."""


def directories_visible_to(actor: Actor) -> QuerySet[Directory]:
    """Return all directories with how many people and groups each has; denied to non-administrators."""
    policies.require(actor, Action.DIRECTORY_MANAGE, None)
    present = Q(accounts__removed_at=None) & ~Q(accounts=None)
    return Directory.objects.annotate(
        people=Count("accounts", filter=present, distinct=True),
        external_groups=Count("groups", distinct=True),
    )


def directory_visible_to(actor: Actor, directory_id: UUID) -> Directory:
    """Return one directory."""
    found = directories_visible_to(actor).filter(pk=directory_id).first()
    if found is None:
        raise NotFoundError("directory")
    return found


def sign_in_ways_for_system() -> list[Directory]:
    """Return the directories by which people sign in, in the order in which the page shows them."""
    return list(Directory.objects.exclude(issuer="").order_by("title", "pk"))


def offered_ways_for_system() -> list[SignInOffer]:
    """Return what the page of sign-in offers besides accounts of our own, in its order."""
    rows = Directory.objects.filter(~Q(issuer="") | Q(ldap__isnull=False)).order_by("title", "pk")
    return [SignInOffer(row.name, row.title, "oidc" if row.issuer else "ldap") for row in rows]


def ldap_directories_for_system() -> list[Directory]:
    """Return the directories whose passwords people sign in with, in the order in which they are asked."""
    return list(Directory.objects.filter(ldap__isnull=False).order_by("title", "pk"))


def name_there_for_system(directory: Directory, user: User) -> str:
    """Return how a directory calls one of our accounts; empty if it does not have the person."""
    rows = ExternalAccount.objects.filter(directory=directory, user=user, removed_at=None)
    return rows.values_list("user_name", flat=True).first() or ""


def external_groups_visible_to(actor: Actor, directory_id: UUID) -> QuerySet[ExternalGroup]:
    """Return the groups that a directory has reported, with how many people each has."""
    directory = directory_visible_to(actor, directory_id)
    return ExternalGroup.objects.filter(directory=directory).annotate(people=Count("members"))


def load_plan_for_system(
    directory: Directory, accounts: Iterable[UUID] | None = None
) -> DirectoryPlan:
    """Return what changes for people of a directory, all unless some are named (a fixed number of queries)."""
    rules = read_rules(directory.rules)
    names = {rule.group for rule in rules if rule.group}
    known = Group.objects.filter(name__in=names).values_list("name", flat=True)
    return make_plan(directory.name, rules, load_people_for_system(directory, accounts), set(known))


def load_people_for_system(
    directory: Directory, accounts: Iterable[UUID] | None = None
) -> tuple[DirectoryPerson, ...]:
    """Return the people of a directory by name, also those that it has removed."""
    rows = ExternalAccount.objects.filter(directory=directory).select_related("user")
    if accounts is not None:
        rows = rows.filter(pk__in=list(accounts))
    found = list(rows.order_by("user__username"))
    groups = _external_groups([row.pk for row in found])
    if not directory.scim_digest:
        groups = {row.pk: groups[row.pk] | set(row.claimed_groups) for row in found}
    held = _held_roles([row.user_id for row in found])
    return tuple(_person(row, groups[row.pk], held[row.user_id]) for row in found)


def taken_names_for_system(names: Collection[str]) -> frozenset[str]:
    """Return which of these names accounts have."""
    taken = User.objects.filter(username__in=names).values_list("username", flat=True)
    return frozenset(taken)


def _person(
    row: ExternalAccount, groups: frozenset[str], held: Mapping[str, HeldRole]
) -> DirectoryPerson:
    return DirectoryPerson(
        user_id=row.user_id,
        username=row.user.username,
        external_groups=groups,
        is_present=row.removed_at is None,
        is_wanted=row.is_wanted,
        is_active=row.user.is_active,
        is_shut_out=row.is_shut_out,
        platform_role=row.user.platform_role,
        given_platform_role=row.given_platform_role,
        held=held,
    )


def _external_groups(accounts: Collection[UUID]) -> Mapping[UUID, frozenset[str]]:
    rows = ExternalGroup.members.through.objects.filter(externalaccount__in=accounts)
    found: dict[UUID, set[str]] = defaultdict(set)
    columns = ("externalaccount", "externalgroup__display_name", "externalgroup__external_id")
    for account, *names in rows.values_list(*columns):
        found[account].update(name for name in names if name)
    return defaultdict(frozenset, {key: frozenset(names) for key, names in found.items()})


def _held_roles(users: Collection[UUID]) -> Mapping[UUID, Mapping[str, HeldRole]]:
    found: dict[UUID, dict[str, HeldRole]] = defaultdict(dict)
    rows = Membership.objects.filter(user__in=users)
    for user, group, role, directory in rows.values_list(
        "user", "group__name", "role", "directory"
    ):
        found[user][group] = HeldRole(role, directory)
    return found
