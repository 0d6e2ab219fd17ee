"""The desired state of a node, as the portal of the simulation answers with it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.states import AllocationState, WorkloadState
from tests.simulation.loop import SECOND
from tests.simulation.store import AllocationRow, NodeRow, WorkloadRow
from wire.messages import (
    Ack,
    ContainerSpec,
    Desired,
    DesiredContainer,
    Heartbeat,
    StopGrace,
    TimeLimit,
    UnknownContainer,
)
from wire.words import Device

if TYPE_CHECKING:
    from tests.simulation.server import Server


@dataclass(frozen=True, slots=True)
class Replies:
    """Builds the answers to heartbeats."""

    server: "Server"

    @property
    def grace_s(self) -> int:
        """Return how long work has to end that is stopped with a notice."""
        return self.server.store.pools[0].policy.grace_s

    def build(
        self,
        node: NodeRow,
        heartbeat: Heartbeat,
        acks: Iterable[tuple[str, int]],
        unknown: list[UnknownContainer],
    ) -> Desired:
        """Return the answer, and bind what it names."""
        return Desired(
            seq=heartbeat.seq,
            containers=tuple(self._desired(node, heartbeat.seq)),
            acks=tuple(Ack(allocation=name, epoch=epoch) for name, epoch in acks),
            unknown=tuple(unknown),
            graces=(*self._graces(node), *self._stops_at_once(node, heartbeat, unknown)),
        )

    def _desired(self, node: NodeRow, seq: int) -> Iterable[DesiredContainer]:
        for row in self.server.store.on_node(node.id):
            if self.server.held(row).is_wanted:
                if row.state is AllocationState.RESERVED:
                    self.server.store.change_allocation(row, AllocationState.BOUND)
                    row.bound_at = self.server.loop.now
                yield self._container(row)
            elif row.unwanted_seq is None:
                row.unwanted_seq = seq

    def _graces(self, node: NodeRow) -> Iterable[StopGrace]:
        for row in self.server.store.on_node(node.id):
            if row.grace_s is not None and not self.server.held(row).is_wanted:
                yield StopGrace(
                    allocation=row.name,
                    epoch=row.epoch,
                    seconds=row.grace_s,
                    notice_s=_notice_s(row.grace_s, row.workload),
                    reason="evicted",
                )

    def _stops_at_once(
        self, node: NodeRow, heartbeat: Heartbeat, unknown: list[UnknownContainer]
    ) -> Iterable[StopGrace]:
        held = {(row.name, row.epoch) for row in self.server.store.on_node(node.id)}
        held |= {(item.allocation, item.epoch) for item in unknown}
        for item in heartbeat.containers:
            if (item.allocation, item.epoch) not in held:
                yield StopGrace(allocation=item.allocation, epoch=item.epoch, seconds=0)

    def _container(self, row: AllocationRow) -> DesiredContainer:
        work = self.server.store.workloads[row.workload]
        return DesiredContainer(
            allocation=row.name,
            epoch=row.epoch,
            devices=tuple(
                Device(uuid=d.accelerator, slot=d.slot, slices=d.slices, memory_mib=4096)
                for d in row.devices
            ),
            silence=row.silence,
            limit=self._limit(work),
            spec=ContainerSpec(
                kind="environment" if work.is_notebook else "training",
                workload=work.id,
                name=work.id,
                image="python",
                cpu_milli=row.amount.cpu,
                memory_mib=row.amount.memory,
                rank=row.rank,
                ranks=work.request.replicas,
            ),
        )

    def _limit(self, work: WorkloadRow) -> TimeLimit | None:
        if (limit_s := self._limit_s(work)) is None:
            return None
        return TimeLimit(
            remaining_s=self._remaining_s(work, limit_s),
            grace_s=self.grace_s,
            notice_s=_notice_s(self.grace_s, work.id),
        )

    def _limit_s(self, work: WorkloadRow) -> int | None:
        is_limited = work.time_limit_s is None and self.server.bugs.limits_open_ends
        return 60 if is_limited else work.time_limit_s

    def _remaining_s(self, work: WorkloadRow, limit_s: int) -> int:
        begun = work.started_at if work.state is WorkloadState.RUNNING else None
        ran_ms = 0 if begun is None else self.server.loop.now - begun
        return max(0, -(-(limit_s * SECOND - ran_ms) // SECOND))


def _notice_s(grace_s: int, work: WorkloadId) -> int:
    """Return how much of a grace is notice: half of the work has chosen SIGTERM, and gets it at once."""
    return grace_s * 2 // 3 if int(work[-1]) % 2 else 0
