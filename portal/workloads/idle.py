"""When notebooks are in use: the one writer of that, and what follows when they are not.

Use is told by the node (kernels, terminals, cards, processor) and by the ways in (what a person
types or changes). Without a word from the node for minutes nothing is known, and nothing follows.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Greatest

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError
from portal.inventory.selectors import rules_of
from portal.workloads import lifecycle, parking
from portal.workloads.holdings import NodeWork
from portal.workloads.idle_facts import FRESH
from portal.workloads.idle_rules import Act, Idle, Loss, Prospect, due, prospect
from portal.workloads.models import Idleness, Workload
from portal.workloads.parking import Cards
from portal.workloads.transitions import note, ring
from scheduler.core.states import WorkloadState

TOLD_EVERY: Final = timedelta(seconds=30)
"""How exactly the last use of a notebook is known."""
ASKS_BACK: Final = frozenset({"kernel", "input", "open", "terminal"})
"""Use by a person, for which cards that were given up are asked back."""
SWEEP: Final = Actor.system("sweep")


@dataclass(frozen=True, slots=True)
class Told:
    """What a node says of one running notebook."""

    allocation: str
    epoch: int
    idle_ms: int | None
    mark: int
    by: str
    cards: str
    words: str


def heard(work: NodeWork, told: Collection[Told], *, actor: Actor) -> None:
    """Write down what a node says of its notebooks; their workloads are locked by the caller."""
    reports = {(item.allocation, item.epoch): item for item in told}
    mine = [
        (workload, item, report)
        for item in work.allocations
        if _is_running(workload := work.workloads[item.workload_id])
        and item.epoch == workload.epoch
        and (report := reports.get((item.wire_name, item.epoch))) is not None
        and report.idle_ms is not None
    ]
    if not mine:
        return
    rows = Idleness.objects.in_bulk([workload.pk for workload, _, _ in mine])
    for workload, allocation, report in mine:
        row = _noted(workload, rows.get(workload.pk), report, actor)
        parking.follow(workload, allocation, row, report.cards, report.words, actor=actor)


def _is_running(workload: Workload) -> bool:
    return workload.kind == Workload.Kind.ENVIRONMENT and workload.state == WorkloadState.RUNNING


def _noted(workload: Workload, row: Idleness | None, report: Told, actor: Actor) -> Idleness:
    """Bring the row of one notebook up to date with its node's word."""
    moment = now()
    if row is not None:
        row.workload = workload
    used_at = moment - timedelta(milliseconds=min(report.idle_ms or 0, 10**10))
    if row is None or row.epoch != workload.epoch:
        Idleness.objects.filter(pk=workload.pk).delete()
        return Idleness.objects.create(
            workload=workload,
            epoch=workload.epoch,
            told_at=moment,
            active_at=used_at,
            signal=report.by[:16],
            mark=report.mark,
        )
    if report.mark != row.mark:
        return _used(row, used_at, report.by, moment, mark=report.mark, actor=actor)
    if moment - row.told_at >= TOLD_EVERY:
        row.told_at = moment
        row.save(update_fields=["told_at"])
    return row


def _used(
    row: Idleness, at: datetime, by: str, moment: datetime, *, mark: int, actor: Actor
) -> Idleness:
    """Start the idle time of a notebook anew; cards that a person misses are asked back."""
    had_warning = bool(row.warned_of)
    row.mark, row.told_at, row.signal = mark, moment, by[:16]
    row.active_at = max(row.active_at, at)
    row.warned_of, row.warned_at, row.keeps, row.kept_words = "", None, 0, ""
    row.save(
        update_fields=[
            *("mark", "told_at", "signal", "active_at", "warned_of", "warned_at", "keeps"),
            "kept_words",
        ]
    )
    if had_warning:
        ring([row.workload])
    if by in ASKS_BACK:
        parking.ask_back(row, actor=actor)
    return row


def used(workload_id: UUID, by: str, *, actor: Actor) -> None:
    """Note that a person uses a notebook now, by one of the ways in; called often."""
    moment = now()
    quiet = Idleness.objects.filter(pk=workload_id, warned_of="", cards=Cards.HELD, keeps=0)
    if quiet.update(active_at=Greatest("active_at", moment), signal=by):
        return
    with transaction.atomic():
        workload = lifecycle.lock(workload_id)
        row = Idleness.objects.filter(pk=workload_id, epoch=workload.epoch).first()
        if row is not None and _is_running(workload):
            row.workload = workload
            _used(row, moment, by, row.told_at, mark=row.mark, actor=actor)


@transaction.atomic
def keep(*, actor: Actor, workload: Workload) -> Workload:
    """Let an idle notebook have what it has for a while longer; so many times, then use counts."""
    workload = lifecycle.lock(workload.pk)
    row = Idleness.objects.filter(pk=workload.pk, epoch=workload.epoch).first()
    if row is None or not _is_running(workload) or row.cards not in (Cards.HELD, Cards.AWAY):
        raise ConflictError("nothing_to_keep", state=workload.state)
    most = rules_of(workload.pool.name, workload.pool.policy).idle_keeps_max
    if row.keeps >= most:
        raise ConflictError("kept_too_often", most=most)
    row.keeps, row.warned_of, row.warned_at = row.keeps + 1, "", None
    row.save(update_fields=["keeps", "warned_of", "warned_at"])
    note([workload], cause="idle_kept", params={"times": row.keeps, "most": most}, actor=actor)
    audit.record(
        actor=actor,
        action="environment.keep",
        object_type=workload.kind,
        object_id=workload.pk,
        group_id=workload.group_id,
        params={"name": workload.name, "times": row.keeps},
    )
    return workload


def overdue() -> list[UUID]:
    """Return running notebooks without use for a while, for the sweep to judge."""
    moment = now()
    rows = Idleness.objects.filter(
        workload__state=WorkloadState.RUNNING, told_at__gte=moment - FRESH
    )
    return list(rows.order_by("workload").values_list("workload", flat=True))


def judge(workload_id: UUID) -> None:
    """Warn one notebook, take its cards or stop it, if that is due under its lock."""
    workload = lifecycle.lock(workload_id)
    row = Idleness.objects.filter(pk=workload_id, epoch=workload.epoch).first()
    moment = now()
    if row is None or not _is_running(workload) or moment - row.told_at > FRESH:
        return
    row.workload = workload
    rules = rules_of(workload.pool.name, workload.pool.policy)
    act, coming = due(rules, _idle(workload, row), moment)
    if coming is None or act is Act.NOTHING:
        return
    minutes = int((moment - row.active_at).total_seconds()) // 60
    if act is Act.WARN:
        row.warned_of, row.warned_at = coming.loss.value, moment
        row.save(update_fields=["warned_of", "warned_at"])
        params = {"in_s": rules.idle_warn_s, "idle_min": minutes}
        note([workload], cause=f"idle_warned_{coming.loss.value}", params=params, actor=SWEEP)
    elif coming.loss is Loss.RELEASE:
        parking.leave(workload, row, {"idle_min": minutes}, actor=SWEEP)
    else:
        lifecycle.request_stop(
            workload,
            outcome=WorkloadState.SUSPENDED,
            cause="idle_too_long",
            params={"idle_min": minutes},
            actor=SWEEP,
        )


def _idle(workload: Workload, row: Idleness) -> Idle:
    return Idle(
        active_at=row.active_at,
        keeps=row.keeps,
        may_release=parking.may_leave(workload, row),
        warned_of=row.warned_of,
        warned_at=row.warned_at,
    )


def coming_for_system(workload: Workload, row: Idleness) -> Prospect | None:
    """Return what a notebook loses next if nobody uses it."""
    if now() - row.told_at > FRESH:
        return None
    rules = rules_of(workload.pool.name, workload.pool.policy)
    return prospect(rules, _idle(workload, row))
