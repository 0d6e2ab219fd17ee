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
from portal.alarms.recipients import notice_of
from portal.common.clock import now
from portal.common.ids import new_id
from portal.common.translations import LANGUAGES, load_messages, translate, translate_part
from portal.identity.models import Notice
from portal.inventory.models import Pool
from portal.notices.inbox import describe_notice
from portal.notices.kinds import KIND_OF_NOTICE
from portal.tenancy.models import Group

RAW = re.compile(r"(\d+) ?(?:(min\b|minutes?\b|s\b|seconds?\b|分钟|秒)|(MiB)\b)")
"""A count of minutes or seconds, or of MiB."""
COLON = {"en": ": ", "zh-CN": "："}
HALF_DAY = {"en": "12 h", "zh-CN": "12 小时"}
NAMED: dict[str, object] = {
    **dict.fromkeys(("name", "requester", "owner", "username", "person"), "Li Wei"),
    **dict.fromkeys(("notebook", "work", "dataset", "reservation", "images", "rule"), "demo"),
    **dict.fromkeys(("group", "pool", "subject"), "vision"),
    "portal": "https://gpu.example",
    "path": "/jobs/1",
    "id": "1",
    "url": "https://gpu.example/1",
    "comment": "Soon",
    "cause": "preempted",
    "exit_code": 1,
    "request_kind": "quota",
    "alarm_kind": "work_waiting",
    "alarm_act": "none",
    "due_at": "14:20",
    "number": 3,
    "count": 2,
    "times": 3,
    "running": 1,
    "waiting": 2,
    "notebooks": 0,
    "missing": 1,
    "reserved": 4,
}
WAITED = value_part("work_waiting", {"value": 720, "detail": ""})
AMOUNTS: dict[str, dict[str, object]] = {
    "idle_warned_release": {"idle_min": 720, "in_min": 180},
    "idle_warned_stop": {"idle_min": 720, "in_min": 180},
    "images_expire": {"within": 43_200},
    "member_left_stops": {"within": 43_200},
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
    assert words[KINDS[kind].unit] in said["text"]
    assert f"demo{COLON[language]}{said['text']}" in text
    assert (said["value"], sent["unit"]) == (720, KINDS[kind].unit.value)


VISION = Group(name="vision", title_en="Computer vision", title_zh="计算机视觉")
CARDS = Pool(name="a100", title_en="A100 cards", title_zh="A100 卡")
LIMIT_WORDS = {
    ("en", "cpu", None): ("Computer vision", "97 % (CPU · all pools)"),
    ("en", "gpu H100 SXM", CARDS): ("Computer vision", "97 % (GPUs · H100 SXM · A100 cards)"),
    ("en", "month", CARDS): ("Computer vision", "97 % (of the month · A100 cards)"),
    ("zh-CN", "cpu", None): ("计算机视觉", "97 %（CPU · 全部资源池）"),
    ("zh-CN", "gpu", CARDS): ("计算机视觉", "97 %（加速卡 · A100 卡）"),
    ("zh-CN", "month", None): ("计算机视觉", "97 %（当月 · 全部资源池）"),
}


@pytest.mark.parametrize(("case", "words"), LIMIT_WORDS.items())
def test_limits_go_by_the_titles_of_their_group_and_pool(
    case: tuple[str, str, Pool | None], words: tuple[str, str]
) -> None:
    language, detail, pool = case
    what = AlarmKind.BUDGET_NEAR if detail == "month" else AlarmKind.QUOTA_NEAR
    rule = AlarmRule(kind=what, severity="warning", threshold=95)
    about = {"subject_type": KINDS[what].subject, "subject_name": "vision", "since": now()}
    alarm = Alarm(**about, value=97, detail=detail, group=VISION, pool=pool)
    line = COLON[language].join(words)

    payload = json.loads(json.dumps(build_payload(rule, AlarmState.FIRING, [alarm])))
    one, many = notice_of(rule, new_id(), [alarm]), notice_of(rule, new_id(), [alarm, alarm])
    inbox = describe_notice(Notice(code=one.code, params=one.params), language)

    assert f"• {line}\n" in write_chat_message(payload, language)[1]
    assert one.path == "/quotas"
    assert inbox.endswith(words[0])
    assert words[1] in translate(language, "mail.alarm_fired.body", one.params)
    assert f"{line}\n{line}\n" in translate(language, "mail.alarms_fired.body", many.params)


def test_a_silent_node_says_its_state_in_words() -> None:
    alarm = {"value": 1, "detail": "lost"}
    assert translate_part("zh-CN", value_part("node_silent", alarm)) == "已失联"


def test_work_that_is_held_says_how_often_it_was_evicted() -> None:
    alarm = {"value": 3, "detail": "3"}
    said = translate_part("en", value_part("work_held", alarm))
    assert said == "evicted 3 times without progress"


def test_a_message_stored_by_an_earlier_release_is_still_written() -> None:
    rule = AlarmRule(kind="quota_near", severity="info", threshold=95)
    alarm = Alarm(subject_type="quota", subject_name="vision", value=97, detail="cpu", since=now())
    payload = build_payload(rule, AlarmState.FIRING, [alarm])
    for each in payload["alarms"]:
        del each["group"], each["pool"]
    assert "• vision: 97 %" in write_chat_message(payload, "en")[1]
