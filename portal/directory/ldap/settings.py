"""How a directory is reached by LDAP, as it is stored: pure values."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self
from urllib.parse import urlsplit

EVERY_MIN_LEAST: Final = 15
"""Minutes between two readings of a directory, at least."""
EVERY_MIN_MOST: Final = 24 * 60
"""And at most: once a day."""
PORTS: Final = {"ldap": 389, "ldaps": 636}


@dataclass(frozen=True, slots=True)
class LdapSettings:
    """Where a directory is, and under what it keeps people and groups."""

    url: str
    """`ldaps://host[:port]`, or `ldap://` with StartTLS."""
    people_base: str
    bind_dn: str = ""
    """As whom it is read; empty is nobody in particular."""
    is_plain: bool = False
    """Whether passwords may go over `ldap://` without TLS."""
    ca_certificate: str = ""
    """PEM of the authority that signed its certificate; empty: those of the system."""
    people_filter: str = "(objectClass=person)"
    groups_base: str = ""
    """Empty: it has no groups that matter here."""
    groups_filter: str = (
        "(|(objectClass=group)(objectClass=groupOfNames)"
        "(objectClass=groupOfUniqueNames)(objectClass=posixGroup))"
    )
    id_attribute: str = "entryUUID"
    """By which a person or group is the same after it was renamed: `objectGUID` of Active Directory."""
    name_attribute: str = "uid"
    """What people type to sign in: `sAMAccountName` of Active Directory."""
    display_attribute: str = "displayName"
    email_attribute: str = "mail"
    group_name_attribute: str = "cn"
    every_min: int = 60
    """Minutes between two readings."""

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """Return the settings that `write` has written."""
        return cls(**stored)

    def write(self) -> dict[str, Any]:
        """Return the settings as JSON."""
        return asdict(self)

    @property
    def host(self) -> str:
        """Return the name of the server, as its certificate has it."""
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        """Return its port."""
        parts = urlsplit(self.url)
        return parts.port or PORTS[parts.scheme]

    @property
    def is_tls_from_start(self) -> bool:
        """Return whether the connection begins with TLS, rather than turning to it."""
        return urlsplit(self.url).scheme == "ldaps"
