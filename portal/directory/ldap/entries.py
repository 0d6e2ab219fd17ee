"""What entries of a directory mean: people, whether they may come in, and groups within groups. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from portal.directory.accounts import ReportedPerson
from portal.directory.ldap.settings import LdapSettings

ACCOUNT_CONTROL: Final = "userAccountControl"
ACCOUNT_LOCK: Final = "nsAccountLock"
DISABLED_BIT: Final = 0x2
"""Of `userAccountControl`: Active Directory has disabled the account."""
MEMBER_ATTRIBUTES: Final = ("member", "uniqueMember")
"""Of groups that list names of entries."""
MEMBER_NAMES: Final = "memberUid"
"""Of groups that list names of accounts."""
_BINARY_IDS: Final = frozenset({"objectguid"})
_TEXT_MAX: Final = 255
_AROUND: Final = re.compile(r"(?<!\\)\s*([,+=])\s*")


@dataclass(frozen=True, slots=True)
class LdapEntry:
    """An entry as it was read."""

    dn: str
    attributes: Mapping[str, Sequence[bytes]]
    """By name in lower case: case has no meaning there."""

    def texts(self, name: str) -> list[str]:
        """Return the values of an attribute as text, in their order."""
        found = self.attributes.get(name.lower(), ())
        return [value.decode("utf-8", "replace").replace("\x00", "") for value in found]

    def text(self, name: str) -> str:
        """Return the first value of an attribute, or nothing."""
        return next(iter(self.texts(name)), "").strip()[:_TEXT_MAX]

    def identity(self, name: str) -> str:
        """Return what names the entry for ever; Active Directory writes it as sixteen bytes."""
        if name.lower() not in _BINARY_IDS:
            return self.text(name)
        found = next(iter(self.attributes.get(name.lower(), ())), b"")
        return str(UUID(bytes_le=found)) if len(found) == 16 else ""


@dataclass(frozen=True, slots=True)
class LdapPerson:
    """A person of a directory, and where the entry is."""

    dn: str
    reported: ReportedPerson


@dataclass(frozen=True, slots=True)
class LdapGroup:
    """A group of a directory, with whom it lists."""

    dn: str
    external_id: str
    name: str
    member_keys: frozenset[str]
    """Of entries, people and groups, as `key_of` gives them."""
    member_names: frozenset[str]
    """Of accounts, in lower case."""


def key_of(dn: str) -> str:
    """Return the same text for the same entry, however its name is written."""
    return _AROUND.sub(r"\1", dn.strip()).casefold()


def person_of(settings: LdapSettings, entry: LdapEntry) -> LdapPerson | None:
    """Return the person of an entry; None where the id or the name is missing."""
    user_name = entry.text(settings.name_attribute)
    external_id = entry.identity(settings.id_attribute)
    if not (user_name and external_id):
        return None
    email = entry.text(settings.email_attribute).lower()
    display_name = entry.text(settings.display_attribute) or entry.text("cn")
    shown_email = email if "@" in email and len(email) < _TEXT_MAX else ""
    reported = ReportedPerson(
        user_name=user_name,
        external_id=external_id,
        display_name=display_name,
        email=shown_email,
        is_wanted=not is_disabled(entry),
        document={"dn": entry.dn, "display_name": display_name, "email": shown_email},
    )
    return LdapPerson(entry.dn, reported)


def is_disabled(entry: LdapEntry) -> bool:
    """Return whether the directory has disabled an account: Active Directory's bit, or the lock of 389 and FreeIPA."""
    control = entry.text(ACCOUNT_CONTROL)
    has_bit = control.isascii() and control.isdigit() and int(control) & DISABLED_BIT
    return bool(has_bit) or entry.text(ACCOUNT_LOCK).lower() == "true"


def group_of(settings: LdapSettings, entry: LdapEntry) -> LdapGroup | None:
    """Return the group of an entry; None where the id or the name is missing."""
    name = entry.text(settings.group_name_attribute)
    external_id = entry.identity(settings.id_attribute)
    if not (name and external_id):
        return None
    members = [dn for attribute in MEMBER_ATTRIBUTES for dn in entry.texts(attribute)]
    names = entry.texts(MEMBER_NAMES)
    return LdapGroup(
        dn=entry.dn,
        external_id=external_id,
        name=name,
        member_keys=frozenset(key_of(dn) for dn in members),
        member_names=frozenset(each.strip().lower() for each in names),
    )


def people_of_groups(
    groups: Iterable[LdapGroup], people: Iterable[LdapPerson]
) -> Mapping[str, frozenset[str]]:
    """Return who is in which group, also by groups within it: ids of people by the id of the group.

    Groups may be within each other in a circle.
    """
    by_key = {key_of(person.dn): person.reported.external_id for person in people}
    by_name = {person.reported.user_name.lower(): person.reported.external_id for person in people}
    known = {key_of(group.dn): group for group in groups}
    own = {
        key: frozenset(
            {by_key[each] for each in group.member_keys if each in by_key}
            | {by_name[each] for each in group.member_names if each in by_name}
        )
        for key, group in known.items()
    }
    return {
        group.external_id: frozenset().union(*(own[each] for each in _within(key, known)))
        for key, group in known.items()
    }


def _within(key: str, known: Mapping[str, LdapGroup]) -> frozenset[str]:
    """Return a group and all within it."""
    seen = {key}
    left = [key]
    while left:
        inner = known[left.pop()].member_keys & known.keys() - seen
        seen |= inner
        left.extend(inner)
    return frozenset(seen)
