"""A live process, and the portal behind it, on the stores of a benchmark; and what they spend."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Final

import psutil

from deploy.onebox.options import REPOSITORY, find_free_port
from tests.waiting import wait_until

START_S: Final = 180
"""On a machine that has much else to do."""
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
def live_process(web_port: int = 0) -> Iterator[LiveProcess]:
    """Start a live process on the stores of `prepared`, and end it after the block."""
    ports = find_free_port(), find_free_port()
    url = f"http://127.0.0.1:{ports[0]}"
    env = {
        "BERTH_PORTAL_URL": url,
        "BERTH_APPS_URL": f"http://localhost:{ports[1]}",
        "BERTH_SSH_PORT": "0",
        "BERTH_WEB_UPSTREAM": f"http://127.0.0.1:{web_port}",
    }
    with _running([sys.executable, "-m", "portal.config.live"], env, ports[0]) as process:
        yield LiveProcess(url, process)


@contextmanager
def portal_processes() -> Iterator[str]:
    """Start what serves pages and REST on the stores of `prepared`; the address is its own origin."""
    web_port = find_free_port()
    with live_process(web_port) as live:
        command = [sys.executable, "-m", "gunicorn", "-c", "python:portal.config.web"]
        env = {
            "BERTH_PORTAL_URL": live.url,
            "BERTH_FRONTEND_DIR": str(REPOSITORY / "frontend" / "dist"),
        }
        with _running([*command, "--bind", f"127.0.0.1:{web_port}"], env, web_port):
            yield live.url


@contextmanager
def _running(command: Sequence[str], env: Mapping[str, str], port: int) -> Iterator[psutil.Process]:
    """Run a process of the server until the block ends."""
    settings = {"DJANGO_SETTINGS_MODULE": "portal.config.settings.base"}
    process = subprocess.Popen(command, cwd=REPOSITORY, env={**os.environ, **settings, **env})
    try:
        wait_until(lambda: _answers(port), within_s=START_S)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(START_S)


def _answers(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
