"""Entries of directories: who is whom, who is out, and who is in which group, however deep."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.directory.accounts import ReportedPerson
from portal.directory.ldap.entries import (
    LdapEntry,
    LdapGroup,
    LdapPerson,
    is_disabled,
    key_of,
    people_of_groups,
    person_of,
)
from portal.directory.ldap.settings import LdapSettings

AD = LdapSettings(
    url="ldaps://dc.example.org",
    people_base="dc=example,dc=org",
    id_attribute="objectGUID",
    name_attribute="sAMAccountName",
)
GUID = UUID("00112233-4455-6677-8899-aabbccddeeff")


def an_entry(**values: bytes) -> LdapEntry:
    """Return an entry with these values."""
    return LdapEntry("cn=Ada,dc=example,dc=org", {k.lower(): [v] for k, v in values.items()})


def a_person(name: str) -> LdapPerson:
    """Return a person whose id is the name."""
    return LdapPerson(f"uid={name},dc=x", ReportedPerson(user_name=name, external_id=name))


def a_set(name: str, *members: str, accounts: tuple[str, ...] = ()) -> LdapGroup:
    """Return a group of these entries and accounts, whose id is the name."""
    keys = frozenset(key_of(member) for member in members)
    return LdapGroup(f"cn={name},dc=x", name, name, keys, frozenset(accounts))


def test_a_person_of_active_directory_has_the_id_that_it_shows() -> None:
    found = person_of(
        AD,
        an_entry(
            objectGUID=GUID.bytes_le, sAMAccountName=b"ada", cn=b"Ada", mail=b"Ada@Example.org"
        ),
    )

    assert found is not None
    assert (found.reported.external_id, found.reported.user_name) == (str(GUID), "ada")
    assert (found.reported.display_name, found.reported.email) == ("Ada", "ada@example.org")
    assert found.reported.is_wanted


@pytest.mark.parametrize(
    "entry",
    [
        an_entry(sAMAccountName=b"ada"),
        an_entry(objectGUID=GUID.bytes_le),
        an_entry(objectGUID=b"short", sAMAccountName=b"ada"),
    ],
)
def test_without_name_or_id_it_is_nobody(entry: LdapEntry) -> None:
    assert person_of(AD, entry) is None


@pytest.mark.parametrize(
    ("values", "is_out"),
    [
        ({}, False),
        ({"userAccountControl": b"512"}, False),
        ({"userAccountControl": b"514"}, True),
        ({"userAccountControl": b"66050"}, True),
        ({"userAccountControl": b"odd"}, False),
        ({"nsAccountLock": b"TRUE"}, True),
        ({"nsAccountLock": b"false"}, False),
    ],
)
def test_who_is_disabled_there_is_out(values: dict[str, bytes], is_out: bool) -> None:
    assert is_disabled(an_entry(**values)) is is_out


@pytest.mark.parametrize(
    "written",
    ["CN=Ada , DC=Example,DC=org", "cn = ada,dc=example, dc=ORG", "cn=ada,dc=example,dc=org"],
)
def test_an_entry_is_the_same_however_its_name_is_written(written: str) -> None:
    assert key_of(written) == "cn=ada,dc=example,dc=org"


def test_groups_hold_the_people_of_groups_within_them_also_in_a_circle() -> None:
    people = [a_person("ada"), a_person("bo"), a_person("chen")]
    groups = [
        a_set("all", "cn=vision,dc=x", "UID=chen, DC=x"),
        a_set("vision", "uid=ada,dc=x", "cn=all,dc=x", "uid=stranger,dc=x"),
        a_set("posix", accounts=("bo", "stranger")),
    ]

    found = people_of_groups(groups, people)

    assert found == {"all": {"ada", "chen"}, "vision": {"ada", "chen"}, "posix": {"bo"}}


_names = st.sampled_from(["a", "b", "c", "d"])


@given(
    st.dictionaries(_names, st.frozensets(_names)), st.dictionaries(_names, st.frozensets(_names))
)
def test_a_group_holds_all_that_is_within_it(
    inner: dict[str, frozenset[str]], own: dict[str, frozenset[str]]
) -> None:
    people = [a_person(name) for name in "abcd"]
    groups = [
        a_set(
            name,
            *(f"cn={each},dc=x" for each in inner.get(name, ())),
            *(f"uid={each},dc=x" for each in own.get(name, ())),
        )
        for name in "abcd"
    ]

    found = people_of_groups(groups, people)

    for name in "abcd":
        assert found[name] >= own.get(name, frozenset())
        for each in inner.get(name, ()):
            assert found[name] >= found[each]
