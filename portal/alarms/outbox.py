"""Storing messages to channels, in the transaction of what they are about; a task sends them."""

from collections.abc import Sequence
from typing import Any, Final

from portal.alarms.models import AlarmChannel, AlarmDelivery, AlarmRule
from portal.common.notifications import start_task

DELIVER_TASK: Final = "alarms.deliver"


def queue_messages(messages: Sequence[tuple[AlarmRule, dict[str, Any]]]) -> None:
    """Store a message for each enabled channel of each rule; sent after the commit (two statements)."""
    rules = [rule.pk for rule, _ in messages]
    if not rules:
        return
    links = AlarmRule.channels.through.objects.filter(
        alarmrule__in=rules, alarmchannel__enabled=True
    )
    of_rule: dict[Any, list[Any]] = {}
    for rule, channel in links.values_list("alarmrule", "alarmchannel"):
        of_rule.setdefault(rule, []).append(channel)
    rows = [
        AlarmDelivery(channel_id=channel, payload=payload)
        for rule, payload in messages
        for channel in of_rule.get(rule.pk, ())
    ]
    if AlarmDelivery.objects.bulk_create(rows):
        start_task(DELIVER_TASK)


def queue_message(channel: AlarmChannel, payload: dict[str, Any]) -> None:
    """Store a message for one channel."""
    AlarmDelivery.objects.create(channel=channel, payload=payload)
    start_task(DELIVER_TASK)
