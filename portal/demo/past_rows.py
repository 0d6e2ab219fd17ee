"""The rows of a simulated past: what its plan says, as tables have it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

from portal.catalog.models import Image
from portal.common.ids import id_of
from portal.common.work_kinds import JOB, NOTEBOOK
from portal.demo.past.plan import (
    Attempt,
    Draw,
    Ending,
    Fate,
    Held,
    Lab,
    LabPast,
    PastJob,
    PastNotebook,
    Step,
)
from portal.demo.past.steps import OWNER, job_steps, notebook_steps
from portal.inventory.gpu_models import model_name
from portal.inventory.models import Accelerator, Pool
from portal.telemetry.past_samples import PastUse
from portal.workloads.measured_use import UsageSample
from portal.workloads.models import Allocation, AllocationDevice, Workload, WorkloadEvent
from portal.workloads.run_times import digest_command
from portal.workloads.simulated.past import PastRows
from scheduler.core.model.states import AllocationState, WorkloadState
from wire.words import Phase

SAMPLES: Final = 12
"""Of the use of each attempt: more than `portal.workloads.measured_use` needs to know it."""
JOB_CPU_MILLI: Final = 4_000
"""Of each card."""
JOB_MEMORY_MIB: Final = 24 * 1024
NOTEBOOK_CPU_MILLI: Final = 2_000
NOTEBOOK_MEMORY_MIB: Final = 8 * 1024
NOTEBOOK_LIMIT_S: Final = 24 * 3600
_EXITS: Final[Mapping[Ending, str]] = {
    Ending.SUCCEEDED: "exited",
    Ending.NODE_LOST: "node_lost",
}
SUCCESS: Final = Fate(Ending.SUCCEEDED, 0)
_OF_ITSELF: Final = frozenset({Ending.FAILED, Ending.RETRIED})
_Work = PastJob | PastNotebook


@dataclass(frozen=True, slots=True)
class Roster:
    """Who and what the names of a plan are."""

    users: Mapping[str, UUID]
    groups: Mapping[str, UUID]
    cards: Sequence[Accelerator]
    """As in the lab of the plan, each with its node."""
    notebooks: Pool
    jobs: Pool
    notebook_image: Image
    job_images: Sequence[Image]


@dataclass(slots=True)
class PastWriter:
    """Makes the rows of one past."""

    lab: Lab
    since: datetime
    roster: Roster
    keys: dict[int, UUID] = field(default_factory=dict)
    """Of jobs, by their numbers."""
    _rows: PastRows = field(default_factory=PastRows)
    _uses: list[PastUse] = field(default_factory=list)
    _samples: list[UsageSample] = field(default_factory=list)

    def rows_of(self, past: LabPast) -> tuple[PastRows, list[PastUse]]:
        """Return all rows, and what the attempts have used."""
        for job in past.jobs:
            steps = job_steps(self.lab, job)
            work = self._workload(job, steps, self._job_columns(job))
            self.keys[job.number] = work.pk
            self._log(work, steps)
            for epoch, attempt in enumerate(job.attempts, start=1):
                self._attempt(work, job, attempt, epoch)
        for notebook in past.notebooks:
            steps = notebook_steps(self.lab, notebook)
            work = self._workload(notebook, steps, self._notebook_columns(notebook))
            self._log(work, steps)
            for epoch, attempt in enumerate(notebook.attempts, start=1):
                self._attempt(work, notebook, attempt, epoch)
        self._rows.events.sort(key=attrgetter("at"))
        self._rows.samples = self._samples
        return self._rows, self._uses

    def _moment(self, second: int) -> datetime:
        return self.since + timedelta(seconds=second)

    def _workload(
        self, planned: _Work, steps: Sequence[Step], columns: Mapping[str, Any]
    ) -> Workload:
        """Return work as its last step has left it."""
        submitted, last = self._moment(steps[0].at_s), steps[-1]
        runs = [attempt.runs_s for attempt in planned.attempts if attempt.runs_s < attempt.ends_s]
        queued = [step.at_s for step in steps if step.target is WorkloadState.QUEUED]
        endings = Counter(attempt.ending for attempt in planned.attempts)
        held_s = sum(attempt.ends_s - attempt.placed_s for attempt in planned.attempts)
        cards = planned.cards if isinstance(planned, PastJob) else 0
        return Workload(
            id=id_of(submitted),
            created_at=submitted,
            name=planned.name,
            owner_id=self.roster.users[planned.owner],
            group_id=self.roster.groups[planned.group],
            state=last.target.value,
            cause=last.cause,
            cause_params=last.params,
            version=len(steps) - 1,
            epoch=last.epoch,
            retries=endings[Ending.RETRIED],
            evictions=endings[Ending.EVICTED],
            attained_gpu_s=held_s * cards,
            submitted_at=submitted,
            queued_at=self._moment(queued[-1]),
            started_at=self._moment(runs[-1]) if runs else None,
            finished_at=self._moment(last.at_s),
            **columns,
        )

    def _job_columns(self, job: PastJob) -> dict[str, Any]:
        project = job.project
        spec = {
            "command": [],
            "script": project.script,
            "launcher": "torchrun" if project.script.startswith("torchrun") else "",
            "notice_signal": "",
            "env": {},
        }
        ends_well = job.attempts and job.attempts[-1].ending is Ending.SUCCEEDED
        ends_badly = job.attempts and job.attempts[-1].ending is Ending.FAILED
        is_retried = job.fate.ending is Ending.RETRIED
        return {
            "kind": JOB.kind,
            "pool": self.roster.jobs,
            "image": self.roster.job_images[job.number % len(self.roster.job_images)],
            "gpus": project.gpus,
            "replicas": project.ranks,
            "cpu_milli": JOB_CPU_MILLI * project.gpus,
            "memory_mib": JOB_MEMORY_MIB * project.gpus,
            "time_limit_s": job.limit_s,
            "preemptible": job.preemptible,
            "retries_max": 2 if is_retried else 0,
            "tags": list(project.tags),
            "spec": spec,
            "command_digest": digest_command(spec),
            "exit_code": 0 if ends_well else job.fate.exit_code if ends_badly else None,
        }

    def _notebook_columns(self, notebook: PastNotebook) -> dict[str, Any]:
        spec: dict[str, Any] = {"command": [], "script": "", "env": {}}
        return {
            "kind": NOTEBOOK.kind,
            "pool": self.roster.notebooks,
            "image": self.roster.notebook_image,
            "slices": notebook.slices,
            "cpu_milli": NOTEBOOK_CPU_MILLI,
            "memory_mib": NOTEBOOK_MEMORY_MIB,
            "time_limit_s": NOTEBOOK_LIMIT_S,
            "spec": spec,
            "command_digest": digest_command(spec),
        }

    def _log(self, work: Workload, steps: Iterable[Step]) -> None:
        for step in steps:
            is_owner = step.by == OWNER
            self._rows.events.append(
                WorkloadEvent(
                    workload_id=work.pk,
                    owner_id=work.owner_id,
                    group_id=work.group_id,
                    pool_id=work.pool.pk,
                    at=self._moment(step.at_s),
                    from_state=step.source,
                    to_state=step.target.value,
                    epoch=step.epoch,
                    cause=step.cause,
                    params=step.params,
                    actor_kind="person" if is_owner else "system",
                    actor_id=str(work.owner_id) if is_owner else step.by,
                )
            )
        self._rows.workloads.append(work)

    def _attempt(self, work: Workload, planned: _Work, attempt: Attempt, epoch: int) -> None:
        for rank, held in enumerate(attempt.ranks):
            row = self._allocation(work, planned, attempt, epoch, rank)
            self._rows.allocations.append(row)
            self._rows.devices += self._devices(row, held)
            if attempt.runs_s < attempt.ends_s:
                use = self._use(planned, row, attempt, held)
                self._uses.append(use)
                self._samples += _measure(use)

    def _allocation(
        self, work: Workload, planned: _Work, attempt: Attempt, epoch: int, rank: int
    ) -> Allocation:
        held = attempt.ranks[rank]
        parts = [(self.roster.cards[part.card], len(part.slots)) for part in held]
        ran, ended = attempt.runs_s < attempt.ends_s, self._moment(attempt.ends_s)
        by_model: Counter[str] = Counter()
        for card, slots in parts:
            by_model[model_name(card.model)] += 1000 * slots // card.slices
        of_itself = attempt.ending in _OF_ITSELF
        fate = planned.fate if of_itself and isinstance(planned, PastJob) else SUCCESS
        return Allocation(
            id=id_of(self._moment(attempt.placed_s)),
            created_at=self._moment(attempt.placed_s),
            workload_id=work.pk,
            rank=rank,
            epoch=epoch,
            node=parts[0][0].node,
            pool=work.pool,
            state=AllocationState.RELEASED.value,
            cpu_milli=work.cpu_milli,
            memory_mib=work.memory_mib,
            total_gpu_milli=sum(by_model.values()),
            total_gpu_memory_mib=sum(slots * card.slice_mib for card, slots in parts),
            gpu_milli_by_model=dict(by_model),
            phase=Phase.RUNNING.value if ran else "",
            bound_at=self._moment(attempt.placed_s),
            started_at=self._moment(attempt.runs_s) if ran else None,
            ready_at=self._moment(attempt.runs_s) if ran else None,
            finished_at=ended,
            released_at=ended,
            billed_until=ended,
            exit_code=fate.exit_code if of_itself or attempt.ending is Ending.SUCCEEDED else None,
            exit_cause=fate.cause if of_itself else _EXITS.get(attempt.ending, "stopped"),
        )

    def _devices(self, row: Allocation, held: Sequence[Held]) -> Iterator[AllocationDevice]:
        for part in held:
            card = self.roster.cards[part.card]
            for slot in part.slots:
                yield AllocationDevice(
                    allocation_id=row.pk,
                    accelerator=card,
                    slot=slot,
                    slices=card.slices,
                    counted_milli=1000 // card.slices,
                    memory_mib=card.slice_mib,
                    held_from=row.created_at,
                    released_at=row.released_at,
                )

    def _use(
        self, planned: _Work, row: Allocation, attempt: Attempt, held: Sequence[Held]
    ) -> PastUse:
        draw = Draw(f"{self.lab.seed}/{attempt.placed_s}/{planned.number}")
        is_job = isinstance(planned, PastJob)
        mean = planned.project.use_pct if isinstance(planned, PastJob) else planned.use_pct
        mib = sum(self.roster.cards[part.card].slice_mib * len(part.slots) for part in held)
        return PastUse(
            allocation=row.pk,
            since=self._moment(attempt.runs_s),
            until=self._moment(attempt.ends_s),
            pct=min(97, max(2, mean + draw.randint(-6, 6))),
            swing_pct=10 if is_job else 2 * mean,
            gpu_mib=mib // len(held) * draw.randint(55, 94) // 100,
            cards=len(held),
            memory_mib=row.memory_mib * draw.randint(30, 75) // 100,
            cpu_milli=row.cpu_milli,
        )


def _measure(use: PastUse) -> Iterator[UsageSample]:
    for number in range(SAMPLES):
        pct = use.pct + use.swing_pct * number // (2 * SAMPLES)
        yield use.allocation, use.gpu_mib * use.cards, min(pct, 100)
