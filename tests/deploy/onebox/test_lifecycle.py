"""The launcher's promises: one copy, clear refusals, all down together, nothing lost or left."""

import signal
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Protocol

import psutil
import pytest

from deploy.onebox.options import SEEDED_NODES, find_free_port
from tests import launcher
from tests.launcher import Launched
from tests.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(400)]
SMALL = ("--runtime", "process", "--nodes", "1")


class Launch(Protocol):
    """Starts a launcher that ends with the test at the latest."""

    def __call__(
        self, data_dir: Path, *arguments: str, ports: tuple[int, int] | None = None
    ) -> Launched: ...


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with launcher.data_dir() as folder:
        yield folder


@pytest.fixture
def launch(data_dir: Path) -> Iterator[Launch]:
    started: list[Launched] = []

    def begin(data_dir: Path, *arguments: str, ports: tuple[int, int] | None = None) -> Launched:
        started.append(launcher.start(data_dir, *arguments, ports=ports, env={}))
        return started[-1]

    yield begin
    for launched in started:
        launched.end()


def test_taken_port_is_named_with_its_option(data_dir: Path, launch: Launch) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as somebody:
        port = somebody.getsockname()[1]
        launched = launch(data_dir, ports=(port, find_free_port()))
        assert launched.process.wait(launcher.STOP_S) == 2
    assert f"port {port} is already in use" in launched.text()
    assert "--portal-port PORT" in launched.text()


def test_equal_ports_are_refused(data_dir: Path, launch: Launch) -> None:
    port = find_free_port()
    launched = launch(data_dir, ports=(port, port))
    assert launched.process.wait(launcher.STOP_S) == 2
    assert "need different ports" in launched.text()


def test_life_of_one_installation(data_dir: Path, launch: Launch) -> None:
    """One story, because each start costs seconds: start, second copy, stop, crash, kill.

    The browser tests end their platform by SIGTERM.
    """
    first = launch(data_dir, *SMALL)
    first.wait_ready()
    demo = first.demo
    assert (data_dir / "demo.json").stat().st_mode & 0o777 == 0o600
    _refuses_a_second_copy(launch, data_dir)
    _ends_without_a_trace(first, signal.SIGINT, code=0)

    second = launch(data_dir, *SMALL)
    second.wait_ready()
    assert second.demo["users"] == demo["users"]
    assert second.demo["robot_token"] == demo["robot_token"]
    _ends_without_a_trace(second, signal.SIGKILL, code=-signal.SIGKILL)

    third = launch(data_dir, *SMALL)
    third.wait_ready()
    parts = {"portal.config.live": "live", "beat": "beat", "nodeagent": SEEDED_NODES[0]}
    for word, name in parts.items():
        _find_part(third, word).kill()
        _wait_restarted(third, word, name)
    for name, program in (("redis", "redis"), ("postgres", "postgres")):
        _find_store(third, program, "valkey").kill()
        _wait_told(third, name)
    wait_until(lambda: _is_ready(third), within_s=launcher.STOP_S)
    _ends_without_a_trace(third, signal.SIGTERM, code=0)


def _refuses_a_second_copy(launch: Launch, data_dir: Path) -> None:
    second = launch(data_dir, *SMALL)
    assert second.process.wait(launcher.STOP_S) == 2
    assert "already runs Berth" in second.text()
    assert "--data-dir" in second.text()


def _find_part(launched: Launched, word: str) -> psutil.Process:
    (part,) = [each for each in launched.family() if word in _command(each)]
    return part


def _find_store(launched: Launched, *names: str) -> psutil.Process:
    return next(each for each in launched.family() if each.name().startswith(names))


def _wait_restarted(launched: Launched, word: str, name: str) -> None:
    """Wait until a killed part runs again, and the launcher has said so."""
    _wait_told(launched, name)
    wait_until(
        lambda: any(word in _command(each) and _is_alive(each) for each in launched.family()),
        within_s=launcher.STOP_S,
    )


def _wait_told(launched: Launched, name: str) -> None:
    said = f"{name} ended with signal SIGKILL; started again"
    wait_until(lambda: said in launched.text(), within_s=launcher.STOP_S)


def _is_ready(launched: Launched) -> bool:
    try:
        with urllib.request.urlopen(f"{launched.url}/readyz", timeout=5):
            return True
    except OSError:
        return False


def _command(process: psutil.Process) -> list[str]:
    """Return what a process was started with; nothing when it has just ended."""
    try:
        return list(process.cmdline())
    except psutil.NoSuchProcess:
        return []


def _ends_without_a_trace(launched: Launched, how: signal.Signals | None, *, code: int) -> None:
    family = launched.family()
    if how is not None:
        launched.process.send_signal(how)
    assert launched.process.wait(launcher.STOP_S) == code, launched.text()
    wait_until(lambda: not any(_is_alive(each) for each in family), within_s=launcher.STOP_S)


def _is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
