"""`python -m bench.replay starts`: how often expected starts are right, on two months of real jobs.

The trace is replayed as by `philly`. Every five minutes of its time the core explains the queue, as
the portal does; the first expected start of each job that waits is compared with its real one. Both
are taken in whole minutes, as pages show them. So is the range that the past of the replay until then
says of such an estimate, with how often it says that it holds.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Final

from bench.replay.philly import (
    REPLAY_POLICIES,
    SECOND,
    OnlinePredictor,
    PhillyJob,
    ReplayPolicy,
    add_input,
    jobs_of,
    read_input,
    restart_ms,
    site,
)
from scheduler.core.model.entities import Millis, WorkloadId
from scheduler.core.model.plan import Plan, StartRange
from scheduler.core.reservation.start_accuracy import (
    Counts,
    JudgedStart,
    find_spreads,
    spread_of,
    stretch,
    with_judged,
)
from scheduler.whatif.command import Command, Figures
from scheduler.whatif.engine import Costs, Hooks, Job, SimulationEngine
from scheduler.whatif.report import print_table

LOOK_MS: Final = 300 * SECOND
MINUTE_MS: Final = 60 * SECOND


@dataclass(slots=True)
class SureStarts:
    """Says of each first expected start how sure it is, from what was judged by then, and judges that too."""

    counts: Counts = field(default_factory=dict)
    said_of: dict[WorkloadId, tuple[StartRange, Millis, StartRange]] = field(default_factory=dict)
    """The estimate, when it was made, and the range that was shown."""
    percents: list[int] = field(default_factory=list)
    """What was said."""
    widths_ms: list[int] = field(default_factory=list)
    held: int = 0
    judged: int = 0

    def said(self, workload: WorkloadId, expected: StartRange, now: Millis) -> None:
        """Show an estimate as a page would, in whole minutes."""
        latest = Millis(-(-expected.latest // MINUTE_MS) * MINUTE_MS)
        shown = replace(expected, latest=latest)
        spread = spread_of(shown, now, find_spreads(self.counts))
        self.said_of[workload] = shown, now, stretch(shown, now, spread)

    def judge(self, workload: WorkloadId, at: Millis) -> None:
        """Compare what was shown with the real start, and learn from it."""
        if workload not in self.said_of:
            return
        expected, since, shown = self.said_of.pop(workload)
        self.judged += 1
        if shown.sure_percent is not None:
            self.percents.append(shown.sure_percent)
            self.widths_ms.append(shown.latest - shown.earliest)
            self.held += shown.earliest <= at <= shown.latest
        one = JudgedStart(expected.basis.value, expected.latest - since, at - since, since)
        self.counts = with_judged(self.counts, [one], at)

    def figures(self) -> Figures:
        """Return how many were called sure, as how many of 100 they were, and as how many they proved."""
        return {
            "sure_pct": _percent(len(self.percents), self.judged),
            "said_pct": _percent(sum(self.percents), 100 * len(self.percents)),
            "held_pct": _percent(self.held, len(self.percents)),
            "median_sure_width_s": median(self.widths_ms or [0]) // SECOND,
        }


@dataclass(slots=True)
class StartAccuracy:
    """Compares the first expected start of each job with its real start."""

    first: dict[WorkloadId, StartRange | None] = field(default_factory=dict)
    """The first answer to each job that was seen waiting; None if there was none yet."""
    verdicts: Counter[str] = field(default_factory=Counter)
    widths_ms: list[int] = field(default_factory=list)
    late_ms: list[int] = field(default_factory=list)
    unanswered: int = 0
    """Jobs that waited and started without any answer."""
    sure: SureStarts = field(default_factory=SureStarts)

    def note(self, plan: Plan) -> None:
        """Remember new answers of a plan, and judge those of what it starts."""
        for start in plan.starts:
            if start.workload in self.first:
                self._judge(self.first.pop(start.workload), plan.made_at)
                self.sure.judge(start.workload, plan.made_at)
        for hold in plan.holds:
            if self.first.get(hold.workload) is None:
                self.first[hold.workload] = hold.expected
                if hold.expected is not None:
                    self.sure.said(hold.workload, hold.expected, plan.made_at)

    def figures(self) -> Figures:
        """Return the parts in per cent of the answers, and how wide and how late, as medians."""
        answered = self.verdicts.total()
        return {
            "waited": answered + self.unanswered,
            "answered_pct": _percent(answered, answered + self.unanswered),
            **{
                f"{name}_pct": _percent(self.verdicts[name], answered)
                for name in ("inside", "early", "late")
            },
            "median_width_s": median(self.widths_ms or [0]) // SECOND,
            "median_late_s": median(self.late_ms or [0]) // SECOND,
            **self.sure.figures(),
        }

    def _judge(self, expected: StartRange | None, at: Millis) -> None:
        if expected is None:
            self.unanswered += 1
            return
        earliest = expected.earliest // MINUTE_MS * MINUTE_MS
        latest = -(-expected.latest // MINUTE_MS) * MINUTE_MS
        self.widths_ms.append(expected.latest - expected.earliest)
        if at > latest:
            self.late_ms.append(at - latest)
        self.verdicts["early" if at < earliest else "late" if at > latest else "inside"] += 1


def replay_starts(
    rows: tuple[PhillyJob, ...],
    nodes: int,
    rules: ReplayPolicy,
    learner: OnlinePredictor | None = None,
    limit_factor: int = 1,
) -> StartAccuracy:
    """Play the trace and compare expected starts with real ones.

    Time limits are so many times the run times; with a learner these are predicted, else known.
    """
    accuracy = StartAccuracy()
    hooks = Hooks(predict=learner.predict, ended=learner.ended) if learner else Hooks()
    hooks.plan, hooks.explain_every_ms = accuracy.note, LOOK_MS
    tenants = frozenset(row.tenant for row in rows)
    engine = SimulationEngine(
        site(nodes, rules, tenants, rows[0].submitted_s),
        costs=Costs(restart=restart_ms),
        hooks=hooks,
        progress=True,
    )
    jobs = jobs_of(rows, rules, known=True)
    engine.run(_with_limits(jobs, limit_factor, known=learner is None))
    return accuracy


def _with_limits(jobs: Iterable[Job], factor: int, *, known: bool) -> Iterator[Job]:
    for job in jobs:
        limit_s = job.workload.time_limit_s
        yield replace(
            job,
            workload=replace(
                job.workload,
                time_limit_s=None if limit_s is None else limit_s * factor,
                expected_s=limit_s if known else None,
            ),
        )


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument("--policy", choices=sorted(REPLAY_POLICIES), default="default")
    parser.add_argument(
        "--limit-factor", type=int, default=1, help="time limits are so many times the run times"
    )


def _run(options: argparse.Namespace) -> Figures:
    rows: Sequence[PhillyJob] = read_input(options)
    learner = None
    if options.predict:
        learner = OnlinePredictor({WorkloadId(f"job-{row.number:06}"): row.tenant for row in rows})
    rules = REPLAY_POLICIES[options.policy]
    accuracy = replay_starts(tuple(rows), options.nodes, rules, learner, options.limit_factor)
    figures: Figures = {"policy": options.policy, "nodes": options.nodes, **accuracy.figures()}
    print_table([figures])
    return figures


COMMAND: Final = Command(
    path=("starts",),
    help="how often expected starts are right: two months of jobs under a policy",
    add_arguments=_arguments,
    run=_run,
)
