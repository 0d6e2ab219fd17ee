"""OpenLDAP's `slapd` on loopback, with a certificate of its own and the attributes of Active Directory that are read."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from ldap3 import MODIFY_REPLACE, NONE, Connection, Server
from ldap3.core.exceptions import LDAPException

from deploy.onebox.options import find_free_port
from tests.waiting import wait_until

SUFFIX: Final = "dc=example,dc=org"
PEOPLE: Final = f"ou=people,{SUFFIX}"
GROUPS: Final = f"ou=groups,{SUFFIX}"
READER: Final = f"cn=admin,{SUFFIX}"
READER_PASSWORD: Final = "reader-pass-19c4"
PASSWORD: Final = "directory-pass-5b7e"
"""Of every person."""
NOBODY: Final = f"cn=nobody,{SUFFIX}"
"""In every group: it may not be empty."""
_CONFIG: Final = """
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
attributetype ( 1.2.840.113556.1.4.221 NAME 'sAMAccountName' EQUALITY caseIgnoreMatch
  SUBSTR caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl' EQUALITY integerMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
objectclass ( 1.2.840.113556.1.5.9 NAME 'account-of-ad' SUP top AUXILIARY
  MAY ( sAMAccountName $ userAccountControl $ objectGUID ) )
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile {root}/pid
sizelimit unlimited
{tls}
database mdb
suffix "{suffix}"
rootdn "{reader}"
rootpw {password}
directory {root}/data
maxsize 104857600
dbnosync
access to attrs=userPassword by anonymous auth by * none
access to * by * read
"""


def slapd_program() -> Path | None:
    """Return the server, where it is installed."""
    found = shutil.which("slapd") or "/usr/sbin/slapd"
    return Path(found) if Path(found).exists() else None


@dataclass(frozen=True, slots=True)
class LdapServer:
    """A running directory."""

    port: int
    tls_port: int
    certificate: str
    """PEM; it is its own authority."""
    connection: Any
    """As its administrator."""

    @property
    def url(self) -> str:
        """Return where StartTLS is needed."""
        return f"ldap://localhost:{self.port}"

    @property
    def tls_url(self) -> str:
        """Return where there is TLS from the start."""
        return f"ldaps://localhost:{self.tls_port}"

    def add_person(self, uid: str, password: str = PASSWORD, **values: Any) -> str:
        """Add a person; return the name of the entry."""
        dn = f"uid={uid},{PEOPLE}"
        given = {
            "cn": uid.title(),
            "sn": uid.title(),
            "displayName": uid.title(),
            "mail": f"{uid}@example.org",
            "userPassword": password,
            **values,
        }
        self.connection.add(dn, ["inetOrgPerson", "account-of-ad"], given)
        return dn

    def add_group(self, name: str, *members: str, **values: Any) -> str:
        """Add a group with these entries in it; return its name."""
        dn = f"cn={name},{GROUPS}"
        given = {"member": [NOBODY, *members], **values}
        self.connection.add(dn, ["groupOfNames", "account-of-ad"], given)
        return dn

    def change(self, dn: str, **values: Sequence[Any]) -> None:
        """Replace values of an entry."""
        changes = {name: [(MODIFY_REPLACE, list(value))] for name, value in values.items()}
        self.connection.modify(dn, changes)

    def remove(self, *dns: str) -> None:
        """Remove entries."""
        for dn in dns:
            self.connection.delete(dn, controls=[_AS_ENTRIES])

    def clear(self) -> None:
        """Remove all people and groups."""
        for base in (PEOPLE, GROUPS):
            self.connection.search(base, "(objectClass=*)", "LEVEL", controls=[_AS_ENTRIES])
            self.remove(*[row["dn"] for row in self.connection.response])

    def add_referral(self, name: str, to: str) -> None:
        """Add what says that people are elsewhere."""
        dn = f"ou={name},{PEOPLE}"
        self.connection.add(dn, ["referral", "extensibleObject"], {"ou": name, "ref": to})


_AS_ENTRIES: Final = ("2.16.840.1.113730.3.4.2", True, None)
"""Referrals are shown, and not followed."""


@contextmanager
def ldap_server(*, has_tls: bool = True) -> Iterator[LdapServer]:
    """Start a directory without people."""
    program = slapd_program()
    assert program is not None, "no slapd; make test installs it"
    with tempfile.TemporaryDirectory(prefix="berth-ldap-") as folder:
        root = Path(folder)
        (root / "data").mkdir()
        certificate = _write_certificate(root)
        lines = f"TLSCertificateFile {root}/cert.pem\nTLSCertificateKeyFile {root}/key.pem"
        text = _CONFIG.format(
            root=root,
            suffix=SUFFIX,
            reader=READER,
            password=READER_PASSWORD,
            tls=lines if has_tls else "",
        )
        (root / "slapd.conf").write_text(text)
        port, tls_port = find_free_port(), find_free_port()
        addresses = f"ldap://127.0.0.1:{port}"
        if has_tls:
            addresses += f" ldaps://127.0.0.1:{tls_port}"
        command = [str(program), "-f", str(root / "slapd.conf"), "-h", addresses, "-d", "0"]
        with subprocess.Popen(command) as process:
            try:
                connection = wait_until(lambda: _connected(process, port))
                _lay_out(connection)
                yield LdapServer(port, tls_port, certificate, connection)
                connection.unbind()
            finally:
                process.terminate()


def _connected(process: subprocess.Popen[bytes], port: int) -> Any:
    assert process.poll() is None, "slapd has ended"
    server = Server("127.0.0.1", port=port, get_info=NONE)
    connection = Connection(server, READER, READER_PASSWORD, raise_exceptions=True)
    try:
        connection.bind()
    except LDAPException:
        if connection.socket is not None:
            connection.socket.close()
        return None
    return connection


def _lay_out(connection: Any) -> None:
    shape: Mapping[str, tuple[list[str], dict[str, str]]] = {
        SUFFIX: (["dcObject", "organization"], {"dc": "example", "o": "Example"}),
        PEOPLE: (["organizationalUnit"], {"ou": "people"}),
        GROUPS: (["organizationalUnit"], {"ou": "groups"}),
    }
    for dn, (classes, values) in shape.items():
        connection.add(dn, classes, values)


def _write_certificate(root: Path) -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    names = [x509.DNSName("localhost")]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2120, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(Encoding.PEM)
    (root / "cert.pem").write_bytes(pem)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (root / "key.pem").write_bytes(private)
    return pem.decode()
