"""Tracks the health of all cards of the node from reading to reading."""

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final

import structlog

from nodeagent.card_ports import CardProcess, CardReading
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
from nodeagent.ports import GpuUsage
from wire.facts import AcceleratorFacts, AcceleratorHealth, NodeFault
from wire.words import Phase

log = structlog.get_logger()

NAMES_SHOWN: Final = 4
SYSTEM_PROCESSES: Final = frozenset(
    {"nvidia-cuda-mps", "nvidia-persiste", "nv-hostengine", "dcgm-exporter", "Xorg"}
)
"""Process names as the kernel shortens them, to 15 characters. They count only if run by root."""


SaveHealth = Callable[[SavedHealth], None]
"""Stores the health that must survive a restart of the agent; returns at once, without disk I/O."""


class HealthMonitor:
    """The cards of one node and their health."""

    def __init__(
        self,
        saved: SavedHealth | None = None,
        save: SaveHealth = lambda _: None,
        limits: HealthThresholds = THRESHOLDS,
    ) -> None:
        """Start with the health that was saved by an earlier agent."""
        self._save = save
        self._limits = limits
        self._saved = saved or SavedHealth()
        self._states = {
            uuid: CardState(latched_fault=fault)
            for uuid, fault in self._saved.latched_faults.items()
        }
        self._retests = dict(self._saved.retests)
        self._requested: dict[str, int] = {}
        self._names: dict[str, str] = {}

    def request_retests(self, retests: Mapping[str, int]) -> bool:
        """Request new evaluations of cards; return whether there is a new order.

        `retests`: the number of the operator's last order by UUID; one carried out before is ignored.
        """
        is_new = dict(retests) != self._requested
        self._requested = dict(retests)
        return is_new and any(count > self._retests.get(uuid, 0) for uuid, count in retests.items())

    def evaluate(
        self,
        readings: Collection[CardReading],
        containers: Collection[Container],
        owners: Mapping[int, ContainerKey] | None,
        now: int,
    ) -> tuple[AcceleratorFacts, ...]:
        """Return the cards as reported to the portal, with their evaluated health.

        `owners`: the container of each process, None if unknown; `now` in milliseconds.
        """
        holders: dict[str, list[Container]] = defaultdict(list)
        for item in containers:
            for device in item.devices:
                holders[device.uuid].append(item)
        cards = tuple(
            self._evaluate(reading, _observe(reading, holders[reading.facts.uuid], owners), now)
            for reading in readings
        )
        self._save_if_changed()
        return cards

    def report_faults(self) -> tuple[NodeFault, ...]:
        """Return a fault that names the cards which only a reboot can restore: by place, where it is known."""
        lost = [
            self._names.get(uuid, uuid)
            for uuid, known in self._states.items()
            if known.latched_fault and _is_lost(known.latched_fault)
        ]
        if not lost:
            return ()
        names = ", ".join(sorted(lost)[:NAMES_SHOWN])
        return (NodeFault(code="reboot_needed", detail=names[:200], is_blocking=False),)

    def _evaluate(
        self, reading: CardReading, observation: CardObservation, now: int
    ) -> AcceleratorFacts:
        facts = reading.facts
        self._names[facts.uuid] = f"#{facts.index}"
        before = self._states.get(facts.uuid, CardState())
        last_retest, requested = (
            self._retests.get(facts.uuid, 0),
            self._requested.get(facts.uuid, 0),
        )
        if requested > last_retest:
            log.warning("card.retested", uuid=facts.uuid, fault=before.fault)
            before = reset_health(before, observation, self._limits)
            self._retests[facts.uuid] = last_retest = requested
        after = evaluate_health(before, observation, now, self._limits)
        self._states[facts.uuid] = after
        if (after.health, after.fault) != (before.health, before.fault):
            log.warning("card.health", uuid=facts.uuid, health=after.health, fault=after.fault)
        change: dict[str, object] = {
            "health": after.health,
            "fault": after.fault,
            "retested": last_retest,
        }
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
    readings: Collection[CardReading],
    containers: Collection[Container],
    owners: Mapping[int, ContainerKey],
) -> dict[ContainerKey, GpuUsage]:
    """Return the GPU usage of each container's own processes, where it can be measured."""
    by_card = {item.facts.uuid: item.processes for item in readings}
    found = {}
    for container in containers:
        cards = {device.uuid for device in container.devices}
        process_lists = [by_card.get(uuid) for uuid in cards]
        if not process_lists or any(processes is None for processes in process_lists):
            continue
        own_processes = [
            item
            for processes in process_lists
            for item in processes or ()
            if owners.get(item.pid) == container.key
        ]
        memory = _sum_if_known([item.memory_mib for item in own_processes])
        busy = _sum_if_known([item.utilisation_pct for item in own_processes])
        found[container.key] = GpuUsage(
            memory, None if busy is None else min(100, busy // len(cards))
        )
    return found


def _observe(
    reading: CardReading, held: Collection[Container], owners: Mapping[int, ContainerKey] | None
) -> CardObservation:
    """Return the observation of a card; on another tenant's card, a tenant's process is foreign."""
    facts, processes = reading.facts, reading.processes
    holders = {item.key for item in held}
    return CardObservation(
        health=facts.health,
        fault=facts.fault,
        xids=reading.xids,
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
        ecc_uncorrected=reading.ecc_uncorrected,
        has_remap_failed=reading.has_remap_failed,
    )


def _may_explain_memory(holder: Container, processes: Collection[CardProcess] | None) -> bool:
    """Return whether the memory may be this container's: one that is starting has not used it yet."""
    return holder.phase is not Phase.STARTING or processes is None


def _is_lost(fault: str) -> bool:
    return classify_xid(int(fault.removeprefix("xid_"))) is XidClass.LOST


def _sum_if_known(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def is_system_process(pid: int) -> bool:
    """Return whether a process is this agent, or a system service of the host."""
    if pid == os.getpid():
        return True
    folder = Path("/proc") / str(pid)
    try:
        name = (folder / "comm").read_text(encoding="utf-8", errors="replace").strip()
        return name in SYSTEM_PROCESSES and folder.stat().st_uid == 0
    except OSError:
        return False
