"""Mode `hami`: a library of the administrator's refuses CUDA calls beyond the share.

HAMi-core is cooperative: it holds for every program that loads it. `/etc/ld.so.preload` makes that
all dynamically linked ones, and its shared region must know the limits before the work's first
process does, since a process that comes first without them leaves all later ones unlimited. So the
order is gated, and the first to load it is a question of ours, whose answer is also the proof. The
library is never part of this repository: an administrator installs it and names its path.
"""

from pathlib import Path, PurePosixPath
from typing import Final

from nodeagent.core.state import ContainerKey
from nodeagent.ports import Injection, Mount, ProcessScope, StartError
from nodeagent.sharing.exec_probe import ExecProbe
from nodeagent.sharing.grants import ShareGrant
from nodeagent.sharing.records import ShareRecord, ShareRecords
from wire.words import ExitCause, Isolation

LIBRARY: Final = "/berth/libvgpu.so"
REGION: Final = "/berth/vgpu"
REGION_FILE: Final = f"{REGION}/region.cache"
LOCKS: Final = str(PurePosixPath("/", "tmp", "vgpulock"))
"""The library has this path built in."""
PRELOAD: Final = "/etc/ld.so.preload"
CARDS_MAX: Final = 16
"""Of one region."""
QUERY: Final = ("nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits")
ROUNDING_MIB: Final = 1


class HamiMode:
    """Limits by an intercepting library."""

    isolation: Final = Isolation.HAMI
    can_resume: Final = False

    def __init__(self, library: Path, records: ShareRecords, exec_probe: ExecProbe) -> None:
        self._library = library
        self._records = records
        self._exec_probe = exec_probe

    async def prepare(self, record: ShareRecord) -> Injection:
        """Return the library's variables and the files that make every program load it."""
        grants = record.by_mode(self.isolation)
        if len(grants) > CARDS_MAX:
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, f"at most {CARDS_MAX} cards at once")
        folder = self._records.folder(record.key)
        try:
            mounts = self._files(folder)
        except OSError as error:
            raise StartError(ExitCause.NODE_FAULT, f"{folder}: {error.strerror}") from error
        return Injection(env=_variables(grants), mounts=mounts, needs_barrier=True)

    async def enforce(self, record: ShareRecord, scope: ProcessScope) -> None:
        """Load the library once with the limits, and compare what is seen with what was granted."""
        del scope
        expected = [grant.ceiling_mib for grant in record.by_mode(self.isolation)]
        seen = await self._seen_mib(record.key)
        if len(seen) != len(expected) or any(
            abs(one - other) > ROUNDING_MIB for one, other in zip(seen, expected, strict=True)
        ):
            detail = f"the container sees cards of {seen} MiB, granted are {expected} MiB"
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)

    async def release(self, record: ShareRecord) -> None:
        """Leave nothing: the region goes with the container's folder."""

    async def _seen_mib(self, key: ContainerKey) -> list[int]:
        result = await self._exec_probe.run_probe(key, QUERY)
        if not result.is_success:
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, f"not verified: {result.last_line}")
        return [int(line) for line in result.output.split() if line.isdecimal()]

    def _files(self, folder: Path) -> tuple[Mount, ...]:
        """Make what is mounted; only the region and its locks may be written, by this work only."""
        region, locks, preload = folder / "vgpu", folder / "vgpulock", folder / "ld.so.preload"
        for path in (region, locks):
            path.mkdir(parents=True, exist_ok=True)
            path.chmod(0o777)
        preload.write_text(f"{LIBRARY}\n", encoding="utf-8")
        preload.chmod(0o644)
        return (
            Mount(self._library, LIBRARY),
            Mount(preload, PRELOAD),
            Mount(region, REGION, is_read_only=False),
            Mount(locks, LOCKS, is_read_only=False),
        )


def _variables(grants: tuple[ShareGrant, ...]) -> dict[str, str]:
    """Return the limits of each card by its place among those that the container sees."""
    env = {"CUDA_DEVICE_MEMORY_SHARED_CACHE": REGION_FILE, "GPU_CORE_UTILIZATION_POLICY": "FORCE"}
    for place, grant in enumerate(grants):
        env[f"CUDA_DEVICE_MEMORY_LIMIT_{place}"] = f"{grant.ceiling_mib}m"
    percents = {grant.compute_pct for grant in grants}
    # One limit for all cards is what the library knows; the greatest takes nothing away.
    env["CUDA_DEVICE_SM_LIMIT"] = str(max(percents) % 100)
    return env
