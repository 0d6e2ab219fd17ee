"""What a start does with the servers and the files that a killed launcher left."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from deploy.onebox.leftovers import end_leftover

Server = Callable[[Path], subprocess.Popen[bytes]]


@pytest.fixture
def start_server() -> Iterator[Server]:
    """Start programs that name a folder in their command line; all end with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def start(folder: Path) -> subprocess.Popen[bytes]:
        waits = "import sys; sys.stdin.read()"
        command = [sys.executable, "-c", waits, f"--config={folder}/server.toml"]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE))
        return started[-1]

    yield start
    for server in started:
        server.kill()
        server.communicate()


def test_a_server_of_the_folder_is_ended(tmp_path: Path, start_server: Server) -> None:
    server = start_server(tmp_path / "mine")
    pid_file = tmp_path / "server.pid"
    pid_file.write_text(f"{server.pid}\nmore of it\n")
    end_leftover(pid_file, tmp_path / "mine", signal.SIGTERM)
    assert not psutil.pid_exists(server.pid)
    assert not pid_file.exists()


def test_a_number_that_another_program_has_by_now_is_forgotten(
    tmp_path: Path, start_server: Server
) -> None:
    another = start_server(tmp_path / "another")
    pid_file = tmp_path / "server.pid"
    pid_file.write_text(str(another.pid))
    end_leftover(pid_file, tmp_path / "mine", signal.SIGTERM)
    assert another.poll() is None
    assert not pid_file.exists()


@pytest.mark.parametrize("text", ["", "\n", "not a number", str(2**22 + 1)])
def test_a_file_that_names_nobody_is_removed(tmp_path: Path, text: str) -> None:
    pid_file = tmp_path / "server.pid"
    pid_file.write_text(text)
    end_leftover(pid_file, tmp_path, signal.SIGTERM)
    assert not pid_file.exists()
