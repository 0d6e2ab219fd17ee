"""A real directory that is asked by LDAP, one for each module, empty at each test."""

from collections.abc import Iterator

import pytest

from tests.ldap_server import LdapServer, ldap_server


@pytest.fixture(scope="module")
def slapd() -> Iterator[LdapServer]:
    with ldap_server() as server:
        yield server


@pytest.fixture
def people_server(slapd: LdapServer) -> LdapServer:
    """Return the server without people and groups."""
    slapd.clear()
    return slapd
