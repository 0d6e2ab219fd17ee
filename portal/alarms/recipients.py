"""Whom an alarm concerns, and the notices that people get: one for each rule and person."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

from portal.alarms.kinds import LIMITS, AlarmAudience, AlarmSeverity, AlarmSubjectType
from portal.alarms.messages import describe_alarm, line_part, subject_of, value_part
from portal.alarms.models import Alarm, AlarmRule
from portal.common.work_kinds import KINDS
from portal.notices.mail import PersonalMessage
from portal.tenancy.selectors import nearest_admins_for_system, staff_for_system

LISTED_MAX: Final = 10
"""Subjects that one notice names; the page has the others."""


def build_notices_for_system(
    found: Mapping[AlarmRule, Sequence[Alarm]],
) -> list[PersonalMessage]:
    """Return what each person is notified of: the alarms of one rule in one message (three queries)."""
    groups = {alarm.group_id for alarms in found.values() for alarm in alarms if alarm.group_id}
    groups |= {rule.group_id for rule in found if rule.by_group and rule.group_id}
    admins = nearest_admins_for_system(groups) if groups else {}
    staff = staff_for_system()
    messages = []
    for rule, alarms in found.items():
        by_person: dict[UUID, list[Alarm]] = defaultdict(list)
        for alarm in alarms:
            for user in _people(rule, alarm, admins, staff):
                by_person[user].append(alarm)
        messages += [notice_of(rule, user, mine) for user, mine in by_person.items()]
    return messages


def _people(
    rule: AlarmRule, alarm: Alarm, admins: Mapping[UUID, Sequence[UUID]], staff: Iterable[UUID]
) -> set[UUID]:
    people: set[UUID] = set()
    if AlarmAudience.OWNER in rule.audience and alarm.owner_id:
        people.add(alarm.owner_id)
    # Of a rule that a group has made, those who made it: not the admins of a group below it.
    group = rule.group_id if rule.by_group else alarm.group_id
    if AlarmAudience.GROUP_ADMINS in rule.audience and group:
        people.update(admins.get(group, ()))
    if AlarmAudience.STAFF in rule.audience:
        people.update(staff)
    return people


def notice_of(rule: AlarmRule, user: UUID, alarms: Sequence[Alarm]) -> PersonalMessage:
    """Return the message about some alarms of a rule; only warnings and worse leave the inbox."""
    leaves_inbox = rule.severity != AlarmSeverity.INFO
    first, *others = alarms
    params: dict[str, object] = {
        "alarms": [str(alarm.pk) for alarm in alarms],
        "alarm_kind": rule.kind,
        "rule": rule.name or "–",
        "alarm_act": rule.act or "none",
    }
    if not others:
        path, said = page_of(first), describe_alarm(first)
        params |= {
            "subject": subject_of(said),
            "value": value_part(rule.kind, said),
            "path": path,
        }
        return PersonalMessage(user, "alarm_fired", params, path, leaves_inbox)
    lines: list[object] = [
        line_part(rule.kind, describe_alarm(alarm)) for alarm in alarms[:LISTED_MAX]
    ]
    listed = lines + (["…"] if len(alarms) > LISTED_MAX else [])
    params |= {"count": len(alarms), "list": listed, "path": "/alarms"}
    return PersonalMessage(user, "alarms_fired", params, "/alarms", leaves_inbox)


def page_of(alarm: Alarm) -> str:
    """Return the path of the page about an alarm's subject."""
    if alarm.subject_type == AlarmSubjectType.WORKLOAD:
        return f"/{KINDS[alarm.work_kind].page}/{alarm.subject_id}"
    if alarm.node_id is not None:
        return f"/nodes/{alarm.node_id}"
    if alarm.subject_type in LIMITS:
        return "/quotas"
    if alarm.subject_type == AlarmSubjectType.VOLUME:
        return "/volumes"
    return "/alarms"
