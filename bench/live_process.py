"""One live process on the stores of a benchmark, and what it spends."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Final

import psutil

from deploy.onebox.options import REPOSITORY, find_free_port
from tests.waiting import wait_until

START_S: Final = 60
MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class LiveProcess:
    """A live process that serves."""

    url: str
    process: psutil.Process

    @property
    def memory_mib(self) -> float:
        """Its resident memory."""
        return round(float(self.process.memory_info().rss) / MIB, 1)

    def spent(self) -> tuple[float, float]:
        """Return the CPU seconds of the process and of PostgreSQL so far."""
        from bench.spent import postgres_s  # noqa: PLC0415 - after `prepared`

        times = self.process.cpu_times()
        return times.user + times.system, postgres_s()


@contextmanager
def live_process() -> Iterator[LiveProcess]:
    """Start a live process on the stores of `prepared`, and end it after the block."""
    ports = find_free_port(), find_free_port()
    url = f"http://127.0.0.1:{ports[0]}"
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "portal.config.settings.base",
        "BERTH_PORTAL_URL": url,
        "BERTH_APPS_URL": f"http://localhost:{ports[1]}",
        "BERTH_SSH_PORT": "0",
    }
    command = [sys.executable, "-m", "portal.config.live"]
    process = subprocess.Popen(command, cwd=REPOSITORY, env=env)
    try:
        wait_until(lambda: _answers(ports[0]), within_s=START_S)
        yield LiveProcess(url, psutil.Process(process.pid))
    finally:
        process.terminate()
        process.wait(START_S)


def _answers(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
