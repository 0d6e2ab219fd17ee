"""Monitors running shares: GPU memory in modes that do not limit it reliably, and lost devices.

Memory is judged by `evaluate_overuse`; the `ContainerSupervisor` warns and stops.
"""

import asyncio
from collections.abc import Collection, Iterator
from typing import Final

import structlog

from nodeagent.core.state import ContainerKey
from nodeagent.ports import Clock, ContainerSupervisor, Sharing
from nodeagent.sharing import overuse
from nodeagent.sharing.exec_probe import ExecProbe
from nodeagent.sharing.nvml_client import NvmlClient, NvmlFailedError
from nodeagent.sharing.overuse import GpuHolding, OveruseState, OveruseStop, OveruseWarning
from nodeagent.sharing.process_owners import find_owners
from nodeagent.sharing.records import ShareRecord, ShareRecords
from wire.words import ExitCause, Isolation

log = structlog.get_logger()

CHECK_INTERVAL_S: Final = 2.0
LOST_INTERVAL_MS: Final = 20_000
"""Two answers in a row are required, so a loss is certain within a minute even if they are slow."""
MONITORED_MODES: Final = (Isolation.HAMI, Isolation.TIMESLICE)
"""Modes that a program can evade: monitoring is their second line of defence, or the only one."""
LOST_QUERY: Final = ("nvidia-smi", "-L")
LOST_ANSWERS: Final = (
    "Failed to initialize NVML: Unknown Error",
    "Unable to determine the device handle",
)
"""Messages when the device may not be opened, or no longer exists."""
LOST_ANSWERS_MIN: Final = 2


class NodeShareMonitor:
    """Checks the shares periodically; a failing measurement changes nothing."""

    def __init__(
        self,
        records: ShareRecords,
        sharing: Sharing,
        cards: NvmlClient,
        exec_probe: ExecProbe,
        clock: Clock,
    ) -> None:
        self._records = records
        self._sharing = sharing
        self._nvml = cards
        self._exec_probe = exec_probe
        self._clock = clock
        self._overuse = OveruseState()
        self._probed_at = clock.now_ms()
        self._lost_answers: dict[ContainerKey, int] = {}

    async def run(self, supervisor: ContainerSupervisor) -> None:
        """Check periodically until cancelled."""
        while True:
            await asyncio.sleep(CHECK_INTERVAL_S)
            await self.check(supervisor)

    async def check(self, supervisor: ContainerSupervisor) -> None:
        """Run the checks that are due."""
        await self._release_orphans(supervisor.live_keys())
        await self._enforce_memory(supervisor)
        now = self._clock.now_ms()
        if now - self._probed_at >= LOST_INTERVAL_MS:
            self._probed_at = now
            await self._probe_lost_devices(supervisor)

    async def _release_orphans(self, live: Collection[ContainerKey]) -> None:
        """Release shares of containers that ended under an earlier agent."""
        keys = [item.key for item in (*self._records, *self._records.list_unreadable())]
        for key in keys:
            if key not in live:
                log.info("share.orphaned", allocation=key.allocation)
                await self._sharing.release(key)

    async def _enforce_memory(self, supervisor: ContainerSupervisor) -> None:
        """Measure the memory of every monitored share, and warn or stop its container."""
        monitored = [item for item in self._records if item.scope and list(_monitored(item))]
        cards = sorted({uuid for item in monitored for uuid, _, _ in _monitored(item)})
        holdings: list[GpuHolding] = []
        free: dict[str, int] = {}
        for uuid in cards:
            try:
                used = await self._nvml.used_mib(uuid)
                free[uuid] = await self._nvml.free_mib(uuid)
            except NvmlFailedError as error:
                log.info("share.unseen", card=uuid, error=str(error))
                return
            holdings += _holdings(uuid, dict(used), monitored)
        self._overuse, actions = overuse.evaluate_overuse(
            self._overuse, holdings, free, self._clock.now_ms()
        )
        for action in actions:
            key = action.holding.key
            log.warning("share.exceeded", allocation=key.allocation, detail=action.detail)
            match action:
                case OveruseWarning():
                    await supervisor.warn_for(key, ExitCause.GPU_MEMORY_EXCEEDED, action.detail)
                case OveruseStop():
                    await supervisor.stop_for(key, ExitCause.GPU_MEMORY_EXCEEDED, action.detail)

    async def _probe_lost_devices(self, supervisor: ContainerSupervisor) -> None:
        """Ask all containers with real cards whether they can still use them, concurrently."""
        keys = [item.key for item in self._records if item.scope and _has_real_card(item)]
        answers = await asyncio.gather(
            *(self._exec_probe.run_probe(key, LOST_QUERY) for key in keys)
        )
        before, self._lost_answers = self._lost_answers, {}
        for key, answer in zip(keys, answers, strict=True):
            is_lost = has_lost_device(answer.code, answer.output)
            self._lost_answers[key] = count_lost_answers(before.get(key, 0), answer=is_lost)
            if is_loss_certain(self._lost_answers[key]):
                await supervisor.stop_for(key, ExitCause.DEVICE_LOST, answer.last_line)


def _monitored(record: ShareRecord) -> Iterator[tuple[str, int, int]]:
    """Yield card, guarantee and ceiling of a container's monitored shares."""
    for mode in MONITORED_MODES:
        for grant in record.by_mode(mode):
            yield grant.uuid, grant.memory_mib, grant.ceiling_mib


def _holdings(uuid: str, used: dict[int, int], records: list[ShareRecord]) -> list[GpuHolding]:
    scopes = {item.key: item.scope for item in records if item.scope}
    owners = find_owners(used, scopes)
    return [
        GpuHolding(
            key=item.key,
            card=uuid,
            used_mib=sum(mib for pid, mib in used.items() if owners.get(pid) == item.key),
            guarantee_mib=guarantee,
            ceiling_mib=ceiling,
        )
        for item in records
        for card, guarantee, ceiling in _monitored(item)
        if card == uuid
    ]


def _has_real_card(record: ShareRecord) -> bool:
    return any(not share.is_simulated for share in record.shares)


def has_lost_device(code: int, output: str) -> bool | None:
    """Return whether the device is lost; None if the answer is inconclusive."""
    if any(text in output for text in LOST_ANSWERS):
        return True
    if code == 0:
        return False
    return None


def count_lost_answers(before: int, *, answer: bool | None) -> int:
    """Return how many answers in a row have reported the loss."""
    if answer is None:
        return before
    return before + 1 if answer else 0


def is_loss_certain(answers_in_a_row: int) -> bool:
    """Return whether to act: a single bad answer may come from a busy driver."""
    return answers_in_a_row >= LOST_ANSWERS_MIN
