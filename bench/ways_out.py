"""`python -m bench.ways_out`: CPU of the answer why one workload waits, on a generated site.

The site is that of `bench.scheduler_cycle` after one cycle: what fitted has started, the rest waits.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import process_time
from typing import TypeVar

from bench.scheduler_cycle import NOW, snapshot
from scheduler.core.cycle import decide
from scheduler.core.dry_run import Outlook
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import NodeId
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.reservation.expected_start import WHOLE_QUEUE
from scheduler.core.ways_out import AllowedChanges, find_ways_out
from scheduler.runtime.collector import garbage_collection_paused

T = TypeVar("T")


def settled(site: Snapshot) -> Snapshot:
    """Return the site after one cycle."""
    ledger = Ledger(site)
    decide(ledger, NOW)
    running = tuple(ledger.running.values())
    cpu, memory, taken = defaultdict[NodeId, int](int), defaultdict[NodeId, int](int), set[str]()
    for work in running:
        for placement in work.placements:
            cpu[placement.node] += work.request.cpu_milli
            memory[placement.node] += work.request.memory_mib
            taken |= {card for card, _ in placement.devices}
    return replace(
        site,
        pending=tuple(ledger.pending.values()),
        running=running,
        quotas=ledger.quotas.rows(),
        accelerators=tuple(
            replace(card, taken_slots=frozenset({0} if card.id in taken else ()))
            for card in site.accelerators
        ),
        nodes=tuple(
            replace(node, cpu_used_milli=cpu[node.id], memory_used_mib=memory[node.id])
            for node in site.nodes
        ),
    )


def main() -> int:
    """Print the CPU of the pass that all questions share, and of the ways out of one workload."""
    parser = argparse.ArgumentParser(prog="python -m bench.ways_out", description=__doc__)
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--pending", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    site = settled(snapshot(options.nodes, options.pending))
    large = [work for work in site.pending if work.request.gpus > 1]
    waiting = large[len(large) // 8]
    print(f"{options.nodes} nodes, {len(site.pending)} waiting")
    for _ in range(options.rounds):
        outlook = Outlook(site, depth=WHOLE_QUEUE)
        shared_s, result = _timed(partial(outlook.of, waiting))
        allowed = AllowedChanges(may_be_interruptible=True)
        ways_s, ways = _timed(partial(find_ways_out, outlook, waiting, allowed))
        print(f"{result.outcome}: pass {shared_s:.2f} s, {len(ways)} ways out {ways_s:.2f} s")
    return 0


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    with garbage_collection_paused():
        began = process_time()
        found = work()
        return process_time() - began, found


if __name__ == "__main__":
    raise SystemExit(main())
