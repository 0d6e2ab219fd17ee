"""What `check` finds wrong around the database: names, certificates, clocks, disk, keys and proxies."""

import shutil
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from cryptography import x509

from deploy.server.faults import ServerFault
from portal.config.env import Env

EXPIRES_SOON_DAYS: Final = 14
FREE_MIN_MIB: Final = 10 * 1024
"""Free room below which the storage is called full."""
KEY_CHARACTERS_MIN: Final = 32
DISTINCT_MIN: Final = 8
"""Different characters that a text drawn at random surely has."""
PASSWORD_CHARACTERS_MIN: Final = 16
EXAMPLES: Final = ("change-me", "changeme", "example", "password", "secret")
"""How the values begin that people forget to change."""
TLS_TIMEOUT_S: Final = 5
_MIB: Final = 1024 * 1024


def resolves(host: str) -> bool:
    """Return whether the name of a host has an address."""
    with suppress(OSError, UnicodeError):
        return bool(socket.getaddrinfo(host, None))
    return False


def find_unknown_names(
    env: Env, resolve: Callable[[str], bool] = resolves
) -> Iterator[ServerFault]:
    """Yield the names that browsers and nodes need and that have no address."""
    origins = (env.portal_url, env.apps_url, env.registry_url, f"//{env.registry}")
    hosts = {urlsplit(origin).hostname or "" for origin in origins}
    if env.apps_hosts:
        hosts.add(_any_app(env.apps_hosts))
    for host in sorted(filter(None, hosts)):
        if not resolve(host):
            yield ServerFault("name_unknown", {"host": host})


def find_certificate_faults(
    env: Env, now: datetime, trust: Path | None = None
) -> Iterator[ServerFault]:
    """Yield what is wrong with the certificates that the origins show; `trust` adds an authority."""
    origins = [env.portal_url, env.apps_url]
    if env.apps_hosts:
        parts = urlsplit(env.apps_hosts)
        port = f":{parts.port}" if parts.port else ""
        origins.append(f"{parts.scheme}://{_any_app(env.apps_hosts)}{port}")
    for origin in map(urlsplit, origins):
        if origin.scheme == "https":
            yield from _certificate_faults(origin, now, trust)


def find_full_disk(
    env: Env, free_min_mib: int = FREE_MIN_MIB, backups: Path | None = None
) -> Iterator[ServerFault]:
    """Yield the folders that are missing, cannot be written or have little room."""
    for folder in filter(None, (env.storage_dir, backups)):
        if not folder.is_dir():
            yield ServerFault("folder_missing", {"path": folder})
            continue
        free_mib = shutil.disk_usage(folder).free // _MIB
        if free_mib < free_min_mib:
            yield ServerFault(
                "disk_full", {"path": folder, "free_mib": free_mib, "min_mib": free_min_mib}
            )


def find_weak_secrets(env: Env) -> Iterator[ServerFault]:
    """Yield the keys and passwords that could be guessed; never a value."""
    if _is_weak(env.secret_key.get_secret_value(), KEY_CHARACTERS_MIN):
        yield ServerFault("key_weak", {"variable": "BERTH_SECRET_KEY"})
    keys = env.encryption_keys.get_secret_value().split()
    if any(_is_weak(key, KEY_CHARACTERS_MIN) for key in keys):
        yield ServerFault("key_weak", {"variable": "BERTH_ENCRYPTION_KEYS"})
    passwords = {
        "BERTH_DATABASE_URL": urlsplit(env.database_url).password,
        "BERTH_REDIS_URL": urlsplit(env.redis_url).password,
        "BERTH_REGISTRY_PASSWORD": env.registry_password.get_secret_value(),
        "BERTH_METRICS_TOKEN": env.metrics_token.get_secret_value(),
    }
    for variable, password in passwords.items():
        if password and _is_weak(unquote(password), PASSWORD_CHARACTERS_MIN):
            yield ServerFault("password_weak", {"variable": variable})


def find_proxy_faults(env: Env) -> Iterator[ServerFault]:
    """Yield what is wrong with the networks whose word about a client's address is taken."""
    networks = [ip_network(part) for part in env.trusted_proxies.split(",") if part]
    if any(network.prefixlen == 0 for network in networks):
        yield ServerFault("proxies_are_everyone")
    if env.portal_url.startswith("https:") and not networks:
        yield ServerFault("proxy_not_named")


def _any_app(pattern: str) -> str:
    """Return a host that the pattern of hosts of apps stands for."""
    return str(urlsplit(pattern).hostname).replace("*", "berth-check")


def _certificate_faults(
    origin: SplitResult, now: datetime, trust: Path | None
) -> Iterator[ServerFault]:
    host, port = str(origin.hostname), origin.port or 443
    where = {"host": host, "port": port}
    try:
        certificate = x509.load_der_x509_certificate(_shown(host, port))
    except (OSError, ValueError) as error:
        yield ServerFault("certificate_missing", {**where, "reason": _in_words(error)})
        return
    ends = certificate.not_valid_after_utc
    if ends <= now:
        yield ServerFault("certificate_expired", {**where, "at": f"{ends:%Y-%m-%d}"})
    elif (ends - now).days < EXPIRES_SOON_DAYS:
        yield ServerFault("certificate_expires", {**where, "at": f"{ends:%Y-%m-%d}"})
    if certificate.not_valid_before_utc > now:
        begins = f"{certificate.not_valid_before_utc:%Y-%m-%d}"
        yield ServerFault("certificate_not_yet", {**where, "at": begins})
    if not _names(certificate, host):
        yield ServerFault("certificate_for_others", where)
    if not _is_trusted(host, port, trust):
        yield ServerFault("certificate_untrusted", where)


def _shown(host: str, port: int) -> bytes:
    """Return the certificate that a host shows, whatever it is worth; raises OSError."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection((host, port), TLS_TIMEOUT_S) as plain,
        context.wrap_socket(plain, server_hostname=host) as encrypted,
    ):
        return encrypted.getpeercert(binary_form=True) or b""


def _is_trusted(host: str, port: int, trust: Path | None) -> bool:
    """Return whether somebody whom this machine trusts has signed it; names and times are asked apart."""
    context = ssl.create_default_context(cafile=str(trust) if trust else None)
    context.check_hostname = False
    try:
        with (
            socket.create_connection((host, port), TLS_TIMEOUT_S) as plain,
            context.wrap_socket(plain, server_hostname=host),
        ):
            return True
    except ssl.SSLCertVerificationError as error:
        return error.verify_code in _TIME_CODES
    except OSError:
        return False


_TIME_CODES: Final = (9, 10)
"""Of OpenSSL: not yet valid, expired."""


def _names(certificate: x509.Certificate, host: str) -> bool:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return False
    with suppress(ValueError):
        return ip_address(host) in names.get_values_for_type(x509.IPAddress)
    return any(_matches(name, host) for name in names.get_values_for_type(x509.DNSName))


def _matches(name: str, host: str) -> bool:
    """Return whether a name of a certificate is that of a host; `*` stands for one label."""
    if name.startswith("*."):
        return host.partition(".")[2].lower() == name[2:].lower()
    return name.lower() == host.lower()


def _is_weak(text: str, characters_min: int) -> bool:
    return (
        len(text) < characters_min
        or len(set(text)) < DISTINCT_MIN
        or text.lower().startswith(EXAMPLES)
    )


def _in_words(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def moment(seconds: float) -> datetime:
    """Return seconds since the epoch as a moment in UTC."""
    return datetime.fromtimestamp(seconds, UTC)
