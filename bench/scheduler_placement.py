"""`python -m bench.scheduler_placement`: how many placements the kernel decides in a second.

Openb's tasks arrive on openb's nodes, and on eight times as many, until half of the GPUs are
taken; then each further task is decided and taken, and the oldest one leaves, so that the clusters
stay half full. The first tenth of those decisions warms the caches and is not counted. The full
default policy decides, and learns the mix of the demand as it goes. Seconds are CPU seconds of the
one thread that decides, so that what else runs on the machine does not count.
"""

import argparse
import json
import sys
import time
from collections import deque
from pathlib import Path

from bench.replay.openb import Trace, draw_tasks, read_nodes, read_tasks
from scheduler.core.placement.demand import DemandMix
from scheduler.core.placement.node_table import NodeTable
from scheduler.core.placement.placer import Choice, Placer
from scheduler.core.placement.shape import Shape

TRACES = Path("../shared/traces/openb")
WARM_UP_PART = 10


def main() -> int:
    """Measure both sizes and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.scheduler_placement")
    parser.add_argument("--traces", type=Path, default=TRACES, help="folder of the openb trace")
    parser.add_argument("--decisions", type=int, default=10_000)
    parser.add_argument("--times", type=int, nargs="+", default=[1, 8], help="sizes of the cluster")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    nodes = read_nodes(str(options.traces / "openb_node_list_gpu_node.csv"))
    tasks = read_tasks(str(options.traces / "openb_pod_list_default.csv.gz"))
    figures = {
        f"times_{times}": measure(Trace(nodes * times, tasks), options.decisions)
        for times in options.times
    }
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2), encoding="utf-8")
    return 0


def measure(trace: Trace, decisions: int) -> dict[str, float]:
    """Print decisions a second, median and 99th percentile on a half-full cluster."""
    placer = Placer(NodeTable(trace.nodes), DemandMix())
    arrivals = [trace.tasks[row] for row in draw_tasks(trace, 42).arrivals]
    stream = iter(arrivals * (1 + decisions * 2 // len(arrivals)))
    held: deque[tuple[Choice, Shape]] = deque()
    taken, half = 0, trace.milli // 2
    while taken < half:
        shape = next(stream)
        taken += _decide(placer, shape, held)
    spent = []
    for _ in range(decisions + decisions // WARM_UP_PART):
        shape = next(stream)
        began = time.process_time()
        taken += _decide(placer, shape, held)
        spent.append(time.process_time() - began)
        while taken > half:
            choice, ended = held.popleft()
            placer.table.release(choice.node, ended, choice.cards)
            taken -= ended.total_milli
    warm = sorted(spent[decisions // WARM_UP_PART :])
    figures = {
        "nodes": len(trace.nodes),
        "decisions_per_s": len(warm) / sum(warm),
        "median_us": warm[len(warm) // 2] * 1e6,
        "p99_ms": warm[len(warm) * 99 // 100] * 1e3,
    }
    sys.stdout.write(
        "{nodes:,} nodes: {decisions_per_s:,.0f} decisions/s, "
        "median {median_us:,.0f} us, p99 {p99_ms:.2f} ms\n".format_map(figures)
    )
    return figures


def _decide(placer: Placer, shape: Shape, held: deque[tuple[Choice, Shape]]) -> int:
    placer.mix.observe(shape)
    choice = placer.choose(shape)
    if choice is None:
        return 0
    placer.table.allocate(choice.node, shape, choice.cards)
    held.append((choice, shape))
    return shape.total_milli


if __name__ == "__main__":
    sys.exit(main())
