"""`python -m bench.expected_starts`: how long it takes to tell everything that waits when it starts.

The sites and queues of `bench.scheduler_cycle`, after the starts of one decision; CPU seconds of playing
the whole queue, which no cycle does: it is done where one workload is asked about. `--ceilings` lowers
the ceilings of the groups to what they hold, so that nearly all work waits for its quota.
"""

import argparse
from dataclasses import dataclass, replace
from time import process_time
from typing import Final

from bench.scheduler_cycle import NOW, snapshot
from scheduler.core.cycle import Decision
from scheduler.core.ledger import Ledger
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.ordering.queue_order import sort_queue
from scheduler.core.reservation.expected_start import HEAD, WHOLE_QUEUE, estimate_starts
from scheduler.runtime.collector import garbage_collection_paused

SITES: Final = (10, 200, 1_213)
QUEUES: Final = (1_000, 10_000)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds of one estimate, and how many of those that wait got an answer."""

    head_s: float
    answered_at_head: int
    whole_s: float
    answered: int
    waiting: int


def measure(site: Snapshot) -> Estimate:
    """Time the expected starts of a cycle, and those of the whole queue."""
    with garbage_collection_paused():
        ledger = Ledger(site)
        Decision(ledger, NOW).plan_starts()
        waiting = sort_queue(ledger.pending.values(), ledger.fair_share_state())
        began = process_time()
        head = estimate_starts(waiting, ledger, depth=HEAD)
        between = process_time()
        whole = estimate_starts(waiting, ledger, depth=WHOLE_QUEUE)
        ended = process_time()
    return Estimate(between - began, len(head), ended - between, len(whole), len(waiting))


def with_low_ceilings(site: Snapshot) -> Snapshot:
    """Return the site with ceilings that its groups have nearly reached."""
    rows = tuple(
        replace(row, ceiling=row.used + 2000) if row.ceiling is not None else row
        for row in site.quotas
    )
    return replace(site, quotas=rows)


def main() -> int:
    """Print one line for each site and queue."""
    parser = argparse.ArgumentParser(prog="python -m bench.expected_starts", description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="*", default=SITES)
    parser.add_argument("--pending", type=int, nargs="*", default=QUEUES)
    parser.add_argument("--ceilings", action="store_true", help="most work waits for its quota")
    options = parser.parse_args()
    print("| nodes | waiting | head s | answered | whole queue s | answered |")
    print("|---|---|---|---|---|---|")
    for nodes in options.nodes:
        for pending in options.pending:
            site = snapshot(nodes, pending)
            found = measure(with_low_ceilings(site) if options.ceilings else site)
            print(
                f"| {nodes:,} | {found.waiting:,} | {found.head_s:.3f} "
                f"| {found.answered_at_head:,} | {found.whole_s:.3f} | {found.answered:,} |",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
