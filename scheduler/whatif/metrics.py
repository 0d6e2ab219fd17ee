"""What a run is judged by: waits, completion times, GPU-hours, and the cluster over time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scheduler.core.model.entities import PendingWorkload, WorkloadId
from scheduler.core.model.plan import EvictionCause

_SECOND = 1000
_HOUR_MS = 3_600_000


@dataclass(slots=True)
class JobRecord:
    """The life of one job, times in milliseconds."""

    workload: PendingWorkload
    submitted: int
    gpu_milli: int
    """Thousandths of cards that it holds while it runs."""
    started: int | None = None
    """Its first start."""
    ended: int | None = None
    given_up: int | None = None
    """When its owner stopped waiting for it."""
    held_ms: int = 0
    """How long it has held its cards, over all attempts."""
    since: int = 0
    """Start of the present attempt, while it runs."""
    evictions: list[EvictionCause] = field(default_factory=list)
    attempts: list[tuple[int, int]] = field(default_factory=list)
    """From when to when it held its cards; what still runs at the end of the run ends there."""

    @property
    def gpu_hours(self) -> float:
        """Card-hours that it has held, over all attempts."""
        return self.held_ms * self.gpu_milli / _HOUR_MS / 1000

    @property
    def wait_s(self) -> float:
        """From its submission to its first start."""
        return ((self.started or self.submitted) - self.submitted) / _SECOND

    @property
    def idle_s(self) -> float:
        """All the time in which it had no cards, evictions included."""
        return ((self.ended or self.submitted) - self.submitted - self.held_ms) / _SECOND

    @property
    def completion_s(self) -> float:
        """From its submission to its end."""
        return ((self.ended or self.submitted) - self.submitted) / _SECOND


@dataclass(frozen=True, slots=True)
class Moment:
    """The cluster from this moment to the next."""

    at_ms: int
    milli_busy: int
    """Thousandths of cards that are held."""
    waiting: int
    longest_wait_s: float


@dataclass(frozen=True, slots=True)
class SimulationOutcome:
    """Everything measured in one run."""

    records: tuple[JobRecord, ...]
    moments: tuple[Moment, ...]
    gpus: int
    began_ms: int
    ended_ms: int

    @property
    def finished(self) -> tuple[JobRecord, ...]:
        """Jobs that have ended."""
        return tuple(record for record in self.records if record.ended is not None)

    @property
    def mean_wait_s(self) -> float:
        """Mean time to the first start."""
        return mean([record.wait_s for record in self.finished])

    @property
    def mean_completion_s(self) -> float:
        """Mean time from submission to end."""
        return mean([record.completion_s for record in self.finished])

    @property
    def longest_wait_s(self) -> float:
        """The longest time to a first start."""
        return max((record.wait_s for record in self.finished), default=0.0)

    @property
    def longest_idle_s(self) -> float:
        """The longest time that a job was without GPUs, over all its attempts."""
        return max((record.idle_s for record in self.finished), default=0.0)

    def wait_quantile_s(self, part: float) -> float:
        """Return the wait that so many of the jobs did not exceed."""
        return quantile([record.wait_s for record in self.finished], part)

    @property
    def gpu_hours(self) -> float:
        """Card-hours that were held."""
        return sum(record.gpu_hours for record in self.records)

    def utilisation(self, from_ms: int | None = None, to_ms: int | None = None) -> float:
        """Return the part of the cards that was held, between two moments or all the time."""
        start = self.began_ms if from_ms is None else from_ms
        end = self.ended_ms if to_ms is None else to_ms
        if end <= start or self.gpus == 0:
            return 0.0
        busy = 0
        for moment, after in zip(self.moments, self.moments[1:], strict=False):
            overlap = min(after.at_ms, end) - max(moment.at_ms, start)
            busy += moment.milli_busy * max(overlap, 0)
        return busy / (1000 * self.gpus * (end - start))


class Recorder:
    """Writes down what happens, in the order in which it happens."""

    def __init__(self, cards: int, milli_of: Callable[[PendingWorkload], int]) -> None:
        self._cards = cards
        self._milli_of = milli_of
        self.records: dict[WorkloadId, JobRecord] = {}
        self._moments: list[Moment] = []
        self._queue: dict[WorkloadId, int] = {}
        """What waits, since when; in the order of arrival."""
        self._busy = 0

    def arrived(self, workload: PendingWorkload, now: int) -> None:
        """Note that it was submitted."""
        self.records[workload.id] = JobRecord(workload, now, self._milli_of(workload))
        self._queue[workload.id] = now
        self._note(now)

    def started(self, workload: PendingWorkload, now: int) -> None:
        """Note that an attempt has its cards."""
        record = self.records[workload.id]
        record.started = now if record.started is None else record.started
        record.since = now
        self._busy += record.gpu_milli
        del self._queue[workload.id]
        self._note(now)

    def ended(self, workload: PendingWorkload, now: int) -> None:
        """Note that it has ended."""
        self._left(workload, now).ended = now
        self._note(now)

    def withdrawn(self, workload: PendingWorkload, now: int) -> None:
        """Note that its owner has given it up while it waited."""
        self.records[workload.id].given_up = now
        del self._queue[workload.id]
        self._note(now)

    def evicted(self, workload: PendingWorkload, now: int, cause: EvictionCause) -> None:
        """Note that it had to leave and waits again."""
        self._left(workload, now).evictions.append(cause)
        self._queue[workload.id] = now
        self._note(now)

    def close(self, now: int) -> None:
        """Count work that still runs up to the end of the run."""
        for record in self.records.values():
            runs = record.started is not None and record.ended is None
            if runs and record.workload.id not in self._queue:
                self._hold(record, now)
        self._note(now)

    def outcome(self) -> SimulationOutcome:
        """Return what was written down."""
        moments = tuple(self._moments)
        began = moments[0].at_ms if moments else 0
        ended = moments[-1].at_ms if moments else 0
        return SimulationOutcome(tuple(self.records.values()), moments, self._cards, began, ended)

    def _left(self, workload: PendingWorkload, now: int) -> JobRecord:
        record = self.records[workload.id]
        self._hold(record, now)
        self._busy -= record.gpu_milli
        return record

    @staticmethod
    def _hold(record: JobRecord, until: int) -> None:
        record.held_ms += until - record.since
        record.attempts.append((record.since, until))

    def _note(self, now: int) -> None:
        """Write the state down; of several states of one moment the last one counts."""
        longest = now - next(iter(self._queue.values()), now)
        moment = Moment(now, self._busy, len(self._queue), longest / _SECOND)
        if self._moments and self._moments[-1].at_ms == now:
            self._moments[-1] = moment
        else:
            self._moments.append(moment)


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def quantile(values: Sequence[float], part: float) -> float:
    """Return the least value that `part` of the values do not exceed, 0 of nothing."""
    ranked = sorted(values)
    return ranked[min(int(len(ranked) * part), len(ranked) - 1)] if ranked else 0.0
