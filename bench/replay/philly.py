"""`python -m bench.replay philly`: two months of a real cluster's jobs, queued and run under a policy.

The rules are those of the trace's README: one pool of 8-GPU nodes; a job of at most 8 GPUs runs
on one node, a larger one as ranks of whole nodes. A job that is not a multiple of 8 (seven of
68,503, all of 12 GPUs) has ranks of the largest equal size, because all ranks of a workload ask
for the same. The trace names no users: a virtual cluster is the tenant.
"""

import argparse
import csv
import gzip
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final

from scheduler.core.model.entities import (
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
from scheduler.core.model.policy import (
    TRAINING_POLICY,
    FairSharePolicy,
    JobOrder,
    PoolPolicy,
    QueueRule,
)
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from scheduler.core.reservation.run_times import JobTraits, RunTimePredictor, measure_accuracy
from scheduler.whatif.charts import draw_outcomes
from scheduler.whatif.command import Command, Figures
from scheduler.whatif.engine import Costs, Hooks, Job, SimulationEngine
from scheduler.whatif.metrics import SimulationOutcome, mean
from scheduler.whatif.report import print_table

CARDS_PER_NODE: Final = 8
SECOND: Final = 1000
TURN_S: Final = 300
PATIENCE_S: Final = 2 * 24 * 3600
DAY_S: Final = 24 * 3600
YEAR_S: Final = 365 * DAY_S
SITE_LIMIT_S: Final = 32 * 24 * 3600
"""The time limit of every job where run times are not known; the longest runs 31.8 days."""
FIRST_DAY: Final = "2017-10-01"
LAST_DAY: Final = "2017-11-30"
POOL: Final = PoolId("training")
ONE_TENANT: Final = GroupId("everybody")


@dataclass(frozen=True, slots=True)
class PhillyJob:
    """One job of the trace."""

    number: int
    submitted_s: int
    duration_s: int
    cards: int
    tenant: str


@dataclass(frozen=True, slots=True)
class ReplayPolicy:
    """A named policy: the pool's settings, and whether tenants share fairly or are one queue."""

    pool: PoolPolicy
    tenants: bool = False
    preemptive: bool = False

    def with_time_slicing(self) -> "ReplayPolicy":
        """Return the same with preemptible work and time slicing.

        It leaves at once, because what that costs is in its restart, as in the published figures.
        """
        order = self.pool.order
        if order is JobOrder.AGE:
            order = JobOrder.LEAST_SERVED
        pool = replace(self.pool, order=order, turn_s=TURN_S, grace_s=0)
        return replace(self, pool=pool, preemptive=True)


REPLAY_POLICIES: Final[Mapping[str, ReplayPolicy]] = {
    "fifo": ReplayPolicy(PoolPolicy(queue=QueueRule.STRICT)),
    "skip": ReplayPolicy(PoolPolicy(backfill_depth=0)),
    "easy": ReplayPolicy(PoolPolicy()),
    "deep": ReplayPolicy(PoolPolicy(backfill_depth=8)),
    "shortest": ReplayPolicy(PoolPolicy(order=JobOrder.SHORTEST, patience_s=PATIENCE_S)),
    "default": ReplayPolicy(TRAINING_POLICY),
    "tenants": ReplayPolicy(TRAINING_POLICY, tenants=True),
    "las": ReplayPolicy(PoolPolicy()).with_time_slicing(),
    "turns": ReplayPolicy(
        PoolPolicy(order=JobOrder.SHORTEST, stretch=10, patience_s=YEAR_S)
    ).with_time_slicing(),
    "bounded_turns": ReplayPolicy(
        PoolPolicy(order=JobOrder.SHORTEST, stretch=10, patience_s=DAY_S)
    ).with_time_slicing(),
}
"""The baselines are knobs of the same core; `default` is the policy of the demo's training pool."""


def read_jobs(
    path: str,
    tenants: frozenset[str] | None = None,
    days: tuple[str, str] = (FIRST_DAY, LAST_DAY),
) -> tuple[PhillyJob, ...]:
    """Read the jobs of the window (both days included), in the order of their submission.

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
            if days[0] <= line["timestamp"][:10] <= days[1]
            and (tenants is None or line["cluster"] in tenants)
        ]
    if not found:
        raise ValueError(f"{path} has no job between {days[0]} and {days[1]}")
    return tuple(sorted(found, key=lambda row: (row.submitted_s, row.number)))


@contextmanager
def _text(path: str) -> Iterator[Iterable[str]]:
    if path.endswith(".gz"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield lines
    else:
        with Path(path).open(encoding="utf-8") as lines:
            yield lines


def _row(path: str, number: int, line: Mapping[str, str]) -> PhillyJob:
    try:
        moment = datetime.fromisoformat(line["timestamp"] + "+00:00")
        duration, cards = math.ceil(float(line["duration"])), int(line["num_gpus"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}, line {number}: {error}") from error
    if duration <= 0 or cards <= 0:
        raise ValueError(f"{path}, line {number}: a job of no time or no cards")
    return PhillyJob(number, int(moment.timestamp()), duration, cards, line["cluster"])


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


def site(nodes: int, rules: ReplayPolicy, tenants: frozenset[str], began_s: int) -> Snapshot:
    """Return an empty cluster of 8-GPU nodes with one group for each tenant."""
    names = sorted(tenants) if rules.tenants else [ONE_TENANT]
    root = GroupId("all")
    ids = [NodeId(f"n{number:04}") for number in range(nodes)]
    return Snapshot(
        taken_at=Millis(began_s * SECOND),
        pools=(PoolView(POOL, POOL, policy=rules.pool),),
        nodes=tuple(
            NodeView(node, node, NodeState.READY, cpu_milli=0, memory_mib=0) for node in ids
        ),
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
        fair_share=FairSharePolicy() if rules.tenants else FairSharePolicy(entry_penalty_s=0),
    )


def jobs_of(rows: tuple[PhillyJob, ...], rules: ReplayPolicy, *, known: bool) -> Iterator[Job]:
    """Yield the demand. `known` run times are also the time limits, as in the published figures."""
    for row in rows:
        group = GroupId(row.tenant) if rules.tenants else ONE_TENANT
        workload = PendingWorkload(
            id=WorkloadId(f"job-{row.number:06}"),
            pool=POOL,
            group=group,
            user=UserId(group),
            priority=0,
            submitted_at=Millis(row.submitted_s * SECOND),
            request=request_of(row.cards),
            version=0,
            time_limit_s=row.duration_s if known else SITE_LIMIT_S,
            preemptible=rules.preemptive,
            expected_s=row.duration_s if known else None,
        )
        yield Job(workload, row.duration_s * SECOND)


@cache
def request_of(cards: int) -> Request:
    """Return the ranks of a job: one up to a node's size, above it equal parts of nodes."""
    if cards <= CARDS_PER_NODE:
        return Request(gpus=cards)
    each = math.gcd(cards, CARDS_PER_NODE)
    return Request(replicas=cards // each, gpus=each)


def restart_ms(request: Request) -> int:
    """Return what a restart from a checkpoint costs: 7 s on one GPU, 30 s on a node, else 60 s."""
    cards = request.gpus * request.replicas
    seconds = 7 if cards == 1 else 30 if cards <= CARDS_PER_NODE else 60
    return seconds * SECOND


@dataclass(slots=True)
class OnlinePredictor:
    """Predicts each job at its submission from the jobs that have ended by then."""

    tenants: Mapping[WorkloadId, str]
    past: RunTimePredictor = field(default_factory=RunTimePredictor)
    predicted: dict[WorkloadId, int] = field(default_factory=dict)
    judged: list[tuple[int, int]] = field(default_factory=list)
    """(predicted, true) seconds of what has ended."""

    def predict(self, workload: PendingWorkload) -> int | None:
        """Return the expected run time in seconds, None without any history."""
        found = self.past.predict(self._traits(workload))
        if found is None:
            return None
        self.predicted[workload.id] = found.seconds
        return found.seconds

    def ended(self, workload: PendingWorkload, ran_ms: int) -> None:
        """Learn from a job that has ended, and judge what was said of it."""
        seconds = ran_ms // SECOND
        self.past.learn(self._traits(workload), seconds)
        if workload.id in self.predicted:
            self.judged.append((self.predicted[workload.id], seconds))

    def _traits(self, workload: PendingWorkload) -> JobTraits:
        tenant = self.tenants[workload.id]
        cards = workload.request.gpus * workload.request.replicas
        return JobTraits(group=tenant, user=tenant, gpus=cards)


def replay_philly(
    rows: tuple[PhillyJob, ...],
    nodes: int,
    rules: ReplayPolicy,
    learner: OnlinePredictor | None = None,
) -> SimulationOutcome:
    """Play the trace and return what was measured; with a learner, run times are not known."""
    tenants = frozenset(row.tenant for row in rows)
    hooks = Hooks(predict=learner.predict, ended=learner.ended) if learner else Hooks()
    hooks.every_ms = TURN_S * SECOND if rules.preemptive else None
    engine = SimulationEngine(
        site(nodes, rules, tenants, rows[0].submitted_s),
        costs=Costs(restart=restart_ms),
        hooks=hooks,
        progress=True,
    )
    return engine.run(jobs_of(rows, rules, known=learner is None))


def figures_of(
    outcome: SimulationOutcome, rows: tuple[PhillyJob, ...], policy: str, nodes: int
) -> Figures:
    """Return the figures of one run, and the floor of completion times: the mean run time."""
    return {
        "policy": policy,
        "nodes": nodes,
        "jobs": len(outcome.finished),
        "mean_wait_s": outcome.mean_wait_s,
        "p99_wait_s": outcome.wait_quantile_s(0.99),
        "longest_wait_s": outcome.longest_wait_s,
        "longest_idle_s": outcome.longest_idle_s,
        "mean_completion_s": outcome.mean_completion_s,
        "utilisation": outcome.utilisation(to_ms=rows[-1].submitted_s * SECOND),
        "evictions": sum(len(record.evictions) for record in outcome.records),
        "floor": floor_of(rows),
    }


def floor_of(rows: Iterable[PhillyJob]) -> float:
    """Return the least mean completion time: the mean run time."""
    return mean([float(row.duration_s) for row in rows])


def add_input(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the trace and the size of the cluster."""
    parser.add_argument("--jobs", metavar="FILE", required=True, help="the trace, .csv or .csv.gz")
    parser.add_argument("--vcs", metavar="FILE", help="virtual clusters that take part (else all)")
    parser.add_argument("--nodes", metavar="N", type=int, default=80, help="nodes of 8 GPUs")
    parser.add_argument("--from", dest="first", metavar="DAY", default=FIRST_DAY)
    parser.add_argument("--to", dest="last", metavar="DAY", default=LAST_DAY)
    parser.add_argument(
        "--predict", action="store_true", help="run times are learned from what ended, not known"
    )
    parser.add_argument("--charts", metavar="DIR", help="draw utilisation, queue and waiting")


def read_input(options: argparse.Namespace) -> tuple[PhillyJob, ...]:
    """Read what the arguments name.

    Raises:
        OSError, ValueError: a file is missing or makes no sense, or there are no nodes.
    """
    if options.nodes <= 0:
        raise ValueError("--nodes must be positive")
    tenants = read_tenants(options.vcs) if options.vcs else None
    return read_jobs(options.jobs, tenants, (options.first, options.last))


def play(
    rows: tuple[PhillyJob, ...], options: argparse.Namespace, policy: str, rules: ReplayPolicy
) -> tuple[SimulationOutcome, Figures]:
    """Replay under one policy and return what was measured, and its figures."""
    learner = None
    if options.predict:
        learner = OnlinePredictor({WorkloadId(f"job-{row.number:06}"): row.tenant for row in rows})
    outcome = replay_philly(rows, options.nodes, rules, learner)
    figures = figures_of(outcome, rows, policy, options.nodes)
    if learner:
        figures["prediction"] = asdict(measure_accuracy(learner.judged))
    return outcome, figures


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument("--policy", choices=sorted(REPLAY_POLICIES), default="default")
    parser.add_argument(
        "--preemptive", action="store_true", help="preemptible work, with time slicing"
    )


def _run(options: argparse.Namespace) -> Figures:
    rows = read_input(options)
    rules = REPLAY_POLICIES[options.policy]
    if options.preemptive:
        rules = rules.with_time_slicing()
    outcome, figures = play(rows, options, options.policy, rules)
    print_table([figures])
    if options.charts:
        draw_outcomes(options.charts, {options.policy: outcome})
    return figures


COMMAND: Final = Command(
    path=("philly",),
    help="queueing: two months of jobs under a policy",
    add_arguments=_arguments,
    run=_run,
)
