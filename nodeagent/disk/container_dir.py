"""The directory of one container: its order, its status, and its log.

Standard library only: the shim of every container imports this, and must start fast.
"""

import fcntl
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

from nodeagent.core.state import Container, ContainerKey, Finished
from nodeagent.disk.atomic_json import read_json, reserve_room, write_json, write_or_use_room
from nodeagent.disk.forward_compat import (
    from_known_fields,
    parse_cause,
    parse_device,
    parse_isolation,
    parse_probe,
    parse_silence,
)
from nodeagent.disk.stop_files import StopFiles
from wire.log_lines import LOG_BEGINNING, LOG_END
from wire.words import (
    Device,
    GpuReleaseState,
    Isolation,
    Phase,
    Probe,
    SilenceTerm,
)

LOG_MAX: Final = LOG_BEGINNING + LOG_END
"""Bytes kept of one log, beside the line that counts what is left out."""
END_ROOM: Final = "end.room"
"""Room for the end of a container on a disk that is full then."""
OUTPUTS: Final = "outputs"
"""Folder of the storage with the outputs of jobs."""


@dataclass(frozen=True, slots=True)
class AppEndpoint:
    """Where the web application of a notebook answers, and its token."""

    host: str
    port: int
    base_path: str
    token: str


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """What the shim runs, with its limits; see `nodeagent.process.shim`."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str
    memory_mib: int
    nice: int
    log_bytes: int = LOG_MAX
    """So much is kept of the log, of its beginning and its end together."""
    secrets_dir: str = ""
    """Folder of its secrets, in memory; empty is none."""


@dataclass(frozen=True, slots=True)
class ContainerStatus:
    """How far the container is; `end` is written once and is final."""

    started_at: int | None = None
    end: Finished | None = None


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """The work's own folder, and how large it may grow; 0 is no limit."""

    folder: Path
    limit_mib: int

    @property
    def is_outputs(self) -> bool:
        """Whether it holds the outputs of a job."""
        return self.folder.parent.name == OUTPUTS


class ContainerDir:
    """Typed access to the files of one container; every write replaces a file whole."""

    def __init__(self, root: Path, key: ContainerKey) -> None:
        self.key = key
        self.path = root / f"{key.allocation}.{key.epoch}"

    # Worked out where they are asked for: the folders of hundreds of ended containers are listed each second.

    @property
    def log_path(self) -> Path:
        """What the work has said."""
        return self.path / "log"

    @property
    def excess_path(self) -> Path:
        """The metrics lines that came after its beginning; see `nodeagent.disk.excess_metrics`."""
        return self.path / "metrics"

    @property
    def events_path(self) -> Path:
        """Metrics lines of its event files; see `nodeagent.telemetry.event_metrics`."""
        return self.path / "events"

    @property
    def marks_path(self) -> Path:
        """When the lines of its log were written; see `nodeagent.disk.log_marks`."""
        return self.path / "marks"

    @property
    def lock_path(self) -> Path:
        """Locked as long as the container exists; see `try_lock`."""
        return self.path / "lock"

    @property
    def script_path(self) -> Path:
        """The program of a job."""
        return self.path / "script"

    @property
    def stops(self) -> StopFiles:
        """How it stops, once that was decided."""
        return StopFiles(self.path)

    @property
    def barrier_path(self) -> Path:
        """Exists while the work waits for its limits; see `nodeagent.disk.start_barrier`."""
        return self.path / "barrier"

    def create(
        self,
        devices: tuple[Device, ...],
        isolation: Isolation | None = None,
        silence: SilenceTerm = SilenceTerm.REPLACE,
        probe: Probe | None = None,
    ) -> int:
        """Make the directory, for the owner only, and return its lock; once per container.

        `isolation` is what isolates its devices from other tenants, `silence` whether it outlives the
        lease, `probe` how it is asked whether it is ready. It appears with the lock taken, so that no
        reader finds it half made and takes it for ended. Raises `OSError` on a second start.
        """
        scratch = self._hidden()
        rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True, mode=0o700)
        lock = _open_locked(scratch / self.lock_path.name)
        content = {
            "devices": [asdict(item) for item in devices],
            "isolation": isolation,
            "silence": silence,
            "probe": None if probe is None else asdict(probe),
        }
        write_json(scratch / "order.json", content)
        (scratch / self.log_path.name).touch(mode=0o600)
        reserve_room(scratch / END_ROOM)
        StopFiles(scratch).reserve_room()
        scratch.rename(self.path)
        return lock

    def remove(self) -> None:
        """Remove all of it, at once for others: a process that lists containers meets no half of one."""
        hidden = self._hidden()
        rmtree(hidden, ignore_errors=True)
        with suppress(FileNotFoundError):
            self.path.rename(hidden)
        rmtree(hidden, ignore_errors=True)

    def _hidden(self) -> Path:
        return self.path.with_name(f".{self.path.name}")

    @property
    def exists(self) -> bool:
        """Whether anything of this container is left."""
        return self.path.is_dir()

    def read_devices(self) -> tuple[Device, ...]:
        """Return the devices that the container holds while it is alive."""
        order = read_json(self.path / "order.json") or {"devices": []}
        return tuple(parse_device(item) for item in order["devices"])

    def write_devices(self, devices: tuple[Device, ...], *, is_away: bool = False) -> None:
        """Write the container's devices; `is_away`: it has none until it reacquires some."""
        order = read_json(self.path / "order.json") or {}
        content = {**order, "devices": [asdict(item) for item in devices], "is_away": is_away}
        write_json(self.path / "order.json", content, is_durable=True)

    def read_gpu_state(self) -> GpuReleaseState:
        """Return whether it has its GPUs."""
        order = read_json(self.path / "order.json") or {}
        return GpuReleaseState.AWAY if order.get("is_away") else GpuReleaseState.HELD

    def read_isolation(self) -> Isolation | None:
        """Return what isolates its devices from other tenants."""
        return parse_isolation((read_json(self.path / "order.json") or {}).get("isolation"))

    def read_silence(self) -> SilenceTerm:
        """Return whether it outlives the lease."""
        return parse_silence((read_json(self.path / "order.json") or {}).get("silence"))

    def read_probe(self) -> Probe | None:
        """Return how it is asked whether it is ready; None where its order named no probe."""
        return parse_probe((read_json(self.path / "order.json") or {}).get("probe"))

    @property
    def is_barrier_closed(self) -> bool:
        """Whether the work was never let through: its limits were not in force in time."""
        return self.barrier_path.exists()

    def read_container(self) -> Container:
        """Return the container as its files describe it."""
        started_at, endpoint = self.read_status().started_at, self.read_endpoint()
        has_answered, probe = (self.path / "ready").exists(), self.read_probe()
        # A portal that names no probe takes a notebook for ready when it runs.
        runs = has_answered if endpoint and probe is None else started_at is not None
        return Container(
            self.key,
            self.read_devices(),
            Phase.RUNNING if runs else Phase.STARTING,
            port=endpoint.port if endpoint and has_answered else None,
            started_at=started_at,
            is_ready=None if probe is None else has_answered,
            isolation=self.read_isolation(),
            gpu_state=self.read_gpu_state(),
            silence=self.read_silence(),
            stop=self.stops.read_pending(),
        )

    def mark_ready(self) -> None:
        """Record that it has answered its probe."""
        (self.path / "ready").touch()

    def write_endpoint(self, endpoint: AppEndpoint) -> None:
        """Write where the web application will answer."""
        write_json(self.path / "endpoint.json", asdict(endpoint))

    def read_endpoint(self) -> AppEndpoint | None:
        """Return where the web application answers; None for training."""
        content = read_json(self.path / "endpoint.json")
        return None if content is None else from_known_fields(AppEndpoint, content)

    def write_work_folder(self, work: WorkFolder) -> None:
        """Write which folder the work has."""
        write_json(
            self.path / "work.json", {"folder": str(work.folder), "limit_mib": work.limit_mib}
        )

    def read_work_folder(self) -> WorkFolder | None:
        """Return which folder the work has; None when an earlier agent did not write it."""
        content = read_json(self.path / "work.json")
        return content and WorkFolder(Path(content["folder"]), content["limit_mib"])

    def write_launch(self, launch: LaunchSpec) -> None:
        """Write what the shim runs."""
        write_json(self.path / "launch.json", asdict(launch))

    def read_launch(self) -> LaunchSpec:
        """Return what the shim runs."""
        content = read_json(self.path / "launch.json")
        return from_known_fields(LaunchSpec, {**content, "argv": tuple(content["argv"])})

    def read_log_bytes(self) -> int | None:
        """Return how much is kept of its log; None of a container that no shim runs."""
        content = read_json(self.path / "launch.json")
        return None if content is None else content.get("log_bytes", LOG_MAX)

    def write_started(self, started_at: int) -> None:
        """Record that the work runs since `started_at`, wall time."""
        write_json(self.path / "status.json", {"started_at": started_at})

    def write_end(self, end: Finished) -> None:
        """Write durably how the container ended, so that it is reported after a power failure."""
        fields: dict[str, Any] = {**asdict(end), "cause": end.cause.value}
        del fields["key"]
        content = {"started_at": end.started_at, "end": fields}
        # An end that a full disk does not take would be taken for none.
        status, room = self.path / "status.json", self.path / END_ROOM
        write_or_use_room(status, room, content, is_durable=True)

    def read_status(self) -> ContainerStatus:
        """Return how far the container is."""
        content = read_json(self.path / "status.json") or {}
        if "end" not in content:
            content = read_json(self.path / END_ROOM) or content
        end = content.get("end")
        if end is not None:
            end = from_known_fields(
                Finished, {**end, "key": self.key, "cause": parse_cause(end["cause"])}
            )
        return ContainerStatus(content.get("started_at"), end)

    def read_log(self, offset: int, limit: int) -> bytes:
        """Return at most `limit` bytes of the log from `offset` on."""
        return _read_part(self.log_path, offset, limit)

    def read_excess(self, offset: int, limit: int) -> bytes:
        """Return the same of the metrics lines that came after its beginning."""
        return _read_part(self.excess_path, offset, limit)

    def read_events(self, offset: int, limit: int) -> bytes:
        """Return the same of the metrics lines of its event files."""
        return _read_part(self.events_path, offset, limit)

    def write_events(self, size: int, lines: bytes) -> int:
        """Write lines after the first `size` bytes, and return how many bytes there are then."""
        descriptor = os.open(self.events_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "r+b") as stream:
            stream.truncate(size)
            stream.seek(size)
            stream.write(lines)
            return stream.tell()

    def write_event_progress(self, content: dict[str, Any]) -> None:
        """Write how far its event files were read."""
        write_json(self.path / "events.json", content)

    def read_event_progress(self) -> dict[str, Any] | None:
        """Return how far its event files were read; None before the first time."""
        content: dict[str, Any] | None = read_json(self.path / "events.json")
        return content

    def try_lock(self) -> int | None:
        """Take the lock that marks the container alive; None when another process holds it.

        The lock belongs to the open file. The shim inherits it and holds it exactly as long as it
        runs, so that no reused process number can be mistaken for it.
        """
        try:
            return _open_locked(self.lock_path)
        except BlockingIOError:
            return None


def _open_locked(path: Path) -> int:
    """Open a file and lock it; raises `BlockingIOError` when it is locked."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise
    return descriptor


def list_container_dirs(root: Path) -> list[ContainerDir]:
    """Return the directory of every container below `root`, sorted by name."""
    try:
        with os.scandir(root) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = []
    for name in names:
        allocation, _, epoch = name.rpartition(".")
        if allocation and not name.startswith(".") and epoch.isdecimal():
            found.append(ContainerDir(root, ContainerKey(allocation, int(epoch))))
    return found


def remove_unfinished(root: Path) -> None:
    """Remove what an agent that was killed has half made, or half removed."""
    for path in root.glob(".*"):
        rmtree(path, ignore_errors=True)


def _read_part(path: Path, offset: int, limit: int) -> bytes:
    try:
        with path.open("rb") as stream:
            stream.seek(offset)
            return stream.read(limit)
    except FileNotFoundError:
        return b""
