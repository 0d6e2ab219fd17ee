"""Names of accounts: plain, free, and as near to the directory's as they can be."""

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.common.rest.serializers import InputSerializer
from portal.directory.account_names import TRIES, choose_name, plain_name
from portal.tenancy.api.serializers import AccountNameField


class _Named(InputSerializer):
    name = AccountNameField()


def none_taken(_: Collection[str]) -> Collection[str]:
    """Return no name."""
    return ()


@pytest.mark.parametrize(
    ("user_name", "name"),
    [
        ("Ada.Lovelace@example.org", "ada.lovelace"),
        ("José@example.org", "jose"),
        ("CORP\\ada", "corp-ada"),
        ("_svc_@example.org", "svc"),
        ("张三@example.org", "user"),
        ("@example.org", "example.org"),
        ("a" * 80, "a" * 32),
    ],
)
def test_a_name_is_plain(user_name: str, name: str) -> None:
    assert plain_name(user_name) == name


def test_a_name_that_is_taken_gets_a_number() -> None:
    taken = {"ada", "ada-2"}
    assert choose_name("ada@example.org", lambda names: taken & set(names)) == "ada-3"


def test_when_all_are_taken_there_is_no_name() -> None:
    with pytest.raises(ValueError, match="taken"):
        choose_name("ada", lambda names: names)
    assert TRIES >= 100


@given(st.text(max_size=80))
def test_every_name_is_one_that_an_administrator_could_give(user_name: str) -> None:
    name = choose_name(user_name, none_taken)
    assert _Named(data={"name": name}).is_valid(), name
