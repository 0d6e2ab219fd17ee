"""What channels are sent: the payload of a webhook, and the text of a chat."""

from collections.abc import Sequence
from typing import Any, Final

from django.db.models import prefetch_related_objects

from portal.alarms.decisions import AlarmState
from portal.alarms.kinds import KINDS, LIMITS, AlarmKind, AlarmUnit
from portal.alarms.models import Alarm, AlarmRule
from portal.common.clock import now
from portal.common.site_config import get_site_config
from portal.common.translations import Part, Titled, translate, translate_part
from portal.inventory.models import Pool
from portal.tenancy.models import Group

ALARMS_MAX: Final = 20
"""Alarms that one message to a channel has; their number is sent as well."""
TEST: Final = "test"
Payload = dict[str, Any]


def read_titles(alarms: Sequence[Alarm]) -> None:
    """Read the groups and pools whose titles messages about these alarms have (two statements)."""
    prefetch_related_objects(alarms, "group", "pool")


def describe_alarm(alarm: Alarm) -> Payload:
    """Return an alarm as programs read it, from which the words for people are made."""
    return {
        "id": str(alarm.pk),
        "subject": {
            "type": alarm.subject_type,
            "id": str(alarm.subject_id),
            "name": alarm.subject_name,
        },
        "value": alarm.value,
        "detail": alarm.detail,
        "group": _describe_titled(alarm.group),
        "pool": _describe_titled(alarm.pool),
        "since": alarm.since.isoformat(),
    }


def _describe_titled(thing: Group | Pool | None) -> Payload | None:
    if thing is None:
        return None
    titles = {"title_en": thing.title_en, "title_zh": thing.title_zh}
    return {"id": str(thing.pk), "name": thing.name, **titles}


def subject_of(alarm: Payload) -> Titled | str:
    """Return what an alarm is about: the title of a group whose limit it is, else a name.

    A message that was stored by an earlier release names neither group nor pool.
    """
    subject = alarm["subject"]
    group = alarm.get("group") if subject["type"] in LIMITS else None
    return subject["name"] if group is None else _titles_of(group)


def _titles_of(thing: Payload) -> Titled:
    return Titled(title_en=thing["title_en"], title_zh=thing["title_zh"])


def value_part(kind: str, alarm: Payload) -> Part:
    """Return the value of an alarm with its unit, or what it has instead of one."""
    unit, detail = KINDS[AlarmKind(kind)].unit, _detail_part(kind, alarm)
    if unit is AlarmUnit.NONE:
        return Part(code="alarm_value.none", params={"detail": detail or "–"})
    number = Part(code=f"alarm_value.{unit}", params={"value": alarm["value"]})
    if not detail:
        return number
    return Part(code="alarm_value.detailed", params={"number": number, "detail": detail})


def _detail_part(kind: str, alarm: Payload) -> Part | str:
    detail, pool = alarm["detail"], alarm.get("pool")
    in_pool = Part(code="alarm_limit.all_pools", params={}) if pool is None else _titles_of(pool)
    match AlarmKind(kind):
        case AlarmKind.QUOTA_NEAR:
            resource, _, model = detail.partition(" ")
            code = "alarm_limit.quota_of_model" if model else "alarm_limit.quota"
            params = {"alarm_resource": resource, "model": model, "pool": in_pool}
            return Part(code=code, params=params)
        case AlarmKind.BUDGET_NEAR:
            return Part(code="alarm_limit.budget", params={"alarm_period": detail, "pool": in_pool})
        case AlarmKind.NODE_SILENT:
            return Part(code="alarm_value.node", params={"alarm_node": detail})
        case AlarmKind.WORK_HELD:
            return Part(code="alarm_value.evicted", params={"times": detail})
        case _:
            return str(detail)


def line_part(kind: str, alarm: Payload) -> Part:
    """Return what an alarm is about with its value."""
    params: dict[str, object] = {"subject": subject_of(alarm), "value": value_part(kind, alarm)}
    return Part(code="alarm_value.line", params=params)


def build_payload(rule: AlarmRule, state: AlarmState, alarms: Sequence[Alarm]) -> Payload:
    """Return the message to a channel about alarms of a rule that fire or have resolved."""
    return {
        "type": f"alarm.{state}",
        "at": now().isoformat(),
        "kind": rule.kind,
        "rule": rule.name,
        "severity": rule.severity,
        "unit": KINDS[AlarmKind(rule.kind)].unit.value,
        "threshold": rule.threshold,
        "count": len(alarms),
        "alarms": [describe_alarm(alarm) for alarm in alarms[:ALARMS_MAX]],
        "url": f"{get_site_config().portal_url}/alarms",
    }


def with_texts(payload: Payload, language: str) -> Payload:
    """Return the message with what each of its alarms has in words, beside the numbers for programs."""
    alarms = [
        {**each, "text": _value_text(payload, each, language)} for each in payload.get("alarms", ())
    ]
    return {**payload, "alarms": alarms} if alarms else payload


def _value_text(payload: Payload, alarm: Payload, language: str) -> str:
    return translate_part(language, value_part(payload["kind"], alarm))


def build_test_payload() -> Payload:
    """Return the message by which an administrator tries a channel."""
    return {
        "type": f"alarm.{TEST}",
        "at": now().isoformat(),
        "url": f"{get_site_config().portal_url}/alarms",
    }


def write_chat_message(payload: Payload, language: str) -> tuple[str, str]:
    """Return the title and the text of a payload for a chat, in the language of the channel."""
    kind = payload["type"].removeprefix("alarm.")
    if kind == TEST:
        return (
            translate(language, "alarm_chat.test", {}),
            translate(language, "alarm_chat.test_body", {"url": payload["url"]}),
        )
    params = {
        "alarm_kind": payload["kind"],
        "alarm_severity": payload["severity"],
        "count": payload["count"],
        "rule": payload["rule"],
    }
    lines = [
        f"• {translate_part(language, line_part(payload['kind'], alarm))}"
        for alarm in payload["alarms"]
    ]
    more = payload["count"] - len(lines)
    if more:
        lines.append(translate(language, "alarm_chat.more", {"count": more}))
    title = translate(language, f"alarm_chat.{kind}", params)
    return title, "\n".join([*lines, payload["url"]])
