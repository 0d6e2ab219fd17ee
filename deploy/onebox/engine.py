"""The Docker Engine to use: a running one, or one started here with folders of its own."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from typing import IO

import docker
from docker.errors import DockerException

from deploy.onebox.leftovers import end_leftover

START_S = 60
STOP_S = 30
_STARTED: list[subprocess.Popen[bytes]] = []
"""Kept referenced: the process that starts an engine need not be the one that stops it."""


class EngineUnavailableError(Exception):
    """No engine answers and none can be started here, for the reason in the message."""


@dataclass(frozen=True, slots=True)
class EngineEndpoint:
    """The address of an engine that answers."""

    url: str

    @contextmanager
    def client(self, timeout_s: int = 120) -> Iterator[docker.DockerClient]:
        """Provide a client for the block."""
        with closing(docker.DockerClient(base_url=self.url, timeout=timeout_s)) as client:
            yield client

    def network(self) -> str:
        """Return the network for containers: `bridge`, or `host` where there is no bridge."""
        with self.client() as client:
            names = {network.name for network in client.networks.list()}
        return "bridge" if "bridge" in names else "host"


def can_filter_network() -> bool:
    """Return whether an agent started here can filter the network of containers."""
    return os.geteuid() == 0 and shutil.which("nft") is not None


def find_running_engine() -> EngineEndpoint | None:
    """Find the engine of this machine: `DOCKER_HOST`, else the usual socket."""
    url = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    return EngineEndpoint(url) if _answers(url) else None


@contextmanager
def shared_engine(home: Path) -> Iterator[EngineEndpoint]:
    """Provide the running engine, else one of our own under `home`, which its last user stops.

    Users hold a shared lock on one file, so that parallel test processes share an engine and its
    images, and none stops it while another uses it.
    """
    if engine := find_running_engine():
        yield engine
        return
    home.mkdir(parents=True, exist_ok=True)
    with (home / "users").open("w") as users, (home / "starting").open("w") as starting:
        fcntl.flock(starting, fcntl.LOCK_EX)
        fcntl.flock(users, fcntl.LOCK_SH)
        engine = _own_engine(home)
        fcntl.flock(starting, fcntl.LOCK_UN)
        try:
            yield engine
        finally:
            fcntl.flock(starting, fcntl.LOCK_EX)
            if _is_last(users):
                _stop(home)


def _own_engine(home: Path) -> EngineEndpoint:
    engine = EngineEndpoint(f"unix://{home}/docker.sock")
    if _answers(engine.url):
        return engine
    if shutil.which("dockerd") is None:
        raise EngineUnavailableError("no Docker engine answers and dockerd is not installed")
    if os.geteuid() != 0:
        raise EngineUnavailableError("no Docker engine answers and only root can start dockerd")
    for network in ([], ["--bridge=none", "--iptables=false"]):
        if _start(home, network):
            return engine
    raise EngineUnavailableError(f"dockerd does not start:\n{_tail(home / 'dockerd.log')}")


def _start(home: Path, network: list[str]) -> bool:
    """Start dockerd in its own session and wait for it; False when it gives up."""
    for pid_file in (home / "dockerd.pid", home / "exec" / "containerd" / "containerd.pid"):
        end_leftover(pid_file, home, signal.SIGTERM)
    command = [
        "dockerd",
        *(f"--data-root={home}/data", f"--exec-root={home}/exec", f"--pidfile={home}/dockerd.pid"),
        f"--host=unix://{home}/docker.sock",
        *network,
    ]
    with (home / "dockerd.log").open("w") as log:
        daemon = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    _STARTED.append(daemon)
    deadline = monotonic() + START_S
    while monotonic() < deadline and daemon.poll() is None:
        if _answers(f"unix://{home}/docker.sock"):
            return True
        Event().wait(0.1)
    daemon.kill()
    daemon.wait()
    return False


def _stop(home: Path) -> None:
    """Remove every container of our engine, then end the daemon."""
    with EngineEndpoint(f"unix://{home}/docker.sock").client() as client:
        for container in client.containers.list(all=True):
            with suppress(DockerException):
                container.remove(force=True)
    pid = int((home / "dockerd.pid").read_text())
    os.kill(pid, signal.SIGTERM)
    deadline = monotonic() + STOP_S
    while monotonic() < deadline and (home / "dockerd.pid").exists():
        _reap(pid)
        Event().wait(0.1)
    _reap(pid)


def _reap(pid: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _is_last(users: IO[str]) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _answers(url: str) -> bool:
    if url.startswith("unix://") and not _listens(url.removeprefix("unix://")):
        return False
    try:
        with EngineEndpoint(url).client(timeout_s=3) as client:
            return bool(client.ping())
    except (DockerException, OSError):
        return False


def _listens(path: str) -> bool:
    """Return whether the socket accepts; the SDK leaks a socket that it could not connect."""
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        return probe.connect_ex(path) == 0


def _tail(path: Path, lines: int = 10) -> str:
    return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])
