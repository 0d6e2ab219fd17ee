"""Mode `mps`: one MPS daemon per card, with limits that its server holds against every client.

The limits are the daemon's defaults, so all shares of a card must be alike, and they count for
each process. A fatal fault of one client reaches all others of the card, so tenants are not mixed.
A client with a wrong pipe directory would run beside the daemon with the whole card and say
nothing: the card is put into exclusive-process mode, in which the driver refuses that.
"""

import asyncio
from pathlib import Path, PurePosixPath
from shutil import rmtree
from typing import Final

import structlog

from nodeagent.core.state import Cause
from nodeagent.ports import Confines, Fittings, Mount, StartError
from nodeagent.sharing.commands import Commands, Result
from nodeagent.sharing.grants import Grant
from nodeagent.sharing.records import Record, Records
from wire.facts import Isolation

log = structlog.get_logger()

CONTROL: Final = "nvidia-cuda-mps-control"
PIPES: Final = "/berth/mps"
SHARED_MEMORY: Final = str(PurePosixPath("/", "dev", "shm"))
"""Both sides of MPS have this path built in."""
SHARED_MEMORY_MIB: Final = 256
EXCLUSIVE: Final = "EXCLUSIVE_PROCESS"
DEFAULT: Final = "DEFAULT"
START_S: Final = 20.0
ENTER: Final = 'mount --bind "$1" /dev/shm && exec nvidia-cuda-mps-control -d'
"""The daemon's shared memory is that of its card's containers, and nobody else's."""


class MpsMode:
    """Limits by the MPS server of each card."""

    isolation: Final = Isolation.MPS

    def __init__(self, root: Path, records: Records, commands: Commands) -> None:
        self._root = root
        self._records = records
        self._commands = commands
        self._turns: dict[str, asyncio.Lock] = {}

    async def fit(self, record: Record) -> Fittings:
        """Have a daemon with the right limits on the card, and mount its pipes."""
        grants = record.by_mode(self.isolation)
        if len(grants) != 1:
            raise StartError(Cause.ISOLATION_UNAVAILABLE, "mps gives a share of one card only")
        (grant,) = grants
        async with self._turn(grant.uuid):
            self._refuse_mixing(record, grant)
            if not await self._has_limits(grant):
                await self._start(grant)
        folder = self._folder(grant.uuid)
        return Fittings(
            env={
                "CUDA_MPS_PIPE_DIRECTORY": PIPES,
                # The daemon chose the card; a list here would be read by its numbering.
                "CUDA_VISIBLE_DEVICES": "0",
            },
            mounts=(
                Mount(folder / "pipe", PIPES, is_read_only=False),
                Mount(folder / "shm", SHARED_MEMORY, is_read_only=False),
            ),
        )

    async def enforce(self, record: Record, confines: Confines) -> None:
        """Ask daemon and card whether both still say what they were told."""
        del confines
        for grant in record.by_mode(self.isolation):
            mode = await self._smi(grant.uuid, "--query-gpu=compute_mode", "--format=csv,noheader")
            if mode.output.strip().upper() != EXCLUSIVE:
                words = f"{grant.uuid} lets processes in beside its daemon: {mode.words}"
                raise StartError(Cause.ISOLATION_UNAVAILABLE, words)
            if not await self._has_limits(grant):
                words = f"the MPS daemon of {grant.uuid} does not have the limits"
                raise StartError(Cause.ISOLATION_UNAVAILABLE, words)

    async def release(self, record: Record) -> None:
        """End the daemon with its last client, and give the card back to everybody."""
        for grant in record.by_mode(self.isolation):
            async with self._turn(grant.uuid):
                if not self._others(record, grant.uuid):
                    await self._stop(grant.uuid)

    def _refuse_mixing(self, record: Record, grant: Grant) -> None:
        for other in self._others(record, grant.uuid):
            if other.tenant != record.tenant or not record.tenant:
                words = f"{grant.uuid} serves another tenant, and a fault of one ends all"
                raise StartError(Cause.ISOLATION_UNAVAILABLE, words)
            if any(_limits(item) != _limits(grant) for item in self._grants(other, grant.uuid)):
                words = f"{grant.uuid} has one limit for all clients, and this share is not like it"
                raise StartError(Cause.ISOLATION_UNAVAILABLE, words)

    def _others(self, record: Record, uuid: str) -> list[Record]:
        return [
            item for item in self._records if item.key != record.key and self._grants(item, uuid)
        ]

    def _grants(self, record: Record, uuid: str) -> list[Grant]:
        return [item for item in record.by_mode(self.isolation) if item.uuid == uuid]

    async def _start(self, grant: Grant) -> None:
        """Start the card's daemon anew; a client of the old one would have been found above."""
        await self._stop(grant.uuid)
        folder = self._folder(grant.uuid)
        for name in ("pipe", "log", "shm"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        # The work's user walks through to the pipes; nothing else is in there.
        for path in (folder, folder / "pipe"):
            path.chmod(0o755)
        size = f"size={SHARED_MEMORY_MIB}m,mode=1777"
        shm = str(folder / "shm")
        await self._must(await self._smi(grant.uuid, "-c", EXCLUSIVE), "compute mode")
        await self._must(
            await self._commands.run(("mount", "-t", "tmpfs", "-o", size, "berth-mps", shm)),
            "shared memory",
        )
        enter = ("unshare", "--mount", "--", "sh", "-c", ENTER, "berth-mps", shm)
        started = await self._commands.run(enter, env=self._env(grant.uuid), within_s=START_S)
        await self._must(started, "MPS daemon")
        memory, percent = _limits(grant)
        for line in (
            f"set_default_device_pinned_mem_limit 0 {memory}M",
            f"set_default_active_thread_percentage {percent}",
        ):
            await self._must(await self._tell(grant.uuid, line), line)
        if not await self._has_limits(grant):
            await self._stop(grant.uuid)
            words = f"the MPS daemon of {grant.uuid} did not take the limits"
            raise StartError(Cause.ISOLATION_UNAVAILABLE, words)

    async def _stop(self, uuid: str) -> None:
        """Leave the card as it was; what is not there is nothing to stop."""
        folder = self._folder(uuid)
        if not folder.exists():
            return
        await self._tell(uuid, "quit")
        await self._smi(uuid, "-c", DEFAULT)
        await self._commands.run(("umount", "--lazy", str(folder / "shm")))
        rmtree(folder, ignore_errors=True)

    async def _has_limits(self, grant: Grant) -> bool:
        """Ask the daemon; one that does not answer has none."""
        if not (self._folder(grant.uuid) / "pipe").exists():
            return False
        memory, percent = _limits(grant)
        held = await self._tell(grant.uuid, "get_default_device_pinned_mem_limit 0")
        share = await self._tell(grant.uuid, "get_default_active_thread_percentage")
        return (
            held.is_good
            and share.is_good
            and _mib(held.output) == memory
            and _number(share.output) == percent
        )

    async def _must(self, result: Result, what: str) -> None:
        if not result.is_good:
            raise StartError(Cause.ISOLATION_UNAVAILABLE, f"{what}: {result.words}")

    async def _tell(self, uuid: str, line: str) -> Result:
        return await self._commands.run((CONTROL,), text=f"{line}\n", env=self._env(uuid))

    async def _smi(self, uuid: str, *rest: str) -> Result:
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

    def _turn(self, uuid: str) -> asyncio.Lock:
        return self._turns.setdefault(uuid, asyncio.Lock())


def _limits(grant: Grant) -> tuple[int, int]:
    return grant.ceiling_mib, grant.compute_pct


def _number(text: str) -> int | None:
    """Return the whole part of the last number in an answer."""
    words = [word for word in text.replace("%", " ").split() if word[:1].isdigit()]
    return int(float(words[-1])) if words else None


def _mib(text: str) -> int | None:
    """Return an amount such as `4096M`, `4G` or `4096MB` in MiB."""
    words = [word for word in text.upper().split() if word[:1].isdigit()]
    if not words:
        return None
    digits = words[-1].rstrip("GMKIB")
    unit = words[-1][len(digits) :][:1]
    try:
        amount = int(digits)
    except ValueError:
        return None
    return amount * 1024 if unit == "G" else amount // 1024 if unit == "K" else amount
