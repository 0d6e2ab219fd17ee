"""Stage two of `make run`: start every process of the product in order, watch, stop in order."""

import fcntl
import json
import os
import secrets
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, time
from types import FrameType
from typing import Any, Final
from urllib.error import URLError
from urllib.request import urlopen

from docker.errors import DockerException

from deploy.onebox import nodes as fleet
from deploy.onebox.engine import Engine, running_engine
from deploy.onebox.images import ImageBuildError, build_images
from deploy.onebox.options import (
    REPOSITORY,
    Options,
    RefusedError,
    free_port,
    parse,
    refuse_taken_ports,
)
from deploy.onebox.progress import complain, say, step
from deploy.onebox.setup import refusals_end_the_program
from deploy.onebox.stores import Stores
from deploy.onebox.supervisor import Part, PartEndedError, Supervisor

READY_S: Final = 120
STOP_WORK_S: Final = 30
PYTHON: Final = sys.executable
CELERY: Final = (PYTHON, "-m", "celery", "-A", "portal.config.celery")
_QUIET: Final = ("--without-gossip", "--without-mingle", "--loglevel", "warning")
SCHEDULER: Final = ("-c", "1", *_QUIET)
MAINTENANCE: Final = ("-c", "2", *_QUIET)
"""Two, so that the sweep goes on while a study is told."""
Ask = Callable[[str, Sequence[str]], str]
"""Runs a named command to its end and returns what it prints."""


class StopRequestedError(BaseException):
    """A signal asks the platform to stop; like KeyboardInterrupt it passes `except Exception`."""


def main() -> int:
    """Run the platform until it is told to stop (0) or a part ends by itself (1)."""
    options = parse()
    started = monotonic()
    with refusals_end_the_program(), _sole_launcher(options.data_dir):
        refuse_taken_ports(options)
        _on_stop_signals(_raise_stop)
        os.chdir(REPOSITORY)
        stores = Stores(options.data_dir)
        web_port = free_port()
        supervisor = Supervisor(options.data_dir / "log", environment(options, stores, web_port))
        try:
            _start(supervisor, options, stores, web_port)
            _announce(options, monotonic() - started)
            supervisor.wait_until(lambda: False, "never", float("inf"))
        except StopRequestedError:
            say("\nStopping …")
        except PartEndedError as ended:
            complain(f"\nberth: {ended}\nberth: stopping everything else")
            return 1
        finally:
            _on_stop_signals(lambda _number, _frame: None)
            _stop(supervisor, options)
            say("Stopped.")
    return 0


def _start(supervisor: Supervisor, options: Options, stores: Stores, web_port: int) -> None:
    """Bring the parts up from the bottom; each step begins when what it needs answers."""
    with step("starting PostgreSQL and Redis"):
        postgres, redis = stores.prepare()
        supervisor.start(postgres)
        supervisor.start(redis)
        supervisor.wait_until(stores.postgres_answers, "PostgreSQL is", READY_S)
        supervisor.wait_until(stores.redis_answers, "Redis is", READY_S)
        stores.ensure_database()
    with step("choosing the container runtime"):
        engine = _engine(options)
    with step("updating and seeding the database"):
        in_service = prepare_database(supervisor.ask, options, engine)
    with step("starting web, live, scheduler, worker and beat"):
        for part in services(web_port):
            supervisor.start(part)
        supervisor.wait_until(
            lambda: _answers(f"{options.portal_url}/readyz"), "the portal is", READY_S
        )
    with step(f"starting {len(in_service)} node agents"):
        since = time()
        for node in in_service:
            supervisor.start(node.part)
        names = [node.name for node in in_service]
        are_ready = fleet.all_ready(options, names, _demo(options)["robot_token"], since)
        supervisor.wait_until(are_ready, "all nodes are", READY_S)


def services(web_port: int) -> list[Part]:
    """Return the server's processes in the order of their start."""
    gunicorn = [PYTHON, "-m", "gunicorn", "portal.config.wsgi:application", "--preload"]
    threads = ["--worker-class", "gthread", "--workers", "2", "--threads", "8"]
    return [
        Part("web", [*gunicorn, "--bind", f"127.0.0.1:{web_port}", *threads]),
        Part("live", [PYTHON, "-m", "portal.config.live"]),
        Part("scheduler", [*CELERY, "worker", "-Q", "scheduler", "-n", "scheduler@%h", *SCHEDULER]),
        Part("worker", [*CELERY, "worker", "-Q", "maintenance", "-n", "worker@%h", *MAINTENANCE]),
        Part("beat", [*CELERY, "beat", "--loglevel", "warning"]),
    ]


def _stop(supervisor: Supervisor, options: Options) -> None:
    """Agents first, then the work they leave behind, then the server, then the stores."""
    present = fleet.nodes(options)
    supervisor.stop([node.name for node in present])
    leave_nothing = {f"stop-{node.name}": node.stop_work for node in present if node.has_joined}
    supervisor.run_together(leave_nothing, STOP_WORK_S)
    supervisor.stop([part.name for part in services(web_port=0)])
    supervisor.stop_all()


def _engine(options: Options) -> Engine | None:
    """Return the engine to run containers with; None for the process runtime."""
    if options.runtime == "process":
        return None
    engine = running_engine()
    try:
        if engine is not None:
            with engine.client(timeout_s=600) as client:
                build_images(client, Path.home() / ".cache" / "berth", say)
            return engine
        fault = "no Docker engine answers"
    except (ImageBuildError, DockerException) as failed:
        fault = str(failed)
    if options.runtime == "docker":
        raise RefusedError(f"--runtime docker: {fault}")
    say(f"\n    process runtime (no isolation): {fault}")
    return None


def prepare_database(ask: Ask, options: Options, engine: Engine | None) -> Sequence[fleet.Node]:
    """Migrate and seed; returns the nodes to start. New ones get a one-time token.

    A node that an operator has retired stays so: its key is dead, and its agent would be refused.
    """
    present = fleet.nodes(options)
    new = {f"{node.name}:{node.pool}": node for node in present if not node.has_joined}
    joined = [f"--joined={node.name}" for node in present if node.has_joined]
    what = ["--demo", str(options.demo_file), *joined, *new]
    answer = json.loads(ask("database", [PYTHON, "-m", "deploy.onebox.database", *what]))
    tokens = {new[key].name: token for key, token in answer["tokens"].items()}
    for node in present:
        fleet.write_config(node, options, engine, tokens.get(node.name, ""))
    for node in present:
        if node.name in answer["retired"]:
            say(f"\n    {node.name} is retired, not started; to join it anew: rm {node.identity}")
    return [node for node in present if node.name not in answer["retired"]]


def environment(options: Options, stores: Stores, web_port: int) -> dict[str, str]:
    """Return what every process of this platform gets to know."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "portal.config.settings.base",
        "PYTHONUNBUFFERED": "1",
        "BERTH_SECRET_KEY": _secret_key(options.data_dir),
        "BERTH_DATABASE_URL": stores.database_url,
        "BERTH_REDIS_URL": stores.redis_url,
        "BERTH_PORTAL_URL": options.portal_url,
        "BERTH_APPS_URL": options.apps_url,
        "BERTH_WEB_UPSTREAM": f"http://127.0.0.1:{web_port}",
        "BERTH_STORAGE_DIR": str(options.data_dir / "storage"),
        "BERTH_SSH_PORT": str(options.ssh_port),
        "BERTH_SSH_HOST_KEY": str(options.data_dir / "ssh_host_ed25519_key"),
        "BERTH_FRONTEND_DIR": str(REPOSITORY / "frontend" / "dist"),
    }


def _secret_key(data_dir: Path) -> str:
    """Return this installation's key, made on its first start."""
    path = data_dir / "secret.key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(48), encoding="ascii")
    return path.read_text(encoding="ascii")


def _announce(options: Options, seconds: float) -> None:
    users = _demo(options)["users"]
    developer = next(user for user in users if user["role"] == "developer")
    say(f"\nBerth is ready after {seconds:.0f} s: {options.portal_url}\n")
    for user in (users[0], developer):
        say(f"  {user['role']:<16} {user['username']:<16} {user['password']}")
    say(f"\n  all {len(users)} logins: {options.demo_file}; Ctrl-C stops everything")


def _demo(options: Options) -> Any:
    return json.loads(options.demo_file.read_text(encoding="utf-8"))


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5) as answer:  # noqa: S310 - our own address
            return bool(answer.status == 200)
    except (URLError, TimeoutError, ConnectionError):
        return False


@contextmanager
def _sole_launcher(data_dir: Path) -> Iterator[None]:
    """Hold the data folder; a second copy on the same one is refused."""
    data_dir.mkdir(parents=True, exist_ok=True)
    with (data_dir / "launcher.lock").open("a+", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise RefusedError(
                f"process {lock.read().strip()} already runs Berth on {data_dir}; "
                "stop it or choose another folder with --data-dir DIR"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _on_stop_signals(handler: "signal._HANDLER") -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


def _raise_stop(_number: int, _frame: FrameType | None) -> None:
    raise StopRequestedError


if __name__ == "__main__":
    sys.exit(main())
