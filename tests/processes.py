"""The live process and the web process as the product runs them, on free ports of this machine."""

import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psutil
from django.db import connection

from deploy.onebox.options import find_free_port
from tests.serving import silent_port
from tests.waiting import PATIENCE_S, wait_until


@dataclass(frozen=True)
class Live:
    """A running live process."""

    portal: str
    apps: str
    process: "subprocess.Popen[bytes]"

    url: str
    """Where this process serves the portal; with several, a balancer would stand at `portal`."""


@contextmanager
def live_process(
    folder: Path, beside: Live | None = None, *, web: str | None = None
) -> Iterator[Live]:
    """Run `python -m portal.config.live` on two free ports, and wait until it serves.

    `beside` is another one of the same portal; without `web` nobody listens behind it.
    """
    if web is None:
        with silent_port() as port:
            yield from _run_live(folder, f"http://127.0.0.1:{port}", beside)
    else:
        yield from _run_live(folder, web, beside)


def _run_live(folder: Path, web: str, beside: Live | None) -> Iterator[Live]:
    ports = find_free_port(), find_free_port()
    portal = beside.portal if beside else f"http://127.0.0.1:{ports[0]}"
    apps = beside.apps if beside else f"http://localhost:{ports[1]}"
    url = f"http://127.0.0.1:{ports[0]}"
    environment = {
        **_environment(),
        "BERTH_PORTAL_URL": portal,
        "BERTH_APPS_URL": apps,
        "BERTH_APPS_HOSTS": apps.replace("http://", "http://*."),
        "BERTH_WEB_UPSTREAM": web,
        "BERTH_STORAGE_DIR": str(folder),
    }
    command = [sys.executable, "-m", "portal.config.live"]
    command += ["--portal-port", str(ports[0]), "--apps-port", str(ports[1])]
    process = subprocess.Popen(command, env=environment)
    try:
        wait_until(lambda: process.poll() is not None or is_served(url), within_s=2 * PATIENCE_S)
        assert process.poll() is None
        yield Live(portal, apps, process, url)
    finally:
        process.kill()
        process.wait()


@dataclass(frozen=True)
class Web:
    """A running gunicorn, and where it serves."""

    url: str
    master: psutil.Process


@contextmanager
def web_process(redis_url: str) -> Iterator[Web]:
    """Run gunicorn as the product does, and wait until it serves."""
    url = f"http://127.0.0.1:{find_free_port()}"
    command = [sys.executable, "-m", "gunicorn", "-c", "python:portal.config.web"]
    process = psutil.Popen(
        [*command, "--bind", url.removeprefix("http://")],
        env={**_environment(), "BERTH_REDIS_URL": redis_url},
    )
    try:
        wait_until(lambda: is_served(f"{url}/livez"), within_s=2 * PATIENCE_S)
        yield Web(url, process)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def is_served(url: str) -> bool:
    """Return whether somebody answers at an address, whatever it is."""
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except urllib.error.HTTPError:
        return True
    except (urllib.error.URLError, OSError):
        return False


def _environment() -> dict[str, str]:
    database = urlsplit(os.environ["BERTH_DATABASE_URL"])
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "portal.config.settings.test",
        "BERTH_DATABASE_URL": urlunsplit(database._replace(path=connection.settings_dict["NAME"])),
    }
