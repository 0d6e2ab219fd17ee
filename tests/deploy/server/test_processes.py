"""Whether the processes are healthy, asked as the container engine asks."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from pkgutil import resolve_name

import pytest
from typing_extensions import override

from deploy.onebox.options import REPOSITORY
from deploy.server import processes
from deploy.server.__main__ import parser
from portal.config.env import Env
from tests.deploy.server.databases import present_url
from tests.serving import silent_port
from tests.waiting import PATIENCE_S, wait_until

pytestmark = pytest.mark.django_db


@contextmanager
def answering(status: int, host: str = "127.0.0.1") -> Iterator[int]:
    """Answer with a status to one name, and with 421 to all others, as the live process does."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.headers["Host"] == host else 421)
            self.end_headers()

        @override
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("status", "is_healthy"), [(204, True), (502, False)])
def test_a_process_that_answers_is_healthy_unless_it_answers_with_a_fault(
    status: int, is_healthy: bool
) -> None:
    with answering(status) as port:
        assert processes.answers(port, "/livez") is is_healthy


def test_a_process_is_asked_by_the_name_that_it_answers_to() -> None:
    with answering(204, "portal.example.org:8443") as port:
        assert processes.answers(port, "/livez", "portal.example.org:8443")
        assert not processes.answers(port, "/livez")


def test_a_process_that_does_not_answer_is_not_healthy(redis_url: str) -> None:
    with silent_port() as port:
        assert not processes.answers(port, "/livez")
    assert not processes.is_consuming("redis+socket:///nowhere.sock", "worker@nowhere")


def test_a_beat_is_healthy_while_it_looks_at_its_timetable(tmp_path: Path) -> None:
    file = tmp_path / "beat"
    assert not processes.is_beating(file, 0)
    file.touch()
    touched_s = file.stat().st_mtime
    assert processes.is_beating(file, touched_s + processes.BEAT_AGE_S - 1)
    assert not processes.is_beating(file, touched_s + processes.BEAT_AGE_S + 1)


@contextmanager
def running(name: str, redis_url: str, **given: str) -> Iterator[None]:
    """Run a process of the platform as a container does."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "portal.config.settings.test",
        "BERTH_DATABASE_URL": present_url(),
        "BERTH_REDIS_URL": redis_url,
        **given,
    }
    command = [sys.executable, "-m", "deploy.server", "run", name]
    process = subprocess.Popen(command, cwd=REPOSITORY, env=environment)
    try:
        yield
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def test_a_worker_that_takes_messages_is_healthy(redis_url: str) -> None:
    broker = Env(redis_url=redis_url).broker_url
    worker = f"worker@{os.uname().nodename}"
    assert not processes.is_consuming(broker, worker)
    with running("worker", redis_url):
        wait_until(lambda: processes.is_consuming(broker, worker), within_s=2 * PATIENCE_S)


def test_a_beat_that_runs_is_healthy(redis_url: str, tmp_path: Path) -> None:
    given = {"BERTH_BEAT_FILE": str(tmp_path / "beat")}
    with running("beat", redis_url, **given):
        wait_until(lambda: processes.is_healthy("beat", given), within_s=2 * PATIENCE_S)


@pytest.mark.parametrize("name", processes.NAMES)
def test_every_process_is_there_and_the_command_line_knows_it(name: str) -> None:
    target, _ = processes.command_of(name, "127.0.0.1")
    assert callable(resolve_name(target))
    for command in ("run", "healthy"):
        assert parser().parse_args([command, name]).process == name
