"""Changing rules, silencing and acknowledging; every change is in the audit log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from portal.alarms import selectors
from portal.alarms.decisions import AlarmState
from portal.alarms.evaluation import (
    EVALUATE_TASK,
    build_alarm,
    close_alarms,
    condition_of,
    is_in_scope,
)
from portal.alarms.facts import FactQuery, read_facts_for_system
from portal.alarms.group_rules import (
    is_made_by_group,
    require_group_terms,
    require_manager,
    require_room,
)
from portal.alarms.kinds import KINDS, AlarmAct, AlarmAudience, AlarmKind, AlarmUnit, KindTerms
from portal.alarms.messages import read_titles
from portal.alarms.models import Alarm, AlarmChannel, AlarmRule, AlarmSilence
from portal.alarms.past import PastFirings, PastQuery, count_past_firings
from portal.audit import services as audit
from portal.audit.versions import ALARM_RULE, require_version
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, ExhaustedError, InvalidError, NotFoundError
from portal.common.notifications import ALARMS_TOPIC, invalidate_topics, start_task
from portal.inventory.models import Pool
from portal.notices.inbox import settle_notices
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to, paths_for_system

SILENCES_MAX: Final = 200
"""Silences in force at once."""
SILENCE_MAX: Final = timedelta(days=30)
"""How long a silence may last."""
NAMED_MAX: Final = 5
"""Subjects that a trial of a rule names."""
_PLAIN: Final = (
    *("name", "enabled", "severity", "threshold", "duration_s"),
    *("quiet_from", "quiet_until", "audience", "act", "tag"),
)


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """What a rule would find now, and how often it would have fired before."""

    count: int
    subjects: Sequence[Alarm]
    """The first of them, as alarms that are not saved."""
    past: PastFirings | None


@transaction.atomic
def create_rule(*, actor: Actor, given: Mapping[str, Any]) -> AlarmRule:
    """Add a rule, which is held against the facts at once; admins of a group add rules about it.

    Raises:
        InvalidError: something in it does not go with its kind, or reaches beyond the group.
        ExhaustedError: there are as many as there may be.
    """
    rule, channels = _fill(actor, _new_rule(actor, given), given)
    require_manager(actor, rule)
    require_room(rule)
    if not rule.name:
        raise InvalidError("alarm_rule_name", pointer="/name")
    rule.save(force_insert=True)
    rule.channels.set(channels or [])
    _record_rule(actor, "alarm_rule.create", rule)
    start_task(EVALUATE_TASK)
    return rule


@transaction.atomic
def change_rule(
    *, actor: Actor, rule_id: UUID, changes: Mapping[str, Any], version: int | None = None
) -> AlarmRule:
    """Change a rule, which is held against the facts at once; disabled, it resolves what it has found.

    Raises:
        ConflictError: `version`, which the caller read, is not the present one.
    """
    rule = _lock_rule(actor, rule_id)
    require_version(ALARM_RULE, rule.pk, version)
    before = rule.group_id
    rule, channels = _fill(actor, rule, changes)
    if rule.by_group and rule.group_id != before:
        require_manager(actor, rule)
        require_room(rule)
    if not rule.name and not rule.is_shipped:
        raise InvalidError("alarm_rule_name", pointer="/name")
    rule.save()
    if not rule.enabled:
        close_alarms(rule)
    if channels is not None:
        rule.channels.set(channels)
    _record_rule(actor, "alarm_rule.change", rule)
    start_task(EVALUATE_TASK)
    return rule


@transaction.atomic
def remove_rule(*, actor: Actor, rule_id: UUID) -> None:
    """Remove a rule with what it has found; shipped ones can only be disabled."""
    rule = _lock_rule(actor, rule_id)
    if rule.is_shipped:
        raise ConflictError("alarm_rule_shipped")
    _record_rule(actor, "alarm_rule.remove", rule)
    close_alarms(rule)
    rule.delete()


def try_rule(*, actor: Actor, given: Mapping[str, Any]) -> RuleTrial:
    """Return what a rule would find now and would have found before; nothing is saved."""
    rule, _ = _fill(actor, _new_rule(actor, given), given)
    require_manager(actor, rule)
    kind, moment = AlarmKind(rule.kind), now()
    paths = paths_for_system()
    found = read_facts_for_system(kind, FactQuery(rule.threshold, (), moment))
    met = [fact for fact in found if is_in_scope(rule, fact, paths)]
    groups = None
    if rule.group_id is not None:
        groups = [group for group, path in paths.items() if rule.group_id in path]
    query = PastQuery(kind, condition_of(rule), rule.pool_id, groups, moment)
    subjects = [build_alarm(rule, fact) for fact in met[:NAMED_MAX]]
    read_titles(subjects)
    return RuleTrial(len(met), subjects, count_past_firings(query))


@transaction.atomic
def acknowledge_alarm(*, actor: Actor, alarm_id: UUID, comment: str) -> Alarm:
    """Record that somebody takes care of an alarm.

    Raises:
        ConflictError: it does not fire any more, or was acknowledged before.
    """
    selectors.alarm_visible_to(actor, alarm_id)
    alarm = Alarm.objects.select_for_update(no_key=True).get(pk=alarm_id)
    if alarm.state != AlarmState.FIRING:
        raise ConflictError("alarm_not_firing")
    if alarm.acknowledged_at is not None:
        raise ConflictError("alarm_acknowledged")
    alarm.acknowledged_at, alarm.acknowledged_by_id = now(), actor.user_id
    alarm.comment = comment
    alarm.save(update_fields=["acknowledged_at", "acknowledged_by", "comment"])
    audit.record_event(
        actor=actor,
        action="alarm.acknowledge",
        object_type="alarm",
        object_id=alarm.pk,
        group_id=alarm.group_id,
        params={"subject": alarm.subject_name, "comment": comment},
    )
    settle_notices(
        codes=["alarm_fired", "alarms_fired"],
        about={"alarms": [str(alarm.pk)]},
        user_ids=[actor.user_id] if actor.user_id else [],
    )
    invalidate_topics([ALARMS_TOPIC])
    return alarm


@transaction.atomic
def create_silence(
    *,
    actor: Actor,
    until: datetime,
    reason: str,
    rule: UUID | None,
    pool: UUID | None,
    alarm: UUID | None,
) -> AlarmSilence:
    """Silence a rule, a pool or the subject of one alarm until a time.

    Raises:
        InvalidError: the time is over, or too far away.
    """
    policies.require(actor, Action.ALARM_SILENCE, None)
    moment = now()
    if not moment < until <= moment + SILENCE_MAX:
        raise InvalidError("alarm_silence_until", pointer="/until", days=SILENCE_MAX.days)
    if AlarmSilence.objects.filter(until__gt=moment).count() >= SILENCES_MAX:
        raise ExhaustedError("alarm_silences_too_many", max=SILENCES_MAX)
    about = None if alarm is None else selectors.alarm_visible_to(actor, alarm)
    row = AlarmSilence.objects.create(
        rule=None if rule is None else _found(AlarmRule, rule, "alarm_rule"),
        pool=None if pool is None else _found(Pool, pool, "pool"),
        subject_id=None if about is None else about.subject_id,
        subject_name="" if about is None else about.subject_name,
        until=until,
        reason=reason,
        created_by_id=actor.user_id,
    )
    _record_silence(actor, "alarm_silence.create", row)
    return row


@transaction.atomic
def end_silence(*, actor: Actor, silence_id: UUID) -> None:
    """End a silence now."""
    policies.require(actor, Action.ALARM_SILENCE, None)
    row = AlarmSilence.objects.filter(pk=silence_id, until__gt=now()).first()
    if row is None:
        raise NotFoundError("alarm_silence")
    row.until = now()
    row.save(update_fields=["until"])
    _record_silence(actor, "alarm_silence.end", row)


def _new_rule(actor: Actor, given: Mapping[str, Any]) -> AlarmRule:
    return AlarmRule(kind=given["kind"], by_group=is_made_by_group(actor))


def _fill(
    actor: Actor, rule: AlarmRule, given: Mapping[str, Any]
) -> tuple[AlarmRule, Sequence[AlarmChannel] | None]:
    """Set what is given on a rule that is not saved, and return its channels; None leaves them."""
    for name in _PLAIN:
        if name in given:
            setattr(rule, name, given[name])
    if "pool" in given:
        rule.pool = None if given["pool"] is None else _found(Pool, given["pool"], "pool")
    if "group" in given:
        group = given["group"]
        rule.group = None if group is None else group_visible_to(actor, group)
    _require_sound(rule)
    channels = _read_channels(given.get("channels"))
    require_group_terms(rule, channels)
    return rule, channels


def _read_channels(keys: Sequence[UUID] | None) -> Sequence[AlarmChannel] | None:
    if keys is None:
        return None
    channels = list(AlarmChannel.objects.filter(pk__in=keys))
    if len(channels) != len(set(keys)):
        raise NotFoundError("alarm_channel")
    return channels


def _require_sound(rule: AlarmRule) -> None:
    terms = KINDS[AlarmKind(rule.kind)]
    if terms.unit is AlarmUnit.NONE:
        rule.threshold = terms.threshold
    if not terms.least <= rule.threshold <= terms.most:
        raise InvalidError("alarm_threshold", pointer="/threshold", min=terms.least, max=terms.most)
    if rule.pool_id is not None and not terms.has_pool:
        raise InvalidError("alarm_scope", pointer="/pool")
    if rule.group_id is not None and not terms.has_group:
        raise InvalidError("alarm_scope", pointer="/group")
    _require_act(rule, terms)
    if not terms.has_group and set(rule.audience) - {AlarmAudience.STAFF.value}:
        raise InvalidError("alarm_audience_of_kind", pointer="/audience")
    if (rule.quiet_from is None) != (rule.quiet_until is None):
        raise InvalidError("alarm_quiet_hours", pointer="/quiet_until")
    if rule.quiet_from is not None and rule.quiet_from == rule.quiet_until:
        raise InvalidError("alarm_quiet_hours_empty", pointer="/quiet_until")


def _require_act(rule: AlarmRule, terms: KindTerms) -> None:
    if rule.act and rule.act not in terms.acts:
        raise InvalidError("alarm_act_of_kind", pointer="/act")
    if (rule.act == AlarmAct.TAG_WORK) != bool(rule.tag):
        raise InvalidError("alarm_tag", pointer="/tag")


def _found(model: Any, key: UUID, what: str) -> Any:
    row = model.objects.filter(pk=key).first()
    if row is None:
        raise NotFoundError(what)
    return row


def _lock_rule(actor: Actor, rule_id: UUID) -> AlarmRule:
    """Lock a rule that the actor may change."""
    rule = AlarmRule.objects.select_for_update(no_key=True).filter(pk=rule_id).first()
    if rule is None:
        raise NotFoundError("alarm_rule")
    require_manager(actor, rule)
    return rule


def _record_rule(actor: Actor, action: str, rule: AlarmRule) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="alarm_rule",
        object_id=rule.pk,
        group_id=rule.group_id if rule.by_group else None,
        params={
            "alarm_kind": rule.kind,
            "unit": KINDS[AlarmKind(rule.kind)].unit.value,
            **{name: getattr(rule, name) for name in _PLAIN},
            "pool": str(rule.pool_id or ""),
            "group": str(rule.group_id or ""),
        },
    )
    invalidate_topics([ALARMS_TOPIC])


def _record_silence(actor: Actor, action: str, row: AlarmSilence) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="alarm_silence",
        object_id=row.pk,
        params={
            "rule": row.rule.name or row.rule.kind if row.rule else "",
            "pool": row.pool.name if row.pool else "",
            "subject": row.subject_name,
            "until": row.until.isoformat(),
            "reason": row.reason,
        },
    )
    invalidate_topics([ALARMS_TOPIC])
