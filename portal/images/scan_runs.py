"""Scans as processes of their own: begun by one turn of a task, looked at by later ones.

So no task waits for a scanner, and a worker that is restarted loses nothing: what a scan has printed and how it
ended are files, in the folder of its run.
"""

import json
import os
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wire.images import RegistryLogin

REPORT_BYTES_MAX: Final = 64 * 1024 * 1024
"""How much a scanner may print."""
SAID_MAX: Final = 200
"""Characters of its complaints that are kept."""
_KILL_AFTER_S: Final = 10
_RUN: Final = (
    '(timeout -k "$0" "$@" >report.json 2>said.txt; echo $? >ended.new; mv ended.new ended) &'
)
TIMED_OUT: Final = 124


@dataclass(frozen=True, slots=True)
class ScanEnd:
    """How a scan has ended."""

    exit_code: int
    report: bytes
    said: str
    """The end of its complaints."""


def begin_scan(
    folder: Path, argv: Sequence[str], timeout_s: int, login: RegistryLogin | None
) -> None:
    """Start the scanner in a new folder; it ends by itself after so long.

    The login of the registry is handed over as a Docker configuration (`DOCKER_CONFIG`), which scanners read; it is
    on no command line, and goes with the folder.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    _write_login(folder, login)
    subprocess.run(
        ["/bin/sh", "-c", _RUN, str(_KILL_AFTER_S), str(timeout_s), *argv],
        cwd=folder,
        env={**_own_environment(), "DOCKER_CONFIG": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        check=True,
    )


def read_scan(folder: Path) -> ScanEnd | None:
    """Return how a scan has ended; None while it runs."""
    try:
        exit_code = int((folder / "ended").read_text())
    except (OSError, ValueError):
        return None
    with (folder / "report.json").open("rb") as report:
        printed = report.read(REPORT_BYTES_MAX)
    said = (folder / "said.txt").read_text(errors="replace").strip()[-SAID_MAX:]
    return ScanEnd(exit_code, printed, said)


def forget_scan(folder: Path) -> None:
    """Remove what a scan has left, the login with it."""
    shutil.rmtree(folder, ignore_errors=True)


def _own_environment() -> dict[str, str]:
    """Return the environment without what is the portal's own: a scanner needs none of its secrets."""
    return {name: value for name, value in os.environ.items() if not name.startswith("BERTH_")}


def _write_login(folder: Path, login: RegistryLogin | None) -> None:
    auths = {}
    if login is not None and login.username:
        words = f"{login.username}:{login.password}".encode()
        auths[login.host] = {"auth": b64encode(words).decode()}
    with os.fdopen(os.open(folder / "config.json", os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
        json.dump({"auths": auths}, file)
