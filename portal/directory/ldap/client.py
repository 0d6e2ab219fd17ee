"""One connection to a directory: read only, with TLS unless it was said otherwise, and with an end to every wait."""

import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from ldap3 import (
    ANONYMOUS,
    DEREF_NEVER,
    NONE,
    SIMPLE,
    SUBTREE,
    Connection,
    Server,
    Tls,
)
from ldap3.core.exceptions import (
    LDAPBindError,
    LDAPException,
    LDAPOperationResult,
)
from ldap3.utils.conv import escape_filter_chars
from typing_extensions import override

from portal.directory.accounts import ACCOUNTS_MAX
from portal.directory.external_groups import GROUPS_MAX
from portal.directory.ldap import entries
from portal.directory.ldap.entries import LdapEntry, LdapGroup, LdapPerson
from portal.directory.ldap.settings import LdapSettings

CONNECT_S: Final = 5
"""How long a directory has to take a connection."""
ANSWER_S: Final = 10
"""How long it may be silent."""
SEARCH_S: Final = 60
"""How long it may search for one page."""
PAGE_SIZE: Final = 500
"""Entries of one page."""
NESTING_MAX: Final = 10
"""Groups within groups that are followed when somebody signs in."""
GROUPS_OF_PERSON_MAX: Final = 1000
"""Groups of one person who signs in."""


class LdapError(Exception):
    """A directory could not be read; `code` names its sentence on the page."""

    def __init__(self, code: str, **params: Any) -> None:
        """Take the code and what its sentence has."""
        super().__init__(code)
        self.code = code
        self.params = params


class _VerifiedTls(Tls):
    """TLS whose certificate OpenSSL compares with the name of the server.

    The library compares names itself, by a function that Python has dropped.
    """

    @override
    def wrap_socket(self, connection: Any, do_handshake: bool = False) -> None:
        """Add TLS to the connection."""
        context = ssl.create_default_context(cadata=self.ca_certs_data)
        connection.socket = context.wrap_socket(
            connection.socket, server_hostname=connection.server.host
        )


class LdapClient:
    """An open connection; made by `open_client`."""

    def __init__(self, settings: LdapSettings, connection: Any) -> None:
        """Take a connection as the account that reads."""
        self._settings = settings
        self._connection = connection

    def people(self) -> list[LdapPerson]:
        """Return all people; raises `LdapError`."""
        settings = self._settings
        found = self._search(
            settings.people_base, settings.people_filter, self._of_people(), ACCOUNTS_MAX
        )
        read = (entries.person_of(settings, entry) for entry in found)
        return [person for person in read if person is not None]

    def groups(self) -> list[LdapGroup]:
        """Return all groups; raises `LdapError`."""
        return self._groups(self._settings.groups_filter, GROUPS_MAX)

    def find_person(self, user_name: str) -> LdapPerson | None:
        """Return the one person of this name; None if there is none, or more than one."""
        settings = self._settings
        asked = f"({settings.name_attribute}={escape_filter_chars(user_name)})"
        found = self._search(
            settings.people_base, f"(&{settings.people_filter}{asked})", self._of_people(), 2
        )
        return entries.person_of(settings, found[0]) if len(found) == 1 else None

    def groups_of(self, person: LdapPerson) -> tuple[LdapGroup, ...]:
        """Return the groups that list a person, and those that list these groups."""
        found: dict[str, LdapGroup] = {}
        asked = [f"({entries.MEMBER_NAMES}={escape_filter_chars(person.reported.user_name)})"]
        newest = [person.dn]
        for _ in range(NESTING_MAX):
            asked += [_listing(dn) for dn in newest]
            wanted = f"(&{self._settings.groups_filter}(|{''.join(asked)}))"
            listing = {
                entries.key_of(group.dn): group
                for group in self._groups(wanted, GROUPS_OF_PERSON_MAX)
            }
            new = {key: group for key, group in listing.items() if key not in found}
            if not new or len(found) + len(new) > GROUPS_OF_PERSON_MAX:
                break
            found |= new
            asked, newest = [], [group.dn for group in new.values()]
        return tuple(found.values())

    def takes_password(self, dn: str, password: str) -> bool:
        """Return whether this is the password of an entry; an empty one never is."""
        if not password:
            return False  # the protocol would take it for nobody in particular
        try:
            with _opened(self._settings, dn, password):
                return True
        except LdapError as fault:
            if fault.code == "ldap_bind_refused":
                return False
            raise

    def _groups(self, wanted: str, limit: int) -> list[LdapGroup]:
        settings = self._settings
        if not settings.groups_base:
            return []
        attributes = (
            settings.id_attribute,
            settings.group_name_attribute,
            *entries.MEMBER_ATTRIBUTES,
            entries.MEMBER_NAMES,
        )
        found = self._search(settings.groups_base, wanted, attributes, limit)
        read = (entries.group_of(settings, entry) for entry in found)
        return [group for group in read if group is not None]

    def _of_people(self) -> tuple[str, ...]:
        settings = self._settings
        named = (settings.id_attribute, settings.name_attribute, settings.display_attribute)
        return (
            *named,
            settings.email_attribute,
            "cn",
            entries.ACCOUNT_CONTROL,
            entries.ACCOUNT_LOCK,
        )

    def _search(
        self, base: str, wanted: str, attributes: Sequence[str], limit: int
    ) -> list[LdapEntry]:
        found: list[LdapEntry] = []
        try:
            for row in self._connection.extend.standard.paged_search(
                base,
                wanted,
                SUBTREE,
                dereference_aliases=DEREF_NEVER,
                attributes=list(dict.fromkeys(attributes)),
                time_limit=SEARCH_S,
                paged_size=PAGE_SIZE,
                generator=True,
            ):
                if row["type"] != "searchResEntry":
                    continue  # a referral, which nobody follows: it may lead anywhere
                if len(found) >= limit:
                    raise LdapError("ldap_too_large", limit=limit)
                values = {
                    name.partition(";")[0].lower(): value
                    for name, value in row["raw_attributes"].items()
                    if value
                }
                found.append(LdapEntry(row["dn"], values))
        except LDAPException as error:
            raise LdapError("ldap_search_refused", base=base) from error
        return found


@contextmanager
def open_client(settings: LdapSettings, password: str) -> Iterator[LdapClient]:
    """Provide a connection as the account that reads; raises `LdapError`."""
    with _opened(settings, settings.bind_dn, password) as connection:
        yield LdapClient(settings, connection)


@contextmanager
def _opened(settings: LdapSettings, dn: str, password: str) -> Iterator[Any]:
    if dn and not password:
        raise LdapError("ldap_bind_refused")
    connection = Connection(
        _server(settings),
        user=dn or None,
        password=password or None,
        authentication=SIMPLE if dn else ANONYMOUS,
        read_only=True,
        auto_referrals=False,
        check_names=False,
        receive_timeout=ANSWER_S,
        return_empty_attributes=False,
        raise_exceptions=True,
    )
    try:
        _bind(connection, settings)
        yield connection
    finally:
        connection.strategy.close()
        if connection.socket is not None:
            connection.socket.close()  # one that was refused is left open


def _server(settings: LdapSettings) -> Any:
    return Server(
        settings.host,
        port=settings.port,
        use_ssl=settings.is_tls_from_start,
        tls=_VerifiedTls(ca_certs_data=settings.ca_certificate or None),
        get_info=NONE,
        allowed_referral_hosts=[],
        connect_timeout=CONNECT_S,
    )


def _bind(connection: Any, settings: LdapSettings) -> None:
    try:
        connection.open(read_server_info=False)
    except LDAPException as error:
        code = "ldap_tls_failed" if "ssl" in str(error).lower() else "ldap_unreachable"
        raise LdapError(code, host=settings.host) from error
    if not (settings.is_tls_from_start or settings.is_plain):
        try:
            connection.start_tls(read_server_info=False)
        except LDAPException as error:
            raise LdapError("ldap_tls_failed", host=settings.host) from error
    try:
        connection.bind(read_server_info=False)
    except (LDAPOperationResult, LDAPBindError) as error:
        raise LdapError("ldap_bind_refused") from error
    except LDAPException as error:
        raise LdapError("ldap_unreachable", host=settings.host) from error


def _listing(dn: str) -> str:
    asked = escape_filter_chars(dn)
    return "".join(f"({attribute}={asked})" for attribute in entries.MEMBER_ATTRIBUTES)
