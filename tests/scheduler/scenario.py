"""Scenario files: a cluster, a queue and the plan that must follow, written like a bug report.

    name    = "the big job keeps the node that will be free first"
    pools   = ["training", "development: 8 slices of 4096 MiB", "old: closed"]
    nodes   = ["n1: 8 cards", "d1: 2 cards in development, 96 cpu, 512 GiB, unready"]
    broken  = ["n1: card 3 bad"]
    groups  = ["lab", "vision: in lab"]
    quotas  = ["vision: 6 cards", "lab: 40 cpu in training", "lab: 2 cards per user"]
    counted = ["li: 2 running in lab"]
    running = ["a: 4 cards on n1 by li of vision", "b: 1 slices on d1 card 1 in development"]
    waiting = ["big: 8 cards, 2 ranks, priority 100, since 5, 4 cpu, 8 GiB, model A, avoid n1"]
    expect  = ["place big on n1 n2", "hold small at 1: fragmented free=4 largest=2"]

`pools`, `groups` and owners have defaults: training, lab, li. Work waits since its place in the
list unless it says otherwise. `expect` lists every placement and then every hold, in plan order;
a hold lists all its reasons, joined by "and", each with as many of its numbers as matter.
Instead of `expect`, `submit` and `verdict` ask for a dry run.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scheduler.core.entities import (
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
    UserCounters,
    UserId,
    WorkloadId,
)
from scheduler.core.reasons import Reason, ReasonCode
from scheduler.core.resources import Resource
from scheduler.core.snapshot import Snapshot
from scheduler.core.states import AcceleratorState, NodeState
from tests.scheduler.counting import recounted

_QUOTA_UNITS = {"cards": Resource.GPU, "cpu": Resource.CPU}
Form = Mapping[str, list[str]]


@dataclass(frozen=True)
class Scenario:
    """One file: what is, and what must follow."""

    name: str
    snapshot: Snapshot
    expect: tuple[str, ...]
    submit: PendingWorkload | None
    verdict: str


def read(path: Path) -> Scenario:
    """Read one scenario file."""
    form = tomllib.loads(path.read_text(encoding="utf-8"))
    submit = _lines([form["submit"]])[0] if "submit" in form else None
    return Scenario(
        name=form["name"],
        snapshot=snapshot_of(form),
        expect=tuple(form.get("expect", ())),
        submit=_pending(submit, since=1000) if submit else None,
        verdict=form.get("verdict", ""),
    )


def snapshot_of(form: Form) -> Snapshot:
    """Build the snapshot that the phrases describe."""
    pools = tuple(_pool(line) for line in _lines(form.get("pools", ["training"])))
    cards = _cards(_lines(form["nodes"]), _lines(form.get("broken", [])), pools)
    waiting = enumerate(_lines(form.get("waiting", [])))
    return recounted(
        Snapshot(
            taken_at=Millis(0),
            pools=pools,
            nodes=tuple(_node(line) for line in _lines(form["nodes"])),
            accelerators=cards,
            groups=_groups(_lines(form.get("groups", ["lab"]))),
            quotas=tuple(_quota(line) for line in _lines(form.get("quotas", []))),
            counters=tuple(_counters(line) for line in _lines(form.get("counted", []))),
            pending=tuple(_pending(line, since) for since, line in waiting),
            running=_running(_lines(form.get("running", [])), cards),
        )
    )


@dataclass(frozen=True)
class _Line:
    """`name: words`, in which a phrase is found by its unit or by its leading word."""

    name: str
    words: str

    def amount(self, unit: str, default: int = 0) -> int:
        """Return the number before a unit."""
        found = re.search(rf"(\d+) {unit}\b", self.words)
        return int(found[1]) if found else default

    def after(self, word: str, default: str) -> str:
        """Return what follows a word."""
        found = re.search(rf"\b{word} (\S+)", self.words)
        return found[1] if found else default

    def one_of(self, words: Iterable[str], default: str) -> str:
        """Return the first of these words that is there."""
        return next((word for word in words if word in self.words.split()), default)


def _lines(rows: Iterable[str]) -> list[_Line]:
    parts = (row.replace(",", " ").partition(":") for row in rows)
    return [_Line(name.strip(), " ".join(words.split())) for name, _, words in parts]


def _pool(line: _Line) -> PoolView:
    return PoolView(
        id=PoolId(line.name),
        name=line.name,
        open="closed" not in line.words,
        slices_per_card=line.amount("slices", 1),
        slice_mib=line.amount("MiB"),
    )


def _node(line: _Line) -> NodeView:
    return NodeView(
        id=NodeId(line.name),
        name=line.name,
        state=NodeState(line.one_of(NodeState, "ready")),
        cpu=line.amount("cpu", 96) * 1000,
        memory=line.amount("GiB", 512) * 1024,
    )


def _cards(
    nodes: list[_Line], broken: list[_Line], pools: tuple[PoolView, ...]
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
            model=line.after("of", "A"),
            memory_mib=32768,
            state=states.get(f"{line.name}.{index}", AcceleratorState.OK),
            slices=slices[PoolId(line.after("in", pools[0].id))],
            index=index,
        )
        for line in nodes
        for index in range(line.amount("cards"))
    )


def _groups(lines: list[_Line]) -> tuple[GroupView, ...]:
    """Read a tree of which every parent stands before its children."""
    groups: dict[str, GroupView] = {}
    for line in lines:
        above = groups[line.after("in", "")].path if line.words else ()
        groups[line.name] = GroupView(GroupId(line.name), line.name, (*above, GroupId(line.name)))
    return tuple(groups.values())


def _quota(line: _Line) -> QuotaView:
    unit = line.one_of(_QUOTA_UNITS, "cards")
    amount = line.amount(unit) * 1000
    pool = line.after("in", "")
    is_per_user = "per user" in line.words
    return QuotaView(
        group=GroupId(line.name),
        pool=PoolId(pool) if pool else None,
        resource=_QUOTA_UNITS[unit],
        ceiling=None if is_per_user else amount,
        user_ceiling=amount if is_per_user else None,
    )


def _counters(line: _Line) -> UserCounters:
    group = GroupId(line.after("in", "lab"))
    return UserCounters(UserId(line.name), group, running_max=line.amount("running"))


def _request(line: _Line) -> Request:
    model = line.after("model", "")
    return Request(
        replicas=line.amount("ranks", 1),
        cards=line.amount("cards"),
        slices=line.amount("slices"),
        cpu=line.amount("cpu") * 1000,
        memory=line.amount("GiB") * 1024,
        models=frozenset(model.split("|") if model else ()),
    )


def _pending(line: _Line, since: int) -> PendingWorkload:
    held = line.after("held", "")
    avoid = line.after("avoid", "")
    return PendingWorkload(
        id=WorkloadId(line.name),
        pool=PoolId(line.after("in", "training")),
        group=GroupId(line.after("of", "lab")),
        user=UserId(line.after("by", "li")),
        kind="training",
        priority=int(line.after("priority", "0")),
        submitted_at=Millis(int(line.after("since", str(since)))),
        request=_request(line),
        version=0,
        time_limit_s=3600,
        held=(Reason(ReasonCode(held)),) if held else (),
        avoid=frozenset({NodeId(avoid)} if avoid else ()),
    )


def _running(lines: list[_Line], cards: tuple[AcceleratorView, ...]) -> tuple[RunningWorkload, ...]:
    """Let each take the first free slots of its nodes ("on n1+n2"), or of the card it names."""
    free = [(card, slot) for card in cards for slot in range(card.slices)]
    running = []
    for line in lines:
        request, placements = _request(line), []
        for node in line.after("on", "").split("+"):
            fitting = [row for row in free if row[0].node == node]
            if card := line.after("card", ""):
                fitting = [row for row in fitting if row[0].index == int(card)]
            taken = fitting[: request.cards + request.slices]
            free = [row for row in free if row not in taken]
            placements.append(Placement(NodeId(node), tuple((c.id, slot) for c, slot in taken)))
        running.append(_running_view(line, request, tuple(placements)))
    return tuple(running)


def _running_view(
    line: _Line, request: Request, placements: tuple[Placement, ...]
) -> RunningWorkload:
    view = _pending(line, since=0)
    return RunningWorkload(
        view.id, view.pool, view.group, view.user, view.kind, 0, request, placements, ends_at=None
    )
