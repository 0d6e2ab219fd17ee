"""Each fault around the database that `berth-server check` names, by a case that has it and one that has not."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from deploy.server import host_checks
from deploy.server.check import ports
from deploy.server.faults import ServerFault
from deploy.server.settings_check import find_wrong_settings
from deploy.server.words import LANGUAGES
from portal.common.clock import now
from portal.config.env import Env
from tests.serving import silent_port

STRONG = "0123456789abcdef" * 4
NOW = datetime(2026, 6, 1, tzinfo=UTC)
URLS = {"portal_url": "http://127.0.0.1:8000", "apps_url": "http://localhost:8001"}


def env(**given: Any) -> Env:
    known = {
        "secret_key": STRONG,
        "database_url": f"postgresql://berth:{STRONG}@postgres/berth",
        "redis_url": f"redis://:{STRONG}@valkey:6379/0",
    }
    return Env(**{**known, **URLS, **given})


def codes(faults: Iterator[ServerFault]) -> list[str]:
    """Return the codes, having said each in both languages."""
    found = list(faults)
    assert all(fault.say(language) for fault in found for language in LANGUAGES)
    return [fault.code for fault in found]


def test_names_without_an_address_are_named_all_at_once() -> None:
    site = env(
        portal_url="https://berth.example.org",
        apps_url="https://apps.example.org",
        apps_hosts="https://*.apps.example.org",
        registry="registry.example.org:5000",
    )
    known = {"berth.example.org", "berth-check.apps.example.org"}

    found = list(host_checks.find_unknown_names(site, known.__contains__))

    assert [fault.params["host"] for fault in found] == ["apps.example.org", "registry.example.org"]
    assert {fault.code for fault in found} == {"name_unknown"}


def test_names_of_this_machine_have_an_address() -> None:
    assert list(host_checks.find_unknown_names(env())) == []
    assert not host_checks.resolves("two..dots")


@contextmanager
def shown(chain: Path, key: Path) -> Iterator[int]:
    """Show a certificate on a port of this machine."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        serving = threading.Thread(target=_serve, args=(server, context))
        serving.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        serving.join()


def _serve(server: socket.socket, context: ssl.SSLContext) -> None:
    while True:
        try:
            plain, _ = server.accept()
        except OSError:
            return
        try:
            with context.wrap_socket(plain, server_side=True) as encrypted:
                encrypted.recv(1)
        except OSError:
            plain.close()


class Authority:
    """Signs certificates for the time of the tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tests")])
        lasting = (datetime(2020, 1, 1, tzinfo=UTC), datetime(2060, 1, 1, tzinfo=UTC))
        builder = self._builder(self.name, self.key, *lasting)
        root = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self.file = folder / "root.pem"
        self.file.write_bytes(_pem(root.sign(self.key, hashes.SHA256())))

    def issue(
        self, begins: datetime, ends: datetime, *, host: str = "127.0.0.1"
    ) -> tuple[Path, Path]:
        """Return files of a certificate for an address or a name, and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._builder(x509.Name([]), key, begins, ends)
        name: x509.GeneralName = x509.DNSName(host)
        if host[0].isdigit():
            name = x509.IPAddress(ip_address(host))
        signed = builder.add_extension(x509.SubjectAlternativeName([name]), critical=True)
        files = self.folder / "server.pem", self.folder / "server.key"
        files[0].write_bytes(_pem(signed.sign(self.key, hashes.SHA256())))
        pkcs8, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        files[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, pkcs8, plain))
        return files

    def _builder(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        begins: datetime,
        ends: datetime,
    ) -> x509.CertificateBuilder:
        builder = x509.CertificateBuilder(self.name, subject, key.public_key())
        dated = builder.not_valid_before(begins).not_valid_after(ends)
        return dated.serial_number(x509.random_serial_number())


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def certificate_faults(
    authority: Authority, files: tuple[Path, Path], at: datetime, *, trusted: bool = True
) -> list[str]:
    with shown(*files) as port:
        site = env(portal_url=f"https://127.0.0.1:{port}")
        trust = authority.file if trusted else None
        return codes(host_checks.find_certificate_faults(site, at, trust))


LONG = timedelta(days=300)


def test_a_good_certificate_has_no_fault(authority: Authority) -> None:
    present = now()
    files = authority.issue(present - LONG, present + LONG)
    assert certificate_faults(authority, files, present) == []


@pytest.mark.parametrize(
    ("begins", "ends", "fault"),
    [
        (-LONG, -timedelta(days=1), "certificate_expired"),
        (-LONG, timedelta(days=3), "certificate_expires"),
        (timedelta(days=2), LONG, "certificate_not_yet"),
    ],
)
def test_a_certificate_out_of_its_time_is_named(
    authority: Authority, begins: timedelta, ends: timedelta, fault: str
) -> None:
    present = now()
    files = authority.issue(present + begins, present + ends)
    assert certificate_faults(authority, files, present) == [fault]


def test_a_certificate_for_others_that_nobody_trusts_and_that_has_expired_has_three_faults(
    authority: Authority,
) -> None:
    present = now()
    files = authority.issue(present - LONG, present - timedelta(days=1), host="berth.example.org")
    assert certificate_faults(authority, files, present, trusted=False) == [
        "certificate_expired",
        "certificate_for_others",
        "certificate_untrusted",
    ]


def test_a_port_without_a_certificate_is_named() -> None:
    with silent_port() as port:
        site = env(portal_url=f"https://127.0.0.1:{port}")
        assert codes(host_checks.find_certificate_faults(site, NOW)) == ["certificate_missing"]


def test_without_tls_no_certificate_is_asked_for() -> None:
    assert list(host_checks.find_certificate_faults(env(), NOW)) == []


def test_folders_that_are_missing_and_disks_that_are_full_are_named(tmp_path: Path) -> None:
    site, missing = env(storage_dir=tmp_path), tmp_path / "backups"
    assert codes(host_checks.find_full_disk(site, free_min_mib=0)) == []
    full = host_checks.find_full_disk(site, free_min_mib=2**40, backups=missing)
    assert codes(full) == ["disk_full", "folder_missing"]


@pytest.mark.parametrize(
    ("given", "variable"),
    [
        ({"secret_key": "short"}, "BERTH_SECRET_KEY"),
        ({"secret_key": "a" * 64}, "BERTH_SECRET_KEY"),
        ({"secret_key": "change-me-to-64-hexadecimal-digits-of-your-own-0"}, "BERTH_SECRET_KEY"),
        ({"encryption_keys": f"{STRONG} short"}, "BERTH_ENCRYPTION_KEYS"),
        ({"database_url": "postgresql://berth:berth@postgres/berth"}, "BERTH_DATABASE_URL"),
        ({"redis_url": "redis://:change-me@valkey/0"}, "BERTH_REDIS_URL"),
        ({"registry_password": "change-me"}, "BERTH_REGISTRY_PASSWORD"),
        ({"metrics_token": "token"}, "BERTH_METRICS_TOKEN"),
    ],
)
def test_a_key_or_password_that_could_be_guessed_is_named_without_its_value(
    given: dict[str, str], variable: str
) -> None:
    (found,) = host_checks.find_weak_secrets(env(**given))
    assert found.params == {"variable": variable}
    assert found.code in ("key_weak", "password_weak")
    assert all(found.say(language) for language in LANGUAGES)


def test_what_was_drawn_at_random_is_not_weak() -> None:
    assert list(host_checks.find_weak_secrets(env(encryption_keys=f"{STRONG} {STRONG}"))) == []


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"trusted_proxies": "10.0.0.0/8, 0.0.0.0/0"}, "proxies_are_everyone"),
        ({"trusted_proxies": "::/0"}, "proxies_are_everyone"),
        ({"portal_url": "https://berth.example.org"}, "proxy_not_named"),
    ],
)
def test_proxies_that_are_everyone_or_not_named_are_named(
    given: dict[str, str], fault: str
) -> None:
    assert codes(host_checks.find_proxy_faults(env(**given))) == [fault]


def test_a_named_proxy_is_no_fault() -> None:
    site = env(portal_url="https://berth.example.org", trusted_proxies="192.0.2.7")
    assert list(host_checks.find_proxy_faults(site)) == []


def test_all_wrong_settings_are_named_at_once_and_no_value(tmp_path: Path) -> None:
    def read() -> Env:
        return env(portal_url="berth.example.org", time_zone="Mars/Olympus", ssh_port=-1)

    found = list(find_wrong_settings(read))

    named = {str(fault.params["variable"]) for fault in found}
    assert named == {"BERTH_PORTAL_URL", "BERTH_TIME_ZONE", "BERTH_SSH_PORT"}
    assert not any("Olympus" in fault.say(language) for fault in found for language in LANGUAGES)


def test_the_ports_are_those_of_the_origins() -> None:
    site = env(portal_url="http://127.0.0.1:9000", apps_url="http://localhost", ssh_port=8022)
    assert ports(site) == {"BERTH_PORTAL_URL": 9000, "BERTH_APPS_URL": 80, "BERTH_SSH_PORT": 8022}


def test_a_setting_may_be_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BERTH_SECRET_KEY")
    (tmp_path / "berth_secret_key").write_text(f"{STRONG}\n")
    assert Env(_secrets_dir=tmp_path).secret_key.get_secret_value() == STRONG
