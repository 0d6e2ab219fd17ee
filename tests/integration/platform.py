"""The whole product on this machine, each process of which can be killed, frozen or cut off.

The launcher's own parts are started here one by one, because tests decide when one that they killed
comes back. What ends by itself is started again at once, as the launcher and Compose do.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

import psutil
import psycopg

from deploy.onebox import nodes as fleet
from deploy.onebox.engine import EngineEndpoint
from deploy.onebox.options import REPOSITORY, SEEDED_NODES, Options, find_free_port
from deploy.onebox.platform import build_environment, prepare_database, server_processes
from deploy.onebox.stores import Stores
from deploy.onebox.supervisor import ManagedProcess
from tests.integration.pipeline import Pipeline
from tests.integration.wire_cutter import WireCutter
from tests.waiting import wait_until

READY_S: Final = 120
SLOWLY_S: Final = 0.3
"""Between two questions to a platform that needs the processors itself."""
KEPT: Final = frozenset(part.name for part in server_processes(web_port=0))
"""Parts that are started again when they end by themselves; of the others a test would want to know."""


@dataclass(frozen=True, slots=True)
class Running:
    """A part and the process that is it now."""

    part: ManagedProcess
    process: subprocess.Popen[bytes]


class Platform:
    """Real stores, real server processes, four real agents with simulated cards."""

    def __init__(self, folder: Path, engine: EngineEndpoint | None = None) -> None:
        """Put everything below a folder; with an engine its work runs in containers."""
        self.folder = folder
        self._engine = engine
        runtime: Literal["process", "docker"] = "process" if engine is None else "docker"
        self.options = Options(
            portal_port=find_free_port(),
            apps_port=find_free_port(),
            inference_port=find_free_port(),
            ssh_port=0,
            runtime=runtime,
            data_dir=folder,
            nodes=len(SEEDED_NODES),
            empty=True,
            with_model_server=False,
        )
        self.stores = Stores(folder)
        self.cables = {name: WireCutter(self.options.portal_port) for name in SEEDED_NODES}
        self._web_port = find_free_port()
        self._running: dict[str, Running] = {}
        self._killed: set[str] = set()
        self._own_environments: dict[str, dict[str, str]] = {}
        self._lock = threading.Lock()
        """Held while it is decided whether a part was killed or has ended by itself."""
        self._is_over = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        (folder / "log").mkdir(parents=True)

    @cached_property
    def pipeline(self) -> Pipeline:
        """A REST client with the token of the seeded robot of the group `vision`."""
        return Pipeline(self.options.portal_url, self.demo["robot_token"])

    def start(self) -> None:
        """Bring everything up, from the stores to the agents."""
        for store in self.stores.prepare():
            self.spawn(store)
        wait_until(self.stores.postgres_answers, within_s=READY_S, every_s=SLOWLY_S)
        wait_until(self.stores.redis_answers, within_s=READY_S, every_s=SLOWLY_S)
        self.stores.ensure_database()
        prepare_database(self._ask, self.options, self._engine)
        for part in self.server_parts():
            self.spawn(part)
        self._keeper.start()
        wait_until(self.pipeline.answers, within_s=READY_S, every_s=SLOWLY_S)
        for node in fleet.list_nodes(self.options):
            self._lead_through_cable(node)
            self.spawn(node.process)
        wait_until(
            lambda: self.ready_nodes() == set(SEEDED_NODES), within_s=READY_S, every_s=SLOWLY_S
        )

    def stop(self) -> None:
        """End everything; nothing of it is left on the machine."""
        self._is_over.set()
        if self._keeper.is_alive():
            self._keeper.join()
        for name in SEEDED_NODES:
            self.cables[name].heal()
        work = self.work()
        for running in reversed(self._running.values()):
            _end(running.process)
        for node in fleet.list_nodes(self.options):
            self._run(f"stop-{node.name}", node.stop_command)
        for cable in self.cables.values():
            cable.close()
        psutil.wait_procs(work, timeout=20)
        assert not [process for process in work if process.is_running()]

    def server_parts(self) -> list[ManagedProcess]:
        """Return the processes of the portal, without the stores."""
        return server_processes(self._web_port)

    def environment_of(self, name: str) -> dict[str, str]:
        """Return the environment of one process."""
        return self._environment | self._own_environments.get(name, {})

    # --- What happens to it --------------------------------------------------------------------

    def spawn(self, part: ManagedProcess) -> None:
        """Start one process of the platform."""
        with (self.folder / "log" / f"{part.name}.log").open("ab") as log:
            process = subprocess.Popen(
                part.command,
                env=self.environment_of(part.name),
                cwd=REPOSITORY,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                user=part.user[0] if part.user else None,
                group=part.user[1] if part.user else None,
                extra_groups=[] if part.user else None,
            )
        self._running[part.name] = Running(part, process)
        self._killed.discard(part.name)

    def _keep(self) -> None:
        """Start again what has ended by itself.

        A worker does so now and then when Redis goes away while it holds a message: kombu asks the
        connection that it has just lost for its address.
        """
        while not self._is_over.wait(SLOWLY_S):
            with self._lock:
                for name, running in list(self._running.items()):
                    has_ended = running.process.poll() is not None
                    if has_ended and name in KEPT and name not in self._killed:
                        with suppress(ProcessLookupError):
                            os.killpg(running.process.pid, signal.SIGKILL)
                        self.spawn(running.part)

    def kill(self, name: str) -> None:
        """Kill a process and its own helpers as a crash does, without any warning."""
        process = self._given_up(name)
        if name.startswith("web"):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()

    def end(self, name: str) -> int:
        """Ask a process to end, and return how it did."""
        process = self._given_up(name)
        process.terminate()
        return process.wait(READY_S)

    def _given_up(self, name: str) -> subprocess.Popen[bytes]:
        """Return the process of a part that stays down until a test starts it again."""
        with self._lock:
            self._killed.add(name)
            return self._running[name].process

    def set_environment(self, name: str, own: dict[str, str]) -> None:
        """Start a part anew with variables of its own."""
        self._own_environments[name] = own
        self.end(name)
        self.restart(name)

    def restart(self, name: str) -> None:
        """Start a part again that has ended."""
        self.spawn(self._running[name].part)

    def restart_postgres(self) -> None:
        """Start the killed server until it stays, as its supervisor does.

        It refuses while a process of the server before it still has the shared memory.
        """
        part = self._running["postgres"].part

        def stays() -> bool:
            if self._running["postgres"].process.poll() is not None:
                self.spawn(part)
            return self.stores.postgres_answers()

        wait_until(stays, within_s=READY_S, every_s=SLOWLY_S)

    def freeze(self, name: str) -> None:
        """Stop a process where it is."""
        self._running[name].process.send_signal(signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let a frozen process go on."""
        self._running[name].process.send_signal(signal.SIGCONT)

    def back_up(self) -> Path:
        """Dump the database, as an operator's nightly backup does."""
        dump = self.folder / "backup.dump"
        self._ask(
            "pg_dump", [self._tool("pg_dump"), "-Fc", "-f", str(dump), self.stores.database_url]
        )
        return dump

    def restore(self, dump: Path) -> None:
        """Exchange the database for a dump; no process of the portal may be connected."""
        server = self.stores.database_url.replace("/berth?", "/postgres?")
        for statement in ("DROP DATABASE berth WITH (FORCE)", "CREATE DATABASE berth"):
            self._ask("psql", [self._tool("psql"), server, "-c", statement])
        into = ["-d", self.stores.database_url, "--exit-on-error", str(dump)]
        self._ask("pg_restore", [self._tool("pg_restore"), *into])

    def set_read_only(self, *, is_on: bool) -> None:
        """Let PostgreSQL refuse every write, as a standby does, or take writes again."""
        server = self.stores.database_url
        value = "on" if is_on else "off"
        with psycopg.connect(server, autocommit=True) as database:
            database.execute("SET default_transaction_read_only = off")
            database.execute(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
            database.execute("SELECT pg_reload_conf()")

    def _tool(self, name: str) -> str:
        """Return a program of the PostgreSQL that runs."""
        return str(Path(self._running["postgres"].part.command[0]).with_name(name))

    # --- What can be seen of it ----------------------------------------------------------------

    def ready_nodes(self) -> set[str]:
        """Return the names of the nodes that may take work."""
        found = self.pipeline.get("/nodes?page_size=100")["results"]
        return {node["name"] for node in found if node["state"] == "ready"}

    @property
    def demo(self) -> Any:
        """The seeded logins."""
        return json.loads(self.options.demo_file.read_text(encoding="utf-8"))

    def processes(self) -> dict[str, psutil.Process]:
        """Return every process that was started here and runs."""
        return {
            name: psutil.Process(running.process.pid)
            for name, running in self._running.items()
            if running.process.poll() is None
        }

    def ended(self) -> list[str]:
        """Return the parts that have ended and that nothing starts again."""
        return [
            name
            for name, running in self._running.items()
            if running.process.poll() is not None and name not in KEPT
        ]

    def outputs(self, workload_id: str) -> Path:
        """Return the folder into which a job writes."""
        return self.folder / "storage" / "outputs" / workload_id

    def stored_log(self, workload_id: str) -> str:
        """Return what all ranks of all attempts of a job have printed."""
        files = sorted((self.folder / "storage" / "logs" / workload_id).glob("*.log"))
        return "".join(file.read_text(encoding="utf-8") for file in files)

    def log(self, name: str) -> str:
        """Return what a process has said so far, in all its lives."""
        file = self.folder / "log" / f"{name}.log"
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    def work(self) -> list[psutil.Process]:
        """Return every process of every container of this platform."""
        marker = str(self.folder)
        return [process for process in psutil.process_iter() if _belongs(process, marker)]

    def audit(self) -> None:
        """Assert that every core invariant holds in the database."""
        self._ask("audit", [sys.executable, "manage.py", "check_invariants"])

    def manage(self, *arguments: str) -> str:
        """Run a management command and return what it prints."""
        return self._ask("manage", [sys.executable, "manage.py", *arguments])

    @cached_property
    def _environment(self) -> dict[str, str]:
        return {
            **build_environment(self.options, self.stores, self._web_port),
            "BERTH_SWEEP_S": "1",
            "BERTH_FENCE_FILE": str(self._write_fences()),
        }

    @property
    def fence_lies(self) -> Path:
        """While this file exists, fence commands report nodes as off that run on."""
        return self.folder / "fence-lies"

    def _write_fences(self) -> Path:
        """Write fence commands that fail, unless they are to lie."""
        lines = []
        for pool in ("training", "development"):
            command = json.dumps(["test", "-e", str(self.fence_lies)])
            lines += [f"[pools.{pool}]", f"command = {command}", "timeout_s = 5", "after_s = 60"]
        path = self.folder / "fences.toml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        path.chmod(0o644)
        return path

    def _lead_through_cable(self, node: fleet.OneboxNode) -> None:
        """Let this agent reach the portal only through its own cable."""
        direct = self.options.portal_url
        through = f"http://127.0.0.1:{self.cables[node.name].port}"
        text = node.config.read_text(encoding="utf-8").replace(direct, through)
        # Nobody shall wait for what happens to a notebook that nobody uses.
        node.config.write_text(f"{text}\n[idle]\nlook_s = 0.5\n", encoding="utf-8")

    def _ask(self, name: str, command: Sequence[str]) -> str:
        done = self._run(name, command)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    def _run(self, _name: str, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            list(command),
            env=self._environment,
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=False,
            timeout=READY_S,
        )


def _belongs(process: psutil.Process, marker: str) -> bool:
    with suppress(psutil.Error, OSError):
        return str(process.environ().get("BERTH_CONTAINER", "")).startswith(marker)
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
