"""`replay philly`: two months of a real cluster's jobs, queued and run under a policy.

The rules are those of the trace's README: one pool of 8-card nodes; a job of at most 8 cards runs
on one node, a larger one as ranks of whole nodes. A job that is not a multiple of 8 (seven of
68,503, all of 12 cards) has ranks of the largest equal size, because all ranks of a workload ask
for the same. The trace names no users: a virtual cluster is the tenant.
"""

import argparse
import csv
import gzip
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from scheduler.core.entities import (
    AcceleratorId,
    AcceleratorView,
    GroupId,
    GroupView,
    Millis,
    NodeId,
    NodeView,
    PendingWorkload,
    PoolId,
    PoolView,
    Request,
    UserId,
    WorkloadId,
)
from scheduler.core.policy import FairShare, OrderHint, PoolPolicy, QueueRule
from scheduler.core.snapshot import Snapshot
from scheduler.core.states import AcceleratorState, NodeState
from scheduler.whatif.command import Command, Figures
from scheduler.whatif.engine import Costs, Engine, Job
from scheduler.whatif.metrics import Outcome, mean
from scheduler.whatif.report import show

CARDS_PER_NODE: Final = 8
SECOND: Final = 1000
FIRST_DAY: Final = "2017-10-01"
LAST_DAY: Final = "2017-11-30"
POOL: Final = PoolId("training")
ONE_TENANT: Final = GroupId("everybody")


@dataclass(frozen=True, slots=True)
class Row:
    """One job of the trace."""

    number: int
    submitted_s: int
    duration_s: int
    cards: int
    tenant: str


@dataclass(frozen=True, slots=True)
class Rules:
    """A named policy: the pool's knobs, and whether tenants share fairly or stand in one line."""

    pool: PoolPolicy
    tenants: bool = False


RULES: Final[Mapping[str, Rules]] = {
    "fifo": Rules(PoolPolicy(queue=QueueRule.STRICT)),
    "skip": Rules(PoolPolicy(backfill_depth=0)),
    "easy": Rules(PoolPolicy()),
    "shortest": Rules(PoolPolicy(order=OrderHint.SHORTEST)),
    "default": Rules(PoolPolicy(), tenants=True),
    "las": Rules(PoolPolicy(order=OrderHint.LEAST_SERVED, turn_s=300, grace_s=0, reclaim=False)),
}
"""The baselines are knobs of the same core; `default` is the product's default as it stands."""


def read_jobs(path: str, tenants: frozenset[str] | None = None) -> tuple[Row, ...]:
    """Read the jobs of the window, in the order of their submission.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not such a trace; the line is named.
    """
    with _text(path) as lines:
        rows = csv.DictReader(lines)
        wanted = {"timestamp", "duration", "num_gpus", "cluster"}
        if missing := wanted - set(rows.fieldnames or ()):
            raise ValueError(f"{path} has no column {', '.join(sorted(missing))}")
        found = [
            _row(path, number, line)
            for number, line in enumerate(rows, start=2)
            if FIRST_DAY <= line["timestamp"][:10] <= LAST_DAY
            and (tenants is None or line["cluster"] in tenants)
        ]
    if not found:
        raise ValueError(f"{path} has no job between {FIRST_DAY} and {LAST_DAY}")
    return tuple(sorted(found, key=lambda row: (row.submitted_s, row.number)))


@contextmanager
def _text(path: str) -> Iterator[Iterable[str]]:
    if path.endswith(".gz"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield lines
    else:
        with Path(path).open(encoding="utf-8") as lines:
            yield lines


def _row(path: str, number: int, line: Mapping[str, str]) -> Row:
    try:
        moment = datetime.fromisoformat(line["timestamp"] + "+00:00")
        duration, cards = math.ceil(float(line["duration"])), int(line["num_gpus"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}, line {number}: {error}") from error
    if duration <= 0 or cards <= 0:
        raise ValueError(f"{path}, line {number}: a job of no time or no cards")
    return Row(number, int(moment.timestamp()), duration, cards, line["cluster"])


def read_tenants(path: str) -> frozenset[str]:
    """Read the virtual clusters that take part.

    Raises:
        ValueError: the file has no column `vc`.
    """
    with Path(path).open(encoding="utf-8") as lines:
        rows = csv.DictReader(lines)
        if "vc" not in (rows.fieldnames or ()):
            raise ValueError(f"{path} has no column vc")
        return frozenset(row["vc"] for row in rows)


def site(nodes: int, rules: Rules, tenants: frozenset[str], began_s: int) -> Snapshot:
    """Return an empty cluster of 8-card nodes with one group for each tenant."""
    names = sorted(tenants) if rules.tenants else [ONE_TENANT]
    root = GroupId("all")
    ids = [NodeId(f"n{number:04}") for number in range(nodes)]
    return Snapshot(
        taken_at=Millis(began_s * SECOND),
        pools=(PoolView(POOL, POOL, policy=rules.pool),),
        nodes=tuple(NodeView(node, node, NodeState.READY, cpu=0, memory=0) for node in ids),
        accelerators=tuple(
            AcceleratorView(
                id=AcceleratorId(f"{node}.{index}"),
                node=node,
                pool=POOL,
                model="any",
                memory_mib=0,
                state=AcceleratorState.OK,
                slices=1,
                index=index,
            )
            for node in ids
            for index in range(CARDS_PER_NODE)
        ),
        groups=(
            GroupView(root, root, (root,)),
            *(GroupView(GroupId(name), name, (root, GroupId(name))) for name in names),
        ),
        fair_share=FairShare() if rules.tenants else FairShare(entry_penalty_s=0),
    )


def jobs_of(rows: tuple[Row, ...], rules: Rules, *, preemptible: bool) -> Iterator[Job]:
    """Yield the demand: each job's time limit is its run time, as if it were known exactly."""
    for row in rows:
        group = GroupId(row.tenant) if rules.tenants else ONE_TENANT
        workload = PendingWorkload(
            id=WorkloadId(f"job-{row.number:06}"),
            pool=POOL,
            group=group,
            user=UserId(group),
            kind="training",
            priority=0,
            submitted_at=Millis(row.submitted_s * SECOND),
            request=request_of(row.cards),
            version=0,
            time_limit_s=row.duration_s,
            preemptible=preemptible,
            expected_s=row.duration_s,
        )
        yield Job(workload, row.duration_s * SECOND)


def request_of(cards: int) -> Request:
    """Return the ranks of a job: one up to a node's size, above it equal parts of nodes."""
    if cards <= CARDS_PER_NODE:
        return Request(cards=cards)
    each = math.gcd(cards, CARDS_PER_NODE)
    return Request(replicas=cards // each, cards=each)


def restart_ms(request: Request) -> int:
    """Return what a restart from a checkpoint costs: 7 s on one card, 30 s on a node, else 60 s."""
    cards = request.cards * request.replicas
    seconds = 7 if cards == 1 else 30 if cards <= CARDS_PER_NODE else 60
    return seconds * SECOND


def replay(rows: tuple[Row, ...], nodes: int, rules: Rules, *, preemptive: bool = False) -> Outcome:
    """Play the trace and return what was measured."""
    tenants = frozenset(row.tenant for row in rows)
    engine = Engine(
        site(nodes, rules, tenants, rows[0].submitted_s),
        costs=Costs(restart=restart_ms),
        progress=True,
    )
    return engine.run(jobs_of(rows, rules, preemptible=preemptive))


def figures_of(outcome: Outcome, rows: tuple[Row, ...], policy: str, nodes: int) -> Figures:
    """Return the figures of one run beside the floor: nobody can finish sooner than it runs."""
    return {
        "policy": policy,
        "nodes": nodes,
        "jobs": len(outcome.finished),
        "mean_wait_s": outcome.mean_wait_s,
        "p99_wait_s": outcome.wait_quantile_s(0.99),
        "longest_wait_s": outcome.longest_wait_s,
        "mean_completion_s": outcome.mean_completion_s,
        "utilisation": outcome.utilisation(to_ms=rows[-1].submitted_s * SECOND),
        "evictions": sum(len(record.evictions) for record in outcome.records),
        "floor": mean([float(row.duration_s) for row in rows]),
    }


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", metavar="FILE", required=True, help="the trace, .csv or .csv.gz")
    parser.add_argument("--vcs", metavar="FILE", help="virtual clusters that take part (else all)")
    parser.add_argument("--nodes", metavar="N", type=int, default=80, help="nodes of 8 cards")
    parser.add_argument("--policy", choices=sorted(RULES), default="default")
    parser.add_argument("--preemptive", action="store_true", help="work may be stopped and resumed")


def _run(options: argparse.Namespace) -> Figures:
    if options.nodes <= 0:
        raise ValueError("--nodes must be positive")
    rows = read_jobs(options.jobs, read_tenants(options.vcs) if options.vcs else None)
    rules = RULES[options.policy]
    outcome = replay(rows, options.nodes, rules, preemptive=options.preemptive)
    figures = figures_of(outcome, rows, options.policy, options.nodes)
    show([figures])
    return figures


COMMAND: Final = Command(
    path=("replay", "philly"),
    help="queueing: two months of jobs under a policy",
    add_arguments=_arguments,
    run=_run,
)
