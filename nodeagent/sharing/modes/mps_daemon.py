"""Runs the MPS daemon of a card; shared by the two modes that configure it.

A daemon has its own pipe directory and shared memory, and its card is in exclusive-process mode:
otherwise a client with a wrong pipe directory would silently run beside the daemon with the whole
card. A fatal fault of one client affects all others of the card, so tenants are not mixed.
"""

import asyncio
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from shutil import rmtree
from typing import Final

from nodeagent.host.commands import CommandResult, CommandRunner
from nodeagent.ports import Injection, Mount, StartError
from nodeagent.sharing.records import ShareRecord, ShareRecords
from wire.words import ExitCause, Isolation

CONTROL: Final = "nvidia-cuda-mps-control"
PIPES: Final = "/berth/mps"
SHARED_MEMORY: Final = str(PurePosixPath("/", "dev", "shm"))
"""This path is compiled into MPS on both sides."""
SHARED_MEMORY_MIB: Final = 256
EXCLUSIVE: Final = "EXCLUSIVE_PROCESS"
DEFAULT: Final = "DEFAULT"
START_S: Final = 20.0
SOCKET: Final = "control"
SOCKET_PATH_MAX: Final = 107
"""The kernel's limit. The daemon exits with 1 above it, and says nothing."""
USAGE: Final = "Unrecognized option"
ENTER: Final = 'mount --bind "$1" /dev/shm && shift && exec nvidia-cuda-mps-control -d "$@"'
"""Mounts the shared memory of the card's containers for the daemon, in a mount namespace of its
own."""


class MpsDaemons:
    """Starts, queries and stops the daemons of the node's cards, at most one per card."""

    def __init__(self, root: Path, commands: CommandRunner, *, by_namespaces: bool = False) -> None:
        """With namespaces the daemons use protocol 3, for several users; otherwise protocol 2."""
        self._by_namespaces = by_namespaces
        self._root = root
        self._commands = commands
        self._locks: dict[str, asyncio.Lock] = {}

    def lock_for(self, uuid: str) -> asyncio.Lock:
        """Return the lock that serialises changes of a card's daemon."""
        return self._locks.setdefault(uuid, asyncio.Lock())

    def is_started(self, uuid: str) -> bool:
        """Return whether a daemon was started; only an answer shows that it is running."""
        return self.pipe(uuid).exists()

    def pipe(self, uuid: str) -> Path:
        """Return the pipe directory of a card's daemon."""
        return self._folder(uuid) / "pipe"

    async def start(self, uuid: str) -> None:
        """Start a card's daemon; the caller makes sure that no client uses an earlier one."""
        await self.stop(uuid)
        folder = self._folder(uuid)
        if len(str(self.pipe(uuid) / SOCKET)) > SOCKET_PATH_MAX:
            detail = f"{folder} is too long for a socket: choose a shorter state_dir"
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)
        for name in ("pipe", "log", "shm"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        # The work's user must be able to reach the pipes; nothing else is in the folder.
        for path in (folder, folder / "pipe"):
            path.chmod(0o755)
        size = f"size={SHARED_MEMORY_MIB}m,mode=1777"
        shm = str(folder / "shm")
        require_success(await self._smi(uuid, "-c", EXCLUSIVE), "compute mode")
        require_success(
            await self._commands.run(("mount", "-t", "tmpfs", "-o", size, "berth-mps", shm)),
            "shared memory",
        )
        options = ("-p", "3", "-m") if self._by_namespaces else ()
        enter = ("unshare", "--mount", "--", "sh", "-c", ENTER, "berth-mps", shm, *options)
        result = await self._commands.run(enter, env=self._env(uuid), within_s=START_S)
        # A driver without protocol 3 prints its usage, and calls that a success.
        if USAGE in result.output:
            result = CommandResult(1, "this driver's MPS does not know these options")
        if not result.is_success:
            await self.stop(uuid)
        require_success(result, "MPS daemon")

    async def stop(self, uuid: str) -> None:
        """Stop the daemon and reset the card; does nothing if there is no daemon."""
        folder = self._folder(uuid)
        if not folder.exists():
            return
        await (
            self.run_command(uuid, "-q") if self._by_namespaces else self.send_line(uuid, "quit")
        )
        await self._smi(uuid, "-c", DEFAULT)
        await self._commands.run(("umount", "--lazy", str(folder / "shm")))
        rmtree(folder, ignore_errors=True)

    async def send_line(self, uuid: str, line: str) -> CommandResult:
        """Send one line to a daemon (protocol 2)."""
        return await self._commands.run((CONTROL,), text=f"{line}\n", env=self._env(uuid))

    async def run_command(self, uuid: str, *arguments: str) -> CommandResult:
        """Run one command of the control program (protocol 3)."""
        return await self._commands.run((CONTROL, *arguments), env=self._env(uuid))

    async def require_exclusive(self, uuid: str) -> None:
        """Raise `StartError` if the card accepts processes that do not use its daemon."""
        mode = await self._smi(uuid, "--query-gpu=compute_mode", "--format=csv,noheader")
        if mode.output.strip().upper() != EXCLUSIVE:
            detail = f"{uuid} lets processes in beside its daemon: {mode.last_line}"
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)

    def injection(self, uuid: str, pipe: Path) -> Injection:
        """Return what a container needs to use the daemon at a pipe directory."""
        return Injection(
            env={
                "CUDA_MPS_PIPE_DIRECTORY": PIPES,
                # The daemon has selected the card; an index list here would follow the daemon's
                # numbering.
                "CUDA_VISIBLE_DEVICES": "0",
            },
            mounts=(
                Mount(pipe, PIPES, is_read_only=False),
                Mount(self._folder(uuid) / "shm", SHARED_MEMORY, is_read_only=False),
            ),
        )

    async def _smi(self, uuid: str, *rest: str) -> CommandResult:
        return await self._commands.run(("nvidia-smi", "-i", uuid, *rest))

    def _env(self, uuid: str) -> dict[str, str]:
        folder = self._folder(uuid)
        return {
            "CUDA_VISIBLE_DEVICES": uuid,
            "CUDA_MPS_PIPE_DIRECTORY": str(folder / "pipe"),
            "CUDA_MPS_LOG_DIRECTORY": str(folder / "log"),
        }

    def _folder(self, uuid: str) -> Path:
        return self._root / uuid


def require_success(result: CommandResult, what: str) -> None:
    """Raise `StartError` if a command has failed."""
    if not result.is_success:
        raise StartError(ExitCause.ISOLATION_UNAVAILABLE, f"{what}: {result.last_line}")


def other_records(
    records: Iterable[ShareRecord], record: ShareRecord, uuid: str, mode: Isolation
) -> list[ShareRecord]:
    """Return the records of other containers that share a card in a mode."""
    return [
        item
        for item in records
        if item.key != record.key and any(grant.uuid == uuid for grant in item.by_mode(mode))
    ]


def has_other_holders(
    records: ShareRecords, record: ShareRecord, uuid: str, mode: Isolation
) -> bool:
    """Return whether other containers may still use what a mode has set on a card."""
    return bool(other_records(records, record, uuid, mode)) or records.may_be_held(uuid)


def refuse_other_tenants(record: ShareRecord, others: Iterable[ShareRecord], uuid: str) -> None:
    """Raise `StartError` if the card is used by another tenant."""
    if any(other.tenant != record.tenant or not record.tenant for other in others):
        detail = f"{uuid} serves another tenant, and a fault of one ends all"
        raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)
