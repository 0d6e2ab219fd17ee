"""`python -m bench.scheduler_cycle`: how long a scheduling cycle takes as queue and site grow.

Generated snapshots, no database: CPU seconds of `run_cycle`, which does nothing but compute. Half of the
GPUs are taken, the queue asks for far more than the rest, and every waiting workload is explained.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import process_time
from typing import Final

from scheduler.core.cycle import decide
from scheduler.core.ledger import Ledger
from scheduler.core.model.advance_reservations import (
    AdvanceReservationView,
    ReservationId,
    ReservedWindow,
)
from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    GroupId,
    GroupView,
    Millis,
    NodeId,
    NodeView,
    PendingWorkload,
    Placement,
    PoolId,
    PoolView,
    QuotaView,
    Request,
    RunningWorkload,
    UserId,
    WorkloadId,
)
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from scheduler.runtime.collector import garbage_collection_paused
from scheduler.whatif.charts import pyplot

CARDS: Final = 8
GROUPS: Final = 40
USERS: Final = 10
POOL: Final = PoolId("training")
NOW: Final = Millis(10**12)
QUEUES: Final = (1_000, 5_000, 20_000, 50_000)
SITES: Final = (10, 200, 1_213, 10_000)
PACES: Final = (1_213, 10_000)
WARM_UP: Final = 400
ALONE: Final = 400
ROUNDS: Final = 3
WEEKS: Final = 26
_SIZES: Final = (1, 1, 1, 1, 2, 2, 4, 8)
_LIMITS_S: Final = (600, 3600, 14_400, 86_400)


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of one cycle, by its parts."""

    nodes: int
    pending: int
    ledger_s: float
    decide_s: float
    placed: int


def snapshot(nodes: int, pending: int, seed: int = 1) -> Snapshot:
    """Return a site of eight-card nodes, half of them busy, and a queue of jobs of all sizes."""
    chance = Random(seed)  # noqa: S311 - a benchmark, not a secret
    running = _running(nodes, chance)
    shared: dict[Request, Request] = {}
    used = sum(len(item.placements[0].devices) for item in running) * 1000
    groups = [GroupView(GroupId("lab"), "lab", (GroupId("lab"),))]
    quotas = [QuotaView(GroupId("lab"), None, Resource.GPU, None, used)]
    for number in range(GROUPS):
        group = GroupId(f"g{number:03}")
        groups.append(GroupView(group, group, (GroupId("lab"), group)))
        own = [len(item.placements[0].devices) for item in running if item.group == group]
        share = nodes * CARDS * 1000 // GROUPS
        quotas.append(
            QuotaView(group, POOL, Resource.GPU, share * 4, sum(own) * 1000, deserved=share)
        )
    busy = {device[0] for item in running for device in item.placements[0].devices}
    return Snapshot(
        taken_at=NOW,
        pools=(PoolView(POOL, POOL),),
        nodes=_nodes(nodes, running),
        accelerators=tuple(_cards(nodes, busy)),
        groups=tuple(groups),
        quotas=tuple(quotas),
        pending=tuple(_pending(number, chance, shared) for number in range(pending)),
        running=tuple(running),
    )


def with_reservations(site: Snapshot, count: int) -> Snapshot:
    """Return the site with so many weekly advance reservations of eight GPUs, one after the other."""
    cards = site.accelerators
    hour, week = 3_600_000, 7 * 24 * 3_600_000
    made = []
    for number in range(count):
        first = number * CARDS % max(len(cards) - CARDS + 1, 1)
        start = NOW + (number % 24) * hour + 60_000
        made.append(
            AdvanceReservationView(
                id=ReservationId(f"a{number:03}"),
                name=f"a{number:03}",
                pool=POOL,
                group=GroupId(f"g{number % GROUPS:03}"),
                devices=tuple((card.node, card.id, 0) for card in cards[first : first + CARDS]),
                windows=tuple(
                    ReservedWindow(Millis(start + n * week), Millis(start + n * week + 3 * hour))
                    for n in range(WEEKS)
                ),
            )
        )
    return replace(site, reservations=tuple(made))


def measure(nodes: int, pending: int, reservations: int = 0) -> Timing:
    """Time one cycle."""
    site = with_reservations(snapshot(nodes, pending), reservations)
    with garbage_collection_paused():
        begin = process_time()
        ledger = Ledger(site)
        made = process_time()
        plan = decide(ledger, NOW)
        decided = process_time()
    return Timing(nodes, pending, made - begin, decided - made, len(plan.starts))


@dataclass(frozen=True, slots=True)
class Pace:
    """Decisions on a ledger that is kept, with the full policy."""

    nodes: int
    together_per_s: int
    """Placements of one decision on a long queue; the median of some rounds."""
    alone_ms: tuple[float, float]
    """A whole decision for one arrival: median and 99th percentile."""


def pace(nodes: int) -> Pace:
    """Fill a third of an empty site, first warm-up, then together, then one by one."""
    site = snapshot(nodes, nodes * 2)
    jobs, empty = _of_one_replica(site.pending), _emptied(site)
    with garbage_collection_paused():
        rounds = [_together(empty, jobs) for _ in range(ROUNDS)]
        ledger = rounds[-1][1]
        times = []
        for job in jobs[-ALONE:]:
            ledger.release(next(iter(ledger.running)))
            ledger.enqueue(job)
            begin = process_time()
            decide(ledger, NOW, explained=False)
            times.append((process_time() - begin) * 1000)
    rate = median(rate for rate, _ in rounds)
    return Pace(nodes, round(rate), (median(times), quantiles(times, n=100)[98]))


def _together(empty: Snapshot, jobs: Sequence[PendingWorkload]) -> tuple[float, Ledger]:
    """Return the placements a second of one decision on all but the last jobs, and its ledger."""
    ledger = Ledger(empty)
    for job in jobs[:WARM_UP]:
        ledger.enqueue(job)
    decide(ledger, NOW, explained=False)
    for job in jobs[WARM_UP:-ALONE]:
        ledger.enqueue(job)
    begin = process_time()
    placed = len(decide(ledger, NOW, explained=False).starts)
    return placed / (process_time() - begin), ledger


def _of_one_replica(pending: Sequence[PendingWorkload]) -> list[PendingWorkload]:
    """Return the jobs with one replica each; equal requests are one object, as the portal loads."""
    shared: dict[Request, Request] = {}
    ones = [replace(job.request, replicas=1) for job in pending]
    return [
        replace(job, request=shared.setdefault(one, one))
        for job, one in zip(pending, ones, strict=True)
    ]


def _emptied(site: Snapshot) -> Snapshot:
    return replace(
        site,
        pending=(),
        running=(),
        nodes=tuple(replace(node, cpu_used_milli=0, memory_used_mib=0) for node in site.nodes),
        accelerators=tuple(replace(card, taken_slots=frozenset()) for card in site.accelerators),
        quotas=tuple(replace(row, used=0) for row in site.quotas),
    )


def main() -> int:
    """Print one line for each site and queue."""
    parser = argparse.ArgumentParser(prog="python -m bench.scheduler_cycle", description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="*", default=SITES)
    parser.add_argument("--pending", type=int, nargs="*", default=QUEUES)
    parser.add_argument("--paces", type=int, nargs="*", default=PACES)
    parser.add_argument(
        "--reservations", type=int, default=0, help="weekly advance reservations of eight GPUs each"
    )
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument(
        "--chart", type=Path, help="draw seconds by nodes and by queue, as SVG or PNG"
    )
    options = parser.parse_args()
    print("| nodes | pending | ledger s | decide s | placed |\n|---|---|---|---|---|")
    timings = []
    for nodes in options.nodes:
        for pending in options.pending:
            timing = measure(nodes, pending, options.reservations)
            timings.append(timing)
            print(
                f"| {nodes:,} | {pending:,} | {timing.ledger_s:.3f} | {timing.decide_s:.3f} "
                f"| {timing.placed:,} |",
                flush=True,
            )
    if options.chart:
        draw(options.chart, timings)
    print("\n| nodes | placements/s together | one arrival, ms p50 | p99 |\n|---|---|---|---|")
    paces = {}
    for nodes in options.paces:
        found = paces[nodes] = pace(nodes)
        print(
            f"| {nodes:,} | {found.together_per_s:,} | {found.alone_ms[0]:.2f} "
            f"| {found.alone_ms[1]:.2f} |",
            flush=True,
        )
    if options.json:
        figures = {
            "cycles": [asdict(timing) for timing in timings],
            "paces": {nodes: asdict(found) for nodes, found in paces.items()},
        }
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


def draw(path: Path, timings: Sequence[Timing]) -> None:
    """Draw how a cold cycle grows: with the nodes for each queue, with the queue for each site."""
    plt = pyplot()
    figure, (by_nodes, by_queue) = plt.subplots(
        1, 2, figsize=(10, 3.6), sharey=True, layout="constrained"
    )
    for pending in sorted({timing.pending for timing in timings}):
        rows = [timing for timing in timings if timing.pending == pending]
        seconds = [timing.ledger_s + timing.decide_s for timing in rows]
        by_nodes.plot([timing.nodes for timing in rows], seconds, "o-", label=f"{pending:,} wait")
    for nodes in sorted({timing.nodes for timing in timings}):
        rows = [timing for timing in timings if timing.nodes == nodes]
        seconds = [timing.ledger_s + timing.decide_s for timing in rows]
        by_queue.plot([timing.pending for timing in rows], seconds, "o-", label=f"{nodes:,} nodes")
    by_nodes.set(xscale="log", yscale="log", xlabel="nodes", ylabel="CPU seconds of a cold cycle")
    by_queue.set(xscale="log", xlabel="workloads that wait")
    for axes in (by_nodes, by_queue):
        axes.grid(visible=True, which="major", lw=0.4)
        axes.legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def _nodes(count: int, running: list[RunningWorkload]) -> tuple[NodeView, ...]:
    cpu: Counter[NodeId] = Counter()
    memory: Counter[NodeId] = Counter()
    for item in running:
        cpu[item.placements[0].node] += item.request.cpu_milli
        memory[item.placements[0].node] += item.request.memory_mib
    names = [_name(number) for number in range(count)]
    return tuple(
        NodeView(name, name, NodeState.READY, 96_000, 786_432, cpu[name], memory[name])
        for name in names
    )


def _name(number: int) -> NodeId:
    return NodeId(f"n{number:05}")


def _cards(nodes: int, busy: set[AcceleratorId]) -> list[AcceleratorView]:
    taken = frozenset({0})
    return [
        AcceleratorView(
            id=card,
            node=_name(number),
            pool=POOL,
            model="A",
            memory_mib=81_920,
            state=AcceleratorState.OK,
            slices=1,
            taken_slots=taken if card in busy else frozenset(),
            index=index,
            island=index // 4,
        )
        for number in range(nodes)
        for index in range(CARDS)
        for card in (AcceleratorId(f"{_name(number)}.{index}"),)
    ]


def _running(nodes: int, chance: Random) -> list[RunningWorkload]:
    """Take half of the cards of each node."""
    running: list[RunningWorkload] = []
    for number in range(nodes):
        free, name = list(range(CARDS)), _name(number)
        while len(free) > CARDS // 2:
            size = min(chance.choice(_SIZES), len(free))
            taken, free = free[:size], free[size:]
            request = Request(gpus=size, cpu_milli=size * 4000, memory_mib=size * 16_384)
            ends_at = Millis(NOW + chance.choice(_LIMITS_S) * 1000)
            devices = tuple((AcceleratorId(f"{name}.{index}"), 0) for index in taken)
            running.append(
                RunningWorkload(
                    id=WorkloadId(f"r{len(running):06}"),
                    pool=POOL,
                    group=_group(chance),
                    user=_user(chance),
                    priority=0,
                    request=request,
                    placements=(Placement(name, devices),),
                    ends_at=ends_at,
                    started_at=Millis(NOW - 1_000_000),
                    expected_end=ends_at,
                    preemptible=chance.random() < 1 / 2,
                )
            )
    return running


def _pending(number: int, chance: Random, shared: dict[Request, Request]) -> PendingWorkload:
    size = chance.choice(_SIZES)
    request = Request(
        replicas=chance.choice((1,) * 15 + (4,)),
        gpus=size,
        cpu_milli=size * chance.choice((1000, 2000, 4000)),
        memory_mib=size * chance.choice((4096, 8192, 16_384, 32_768)),
    )
    return PendingWorkload(
        id=WorkloadId(f"w{number:06}"),
        pool=POOL,
        group=_group(chance),
        user=_user(chance),
        priority=chance.choice((0, 0, 0, 100)),
        submitted_at=Millis(NOW - 3_600_000 + number),
        request=shared.setdefault(request, request),
        version=1,
        time_limit_s=chance.choice(_LIMITS_S),
        preemptible=chance.random() < 1 / 2,
    )


def _group(chance: Random) -> GroupId:
    return GroupId(f"g{chance.randrange(GROUPS):03}")


def _user(chance: Random) -> UserId:
    return UserId(f"u{chance.randrange(USERS):02}")


if __name__ == "__main__":
    raise SystemExit(main())
