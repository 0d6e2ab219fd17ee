"""Scenarios: a cluster, a queue and the plan that must follow, written like a bug report.

A file is a table of scenarios about one subject, each beginning with `[[scenario]]`:

    id      = "big_job_keeps_the_best_node"
    name    = "the big job keeps the node that will be free first"
    pools   = ["training", "development: 8 slices of 4096 MiB", "old: closed"]
    nodes   = ["n1: 8 cards", "d1: 2 cards in development, 96 cpu, 512 GiB, unready"]
    broken  = ["n1: card 3 bad"]
    groups  = ["lab", "vision: in lab"]
    quotas  = ["vision: 6 cards", "lab: 40 cpu in training", "lab: 2 cards per user"]
    counted = ["li: 2 running in lab"]
    arrays  = ["sweep: 2 at once"]
    running = ["a: 4 cards on n1 by li of vision", "b: 1 slices on d1 card 1 in development"]
    waiting = ["big: 8 cards, 2 ranks, priority 100, since 5, 4 cpu, 8 GiB, model A, avoid n1"]
    expect  = ["place big on n1 n2", "hold small at 1: fragmented free=4 largest=2"]

`pools`, `groups` and owners have defaults: training, lab, li. Work waits since its place in the
list unless it says otherwise; `now` is 0 unless the scenario gives seconds, and every time below is
in seconds from there. More phrases:

    pools    strict · spread · shortest first · patience 3600 · stretch 10 · least served first ·
             turns of 300 · depth 2 · no preemption · no reclaim ·
             protects 600 · reclaims after 600 · grace 60 · consolidates · victims 8 ·
             falls back to development+old · lends to training+old · keeps 2 · not by day ·
             bound 120 · from Mon-20:00 to Tue-08:00
    nodes    of B · switch s1 · islands of 4 · 40960 MiB · features fp8+bf16 · 2000 GB/s
    quotas   vision: guarantee 2 cards, deserved 4 cards, 6 cards in training, weight high ·
             lab: 65536 MiB (of GPU memory) · lab: 4 cards of B
             (what stands alone is the ceiling)
    usage    = ["li of vision: 3600 card-seconds"]
    budgets  = ["vision: 7200 of 36000 card-seconds, in training, ends in 3600 s, then each 86400 s"]
    sharing  = "half-life 3600, entry penalty 600, utc 480"
    running  began 900 s ago · ends in 600 s · expected in 300 s · saved 60 s ago · idle 60 s ago ·
             preemptible · priority 5 · had 60 card-seconds · stopping · stopping for big
             ("2 cards on d1" of a pool of slices are whole ones that it has lent)
    waiting  limit 3600 · expected 600 · preemptible · had 60 card-seconds · held waiting_to_retry ·
             begins after 600 s · array sweep (also of running work) ·
             yields to big · avoid n1+n2.3 (a node, a card) · model A|B · cards of 40960 MiB · home n1|n2 ·
             features fp8+bf16 · 2000 GB/s

    reservations = ["course: 4 cards on n1, for vision, by li+wu, from 600 to 4200"]
             (advance ones: the first cards or slices of the nodes, or those of "card 2"; a start
             before now is written "from -600"; "again after 604800" has a second window)

`expect` lists every placement, every eviction and then every hold, in plan order; a hold lists all
its reasons, joined by "and", each with as many of its numbers as matter. Reservations, and the
times of expected starts, are compared where a scenario names them:

    "evict small for big: preempted"    "reserve big in 600 s on n1 n2"
    "hold big at 1 in 300..600 s: insufficient_now"

Instead of `expect`, `submit` and `verdict` ask for a dry run.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    ArrayId,
    ArrayView,
    BudgetView,
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
    UsageView,
    UserCounters,
    UserId,
    WorkloadId,
)
from scheduler.core.model.policy import FairSharePolicy, OverQuotaWeight
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.resources import Resource
from scheduler.core.model.running import as_running
from scheduler.core.model.site_clock import SiteClock
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from scheduler.core.model.work_traits import JOB
from scheduler.whatif.people import NOTEBOOK
from tests.scheduler.counting import recounted
from tests.scheduler.phrases import Line, lines, policy
from tests.scheduler.reserved import read_reservation

FOLDER = Path(__file__).parent / "core" / "scenarios"
_QUOTA_UNITS = {
    "cards": (Resource.GPU, 1000),
    "cpu": (Resource.CPU, 1000),
    "MiB": (Resource.GPU_MEMORY, 1),
}


@dataclass(frozen=True)
class Scenario:
    """What there is, and what must follow."""

    id: str
    """Its file and its own name: the id of its test."""
    name: str
    snapshot: Snapshot
    expect: tuple[str, ...]
    submit: PendingWorkload | None
    verdict: str


def read_scenarios(folder: Path = FOLDER) -> tuple[Scenario, ...]:
    """Read every table of the folder."""
    return tuple(
        _scenario(f"{path.stem}-{form['id']}", form)
        for path in sorted(folder.glob("*.toml"))
        for form in tomllib.loads(path.read_text(encoding="utf-8"))["scenario"]
    )


def _scenario(name: str, form: Mapping[str, Any]) -> Scenario:
    snapshot = snapshot_of(form)
    submit = lines([form["submit"]])[0] if "submit" in form else None
    return Scenario(
        id=name,
        name=form["name"],
        snapshot=snapshot,
        expect=tuple(form.get("expect", ())),
        submit=_pending(submit, 1000, snapshot.taken_at) if submit else None,
        verdict=form.get("verdict", ""),
    )


def snapshot_of(form: Mapping[str, Any]) -> Snapshot:
    """Build the snapshot that the phrases describe."""

    def rows(name: str, *default: str) -> list[Line]:
        return lines(form.get(name, default))

    now = Millis(form.get("now", 0) * 1000)
    pools = tuple(_pool(line) for line in rows("pools", "training"))
    cards = _cards(rows("nodes"), rows("broken"), pools)
    sharing = Line("", form.get("sharing", "").replace(",", " "))
    return recounted(
        Snapshot(
            taken_at=now,
            pools=pools,
            nodes=tuple(_node(line) for line in rows("nodes")),
            accelerators=cards,
            groups=_groups(rows("groups", "lab")),
            quotas=tuple(_quota(line) for line in rows("quotas")),
            counters=tuple(_counters(line) for line in rows("counted")),
            pending=tuple(_pending(line, at, now) for at, line in enumerate(rows("waiting"))),
            running=_running(rows("running"), cards, now),
            usage=tuple(_usage(line) for line in rows("usage")),
            budgets=tuple(_budget(line, now) for line in rows("budgets")),
            reservations=tuple(read_reservation(line, cards, now) for line in rows("reservations")),
            arrays=tuple(
                ArrayView(ArrayId(line.name), line.amount("at once")) for line in rows("arrays")
            ),
            fair_share=_fair_share(sharing),
            clock=_clock(sharing),
        )
    )


def _pool(line: Line) -> PoolView:
    return PoolView(
        id=PoolId(line.name),
        name=line.name,
        is_open=not line.says("closed"),
        slices_per_card=line.amount("slices", 1),
        slice_mib=line.amount("MiB"),
        policy=policy(line),
    )


def _node(line: Line) -> NodeView:
    return NodeView(
        id=NodeId(line.name),
        name=line.name,
        state=NodeState(line.one_of(NodeState, "ready")),
        cpu_milli=line.amount("cpu", 96) * 1000,
        memory_mib=line.amount("GiB", 512) * 1024,
        switch=line.after("switch", ""),
    )


def _cards(
    nodes: list[Line], broken: list[Line], pools: tuple[PoolView, ...]
) -> tuple[AcceleratorView, ...]:
    """Name the cards `<node>.<index>`; "B" cards come from "4 cards of B"."""
    slices = {pool.id: pool.slices_per_card for pool in pools}
    states = {
        f"{line.name}.{line.after('card', '0')}": AcceleratorState(
            line.one_of(AcceleratorState, "bad")
        )
        for line in broken
    }
    return tuple(
        AcceleratorView(
            id=AcceleratorId(f"{line.name}.{index}"),
            node=NodeId(line.name),
            pool=PoolId(line.after("in", pools[0].id)),
            model=line.after("cards of", "A"),
            memory_mib=line.amount("MiB", 32768),
            state=states.get(f"{line.name}.{index}", AcceleratorState.OK),
            slices=slices[PoolId(line.after("in", pools[0].id))],
            index=index,
            island=index // line.number("islands of", 1000),
            features=_features(line),
            bandwidth_gbps=line.amount("GB/s"),
        )
        for line in nodes
        for index in range(line.amount("cards"))
    )


def _groups(rows: list[Line]) -> tuple[GroupView, ...]:
    """Read a tree of which every parent stands before its children."""
    groups: dict[str, GroupView] = {}
    for line in rows:
        above = groups[line.after("in", "")].path if line.words else ()
        groups[line.name] = GroupView(GroupId(line.name), line.name, (*above, GroupId(line.name)))
    return tuple(groups.values())


def _quota(line: Line) -> QuotaView:
    unit = line.one_of(_QUOTA_UNITS, "cards")
    resource, scale = _QUOTA_UNITS[unit]
    amount = line.without(r"\b(guarantee|deserved) \d+ \w+").amount(unit, -1) * scale
    ceiling = amount if amount >= 0 else None
    is_per_user = line.says("per user")
    return QuotaView(
        group=GroupId(line.name),
        pool=_pool_or_all(line),
        resource=resource,
        ceiling=None if is_per_user else ceiling,
        user_ceiling=ceiling if is_per_user else None,
        guarantee=line.number("guarantee", 0) * scale,
        deserved=line.number("deserved", line.number("guarantee", 0)) * scale,
        weight=OverQuotaWeight(line.after("weight", OverQuotaWeight.MEDIUM)),
        model=line.after("of", ""),
    )


def _counters(line: Line) -> UserCounters:
    group = GroupId(line.after("in", "lab"))
    return UserCounters(UserId(line.name), group, running_max=line.amount("running"))


def _usage(line: Line) -> UsageView:
    user, _, group = line.name.partition(" of ")
    return UsageView(GroupId(group or "lab"), UserId(user), line.amount("card-seconds"))


def _budget(line: Line, now: Millis) -> BudgetView:
    ends_at, more = line.ahead("ends in", now) or now, line.number("then each", 0) * 1000
    return BudgetView(
        group=GroupId(line.name),
        pool=_pool_or_all(line),
        limit=line.amount("card-seconds"),
        used=int(line.words.split()[0]),
        ends_at=ends_at,
        later_ends=tuple(Millis(ends_at + more * times) for times in range(1, 6) if more),
    )


def _pool_or_all(line: Line) -> PoolId | None:
    pool = line.without(r"\bends in \d+ s|then each \d+ s").after("in", "")
    return PoolId(pool) if pool else None


def _fair_share(line: Line) -> FairSharePolicy:
    rules = FairSharePolicy()
    return FairSharePolicy(
        half_life_s=line.number("half-life", rules.half_life_s),
        entry_penalty_s=line.number("entry penalty", rules.entry_penalty_s),
    )


def _clock(line: Line) -> SiteClock:
    return SiteClock(line.number("utc", SiteClock().utc_offset_min))


def _request(line: Line) -> Request:
    model, home = line.after("model", ""), line.after("home", "")
    return Request(
        replicas=line.amount("ranks", 1),
        gpus=line.amount("cards"),
        slices=line.amount("slices"),
        cpu_milli=line.amount("cpu") * 1000,
        memory_mib=line.amount("GiB") * 1024,
        gpu_models=frozenset(model.split("|") if model else ()),
        gpu_memory_min_mib=line.amount("MiB"),
        home_nodes=frozenset(map(NodeId, home.split("|") if home else ())),
        builds_image=line.says("builds an image"),
        gpu_features=_features(line),
        gpu_bandwidth_min_gbps=line.amount("GB/s"),
    )


def _features(line: Line) -> frozenset[str]:
    return frozenset(filter(None, line.after("features", "").split("+")))


def _pending(line: Line, since: int, now: Millis) -> PendingWorkload:
    avoid = line.after("avoid", "")
    yields_to = line.after("yields to", "")
    expected, is_open = line.number("expected", -1), line.says("open end")
    return PendingWorkload(
        id=WorkloadId(line.name),
        pool=PoolId(line.after("in", "training")),
        group=GroupId(line.without(r"\bcards of \d+ MiB").after("of", "lab")),
        user=UserId(line.after("by", "li")),
        priority=line.number("priority", 0),
        submitted_at=Millis(now + line.number("since", since)),
        request=_request(line.without(r"\bhad \d+ card-seconds")),
        version=0,
        time_limit_s=None if is_open else line.number("limit", 3600),
        held=_held(line, now),
        array=_array(line),
        avoid=frozenset(NodeId(place) for place in avoid.split("+") if place),
        preemptible=line.says("preemptible"),
        expected_s=expected if expected >= 0 else None,
        attained_gpu_s=line.number("had", 0),
        evicted_for=WorkloadId(yields_to) if yields_to else None,
        traits=replace(NOTEBOOK if line.says("environment") else JOB, open_end=is_open),
    )


def _held(line: Line, now: Millis) -> tuple[Reason, ...]:
    held, begins_at = line.after("held", ""), line.ahead("begins after", now)
    found = (Reason(ReasonCode(held)),) if held else ()
    if begins_at is None:
        return found
    return (*found, Reason(ReasonCode.WAITING_FOR_BEGIN_TIME, {"begins_at": begins_at}))


def _array(line: Line) -> ArrayId | None:
    name = line.after("array", "")
    return ArrayId(name) if name else None


def _running(
    rows: list[Line], cards: tuple[AcceleratorView, ...], now: Millis
) -> tuple[RunningWorkload, ...]:
    """Let each take the first free slots of its nodes ("on n1+n2"), or of the card it names."""
    free = [(card, slot) for card in cards for slot in range(card.slices)]
    running = []
    for line in rows:
        view = _pending(line.without(r"\b(ends|expected) in \d+ s"), 0, now)
        request, placements = view.request, []
        for node in line.after("on", "").split("+"):
            fitting = [row for row in free if row[0].node == node]
            if card := line.after("card", ""):
                fitting = [row for row in fitting if row[0].index == int(card)]
            if request.gpus:
                chosen = {card.id for card, slot in fitting if slot == 0}
                whole = [c for c in dict.fromkeys(row[0].id for row in fitting) if c in chosen]
                taken = [row for row in fitting if row[0].id in whole[: request.gpus]]
            else:
                taken = fitting[: request.slices]
            free = [row for row in free if row not in taken]
            placements.append(Placement(NodeId(node), tuple((c.id, slot) for c, slot in taken)))
        running.append(_running_view(line, view, tuple(placements), now))
    return tuple(running)


def _running_view(
    line: Line, view: PendingWorkload, placements: tuple[Placement, ...], now: Millis
) -> RunningWorkload:
    ends_at = line.ahead("ends in", now)
    beneficiary = line.after("stopping for", "")
    return replace(
        as_running(view, placements, now),
        started_at=line.ago("began", now),
        ends_at=ends_at,
        expected_end=line.ahead("expected in", now) or ends_at,
        stopping=line.says("stopping"),
        stopping_for=WorkloadId(beneficiary) if beneficiary else None,
        checkpointed_at=line.ago("saved", now),
        idle_since=line.ago("idle", now),
    )
