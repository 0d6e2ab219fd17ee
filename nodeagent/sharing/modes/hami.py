"""Mode `hami`: an intercepting library refuses CUDA calls beyond the share.

HAMi-core is cooperative: it works for every program that loads it. `/etc/ld.so.preload` makes all
dynamically linked programs load it. The limits must be in its shared region before the first
process of the work, since a process that comes first without them leaves all later ones unlimited.
So the work waits at the start barrier while a probe of the agent loads the library first; its
output is also the proof of the limits. The library is never part of this repository: an
administrator installs it and configures its path.
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
"""This path is compiled into the library."""
PRELOAD: Final = "/etc/ld.so.preload"
CARDS_MAX: Final = 16
"""Maximum number of cards in a region."""
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
            mounts = self._create_files(folder)
        except OSError as error:
            raise StartError(ExitCause.NODE_FAULT, f"{folder}: {error.strerror}") from error
        return Injection(env=_variables(grants), mounts=mounts, needs_barrier=True)

    async def enforce(self, record: ShareRecord, scope: ProcessScope) -> None:
        """Load the library once with the limits, and compare the visible memory with the grant."""
        del scope
        expected = [grant.ceiling_mib for grant in record.by_mode(self.isolation)]
        visible = await self._read_visible_mib(record.key)
        if len(visible) != len(expected) or any(
            abs(actual - granted) > ROUNDING_MIB
            for actual, granted in zip(visible, expected, strict=True)
        ):
            detail = f"the container sees cards of {visible} MiB, granted are {expected} MiB"
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)

    async def release(self, record: ShareRecord) -> None:
        """Do nothing: the region is deleted with the container's folder."""

    async def _read_visible_mib(self, key: ContainerKey) -> list[int]:
        result = await self._exec_probe.run_probe(key, QUERY)
        if not result.is_success:
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, f"not verified: {result.last_line}")
        return [int(line) for line in result.output.split() if line.isdecimal()]

    def _create_files(self, folder: Path) -> tuple[Mount, ...]:
        """Create the files to mount; only the region and its locks are writable, by this work only."""
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
    """Return the limits by the index of the card inside the container."""
    env = {"CUDA_DEVICE_MEMORY_SHARED_CACHE": REGION_FILE, "GPU_CORE_UTILIZATION_POLICY": "FORCE"}
    for index, grant in enumerate(grants):
        env[f"CUDA_DEVICE_MEMORY_LIMIT_{index}"] = f"{grant.ceiling_mib}m"
    percents = {grant.compute_pct for grant in grants}
    # The library has one limit for all cards; the greatest restricts none of them too much.
    env["CUDA_DEVICE_SM_LIMIT"] = str(max(percents) % 100)
    return env
