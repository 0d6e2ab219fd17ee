"""Workloads as the API shows them; `shapes` declares the fields, and what is no column is here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from typing_extensions import override

from portal.common.actor import Actor
from portal.common.clock import from_millis, now
from portal.common.rest.projection import Extended, project, project_all
from portal.common.work_kinds import WebEndpoint, WorkAction
from portal.identity.models import User
from portal.inventory.models import Node
from portal.quotas.priorities import PRIORITY_NAMES
from portal.workloads import retry, selectors
from portal.workloads.app_folders import AppFolder, parse_app_folder
from portal.workloads.dependencies import DependencyStatus, dependencies_of
from portal.workloads.idle.rules import NextLoss
from portal.workloads.models import (
    Allocation,
    SchedulerPass,
    Workload,
    WorkloadEvent,
)
from portal.workloads.operations.disk_pressure import find_disk_shortage
from portal.workloads.operations.node_state import silent_since
from portal.workloads.responses.arrays import find_arrays
from portal.workloads.responses.idleness import find_idleness, idle_warnings_for_system
from portal.workloads.responses.queue_status import QueueStatus, queue_statuses_for_system
from portal.workloads.responses.row_actions import actions_on
from portal.workloads.responses.shapes import (
    WorkloadDetail,
    WorkloadEventShape,
    WorkloadSummary,
)
from portal.workloads.snapshot.avoidance import AvoidedPlace, load_avoided_by
from portal.workloads.submission.gpu_fractions import memory_ceiling_mib
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.states import LIVE_ALLOCATION, TERMINAL, WorkloadState
from wire.words import Phase

SCHEDULER_SILENT: Final = timedelta(seconds=30)
"""Without a pass for so long, the scheduler is what work waits for."""

_SPEC_DEFAULTS: Final[Mapping[str, Any]] = {
    "command": [],
    "script": "",
    "env": {},
    "launcher": "plain",
    "notice_signal": "SIGTERM",
    "datasets": [],
    "home": False,
    "volumes": [],
    "inputs": [],
    "ports": [],
    "port_names": {},
    "secrets": [],
    "template": None,
}
_ENDED: Final = TERMINAL | {WorkloadState.SUSPENDED}


def present_summaries(
    rows: Sequence[Any], *, actor: Actor, collapsed: bool = False
) -> list[dict[str, Any]]:
    """Present rows of `selectors.workloads_visible_to`; `collapsed` as its filter of that name."""
    arrays = find_arrays(rows) if collapsed else {}
    is_down = any(_is_queued(row) for row in rows) and _is_scheduler_down()
    statuses = queue_statuses_for_system(rows)
    warnings = idle_warnings_for_system(rows)
    sources = (
        Extended(
            row,
            _Listed(
                row,
                row.live,
                statuses.get(row.pk),
                is_down,
                arrays.get(row.array_id or row.pk),
                warnings.get(row.pk),
                actor,
            ),
        )
        for row in rows
    )
    return project_all(WorkloadSummary, sources)


def present_detail(workload: Workload, reader_id: UUID | None) -> dict[str, Any]:
    """Present one workload with everything that its page shows to this reader."""
    allocations = selectors.allocations_for_system(workload)
    live = [item for item in allocations if item.state in LIVE_ALLOCATION]
    is_down = _is_queued(workload) and _is_scheduler_down()
    status = queue_statuses_for_system([workload]).get(workload.pk)
    warning = idle_warnings_for_system([workload]).get(workload.pk)
    is_owner = workload.owner_id == reader_id
    array = find_arrays([workload]).get(workload.array_id or workload.pk)
    extra = _Detail(workload, live, status, is_down, array, warning, allocations, is_owner)
    return project(WorkloadDetail, Extended(workload, extra))


def present_submitted(workload: Workload, *, has_dependencies: bool = False) -> dict[str, Any]:
    """Present work that its owner has submitted a moment ago, from the row alone.

    Nobody has looked at it yet: the queue, the scheduler and the nodes are not asked.
    """
    found = dependencies_of(workload.group_id, workload=workload.pk) if has_dependencies else ()
    return project(WorkloadDetail, Extended(workload, _Submitted(workload, dependencies=found)))


def present_events(rows: Sequence[WorkloadEvent]) -> list[dict[str, Any]]:
    """Present events; people are shown by name, parts of the platform by theirs."""
    people = {row.actor_id for row in rows if row.actor_kind != "system"}
    found = User.objects.filter(pk__in=people).values_list("pk", "username") if people else ()
    names = {str(key): name for key, name in found}
    sources = (Extended(row, _Event(names.get(row.actor_id, row.actor_id))) for row in rows)
    return project_all(WorkloadEventShape, sources)


def find_end(row: Workload) -> datetime | None:
    """Return when running work is ended by its time limit or its deadline; None while it does not run."""
    if row.state != WorkloadState.RUNNING or row.started_at is None:
        return None
    if row.time_limit_s is None:
        return row.must_end_at
    ends_at = row.started_at + timedelta(seconds=row.time_limit_s)
    return ends_at if row.must_end_at is None else min(ends_at, row.must_end_at)


@dataclass(frozen=True, slots=True)
class _Summary:
    """Fields of a summary that are no columns, or not as they are stored."""

    row: Workload
    live: Sequence[Allocation]
    status: QueueStatus | None
    is_scheduler_down: bool
    array: Extended | None
    idle_warning: NextLoss | None
    """What it is about to lose because it is idle; None unless its owner was warned."""

    @property
    def priority(self) -> str:
        return PRIORITY_NAMES.get(self.row.priority, "normal")

    @property
    def ends_at(self) -> datetime | None:
        return find_end(self.row)

    @property
    def is_ready(self) -> bool:
        """Return whether a notebook or a web app can be opened now."""
        row = self.row
        if row.state != WorkloadState.RUNNING or row.terms.endpoint is WebEndpoint.PORTS:
            return False
        return row.terms.endpoint is WebEndpoint.PORT or any(
            item.epoch == row.epoch and item.port is not None for item in self.live
        )

    @property
    def shows(self) -> AppFolder | None:
        return parse_app_folder(self.row.app_folder)

    @property
    def runtime(self) -> str | None:
        return self.live[0].node.runtime if self.live else None

    @property
    def is_isolated(self) -> bool | None:
        return self.live[0].node.is_isolated if self.live else None

    @property
    def silent_since(self) -> datetime | None:
        return min((item["since"] for item in find_silent_nodes(self.live)), default=None)

    @property
    def position(self) -> int | None:
        return self.status.position if self.status else None

    @property
    def expected_start(self) -> Mapping[str, Any] | None:
        return self.status.expected_start if self.status else None

    @property
    def reasons(self) -> list[Mapping[str, Any]]:
        """Return why it waits; a scheduler that does not answer comes first."""
        if not _is_queued(self.row):
            return []
        found = self.status.reasons if self.status else ()
        down = [Reason(ReasonCode.SCHEDULER_DOWN).as_json()] if self.is_scheduler_down else []
        return [*down, *found]


@dataclass(frozen=True, slots=True)
class _Listed(_Summary):
    """The same with what its reader may do."""

    reader: Actor

    @property
    def actions(self) -> list[WorkAction]:
        states = self.array.extra.states if self.array else None
        return actions_on(self.row, self.reader, states)


@dataclass(frozen=True, slots=True)
class _Detail(_Summary):
    """The same of a workload in full."""

    attempt: Sequence[Allocation]
    is_owner: bool
    """Whether the reader is the owner."""

    @property
    def spec(self) -> dict[str, Any]:
        """Return what the workload runs; values of its environment are for its owner only."""
        spec = {**_SPEC_DEFAULTS, "hidden_env": [], **self.row.spec}
        if self.is_owner:
            return spec
        return {**spec, "env": {}, "hidden_env": sorted(spec["env"])}

    @property
    def restart(self) -> dict[str, Any]:
        policy = retry.parse_restart_policy(self.row.restart, self.row.retries_max)
        return retry.encode_restart_policy(policy)

    @property
    def allocations(self) -> list[Extended]:
        """Return the allocations of the present attempt, each with what it holds or held."""
        return [
            Extended(item, _HeldDevices(_phase(item), _devices(item, self.row)))
            for item in self.attempt
        ]

    @property
    def short_disks(self) -> list[dict[str, Any]]:
        """Return the nodes whose disk is running full, each once."""
        nodes = {item.node_id: item.node for item in self.live}
        found = [(node, find_disk_shortage(node.faults)) for node in nodes.values()]
        return [{"node": node, **short} for node, short in found if short]

    @property
    def silent_nodes(self) -> list[dict[str, Any]]:
        """Return the nodes of this work that are not heard, each once."""
        return find_silent_nodes(self.live)

    @property
    def timeline(self) -> list[dict[str, Any]]:
        """Return the states of the present attempt, each with when it was reached."""
        changes = selectors.transitions_for_system(self.row).values_list("to_state", "at")
        reached = [(WorkloadState(state), at) for state, at in changes]
        queued = [i for i, (state, _) in enumerate(reached) if state is WorkloadState.QUEUED]
        begins = max(queued, default=0)
        return [{"step": self._step(state), "at": at} for state, at in reached[begins:]]

    def _step(self, state: WorkloadState) -> str:
        if state in _ENDED:
            return "ended"
        is_probed = self.row.probe is not None
        return "ready" if state is WorkloadState.RUNNING and is_probed else state.value

    @property
    def reservation(self) -> dict[str, Any] | None:
        return _find_reservation(self.row.pk) if self.status else None

    @property
    def moved_starts(self) -> list[dict[str, Any]]:
        return _find_moved_starts(self.row.pk) if _is_queued(self.row) else []

    @property
    def avoids(self) -> tuple[AvoidedPlace, ...]:
        has_failed = _is_queued(self.row) and self.row.epoch
        return load_avoided_by(self.row.pk) if has_failed else ()

    @property
    def dependencies(self) -> Sequence[DependencyStatus]:
        return dependencies_of(self.row.group_id, workload=self.row.pk, array=self.row.array_id)

    @property
    def idle(self) -> Extended | None:
        return find_idleness(self.row)


def find_silent_nodes(live: Sequence[Allocation]) -> list[dict[str, Any]]:
    """Return the nodes of live allocations that are not heard, with the term of the work there."""
    found = {item.node_id: item for item in live}
    return [
        {"node": item.node, "since": since, "silence": item.silence}
        for item in found.values()
        if (since := silent_since(item.node)) is not None
    ]


@dataclass(frozen=True, slots=True)
class _Submitted(_Detail):
    """The same before the scheduler and the nodes know of it; its reader is its owner."""

    live: Sequence[Allocation] = ()
    status: QueueStatus | None = None
    is_scheduler_down: bool = False
    array: Extended | None = None
    idle_warning: NextLoss | None = None
    attempt: Sequence[Allocation] = ()
    is_owner: bool = True
    reservation: dict[str, Any] | None = None
    moved_starts: list[dict[str, Any]] = field(default_factory=list)
    idle: Extended | None = None
    dependencies: Sequence[DependencyStatus] = ()

    @property
    @override
    def timeline(self) -> list[dict[str, Any]]:
        return [{"step": self.row.state, "at": self.row.queued_at}]


@dataclass(frozen=True, slots=True)
class _HeldDevices:
    """How far an allocation is, and its devices, as they are shown."""

    phase: str
    devices: list[Extended]


@dataclass(frozen=True, slots=True)
class _Ceiling:
    """How far the memory of a device may grow."""

    ceiling_mib: int | None


def _phase(allocation: Allocation) -> str:
    """Return the phase of a container; one that runs and is not ready yet is still starting."""
    is_awaited = allocation.phase == Phase.RUNNING and allocation.ready_at is None
    return Phase.STARTING.value if is_awaited else allocation.phase


def _devices(allocation: Allocation, workload: Workload) -> list[Extended]:
    """Return what an allocation has, or had at its end; not what a parked notebook has released."""
    return [
        Extended(device, _Ceiling(memory_ceiling_mib(device, workload)))
        for device in allocation.devices.all()
        if device.released_at is None or allocation.state not in LIVE_ALLOCATION
    ]


@dataclass(frozen=True, slots=True)
class _Event:
    """The field of an event that is no column."""

    actor_name: str


def _find_reservation(workload_id: UUID) -> dict[str, Any] | None:
    """Return the start that the last pass has promised to a queued workload."""
    promised = SchedulerPass.objects.values_list("reservations", flat=True).first() or []
    mine = next((item for item in promised if item["workload"] == str(workload_id)), None)
    if mine is None or not mine.get("is_promised"):
        return None
    replicas = dict(mine["nodes"])
    nodes = Node.objects.filter(pk__in=replicas).order_by("name").only("pk", "name")
    return {
        "starts_at": from_millis(mine["starts_at"]),
        "nodes": [{"node": node, "replicas": replicas[str(node.pk)]} for node in nodes],
    }


def _find_moved_starts(workload_id: UUID) -> list[dict[str, Any]]:
    """Return the promised starts of a queued workload that could not be kept, the first one first."""
    moved = SchedulerPass.objects.values_list("moved", flat=True).first() or []
    return [
        {
            "at": from_millis(each["at"]),
            "was": from_millis(each["was"]),
            "starts_at": None if each["starts_at"] is None else from_millis(each["starts_at"]),
            "cause": each["cause"],
        }
        for each in moved
        if each["workload"] == str(workload_id)
    ]


def _is_queued(row: Workload) -> bool:
    return row.state == WorkloadState.QUEUED


def _is_scheduler_down() -> bool:
    last = SchedulerPass.objects.values_list("at", flat=True).first()
    return last is None or last < now() - SCHEDULER_SILENT
