"""Stage two of `make run`: starts, supervises and stops every process of the product in order."""

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
from deploy.onebox.engine import EngineEndpoint, find_running_engine
from deploy.onebox.images import ImageBuildError, build_images
from deploy.onebox.model_server import ModelServer
from deploy.onebox.options import (
    REPOSITORY,
    Options,
    RefusedError,
    find_free_port,
    parse_options,
    refuse_taken_ports,
)
from deploy.onebox.progress import print_error, print_line, report_step
from deploy.onebox.setup import exit_on_refusal
from deploy.onebox.stores import Stores
from deploy.onebox.supervisor import ManagedProcess, ProcessEndedError, Supervisor

READY_S: Final = 120
STOP_WORK_S: Final = 30
PYTHON: Final = sys.executable
CELERY: Final = (PYTHON, "-m", "celery", "-A", "portal.config.celery")
_QUIET: Final = ("--without-gossip", "--without-mingle", "--loglevel", "warning")
SCHEDULER: Final = ("-c", "1", *_QUIET)
MAINTENANCE: Final = ("-c", "2", *_QUIET)
"""Two workers, so that the sweep runs while a study is simulated."""
RunCommand = Callable[[str, Sequence[str]], str]
"""Runs a named command to its end and returns its output."""


class StopRequestedError(BaseException):
    """A signal requests the stop; like KeyboardInterrupt it passes `except Exception`."""


def main() -> int:
    """Run the platform until a signal stops it (0) or a part of it ends again and again (1)."""
    options = parse_options()
    started = monotonic()
    with exit_on_refusal(), _sole_launcher(options.data_dir):
        refuse_taken_ports(options)
        _on_stop_signals(_raise_stop)
        os.chdir(REPOSITORY)
        stores = Stores(options.data_dir)
        web_port = find_free_port()
        supervisor = Supervisor(
            options.data_dir / "log", build_environment(options, stores, web_port)
        )
        try:
            _start(supervisor, options, stores, web_port)
            _announce(options, monotonic() - started)
            supervisor.supervise(lambda line: print_error(f"berth: {line}"))
        except StopRequestedError:
            print_line("\nStopping …")
        except ProcessEndedError as ended:
            print_error(f"\nberth: {ended}\nberth: stopping everything else")
            return 1
        finally:
            _on_stop_signals(lambda _number, _frame: None)
            _stop(supervisor, options)
            print_line("Stopped.")
    return 0


def _start(supervisor: Supervisor, options: Options, stores: Stores, web_port: int) -> None:
    """Start the processes in order; each step begins when what it depends on answers."""
    with report_step("starting PostgreSQL and Redis"):
        postgres, redis = stores.prepare()
        supervisor.start(postgres)
        supervisor.start(redis)
        supervisor.wait_until(stores.postgres_answers, "PostgreSQL is", READY_S)
        supervisor.wait_until(stores.redis_answers, "Redis is", READY_S)
        stores.ensure_database()
    with report_step("choosing the container runtime"):
        engine = _engine(options)
    with report_step("updating and seeding the database"):
        in_service = prepare_database(supervisor.run_command, options, engine)
    with report_step("starting web, live, inference, scheduler, worker and beat"):
        for process in server_processes(web_port):
            supervisor.start(process)
        supervisor.wait_until(
            lambda: _answers(f"{options.portal_url}/readyz"), "the portal is", READY_S
        )
    with report_step(f"starting {len(in_service)} node agents"):
        since = time()
        for node in in_service:
            supervisor.start(node.process)
        names = [node.name for node in in_service]
        are_ready = fleet.build_readiness_check(
            options, names, _demo(options)["robot_token"], since
        )
        supervisor.wait_until(are_ready, "all nodes are", READY_S)
    if not options.empty and fleet.lacks_past(options, _demo(options)["robot_token"]):
        with report_step("seeding 35 days of simulated past"):
            supervisor.run_command("past", [PYTHON, "manage.py", "seed_past"])


def server_processes(web_port: int) -> list[ManagedProcess]:
    """Return the server's processes in the order of their start; their state is in the stores."""
    gunicorn = [PYTHON, "-m", "gunicorn", "-c", "python:portal.config.web"]
    worker = [*CELERY, "worker", "-Q"]
    commands: dict[str, list[str]] = {
        "web": [*gunicorn, "--bind", f"127.0.0.1:{web_port}"],
        "live": [PYTHON, "-m", "portal.config.live"],
        "inference": [PYTHON, "-m", "portal.config.inference", "--drain-s", "5"],
        "scheduler": [*worker, "scheduler", "-n", "scheduler@%h", *SCHEDULER],
        "worker": [*worker, "maintenance", "-n", "worker@%h", *MAINTENANCE],
        "beat": [*CELERY, "beat", "--loglevel", "warning"],
    }
    return [ManagedProcess(name, command) for name, command in commands.items()]


def _stop(supervisor: Supervisor, options: Options) -> None:
    """Stop the agents, then the containers they leave running, then the server, then the stores."""
    present = fleet.list_nodes(options)
    supervisor.stop([node.name for node in present])
    stop_containers = {
        f"stop-{node.name}": node.stop_command for node in present if node.has_joined
    }
    supervisor.run_together(stop_containers, STOP_WORK_S)
    supervisor.stop([process.name for process in server_processes(web_port=0)])
    supervisor.stop_all()


def _engine(options: Options) -> EngineEndpoint | None:
    """Return the engine to run containers with; None is the process runtime."""
    if options.runtime == "process":
        return None
    engine = find_running_engine()
    try:
        if engine is not None:
            with engine.client(timeout_s=600) as client:
                build_images(client, Path.home() / ".cache" / "berth", print_line)
            return engine
        fault = "no Docker engine answers"
    except (ImageBuildError, DockerException) as failed:
        fault = str(failed)
    if options.runtime == "docker":
        raise RefusedError(f"--runtime docker: {fault}")
    print_line(f"\n    process runtime (no isolation): {fault}")
    return None


def prepare_database(
    run_command: RunCommand, options: Options, engine: EngineEndpoint | None
) -> Sequence[fleet.OneboxNode]:
    """Migrate and seed the database; return the nodes to start, new ones with a join token.

    A node that an operator has retired is left out: the server would refuse its agent. The key of
    an earlier database is removed, so that its node joins this one.
    """
    present = fleet.list_nodes(options)
    joined = [f"--joined={node.name}:{node.pool}" for node in present if node.has_joined]
    new = [f"{node.name}:{node.pool}" for node in present if not node.has_joined]
    model = [f"--model={ModelServer().model}"] if options.with_model_server else []
    what = ["--demo", str(options.demo_file), *model, *joined, *new]
    answer = json.loads(run_command("database", [PYTHON, "-m", "deploy.onebox.database", *what]))
    for node in present:
        token = answer["tokens"].get(f"{node.name}:{node.pool}", "")
        if token:
            node.identity.unlink(missing_ok=True)
        fleet.write_config(node, options, engine, token)
    for node in present:
        if node.name in answer["retired"]:
            print_line(
                f"\n    {node.name} is retired, not started; to join it again: rm {node.identity}"
            )
    return [node for node in present if node.name not in answer["retired"]]


def build_environment(options: Options, stores: Stores, web_port: int) -> dict[str, str]:
    """Return the environment of every process of this platform."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "portal.config.settings.base",
        "PYTHONUNBUFFERED": "1",
        "BERTH_SECRET_KEY": _secret_key(options.data_dir),
        "BERTH_DATABASE_URL": stores.database_url,
        "BERTH_REDIS_URL": stores.redis_url,
        "BERTH_PORTAL_URL": options.portal_url,
        "BERTH_APPS_URL": options.apps_url,
        "BERTH_APPS_HOSTS": options.apps_hosts,
        "BERTH_INFERENCE_URL": options.inference_url,
        "BERTH_WEB_UPSTREAM": f"http://127.0.0.1:{web_port}",
        "BERTH_DATASETS_DIR": str(options.data_dir / "datasets"),
        "BERTH_STORAGE_DIR": str(options.data_dir / "storage"),
        "BERTH_SSH_PORT": str(options.ssh_port),
        "BERTH_SSH_HOST_KEY": str(options.data_dir / "ssh_host_ed25519_key"),
        "BERTH_FRONTEND_DIR": str(REPOSITORY / "frontend" / "dist"),
        "BERTH_DEMO": "0" if options.empty else "1",
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
    print_line(f"\nBerth is ready after {seconds:.0f} s: {options.portal_url}\n")
    for user in (users[0], developer):
        print_line(f"  {user['role']:<16} {user['username']:<16} {user['password']}")
    print_line(f"\n  all {len(users)} logins: {options.demo_file}; Ctrl-C stops everything")


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
