"""Sending notices to the channels of people, in their language."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from portal.common.clock import now
from portal.common.notifications import invalidate_topics
from portal.common.site_config import get_site_config
from portal.common.translations import LANGUAGES, translate
from portal.identity.models import NoticeChannel, OutgoingNotice
from portal.notices.channels import TEST
from portal.notices.inbox import describe_notice
from portal.notices.kinds import KIND_OF_NOTICE
from portal.outbound.delivery import CLAIMED, SentToChannel, find_due, postpone, send_messages
from portal.outbound.sending import ChannelMessage


def deliver_notices() -> int:
    """Send what is due; return how many notices were taken."""
    config, moment = get_site_config(), now()
    if not config.personal_channels:
        return 0
    rows = _claim(moment)
    people = NoticeChannel.objects.select_related("user")
    channels = people.in_bulk({row.channel_id for row in rows})
    networks = config.personal_webhook_networks
    results = send_messages(channels, rows, networks, _describe, moment)
    for result in results:
        _record(result, channels[result.channel].user_id)
    return sum(result.taken for result in results)


@transaction.atomic
def _claim(moment: datetime) -> list[OutgoingNotice]:
    due = find_due(OutgoingNotice.objects.filter(channel__user__is_active=True), moment)
    waiting = OutgoingNotice.objects.filter(pk__in=due, due_at__lte=moment)
    rows = list(waiting.select_for_update(skip_locked=True).order_by("id"))
    postpone(rows, moment)
    OutgoingNotice.objects.bulk_update(rows, CLAIMED)
    return rows


@transaction.atomic
def _record(result: SentToChannel, user_id: UUID) -> None:
    NoticeChannel.objects.filter(pk=result.channel).update(**result.health)
    OutgoingNotice.objects.filter(pk__in=result.over).delete()
    invalidate_topics([f"user:{user_id}"])


def _describe(channel: NoticeChannel, waiting: OutgoingNotice) -> ChannelMessage:
    language = channel.user.language or LANGUAGES[0]
    text = (
        translate(language, "letter.channel_test", {})
        if waiting.code == TEST
        else describe_notice(waiting, language)
    )
    url = f"{get_site_config().portal_url}{waiting.path}"
    payload: dict[str, Any] = {
        "type": "notice",
        "at": waiting.created_at.isoformat(),
        "about": KIND_OF_NOTICE.get(waiting.code, TEST),
        "code": waiting.code,
        "params": waiting.params,
        "text": text,
        "url": url,
    }
    return ChannelMessage(str(waiting.pk), payload, text, url)
