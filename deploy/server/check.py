"""`berth-server check`: every fault of an installation at once, in words, with a code each."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from django.db import connection

from deploy.server import host_checks, store_checks
from deploy.server.answers import find_taken_ports
from deploy.server.faults import ServerFault
from portal.config.env import Env

LOOPBACK: Final = "127.0.0.1"
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def find_faults(
    env: Env, *, before_start: bool, backups: Path | None = None
) -> Iterator[ServerFault]:
    """Yield every fault; before the processes start their ports must be free, too."""
    if before_start:
        yield from find_taken_ports(LOOPBACK, ports(env))
    else:
        yield from host_checks.find_certificate_faults(env, host_checks.moment(time.time()))
    yield from host_checks.find_unknown_names(env)
    yield from host_checks.find_proxy_faults(env)
    yield from host_checks.find_weak_secrets(env)
    yield from host_checks.find_full_disk(env, backups=backups)
    yield from store_checks.find_database_faults(connection)
    yield from store_checks.find_valkey_faults(env.redis_url)


def ports(env: Env) -> dict[str, int]:
    """Return the ports on which the processes listen without a proxy, by the variable that sets each."""
    urls = {"BERTH_PORTAL_URL": env.portal_url, "BERTH_APPS_URL": env.apps_url}
    parts = {name: urlsplit(url) for name, url in urls.items()}
    found = {name: part.port or _DEFAULT_PORTS[part.scheme] for name, part in parts.items()}
    return {**found, "BERTH_SSH_PORT": env.ssh_port}
