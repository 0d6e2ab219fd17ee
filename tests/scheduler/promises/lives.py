"""One workload of a played world, and what the platform knows of it."""

from dataclasses import dataclass, replace

from scheduler.core.model.entities import Millis, PendingWorkload, RunningWorkload, WorkloadId
from scheduler.core.model.policy import REAL_OVERHEADS
from scheduler.core.model.reasons import Reason, ReasonCode
from tests.scheduler.promises.history import Attempt, first_of
from tests.scheduler.promises.worlds import Job


@dataclass(slots=True)
class Life:
    """One workload that has been submitted and has not ended."""

    job: Job
    version: int = 0
    evicted_for: WorkloadId | None = None
    waits: bool = True
    retry_at: int = 0
    attempts: int = 0
    attained_gpu_s: int = 0
    attempt: Attempt | None = None
    """What holds devices; of work that waits, what has not left yet."""

    def as_waiting(self, now: Millis) -> PendingWorkload:
        """Return it as the portal loads it while it waits."""
        held: tuple[Reason, ...] = ()
        if self.attempt is not None:
            held = (Reason(ReasonCode.WAITING_FOR_EVICTION, {"allocations": 1}),)
        if self.retry_at > now:
            held = (*held, Reason(ReasonCode.WAITING_TO_RETRY, {"retry_at": self.retry_at}))
        return replace(
            self.job.workload,
            version=self.version,
            held=held,
            evicted_for=self.evicted_for,
            attained_gpu_s=self.attained_gpu_s,
        )

    def as_running(self, attempt: Attempt, grace_s: int, now: Millis) -> RunningWorkload:
        """Return it as the portal loads it: what waits already, or is set up, has not started."""
        work = self.job.workload
        started_at = None if self.waits else attempt.started_at
        begins = started_at or max(attempt.placed_at + REAL_OVERHEADS.starting_s * 1000, now)
        grace_s = grace_s if attempt.noticed_at is None else attempt.grace_s
        stops = first_of(attempt.limit_from(begins), attempt.must_end_at, attempt.noticed_at)
        return RunningWorkload(
            id=work.id,
            pool=work.pool,
            group=work.group,
            user=work.user,
            priority=work.priority,
            request=work.request,
            placements=attempt.placements,
            ends_at=first_of(attempt.limit_from(started_at or now), attempt.must_end_at),
            stopping=attempt.noticed_at is not None,
            version=self.version,
            submitted_at=work.submitted_at,
            started_at=started_at,
            preemptible=work.preemptible,
            attained_gpu_s=self.attained_gpu_s,
            stopping_for=self.evicted_for if self.waits else None,
            time_limit_s=work.time_limit_s or 0,
            leaves_by=None
            if stops is None
            else Millis(stops + (grace_s + REAL_OVERHEADS.settling_s) * 1000),
            traits=work.traits,
        )
