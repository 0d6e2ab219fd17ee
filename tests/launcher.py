"""Runs the real launcher on free ports and a folder of its own, for browser, container and start tests."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil

from deploy.onebox.options import REPOSITORY, find_free_port
from tests.waiting import wait_until

READY: Final = "Berth is ready"
LOGS: Final = REPOSITORY / "var" / "reports"
START_S: Final = 240
STOP_S: Final = 90


@dataclass(frozen=True, slots=True)
class Launched:
    """A launcher that was started, whatever became of it."""

    process: subprocess.Popen[bytes]
    data_dir: Path
    url: str
    output: Path

    @property
    def demo(self) -> Any:
        """The logins that the launcher wrote."""
        return json.loads((self.data_dir / "demo.json").read_text(encoding="utf-8"))

    @property
    def password(self) -> str:
        """The password of every seeded person."""
        return str(self.demo["users"][0]["password"])

    def text(self) -> str:
        """Return what the launcher has printed so far."""
        return self.output.read_text(encoding="utf-8", errors="replace")

    def wait_ready(self) -> None:
        """Wait until the platform is announced; fail with the output when it ends instead."""
        wait_until(
            lambda: READY in self.text() or self.process.poll() is not None, within_s=START_S
        )
        assert READY in self.text(), self.text()

    def family(self) -> list[psutil.Process]:
        """Return every process below the launcher."""
        return list(psutil.Process(self.process.pid).children(recursive=True))

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal unless it has ended, and return the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(STOP_S)


def start(
    data_dir: Path,
    *arguments: str,
    ports: tuple[int, int] | None = None,
    env: Mapping[str, str],
    has_activity: bool = False,
) -> Launched:
    """Start the launcher, with four nodes and empty unless told otherwise; it writes beside the data."""
    portal, apps = ports or (find_free_port(), find_free_port())
    output = data_dir.with_suffix(".out")
    command = [sys.executable, "-m", "deploy.onebox.platform", "--data-dir", str(data_dir)]
    where = ["--portal-port", str(portal), "--apps-port", str(apps)]
    where += ["--ssh-port", str(find_free_port()), "--inference-port", str(find_free_port())]
    where += ["--nodes", "4"]
    where += [] if has_activity else ["--empty"]
    with output.open("wb") as stream:
        process = subprocess.Popen(
            [*command, *where, *arguments],
            cwd=REPOSITORY,
            env={**_clean_environment(), **env},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
        )
    return Launched(process, data_dir, f"http://127.0.0.1:{portal}", output)


@contextmanager
def running(
    name: str,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    has_activity: bool = False,
) -> Iterator[Launched]:
    """A ready platform for the length of a block; it must end cleanly. Its logs are kept."""
    with data_dir() as folder:
        launched = start(folder, *arguments, env=env or {}, has_activity=has_activity)
        try:
            launched.wait_ready()
            yield launched
        finally:
            code = launched.end()
            shutil.copytree(folder / "log", LOGS / name, dirs_exist_ok=True)
        assert code == 0, launched.text()


@contextmanager
def data_dir() -> Iterator[Path]:
    """A data folder that PostgreSQL's own account can reach, unlike pytest's."""
    with tempfile.TemporaryDirectory(prefix="berth-") as folder:
        yield Path(folder) / "var"


def _clean_environment() -> dict[str, str]:
    """Return our environment without what the tests themselves are configured with."""
    ours = ("BERTH_", "DJANGO_", "PYTEST_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}
