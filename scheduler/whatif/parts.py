"""The part of a simulation that is of some groups, as if it had been recorded alone."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from operator import itemgetter

from scheduler.core.model.entities import GroupId
from scheduler.whatif.metrics import JobRecord, Recorder, SimulationOutcome

_Event = tuple[int, Callable[[Recorder], None]]


def part_of(outcome: SimulationOutcome, groups: Collection[GroupId]) -> SimulationOutcome:
    """Return what was measured of the work of these groups, over the same time and the same cards.

    Cards that others hold are not busy in it: its utilisation is the part of the cluster that these
    groups hold.
    """
    own = [record for record in outcome.records if record.workload.group in groups]
    milli = {record.workload.id: record.gpu_milli for record in own}
    recorder = Recorder(outcome.gpus, lambda workload: milli[workload.id])
    events = [event for record in own for event in _events(record)]
    for _, write in sorted(events, key=itemgetter(0)):
        write(recorder)
    if events:
        recorder.close(outcome.ended_ms)
    return replace(recorder.outcome(), began_ms=outcome.began_ms, ended_ms=outcome.ended_ms)


def _events(record: JobRecord) -> Iterator[_Event]:
    """Yield the life of a job in its order; what still ran at the end has no end."""
    job = record.workload
    yield record.submitted, lambda to: to.arrived(job, record.submitted)
    for place, (start, end) in enumerate(record.attempts):
        yield start, _started(record, start)
        if place < len(record.evictions):
            yield end, _evicted(record, place, end)
        elif record.ended is not None:
            yield end, lambda to: to.ended(job, record.ended or 0)
    if record.given_up is not None:
        yield record.given_up, lambda to: to.withdrawn(job, record.given_up or 0)


def _started(record: JobRecord, at: int) -> Callable[[Recorder], None]:
    return lambda to: to.started(record.workload, at)


def _evicted(record: JobRecord, place: int, at: int) -> Callable[[Recorder], None]:
    return lambda to: to.evicted(record.workload, at, record.evictions[place])
