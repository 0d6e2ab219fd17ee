"""What channels are sent: the payload of a webhook, and the text of a chat."""

from collections.abc import Sequence
from typing import Any, Final

from portal.alarms.decisions import AlarmState
from portal.alarms.kinds import KINDS, AlarmKind, AlarmUnit
from portal.alarms.models import Alarm, AlarmRule
from portal.common.clock import now
from portal.common.site_config import get_site_config
from portal.common.translations import translate

ALARMS_MAX: Final = 20
"""Alarms that one message to a channel has; their number is sent as well."""
TEST: Final = "test"
_UNITS: Final = {AlarmUnit.PERCENT: " %", AlarmUnit.CELSIUS: " °C", AlarmUnit.MINUTES: " min"}
Payload = dict[str, Any]


def describe_value(rule: AlarmRule, alarm: Alarm) -> str:
    """Return the value of an alarm with its unit, or what it has instead of one."""
    unit = KINDS[AlarmKind(rule.kind)].unit
    if unit is AlarmUnit.NONE:
        return alarm.detail or "–"
    shown = f"{alarm.value}{_UNITS[unit]}"
    return f"{shown} ({alarm.detail})" if alarm.detail else shown


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
                "text": describe_value(rule, alarm),
            }
            for alarm in alarms[:ALARMS_MAX]
        ],
        "url": f"{get_site_config().portal_url}/alarms",
    }


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
    lines = [f"• {alarm['subject']['name']}: {alarm['text']}" for alarm in payload["alarms"]]
    more = payload["count"] - len(lines)
    if more:
        lines.append(translate(language, "alarm_chat.more", {"count": more}))
    title = translate(language, f"alarm_chat.{kind}", params)
    return title, "\n".join([*lines, payload["url"]])
