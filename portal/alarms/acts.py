"""What rules do about work and nodes: by the services that people use, as a part of the platform.

Each act is done once for an alarm, and not while a silence matches it. A rule does only a few an hour:
a threshold that was set too low must not empty the cluster.
"""

from collections import Counter
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.alarms.decisions import AlarmState
from portal.alarms.evaluation import is_silenced
from portal.alarms.kinds import AlarmAct
from portal.alarms.models import Alarm, AlarmRule, AlarmSilence
from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DomainError
from portal.common.work_kinds import KINDS, WorkAction, WorkTerms
from portal.jobs.queue_controls import requeue_job
from portal.jobs.services import cancel_job
from portal.notebooks.services import release_gpus, stop_notebook
from portal.workloads.operations.nodes import cordon_node
from portal.workloads.services import EndCause
from portal.workloads.tags import add_tag

ACTS_PER_HOUR_MAX: Final = 5
"""Acts of one rule within an hour; further alarms wait for their turn, and people are notified anyway."""
DONE: Final = "done"
CAUSE: Final = "alarm_rule"
"""Why work was stopped, as its event says."""
_NEEDS: Final = {
    AlarmAct.STOP_NOTEBOOK: WorkAction.STOP,
    AlarmAct.RELEASE_GPUS: WorkAction.STOP,
    AlarmAct.CANCEL_JOB: WorkAction.CANCEL,
    AlarmAct.REQUEUE_JOB: WorkAction.REQUEUE,
}
"""The action that work must have for an act."""


def act_on_alarms() -> int:
    """Do what rules say about the alarms that fire; return how many acts were done."""
    moment = now()
    silences = list(AlarmSilence.objects.filter(until__gt=moment))
    due = Alarm.objects.filter(state=AlarmState.FIRING, acted_at=None, rule__enabled=True)
    due = due.exclude(rule__act=AlarmAct.NONE.value).order_by("id")
    acted = Alarm.objects.filter(acted_at__gt=moment - timedelta(hours=1), outcome=DONE)
    done = Counter[UUID](acted.values_list("rule", flat=True))
    count = 0
    for alarm in due[: 10 * ACTS_PER_HOUR_MAX]:
        if done[alarm.rule_id] >= ACTS_PER_HOUR_MAX or is_silenced(alarm, silences):
            continue
        if _act_once(alarm.pk):
            done[alarm.rule_id] += 1
            count += 1
    return count


def _act_once(alarm_id: UUID) -> bool:
    """Do the act of one alarm and record what became of it; return whether it was done.

    It is claimed first, in a transaction of its own: what the act locks comes before alarms. So it
    is done at most once.
    """
    free = Alarm.objects.filter(pk=alarm_id, state=AlarmState.FIRING, acted_at=None)
    if not free.update(acted_at=now()):
        return False
    alarm = Alarm.objects.select_related("rule").get(pk=alarm_id)
    rule = alarm.rule
    actor = Actor.system(f"alarm: {rule.name or rule.kind}")
    try:
        with transaction.atomic():
            _act(actor, rule, alarm)
        outcome = DONE
    except DomainError as error:
        outcome = error.code
    _record(actor, alarm, outcome)
    return outcome == DONE


@transaction.atomic
def _record(actor: Actor, alarm: Alarm, outcome: str) -> None:
    rule = alarm.rule
    Alarm.objects.filter(pk=alarm.pk).update(outcome=outcome[:40])
    audit.record_event(
        actor=actor,
        action="alarm.act",
        object_type="alarm",
        object_id=alarm.pk,
        group_id=alarm.group_id,
        params={
            "alarm_act": rule.act,
            "rule": rule.name or rule.kind,
            "subject": alarm.subject_name,
            "outcome": outcome,
        },
    )


def _act(actor: Actor, rule: AlarmRule, alarm: Alarm) -> None:
    if rule.act == AlarmAct.CORDON_NODE and alarm.node_id is not None:
        cordon_node(actor=actor, node_id=alarm.node_id)
        return
    work, why = alarm.subject_id, EndCause(CAUSE, {"rule": rule.name or rule.kind})
    act = AlarmAct(rule.act)
    _require_action(act, KINDS[alarm.work_kind])
    match act:
        case AlarmAct.TAG_WORK:
            add_tag(actor=actor, workload_id=work, tag=rule.tag)
        case AlarmAct.STOP_NOTEBOOK:
            stop_notebook(actor=actor, workload_id=work, why=why)
        case AlarmAct.RELEASE_GPUS:
            release_gpus(actor=actor, workload_id=work)
        case AlarmAct.CANCEL_JOB:
            cancel_job(actor=actor, workload_id=work, why=why)
        case AlarmAct.REQUEUE_JOB:
            requeue_job(actor=actor, workload_id=work)
        case AlarmAct.NONE | AlarmAct.CORDON_NODE:
            pass


def _require_action(act: AlarmAct, terms: WorkTerms) -> None:
    """Refuse an act for which work of this kind has no action."""
    if act not in _NEEDS or _NEEDS[act] in terms.actions:
        return
    is_job = WorkAction.CANCEL in terms.actions
    raise DomainError("alarm_act_not_for_jobs" if is_job else "alarm_act_for_jobs_only")
