"""Whatever way a message goes, its amounts are written as people say them."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest

from portal.alarms.decisions import AlarmState
from portal.alarms.kinds import KINDS, AlarmKind, AlarmUnit
from portal.alarms.messages import build_payload, value_part, with_texts, write_chat_message
from portal.alarms.models import Alarm, AlarmRule
from portal.common.clock import now
from portal.common.translations import LANGUAGES, load_messages, translate
from portal.identity.inbox import describe_notice
from portal.identity.models import Notice
from portal.identity.notice_kinds import KIND_OF_NOTICE

RAW = re.compile(r"(\d+) ?(?:(min\b|minutes?\b|s\b|seconds?\b|分钟|秒)|(MiB)\b)")
"""A count of minutes or seconds, or of MiB."""
HALF_DAY = {"en": "12 h", "zh-CN": "12 小时"}
NAMED: dict[str, object] = {
    **dict.fromkeys(("name", "requester", "owner", "username"), "Li Wei"),
    **dict.fromkeys(("notebook", "work", "dataset", "reservation", "images", "rule"), "demo"),
    **dict.fromkeys(("group", "pool", "subject"), "vision"),
    "portal": "https://gpu.example",
    "path": "/jobs/1",
    "id": "1",
    "url": "https://gpu.example/1",
    "comment": "Soon",
    "request_kind": "quota",
    "alarm_kind": "work_waiting",
    "alarm_act": "none",
    "due_at": "14:20",
    "number": 3,
    "count": 2,
    "missing": 1,
    "reserved": 4,
}
WAITED = value_part(AlarmUnit.MINUTES, 720, "")
AMOUNTS: dict[str, dict[str, object]] = {
    "idle_warned_release": {"idle_min": 720, "in_min": 180},
    "idle_warned_stop": {"idle_min": 720, "in_min": 180},
    "images_expire": {"within": 43_200},
    "password_reset": {"minutes": 720},
    "alarm_fired": {"value": WAITED},
    "alarms_fired": {
        "list": [{"code": "alarm_value.line", "params": {"subject": "demo", "value": WAITED}}, "…"]
    },
}
"""What messages say in amounts, by their codes; the others say none."""


def raw_amounts(text: str) -> list[str]:
    """Return the amounts that a person would say in a larger unit."""
    return [
        found[0] for found in RAW.finditer(text) if int(found[1]) >= (120 if found[2] else 1024)
    ]


def codes_of_messages() -> set[str]:
    return {name.split(".")[1] for name in load_messages("en") if name.startswith("mail.")}


def test_every_kind_of_notice_has_a_message() -> None:
    assert codes_of_messages() == {*KIND_OF_NOTICE, "password_reset"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", sorted(codes_of_messages()))
def test_mails_and_notices_say_amounts_as_people_do(code: str, language: str) -> None:
    params = json.loads(json.dumps({**NAMED, **AMOUNTS.get(code, {})}))

    parts = [translate(language, f"mail.{code}.{part}", params) for part in ("subject", "body")]
    text = "\n".join([*parts, describe_notice(Notice(code=code, params=params), language)])

    assert raw_amounts(text) == []
    assert "{" not in text
    assert (HALF_DAY[language] in text) is (code in AMOUNTS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", AlarmKind)
def test_channels_say_the_values_of_alarms_as_people_do(kind: AlarmKind, language: str) -> None:
    rule = AlarmRule(kind=kind, severity="warning", threshold=720)
    alarm = Alarm(subject_name="demo", value=720, detail="train", since=now() - timedelta(hours=12))
    payload = json.loads(json.dumps(build_payload(rule, AlarmState.FIRING, [alarm])))

    title, text = write_chat_message(payload, language)
    sent: Any = with_texts(payload, language)

    (said,) = sent["alarms"]
    words = {
        AlarmUnit.NONE: "train",
        AlarmUnit.PERCENT: "720 %",
        AlarmUnit.CELSIUS: "720 °C",
        AlarmUnit.MINUTES: HALF_DAY[language],
    }
    assert raw_amounts(f"{title}\n{text}\n{said['text']}") == []
    assert said["text"].startswith(words[KINDS[kind].unit])
    assert f"demo: {said['text']}" in text
    assert (said["value"], sent["unit"]) == (720, KINDS[kind].unit.value)
