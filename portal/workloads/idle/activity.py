"""When notebooks were last in use, and what is done about those that are not.

Use is reported by the node (kernels, terminals, GPUs, CPU) and by the gateway, SSH and terminals (what
a person types or changes). Without a report of the node for minutes, nothing is known and nothing is
done.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Greatest

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError
from portal.common.work_kinds import IdleRule, kinds_where
from portal.execution.report import UseReport
from portal.inventory.policy import read_policy
from portal.notices.inbox import notify_people
from portal.workloads.idle import parking
from portal.workloads.idle.parking import GpuState
from portal.workloads.idle.rules import (
    IdleAction,
    IdleLoss,
    IdleState,
    NextLoss,
    decide_idle_action,
    find_next_loss,
)
from portal.workloads.idleness import REPORT_VALID_FOR
from portal.workloads.models import Idleness, Workload
from portal.workloads.state import lifecycle
from portal.workloads.state.allocations import NodeAllocations
from portal.workloads.state.exchange import Exchange
from portal.workloads.state.transitions import invalidate_workloads, record_note
from portal.workloads.system_actors import SWEEP_ACTOR
from scheduler.core.model.states import WorkloadState

SAVED_EVERY: Final = timedelta(seconds=30)
"""The last use of a notebook is stored with this accuracy: newer reports within it are not saved."""
RESTORING_USES: Final = frozenset({"kernel", "input", "open", "terminal"})
"""Use by a person: released GPUs are requested again."""


def record_use_reports(exchange: Exchange) -> None:
    """Save what a node reports of its notebooks."""
    if exchange.report.uses:
        _record_reports(exchange.work, exchange.report.uses, exchange.actor)
        exchange.work = exchange.work.reload()


def _record_reports(work: NodeAllocations, reports: Collection[UseReport], actor: Actor) -> None:
    by_attempt = {item.key: item for item in reports}
    mine = [
        (workload, item, report)
        for item in work.allocations
        if _is_running(workload := work.workloads[item.workload_id])
        and item.epoch == workload.epoch
        and (report := by_attempt.get((item.wire_name, item.epoch))) is not None
    ]
    if not mine:
        return
    rows = Idleness.objects.in_bulk([workload.pk for workload, _, _ in mine])
    for workload, allocation, report in mine:
        row = _save_report(workload, rows.get(workload.pk), report, actor)
        parking.apply_gpu_report(
            workload, allocation, row, report.gpu_state, report.detail, actor=actor
        )


def _is_running(workload: Workload) -> bool:
    return workload.terms.idle_rule is IdleRule.POOL and workload.state == WorkloadState.RUNNING


def _save_report(
    workload: Workload, row: Idleness | None, report: UseReport, actor: Actor
) -> Idleness:
    """Update the row of one notebook by the report of its node."""
    moment = now()
    if row is not None:
        row.workload = workload
    used_at = moment - timedelta(milliseconds=min(report.idle_ms, 10**10))
    if row is None or row.epoch != workload.epoch:
        Idleness.objects.filter(pk=workload.pk).delete()
        return Idleness.objects.create(
            workload=workload,
            epoch=workload.epoch,
            reported_at=moment,
            active_at=used_at,
            signal=report.used_by[:16],
            use_mark=report.use_mark,
        )
    if report.use_mark != row.use_mark:
        return _save_use(row, used_at, report.used_by, moment, mark=report.use_mark, actor=actor)
    if moment - row.reported_at >= SAVED_EVERY:
        row.reported_at = moment
        row.save(update_fields=["reported_at"])
    return row


def _save_use(
    row: Idleness, at: datetime, by: str, moment: datetime, *, mark: int, actor: Actor
) -> Idleness:
    """Start the idle time again; for use by a person, request released GPUs again."""
    had_warning = bool(row.warned_of)
    row.use_mark, row.reported_at, row.signal = mark, moment, by[:16]
    row.active_at = max(row.active_at, at)
    row.warned_of, row.warned_at, row.keeps, row.not_released_detail = "", None, 0, ""
    row.save(
        update_fields=[
            *("use_mark", "reported_at", "signal", "active_at", "warned_of", "warned_at", "keeps"),
            "not_released_detail",
        ]
    )
    if had_warning:
        invalidate_workloads([row.workload])
    if by in RESTORING_USES:
        parking.request_gpus(row, actor=actor)
    return row


def record_use(workload_id: UUID, by: str, *, actor: Actor) -> None:
    """Save that a person uses a notebook or a web app now, through the gateway or a terminal; called often."""
    moment = now()
    quiet = Idleness.objects.filter(pk=workload_id, warned_of="", gpu_state=GpuState.HELD, keeps=0)
    if quiet.update(active_at=Greatest("active_at", moment), signal=by):
        return
    with transaction.atomic():
        workload = lifecycle.lock_workload(workload_id)
        if workload.terms.idle_rule is IdleRule.APP:
            Idleness.objects.update_or_create(
                workload=workload,
                defaults={
                    "epoch": workload.epoch,
                    "reported_at": moment,
                    "active_at": moment,
                    "signal": by,
                },
            )
            return
        row = Idleness.objects.filter(pk=workload_id, epoch=workload.epoch).first()
        if row is not None and _is_running(workload):
            row.workload = workload
            _save_use(row, moment, by, row.reported_at, mark=row.use_mark, actor=actor)


def watch_apps(moment: datetime) -> None:
    """Note that running web apps are watched; the idle time begins again for those that were not."""
    kinds = kinds_where(lambda terms: terms.idle_rule is IdleRule.APP)
    rows = Idleness.objects.filter(workload__kind__in=kinds, workload__state=WorkloadState.RUNNING)
    unwatched = rows.filter(reported_at__lt=moment - REPORT_VALID_FOR)
    unwatched.update(reported_at=moment, active_at=moment)
    rows.filter(reported_at__lt=moment - SAVED_EVERY).update(reported_at=moment)


@transaction.atomic
def keep_notebook(*, actor: Actor, workload: Workload) -> Workload:
    """Postpone the next loss of an idle notebook, as often as its pool allows between two uses."""
    workload = lifecycle.lock_workload(workload.pk)
    row = Idleness.objects.filter(pk=workload.pk, epoch=workload.epoch).first()
    if (
        row is None
        or not _is_running(workload)
        or row.gpu_state not in (GpuState.HELD, GpuState.RELEASED)
    ):
        raise ConflictError("nothing_to_keep", state=workload.state)
    most = read_policy(workload.pool.name, workload.pool.policy).idle_keeps_max
    if row.keeps >= most:
        raise ConflictError("kept_too_often", most=most)
    row.keeps, row.warned_of, row.warned_at = row.keeps + 1, "", None
    row.save(update_fields=["keeps", "warned_of", "warned_at"])
    record_note(
        [workload], cause="idle_kept", params={"times": row.keeps, "most": most}, actor=actor
    )
    audit.record_event(
        actor=actor,
        action="environment.keep",
        object_type=workload.kind,
        object_id=workload.pk,
        group_id=workload.group_id,
        params={"name": workload.name, "times": row.keeps},
    )
    return workload


def release_gpus_now(*, actor: Actor, workload: Workload) -> Workload:
    """Have a notebook give up its GPUs and keep running, whatever its pool's times are.

    Raises:
        ConflictError: it does not run, has no GPUs of its own, or cannot leave them.
    """
    workload = lifecycle.lock_workload(workload.pk)
    row = Idleness.objects.filter(pk=workload.pk, epoch=workload.epoch).first()
    if row is None or not _is_running(workload) or not parking.can_release_gpus(workload, row):
        raise ConflictError("nothing_to_release", state=workload.state)
    minutes = int((now() - row.active_at).total_seconds()) // 60
    parking.start_gpu_release(workload, row, {"idle_min": minutes}, actor=actor)
    audit.record_event(
        actor=actor,
        action="environment.release_gpus",
        object_type=workload.kind,
        object_id=workload.pk,
        group_id=workload.group_id,
        params={"name": workload.name, "idle_min": minutes},
    )
    return workload


def find_idle_notebooks_for_system() -> list[UUID]:
    """Return running notebooks with recent reports of their use, for the sweep to check."""
    moment = now()
    rows = Idleness.objects.filter(
        workload__state=WorkloadState.RUNNING, reported_at__gte=moment - REPORT_VALID_FOR
    )
    return list(rows.order_by("workload").values_list("workload", flat=True))


def act_on_idle_notebook(workload_id: UUID) -> None:
    """Warn one notebook, release its GPUs or stop it, if that is due under its lock."""
    workload = lifecycle.lock_workload(workload_id)
    row = Idleness.objects.filter(pk=workload_id, epoch=workload.epoch).first()
    moment = now()
    if row is None or not _is_running(workload) or moment - row.reported_at > REPORT_VALID_FOR:
        return
    row.workload = workload
    policy = read_policy(workload.pool.name, workload.pool.policy)
    act, coming = decide_idle_action(policy, _idle_state(workload, row), moment)
    if coming is None or act is IdleAction.NOTHING:
        return
    minutes = int((moment - row.active_at).total_seconds()) // 60
    if act is IdleAction.WARN:
        row.warned_of, row.warned_at = coming.loss.value, moment
        row.save(update_fields=["warned_of", "warned_at"])
        params = {"in_s": policy.idle_warn_s, "idle_min": minutes}
        cause = f"idle_warned_{coming.loss.value}"
        record_note([workload], cause=cause, params=params, actor=SWEEP_ACTOR)
        notify_people(
            users=[workload.owner_id],
            code=cause,
            path=f"/notebooks/{workload.pk}",
            params={
                "id": str(workload.pk),
                "notebook": workload.name,
                "idle_min": minutes,
                "in_min": max(policy.idle_warn_s // 60, 1),
            },
        )
    elif coming.loss is IdleLoss.RELEASE:
        parking.start_gpu_release(workload, row, {"idle_min": minutes}, actor=SWEEP_ACTOR)
    else:
        lifecycle.request_stop(
            workload,
            outcome=WorkloadState.SUSPENDED,
            cause="idle_too_long",
            params={"idle_min": minutes},
            actor=SWEEP_ACTOR,
        )


def _idle_state(workload: Workload, row: Idleness) -> IdleState:
    return IdleState(
        active_at=row.active_at,
        keeps=row.keeps,
        can_release=parking.can_release_gpus(workload, row),
        warned_of=row.warned_of,
        warned_at=row.warned_at,
    )


def next_loss_for_system(workload: Workload, row: Idleness) -> NextLoss | None:
    """Return what a notebook loses next if it is not used."""
    if now() - row.reported_at > REPORT_VALID_FOR:
        return None
    policy = read_policy(workload.pool.name, workload.pool.policy)
    return find_next_loss(policy, _idle_state(workload, row))
