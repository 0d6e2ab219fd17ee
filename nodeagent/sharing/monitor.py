"""What goes on being looked at while shares are in use: memory without a wall, cards that got lost.

It decides nothing about cards or work itself: `timeslice` and `lost` do, `Tenants` acts.
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
LOST_EVERY_MS: Final = 20_000
"""Twice in a row makes it certain, within a minute with room for slow answers."""
MONITORED_MODES: Final = (Isolation.HAMI, Isolation.TIMESLICE)
"""Modes that a program can get around: the watch is their second line, or their only one."""
LOST_QUERY: Final = ("nvidia-smi", "-L")
LOST_ANSWERS: Final = (
    "Failed to initialize NVML: Unknown Error",
    "Unable to determine the device handle",
)
"""What it says when the device is there and may not be opened, or is not there any more."""
LOST_ANSWERS_MIN: Final = 2


class NodeShareMonitor:
    """Looks every two seconds; a look that fails says nothing and changes nothing."""

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
        """Go on for ever."""
        while True:
            await asyncio.sleep(CHECK_INTERVAL_S)
            await self.check(supervisor)

    async def check(self, supervisor: ContainerSupervisor) -> None:
        """Look once at everything that is due."""
        await self._release_orphans(supervisor.live_keys())
        await self._enforce_memory(supervisor)
        now = self._clock.now_ms()
        if now - self._probed_at >= LOST_EVERY_MS:
            self._probed_at = now
            await self._probe_lost_devices(supervisor)

    async def _release_orphans(self, live: Collection[ContainerKey]) -> None:
        """Take back what belongs to nobody any more: its end was seen by an earlier agent."""
        of = [item.key for item in (*self._records, *self._records.list_unreadable())]
        for key in of:
            if key not in live:
                log.info("share.orphaned", allocation=key.allocation)
                await self._sharing.release(key)

    async def _enforce_memory(self, supervisor: ContainerSupervisor) -> None:
        """Look at the memory of every guarded share, and act on what it says."""
        guarded = [item for item in self._records if item.scope and list(_monitored(item))]
        cards = sorted({uuid for item in guarded for uuid, _, _ in _monitored(item)})
        holdings: list[GpuHolding] = []
        free: dict[str, int] = {}
        for uuid in cards:
            try:
                used = await self._nvml.used_mib(uuid)
                free[uuid] = await self._nvml.free_mib(uuid)
            except NvmlFailedError as error:
                log.info("share.unseen", card=uuid, error=str(error))
                return
            holdings += _holdings(uuid, dict(used), guarded)
        self._overuse, acts = overuse.evaluate_overuse(
            self._overuse, holdings, free, self._clock.now_ms()
        )
        for act in acts:
            key = act.holding.key
            log.warning("share.exceeded", allocation=key.allocation, detail=act.detail)
            match act:
                case OveruseWarning():
                    await supervisor.warn_for(key, ExitCause.GPU_MEMORY_EXCEEDED, act.detail)
                case OveruseStop():
                    await supervisor.stop_for(key, ExitCause.GPU_MEMORY_EXCEEDED, act.detail)

    async def _probe_lost_devices(self, supervisor: ContainerSupervisor) -> None:
        """Ask every container with a real card whether it still has it, all at once."""
        asked = [item.key for item in self._records if item.scope and _has_real_card(item)]
        answers = await asyncio.gather(
            *(self._exec_probe.run_probe(key, LOST_QUERY) for key in asked)
        )
        before, self._lost_answers = self._lost_answers, {}
        for key, answer in zip(asked, answers, strict=True):
            told = has_lost_device(answer.code, answer.output)
            self._lost_answers[key] = count_lost_answers(before.get(key, 0), answer=told)
            if is_certain(self._lost_answers[key]):
                await supervisor.stop_for(key, ExitCause.DEVICE_LOST, answer.last_line)


def _monitored(record: ShareRecord) -> Iterator[tuple[str, int, int]]:
    """Go through a container's guarded shares: card, guarantee and ceiling."""
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
    """Tell whether the device is gone; None when the answer means nothing."""
    if any(text in output for text in LOST_ANSWERS):
        return True
    if code == 0:
        return False
    return None


def count_lost_answers(before: int, *, answer: bool | None) -> int:
    """Return how many answers in a row have said that it is gone."""
    if answer is None:
        return before
    return before + 1 if answer else 0


def is_certain(times: int) -> bool:
    """Tell whether it is time to act: one bad answer may come from a driver that is busy."""
    return times >= LOST_ANSWERS_MIN
