"""What a service would have cost with every request known beforehand, with the same cold starts."""

from dataclasses import dataclass
from heapq import heapify, heapreplace

from bench.scaling.traffic import Traffic


@dataclass(frozen=True, slots=True)
class OracleCost:
    """Replica-milliseconds, those of starting included."""

    all_in_time: int
    """Every request meets the target."""
    promised: int
    """Runs of replicas that pay least for what they answer are left out, up to the allowed misses."""


@dataclass(slots=True)
class _Run:
    start: int
    end: int
    answered: int


def oracle(
    traffic: Traffic, cold_start_ms: int, minimum: int, allowed_permille: int, scored_from: int = 0
) -> OracleCost:
    """Pack the requests on as few replicas as known beforehand, lowest first.

    A request goes to the first replica with a slot free before its slack is over. A replica is kept
    through a gap that is shorter than a cold start, else it ends and starts again in time: no other
    way through the same gap costs less. What lies before `scored_from` is not counted.
    """
    runs = _packed(traffic, cold_start_ms, minimum, scored_from)
    length = traffic.arrivals[-1] if traffic.arrivals else 0
    costs = [
        (run.end - max(run.start - cold_start_ms, scored_from), max(1, run.answered))
        for run in runs
        if run.end > scored_from
    ]
    total = minimum * (length - scored_from) + sum(cost for cost, _ in costs)
    spare = sum(at >= scored_from for at in traffic.arrivals) * allowed_permille // 1000
    saved = 0
    for cost, answered in sorted(costs, key=lambda each: each[0] / each[1], reverse=True):
        if answered <= spare:
            spare -= answered
            saved += cost
    return OracleCost(total, total - saved)


def _packed(traffic: Traffic, cold_start_ms: int, minimum: int, scored_from: int) -> list[_Run]:
    """Return the runs of all replicas beyond the minimum."""
    slots: list[list[int]] = []
    current: list[_Run | None] = []
    runs: list[_Run] = []
    for arrival, service in zip(traffic.arrivals, traffic.services, strict=True):
        latest = arrival + traffic.slack_ms
        index = next((i for i, free in enumerate(slots) if free[0] <= latest), len(slots))
        if index == len(slots):
            slots.append([-(10**15)] * traffic.slots)
            heapify(slots[index])
            current.append(None)
        begin = max(arrival, slots[index][0])
        heapreplace(slots[index], begin + service)
        if index < minimum:
            continue
        run = current[index]
        if run is None or begin - run.end > cold_start_ms:
            run = current[index] = _Run(begin, begin, 0)
            runs.append(run)
        run.end = max(run.end, begin + service)
        run.answered += arrival >= scored_from
    return runs
