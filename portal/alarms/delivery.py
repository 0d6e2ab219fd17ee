"""Sending the messages of alarms to the channels of the site."""

from datetime import datetime

from django.db import transaction

from portal.alarms.messages import with_texts, write_chat_message
from portal.alarms.models import AlarmChannel, AlarmDelivery
from portal.common.clock import now
from portal.common.notifications import ALARMS_TOPIC, invalidate_topics
from portal.common.site_config import get_site_config
from portal.outbound.delivery import CLAIMED, SentToChannel, find_due, postpone, send_messages
from portal.outbound.sending import ChannelMessage


def deliver_alarms() -> int:
    """Send what is due to enabled channels; return how many messages were taken."""
    moment = now()
    rows = _claim(moment)
    channels = AlarmChannel.objects.in_bulk({row.channel_id for row in rows})
    networks = get_site_config().webhook_networks
    results = send_messages(channels, rows, networks, _describe, moment)
    for result in results:
        _record(result)
    return sum(result.taken for result in results)


@transaction.atomic
def _claim(moment: datetime) -> list[AlarmDelivery]:
    due = find_due(AlarmDelivery.objects.filter(channel__enabled=True), moment)
    waiting = AlarmDelivery.objects.filter(pk__in=due, due_at__lte=moment)
    rows = list(waiting.select_for_update(skip_locked=True).order_by("id"))
    postpone(rows, moment)
    AlarmDelivery.objects.bulk_update(rows, CLAIMED)
    return rows


def _describe(channel: AlarmChannel, waiting: AlarmDelivery) -> ChannelMessage:
    title, text = write_chat_message(waiting.payload, channel.language)
    payload = with_texts(waiting.payload, channel.language)
    return ChannelMessage(str(waiting.pk), payload, title, text)


@transaction.atomic
def _record(result: SentToChannel) -> None:
    AlarmChannel.objects.filter(pk=result.channel).update(**result.health)
    AlarmDelivery.objects.filter(pk__in=result.over).delete()
    invalidate_topics([ALARMS_TOPIC])
