"""Keeps what is known of each card from look to look, and says which of them may be trusted."""

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final

import structlog

from nodeagent.core.state import Container, ContainerKey
from nodeagent.gpu.health.evaluation import (
    THRESHOLDS,
    CardObservation,
    CardState,
    HealthThresholds,
    evaluate_health,
    reset_health,
)
from nodeagent.gpu.health.store import SavedHealth
from nodeagent.gpu.health.xids import XidClass, classify_xid
from nodeagent.ports import CardProcess, CardReading, GpuUsage
from wire.facts import AcceleratorFacts, AcceleratorHealth, NodeFault
from wire.words import Phase

log = structlog.get_logger()

UUIDS_SHOWN: Final = 4
SYSTEM_PROCESSES: Final = frozenset(
    {"nvidia-cuda-mps", "nvidia-persiste", "nv-hostengine", "dcgm-exporter", "Xorg"}
)
"""As the kernel shortens them, to 15 characters. They count only when root runs them."""


SaveHealth = Callable[[SavedHealth], None]
"""Takes what shall outlive the agent, and returns at once: no look waits for a disk."""


class HealthMonitor:
    """The cards of one node and their health."""

    def __init__(
        self,
        saved: SavedHealth | None = None,
        keep: SaveHealth = lambda _: None,
        limits: HealthThresholds = THRESHOLDS,
    ) -> None:
        """Begin with what an earlier agent kept."""
        self._save = keep
        self._limits = limits
        self._saved = saved or SavedHealth()
        self._states = {
            uuid: CardState(latched_fault=fault)
            for uuid, fault in self._saved.latched_faults.items()
        }
        self._retests = dict(self._saved.retests)
        self._requested: dict[str, int] = {}

    def request_retests(self, retests: Mapping[str, int]) -> bool:
        """Have cards judged anew with the next look; tell whether there is a new order.

        By UUID the number of an operator's last order; one that was carried out is over.
        """
        is_new = dict(retests) != self._requested
        self._requested = dict(retests)
        return is_new and any(count > self._retests.get(uuid, 0) for uuid, count in retests.items())

    def evaluate(
        self,
        looks: Collection[CardReading],
        containers: Collection[Container],
        owners: Mapping[int, ContainerKey] | None,
        now: int,
    ) -> tuple[AcceleratorFacts, ...]:
        """Return the cards as they are told to the portal.

        `owners`: whose each process is, None when nobody could say; `now` in milliseconds.
        """
        holders: dict[str, list[Container]] = defaultdict(list)
        for item in containers:
            for device in item.devices:
                holders[device.uuid].append(item)
        cards = tuple(
            self._evaluate(look, _observe(look, holders[look.facts.uuid], owners), now)
            for look in looks
        )
        self._save_if_changed()
        return cards

    def report_faults(self) -> tuple[NodeFault, ...]:
        """Return what an operator should do about cards that only a reboot can bring back."""
        lost = [
            uuid
            for uuid, known in self._states.items()
            if known.latched_fault and _is_lost(known.latched_fault)
        ]
        if not lost:
            return ()
        names = ", ".join(sorted(lost)[:UUIDS_SHOWN])
        return (NodeFault(code="reboot_needed", detail=names[:200], is_blocking=False),)

    def _evaluate(self, look: CardReading, seen: CardObservation, now: int) -> AcceleratorFacts:
        facts = look.facts
        before = self._states.get(facts.uuid, CardState())
        done, ordered = self._retests.get(facts.uuid, 0), self._requested.get(facts.uuid, 0)
        if ordered > done:
            log.warning("card.retested", uuid=facts.uuid, fault=before.fault)
            before = reset_health(before, seen, self._limits)
            self._retests[facts.uuid] = done = ordered
        after = evaluate_health(before, seen, now, self._limits)
        self._states[facts.uuid] = after
        if (after.health, after.fault) != (before.health, before.fault):
            log.warning("card.health", uuid=facts.uuid, health=after.health, fault=after.fault)
        change: dict[str, object] = {"health": after.health, "fault": after.fault, "retested": done}
        if after.health is AcceleratorHealth.GONE:
            change |= {"utilisation_pct": None, "memory_used_mib": None}
        return facts.model_copy(update=change)

    def _save_if_changed(self) -> None:
        latched = {
            uuid: known.latched_fault for uuid, known in self._states.items() if known.latched_fault
        }
        saved = SavedHealth(latched, dict(self._retests))
        if saved != self._saved:
            self._saved = saved
            self._save(saved)


def attribute_gpu_usage(
    looks: Collection[CardReading],
    containers: Collection[Container],
    owners: Mapping[int, ContainerKey],
) -> dict[ContainerKey, GpuUsage]:
    """Return what each container's own processes use of its cards, where that can be measured."""
    by_card = {item.facts.uuid: item.processes for item in looks}
    found = {}
    for container in containers:
        cards = {device.uuid for device in container.devices}
        told = [by_card.get(uuid) for uuid in cards]
        if not told or any(processes is None for processes in told):
            continue
        own = [
            item for some in told for item in some or () if owners.get(item.pid) == container.key
        ]
        memory = _sum_if_known([item.memory_mib for item in own])
        busy = _sum_if_known([item.utilisation_pct for item in own])
        found[container.key] = GpuUsage(
            memory, None if busy is None else min(100, busy // len(cards))
        )
    return found


def _observe(
    look: CardReading, held: Collection[Container], owners: Mapping[int, ContainerKey] | None
) -> CardObservation:
    """Return a look as the decision wants it; a tenant on a card of others is a stranger there."""
    facts, processes = look.facts, look.processes
    holders = {item.key for item in held}
    return CardObservation(
        health=facts.health,
        fault=facts.fault,
        xids=look.xids,
        foreign_pids=tuple(
            item.pid
            for item in processes or ()
            if owners is not None
            and owners.get(item.pid) not in holders
            and not is_system_process(item.pid)
        ),
        is_held=any(_may_explain_memory(item, processes) for item in held),
        is_used=None if processes is None else bool(processes),
        memory_mib=facts.memory_mib,
        memory_used_mib=facts.memory_used_mib,
        ecc_uncorrected=look.ecc_uncorrected,
        has_remap_failed=look.has_remap_failed,
    )


def _may_explain_memory(holder: Container, processes: Collection[CardProcess] | None) -> bool:
    """Tell whether memory may be this container's: one that only starts is not on its card yet."""
    return holder.phase is not Phase.STARTING or processes is None


def _is_lost(fault: str) -> bool:
    return classify_xid(int(fault.removeprefix("xid_"))) is XidClass.LOST


def _sum_if_known(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def is_system_process(pid: int) -> bool:
    """Tell whether a process is this agent, or a service of the host's own."""
    if pid == os.getpid():
        return True
    place = Path("/proc") / str(pid)
    try:
        name = (place / "comm").read_text(encoding="utf-8", errors="replace").strip()
        return name in SYSTEM_PROCESSES and place.stat().st_uid == 0
    except OSError:
        return False
