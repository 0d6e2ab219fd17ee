"""`run SCENARIO`: the same people and the same work under two sets of rules, side by side."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from scheduler.core.model.calendar import next_window_change
from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    GroupId,
    GroupView,
    Millis,
    NodeId,
    NodeView,
    PoolId,
    PoolView,
    QuotaView,
    Request,
)
from scheduler.core.model.plan import Plan
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from scheduler.whatif.charts import draw_weeks
from scheduler.whatif.command import Command, Figures
from scheduler.whatif.engine import Costs, Hooks, Job, SimulationEngine
from scheduler.whatif.meter import OccupancyMeter, Stretch
from scheduler.whatif.metrics import JobRecord, mean
from scheduler.whatif.people import (
    EVERYBODY,
    MONDAY,
    NOTEBOOK,
    WEEK_MS,
    generate_demand,
    presences,
)
from scheduler.whatif.report import print_table
from scheduler.whatif.scenario import (
    CLOCK,
    People,
    Regime,
    Scenario,
    ScenarioPool,
    load_scenario,
    needs_of,
    pools_for,
)

HOUR_MS: Final = 3_600_000
_MEASURES: Final = {
    "card_hours_per_card_day": "hours that a card is held, a day",
    "utilisation_pct": "% of the time that cards compute",
    "tasks_per_week": "tasks done in a week",
    "notebook_wait_s_max": "s, longest wait for a notebook",
    "task_hours_mean": "h from a task's submission to its end, mean",
    "notebooks_without_a_card_per_week": "notebooks given up in a week",
    "evictions_per_week": "evictions in a week",
}


@dataclass(frozen=True, slots=True)
class StoryRun:
    """The figures of one regime, over the measured weeks."""

    card_hours_per_card_day: float
    utilisation_pct: float
    tasks_per_week: float
    notebook_wait_s_max: float
    task_hours_mean: float
    evictions_per_week: float
    notebooks_without_a_card_per_week: float
    stretches: tuple[Stretch, ...]
    service_waits_s: tuple[float, ...] = ()
    """How long each replica of a service waited for its card, by order of submission."""

    def figures(self) -> Figures:
        """Return all figures but the course of the run and of its services."""
        names = [name for name in self.__slots__ if name not in {"stretches", "service_waits_s"}]
        return {name: round(getattr(self, name), 2) for name in names}


@dataclass(frozen=True, slots=True)
class StoryServices:
    """Replicas of services that run beside the people's work."""

    replicas: tuple[Job, ...] = ()
    busy_pct: float = 0.0
    """How busy a card is that one of them holds."""


def run_story(
    scenario: Scenario,
    regime: Regime,
    services: StoryServices = StoryServices(),
    *,
    progress: bool = False,
) -> StoryRun:
    """Simulate a scenario under one regime and measure its weeks, without the settling ones."""
    served = frozenset(job.workload.id for job in services.replicas)
    meter = OccupancyMeter(
        scenario.busy,
        scenario.start_seconds * 1000,
        scenario.restart_seconds * 1000,
        served,
        services.busy_pct,
    )
    began = MONDAY + scenario.settle_weeks * WEEK_MS
    ended = began + scenario.weeks * WEEK_MS
    engine = SimulationEngine(_site(scenario, regime), costs=_costs(scenario), progress=progress)

    def look(_: Plan) -> None:
        meter.note(engine.now, engine.cluster.running, engine.cluster.waiting)

    engine.hooks = Hooks(plan=look, ticks=tuple(_ticks(regime, ended)))
    demand = [*generate_demand(scenario, regime), *services.replicas]
    outcome = engine.run(demand, until_ms=ended)
    meter.close(ended)
    granted, busy = meter.totals(began, ended)
    days = scenario.weeks * 7
    measured = [record for record in outcome.records if began <= record.submitted < ended]
    notebooks = [record for record in measured if record.workload.traits == NOTEBOOK]
    replicas = [record for record in outcome.records if record.workload.id in served]
    tasks = [
        record
        for record in outcome.records
        if record.workload.traits != NOTEBOOK and record.workload.id not in served
    ]
    done = [task for task in tasks if task.ended is not None and began <= task.ended < ended]
    evictions = sum(len(task.evictions) for task in tasks)
    return StoryRun(
        card_hours_per_card_day=granted / HOUR_MS / scenario.site.gpus / days,
        utilisation_pct=100 * busy / (scenario.site.gpus * scenario.weeks * WEEK_MS),
        tasks_per_week=len(done) / scenario.weeks,
        notebook_wait_s_max=max((_waited_s(record) for record in notebooks), default=0.0),
        task_hours_mean=mean([task.completion_s / 3600 for task in done]),
        evictions_per_week=evictions / (scenario.weeks + scenario.settle_weeks),
        notebooks_without_a_card_per_week=sum(n.started is None for n in notebooks)
        / scenario.weeks,
        stretches=tuple(meter.stretches),
        service_waits_s=tuple(_waited_s(record) for record in replicas),
    )


def _waited_s(notebook: JobRecord) -> float:
    """Return how long its owner waited, until it started or was given up."""
    until = notebook.started if notebook.started is not None else notebook.given_up
    return ((until or notebook.submitted) - notebook.submitted) / 1000


def _costs(scenario: Scenario) -> Costs:
    def start(request: Request) -> int:
        return scenario.start_seconds * 1000 if request.gpus else 0

    def restart(request: Request) -> int:
        return scenario.restart_seconds * 1000 if request.gpus else 0

    return Costs(start, restart)


def _ticks(regime: Regime, ended: int) -> Iterator[int]:
    """Yield when a calendar changes what a pool lends, and when notice for it must be given."""
    for pool in regime.pools:
        windows = pool.policy.lending.windows
        moment = next_window_change(windows, Millis(MONDAY), CLOCK)
        while moment is not None and moment < ended:
            yield from (moment - pool.policy.grace_s * 1000, moment)
            moment = next_window_change(windows, moment, CLOCK)


def _site(scenario: Scenario, regime: Regime) -> Snapshot:
    """Build the empty site: every group deserves an equal part of the pools that serve it."""
    site, nodes, cards = scenario.site, [], []
    owners = [pool for pool in regime.pools for _ in range(pool.nodes)]
    for number, pool in enumerate(owners):
        node = NodeId(f"node-{number + 1}")
        memory = site.memory_gib_per_node * 1024
        nodes.append(NodeView(node, node, NodeState.READY, site.cpu_per_node * 1000, memory))
        cards += [
            AcceleratorView(
                id=AcceleratorId(f"{node}.{index}"),
                node=node,
                pool=PoolId(pool.name),
                model=site.model,
                memory_mib=site.gpu_memory_mib,
                state=AcceleratorState.OK,
                slices=pool.slices,
                index=index,
            )
            for index in range(site.gpus_per_node)
        ]
    groups = sorted({GroupId(people.group) for people in scenario.people})
    return Snapshot(
        taken_at=Millis(MONDAY),
        pools=tuple(_pool(pool) for pool in regime.pools),
        nodes=tuple(nodes),
        accelerators=tuple(cards),
        groups=(
            GroupView(EVERYBODY, EVERYBODY, (EVERYBODY,)),
            *(GroupView(group, group, (EVERYBODY, group)) for group in groups),
        ),
        quotas=tuple(_quotas(scenario, regime)),
        clock=CLOCK,
    )


def _pool(pool: ScenarioPool) -> PoolView:
    return PoolView(
        id=PoolId(pool.name),
        name=pool.name,
        slices_per_card=pool.slices,
        slice_mib=pool.slice_mib,
        policy=pool.policy,
    )


def _quotas(scenario: Scenario, regime: Regime) -> Iterator[QuotaView]:
    """Give every group that a pool serves the same deserved part of it; by hand, no quotas."""
    for pool in () if regime.by_hand else regime.pools:
        users = {
            people.group
            for people in scenario.people
            for need in needs_of(people)
            if pool in pools_for(regime, people.group, need)
        }
        cards = pool.nodes * scenario.site.gpus_per_node * 1000
        for group in sorted(users):
            part = cards // len(users)
            name = PoolId(pool.name)
            yield QuotaView(GroupId(group), name, Resource.GPU, ceiling=None, deserved=part)


def compute_limit(scenario: Scenario) -> Figures:
    """Return figures that no scheduler can exceed: those of weeks without any loss.

    Notebooks hold the fewest cards that have enough slices at each moment; all other cards train
    all the time. Tasks are no more than what is asked for.
    """
    for_notebooks, slices = _notebooks_ms(scenario)
    whole = scenario.site.gpus * scenario.weeks * WEEK_MS
    training = whole - for_notebooks
    busy = training * scenario.busy.training_pct + slices * scenario.busy.notebook_pct
    asked = sum(_tasks_per_week(people) for people in scenario.people)
    length = sum(_tasks_per_week(people) * _task_ms(people) for people in scenario.people)
    possible = training * asked / length / scenario.weeks if length else 0.0
    return {
        "card_hours_per_card_day": 24.0,
        "utilisation_pct": round(busy / whole, 2),
        "tasks_per_week": round(min(possible, asked), 2),
        "notebook_wait_s_max": 0.0,
    }


def _notebooks_ms(scenario: Scenario) -> tuple[int, int]:
    """Return the card-milliseconds that notebooks need, and their slice-milliseconds."""
    per_card = max(pool.slices for pool in scenario.after.pools)
    moves: list[tuple[int, int]] = []
    for people in scenario.people:
        for member in range(people.members if people.notebook else 0):
            each = 2 if member < people.heavy_members else 1
            for day in presences(scenario, people, member):
                moves += [(day.arrives_ms, each), (day.leaves_ms, -each)]
    began = last = MONDAY + scenario.settle_weeks * WEEK_MS
    cards = slices = in_use = 0
    for moment, change in sorted(moves):
        if moment > began:
            cards += -(-in_use // per_card) * (moment - last)
            slices += in_use * (moment - last)
            last = moment
        in_use += change
    return cards, slices


def _tasks_per_week(people: People) -> int:
    return people.tasks_per_week * people.members


def _task_ms(people: People) -> int:
    return int(people.task_hours * HOUR_MS) * people.task_gpus * people.task_ranks


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="SCENARIO", help="a name, or a path that ends in .toml")
    parser.add_argument(
        "--seeds", type=int, nargs="+", metavar="SEED", help="more than one: the first is the story"
    )
    parser.add_argument("--weeks", type=int, help="measured weeks")
    parser.add_argument("--charts", metavar="DIR", help="draw the last week of both regimes here")


def _run(options: argparse.Namespace) -> Figures:
    scenario = load_scenario(options.scenario)
    if options.weeks is not None:
        scenario = replace(scenario, weeks=options.weeks)
    seeds = options.seeds or [scenario.seed]
    scenario = replace(scenario, seed=seeds[0])
    before = run_story(scenario, scenario.before, progress=True)
    after = run_story(scenario, scenario.after, progress=True)
    figures = {
        "before": before.figures(),
        "after": after.figures(),
        "limit": compute_limit(scenario),
    }
    others: dict[int, Figures] = {}
    for seed in seeds[1:]:
        again = replace(scenario, seed=seed)
        others[seed] = run_story(again, again.after, progress=True).figures()
    _show(scenario, figures, others)
    if options.charts:
        draw_weeks(options.charts, scenario, before.stretches, after.stretches)
    return {
        **figures,
        "after_with_other_seeds": {str(seed): found for seed, found in others.items()},
        "assumptions": list(scenario.about),
        "seed": scenario.seed,
        "weeks": scenario.weeks,
    }


def _show(scenario: Scenario, main: dict[str, Figures], others: dict[int, Figures]) -> None:
    columns = {**main, **{f"after, seed {seed}": figures for seed, figures in others.items()}}
    print_table(
        [
            {scenario.title: words}
            | {title: figures.get(name, "") for title, figures in columns.items()}
            for name, words in _MEASURES.items()
        ]
    )
    lines = [
        f"before: {scenario.before.title}",
        f"after: {scenario.after.title}",
        "limit: every card always held, notebooks packed tightly, no second lost",
        *scenario.about,
    ]
    print_table([{"assumptions": line} for line in lines])


COMMAND: Final = Command(
    path=("run",),
    help="one demand under two sets of rules, side by side",
    add_arguments=_add_arguments,
    run=_run,
)
