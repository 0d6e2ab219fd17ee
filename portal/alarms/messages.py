"""What channels are sent: the payload of a webhook, and the text of a chat."""

from collections.abc import Sequence
from typing import Any, Final

from portal.alarms.decisions import AlarmState
from portal.alarms.kinds import KINDS, AlarmKind, AlarmUnit
from portal.alarms.models import Alarm, AlarmRule
from portal.common.clock import now
from portal.common.site_config import get_site_config
from portal.common.translations import Part, translate, translate_part

ALARMS_MAX: Final = 20
"""Alarms that one message to a channel has; their number is sent as well."""
TEST: Final = "test"
Payload = dict[str, Any]


def value_part(rule_unit: str, value: int, detail: str) -> Part:
    """Return the value of an alarm with its unit, or what it has instead of one."""
    if rule_unit == AlarmUnit.NONE:
        return Part(code="alarm_value.none", params={"detail": detail or "–"})
    number = Part(code=f"alarm_value.{rule_unit}", params={"value": value})
    if not detail:
        return number
    return Part(code="alarm_value.detailed", params={"number": number, "detail": detail})


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
        "alarms": [
            {
                "id": str(alarm.pk),
                "subject": {
                    "type": alarm.subject_type,
                    "id": str(alarm.subject_id),
                    "name": alarm.subject_name,
                },
                "value": alarm.value,
                "detail": alarm.detail,
                "since": alarm.since.isoformat(),
            }
            for alarm in alarms[:ALARMS_MAX]
        ],
        "url": f"{get_site_config().portal_url}/alarms",
    }


def with_texts(payload: Payload, language: str) -> Payload:
    """Return the message with what each of its alarms has in words, beside the numbers for programs."""
    alarms = [
        {**each, "text": _value_text(payload, each, language)} for each in payload.get("alarms", ())
    ]
    return {**payload, "alarms": alarms} if alarms else payload


def _value_text(payload: Payload, alarm: Payload, language: str) -> str:
    return translate_part(language, value_part(payload["unit"], alarm["value"], alarm["detail"]))


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
        f"• {alarm['subject']['name']}: {_value_text(payload, alarm, language)}"
        for alarm in payload["alarms"]
    ]
    more = payload["count"] - len(lines)
    if more:
        lines.append(translate(language, "alarm_chat.more", {"count": more}))
    title = translate(language, f"alarm_chat.{kind}", params)
    return title, "\n".join([*lines, payload["url"]])
