"""Holding every rule against the facts: the writer of where alarms stand.

One transaction a minute, with a fixed number of statements: however many subjects there are, each kind
of rule costs one read, and one for the rules of groups. Everything is stored, so a restart or a lost run changes nothing.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.alarms.decisions import (
    AlarmStanding,
    AlarmState,
    Condition,
    decide_alarms,
    is_quiet,
)
from portal.alarms.facts import Fact, FactQuery, read_facts_for_system
from portal.alarms.kinds import KINDS, AlarmKind
from portal.alarms.messages import build_payload, read_titles
from portal.alarms.models import Alarm, AlarmRule, AlarmSilence
from portal.alarms.outbox import queue_messages
from portal.alarms.recipients import build_notices_for_system
from portal.alarms.shipped import ensure_shipped_rules
from portal.common.clock import now
from portal.common.notifications import ALARMS_TOPIC, invalidate_topics
from portal.notices.inbox import send_notices
from portal.site.selectors import settings_for_system
from portal.tenancy.selectors import paths_for_system

EVALUATE_TASK: Final = "alarms.evaluate"
OPEN_PER_RULE_MAX: Final = 200
"""Pending and firing alarms of one rule; further subjects wait until some have resolved."""
KEPT: Final = timedelta(days=90)
"""How long an alarm is kept after it has resolved."""
_COLUMNS: Final = (
    *("subject_name", "detail", "value", "state", "since", "seen_at", "clear_since"),
    *("fired_at", "resolved_at"),
)
DELETED_AT_ONCE: Final = 1000
"""Old alarms that one run deletes."""

Paths = Mapping[UUID, tuple[UUID, ...]]
FactRead = tuple[AlarmKind, bool]
"""A kind, and whether for rules that groups have made: however loose these are, staff's find the same."""


@dataclass(frozen=True, slots=True)
class _Writes:
    """What an evaluation has to save."""

    created: list[Alarm] = field(default_factory=list)
    changed: list[Alarm] = field(default_factory=list)
    dropped: list[UUID] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.created or self.changed or self.dropped)


@transaction.atomic
def evaluate_alarms() -> int:
    """Bring every alarm to where it stands now, and notify; return how many fire."""
    moment = now()
    is_first = ensure_shipped_rules()
    rules = list(
        AlarmRule.objects.filter(enabled=True)
        .select_for_update(of=("self",), no_key=True)
        .order_by("id")
    )
    known: dict[UUID, list[Alarm]] = defaultdict(list)
    for alarm in Alarm.objects.exclude(state=AlarmState.RESOLVED).order_by("id"):
        known[alarm.rule_id].append(alarm)
    facts = _read_facts(rules, known, moment)
    paths = paths_for_system() if any(rule.group_id for rule in rules) else {}
    writes = _Writes()
    for rule in rules:
        found = [fact for fact in facts[_read_of(rule)] if is_in_scope(rule, fact, paths)]
        _decide_rule(rule, known[rule.pk], found, moment, writes)
    _save(writes)
    _notify(rules, [*(a for each in known.values() for a in each), *writes.created], moment)
    if is_first or not writes.is_empty:
        invalidate_topics([ALARMS_TOPIC])
    return Alarm.objects.filter(state=AlarmState.FIRING).count()


def close_alarms(rule: AlarmRule) -> None:
    """Resolve what a rule has found, because the rule is disabled or removed; the caller has locked it.

    Its channels are notified of the end of what they were notified of: nobody else would tell them.
    """
    rows = Alarm.objects.filter(rule=rule)
    rows.filter(state=AlarmState.PENDING).delete()
    firing = rows.filter(state=AlarmState.FIRING)
    told = list(firing.exclude(notified_at=None).order_by("id"))
    firing.update(state=AlarmState.RESOLVED.value, resolved_at=now())
    if told:
        read_titles(told)
        queue_messages([(rule, build_payload(rule, AlarmState.RESOLVED, told))])


def delete_old_alarms() -> int:
    """Delete alarms that resolved long ago, and silences that ended then; return how many alarms."""
    old = now() - KEPT
    AlarmSilence.objects.filter(until__lt=old).delete()
    rows = Alarm.objects.filter(resolved_at__lt=old).order_by("resolved_at")
    keys = list(rows.values_list("pk", flat=True)[:DELETED_AT_ONCE])
    deleted, _ = Alarm.objects.filter(pk__in=keys).delete()
    return deleted


def condition_of(rule: AlarmRule) -> Condition:
    """Return the condition of a rule."""
    terms = KINDS[AlarmKind(rule.kind)]
    return Condition(rule.threshold, timedelta(seconds=rule.duration_s), terms.is_below)


def is_in_scope(rule: AlarmRule, fact: Fact, paths: Paths) -> bool:
    """Return whether a rule is about a subject; `paths` name the groups above each."""
    if rule.pool_id is not None and rule.pool_id != fact.pool:
        return False
    if rule.group_id is None:
        return True
    return fact.group is not None and rule.group_id in paths.get(fact.group, ())


def is_silenced(alarm: Alarm, silences: Iterable[AlarmSilence]) -> bool:
    """Return whether one of these silences matches an alarm."""
    return any(
        silence.rule_id in (None, alarm.rule_id)
        and silence.pool_id in (None, alarm.pool_id)
        and silence.subject_id in (None, alarm.subject_id)
        for silence in silences
    )


def _read_facts(
    rules: Sequence[AlarmRule], known: Mapping[UUID, Sequence[Alarm]], moment: datetime
) -> Mapping[FactRead, Sequence[Fact]]:
    by_read: dict[FactRead, list[AlarmRule]] = defaultdict(list)
    for rule in rules:
        by_read[_read_of(rule)].append(rule)
    found: dict[FactRead, Sequence[Fact]] = {}
    for read, its_rules in by_read.items():
        kind, _ = read
        loosest = max if KINDS[kind].is_below else min
        threshold = loosest(rule.threshold for rule in its_rules)
        open_now = {alarm.subject_id for rule in its_rules for alarm in known.get(rule.pk, ())}
        found[read] = read_facts_for_system(kind, FactQuery(threshold, open_now, moment))
    return found


def _read_of(rule: AlarmRule) -> FactRead:
    return AlarmKind(rule.kind), rule.by_group


def _decide_rule(
    rule: AlarmRule,
    known: Sequence[Alarm],
    facts: Collection[Fact],
    moment: datetime,
    writes: _Writes,
) -> None:
    before = {alarm.subject_id: alarm for alarm in known}
    condition = condition_of(rule)
    fresh = [fact for fact in facts if fact.subject not in before]
    room = max(0, OPEN_PER_RULE_MAX - len(before))
    by_subject = {fact.subject: fact for fact in facts if fact.subject in before}
    by_subject |= {fact.subject: fact for fact in fresh[:room]}
    standings = {key: _standing(alarm) for key, alarm in before.items()}
    readings = {key: fact.reading for key, fact in by_subject.items()}
    for subject, after in decide_alarms(condition, standings, readings, moment).items():
        alarm, fact = before.get(subject), by_subject.get(subject)
        if alarm is None and fact is not None and after is not None:
            alarm = build_alarm(rule, fact)
            _move(alarm, after, fact, moment)
            writes.created.append(alarm)
        elif alarm is not None and after is None:
            alarm.state = ""
            writes.dropped.append(alarm.pk)
        elif alarm is not None and after is not None and after != standings[subject]:
            _move(alarm, after, fact, moment)
            writes.changed.append(alarm)


def _standing(alarm: Alarm) -> AlarmStanding:
    return AlarmStanding(AlarmState(alarm.state), alarm.since, alarm.seen_at, alarm.clear_since)


def build_alarm(rule: AlarmRule, fact: Fact) -> Alarm:
    """Return the alarm, unsaved, of a rule about a subject."""
    alarm = Alarm(
        rule=rule,
        subject_type=KINDS[AlarmKind(rule.kind)].subject.value,
        subject_id=fact.subject,
        owner_id=fact.owner,
        group_id=fact.group,
        pool_id=fact.pool,
        node_id=fact.node,
        work_kind=fact.work_kind,
    )
    _describe(alarm, fact)
    return alarm


def _move(alarm: Alarm, after: AlarmStanding, fact: Fact | None, moment: datetime) -> None:
    if fact is not None and fact.reading.value is not None and after.seen_at == moment:
        _describe(alarm, fact)
    if after.state is AlarmState.FIRING and alarm.fired_at is None:
        alarm.fired_at = moment
    if after.state is AlarmState.RESOLVED:
        alarm.resolved_at = moment
    alarm.state, alarm.since = after.state.value, after.since
    alarm.seen_at, alarm.clear_since = after.seen_at, after.clear_since


def _describe(alarm: Alarm, fact: Fact) -> None:
    if fact.reading.value is not None:
        alarm.value = fact.reading.value
    alarm.detail, alarm.subject_name = fact.detail[:100], fact.name[:200]


def _save(writes: _Writes) -> None:
    if writes.dropped:
        Alarm.objects.filter(pk__in=writes.dropped).delete()
    if writes.changed:
        Alarm.objects.bulk_update(writes.changed, _COLUMNS)
    if writes.created:
        Alarm.objects.bulk_create(writes.created)


def _notify(rules: Sequence[AlarmRule], alarms: Sequence[Alarm], moment: datetime) -> None:
    """Notify of what fires and was not notified of yet, unless it is silenced or hours are quiet.

    What resolves before that is notified of nowhere; channels are notified of what resolves after.
    """
    waiting = [a for a in alarms if a.state == AlarmState.FIRING and a.notified_at is None]
    over = [a for a in alarms if a.resolved_at == moment and a.notified_at is not None]
    if not waiting and not over:
        return
    minute = settings_for_system().days.minute_of(moment)
    silences = list(AlarmSilence.objects.filter(until__gt=moment))
    by_rule = {rule.pk: rule for rule in rules}
    firing: dict[AlarmRule, list[Alarm]] = defaultdict(list)
    for alarm in waiting:
        rule = by_rule.get(alarm.rule_id)
        if rule is None or is_silenced(alarm, silences):
            continue
        if not is_quiet(minute, rule.quiet_from, rule.quiet_until):
            firing[rule].append(alarm)
    resolved: dict[AlarmRule, list[Alarm]] = defaultdict(list)
    for alarm in over:
        if alarm.rule_id in by_rule:
            resolved[by_rule[alarm.rule_id]].append(alarm)
    read_titles(
        [alarm for found in (firing, resolved) for each in found.values() for alarm in each]
    )
    if firing:
        send_notices(build_notices_for_system(firing))
        told = [alarm.pk for found in firing.values() for alarm in found]
        Alarm.objects.filter(pk__in=told).update(notified_at=moment)
    queue_messages(
        [
            *((rule, build_payload(rule, AlarmState.FIRING, a)) for rule, a in firing.items()),
            *((rule, build_payload(rule, AlarmState.RESOLVED, a)) for rule, a in resolved.items()),
        ]
    )
