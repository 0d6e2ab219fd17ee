"""Sending the messages of channels: claimed, tried a bounded number of times, each channel for itself.

A message may arrive twice where a worker ends between the answer and the removal; its id is the same.
"""

import asyncio
import base64
import hashlib
import hmac
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from aiohttp import ClientError
from django.db import transaction
from django.db.models import F, Window
from django.db.models.functions import RowNumber

from portal.alarms.chats import send_to_chat
from portal.alarms.messages import write_chat_message
from portal.alarms.models import AlarmChannel, AlarmDelivery
from portal.common import encryption
from portal.common.clock import now
from portal.common.notifications import ALARMS_TOPIC, invalidate_topics
from portal.common.outbound import ForbiddenAddressError, Networks, post_guarded
from portal.common.site_config import get_site_config

AT_ONCE: Final = 20
"""Messages of one channel that one run of the task sends."""
CHANNELS_AT_ONCE: Final = 8
"""Channels that are spoken to at the same time, so that a slow one holds up no other."""
MESSAGE_ATTEMPTS_MAX: Final = 6
"""How often a message is tried; then it is given up, about an hour after the first time."""
_PAUSE: Final = timedelta(minutes=1)
"""After the first failed attempt; each further one doubles it."""
KEY_PREFIX: Final = "whsec_"
TAKEN: Final = ""
"""The failure of a message that was taken."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _ChannelTarget:
    """A channel as it is spoken to; never logged."""

    kind: str
    language: str
    address: str
    secret: str
    networks: Networks


def deliver_messages() -> int:
    """Send what is due; return how many messages were taken."""
    due = _claim()
    channels = AlarmChannel.objects.in_bulk(due.keys())
    jobs = [(channels[key], rows) for key, rows in due.items() if key in channels]
    if not jobs:
        return 0
    moment = now()
    targets = [_target(channel) for channel, _ in jobs]
    with ThreadPoolExecutor(CHANNELS_AT_ONCE, thread_name_prefix="alarms") as threads:
        sent = list(
            threads.map(
                lambda job: _send_all(job[0], job[1], moment),
                [(target, rows) for target, (_, rows) in zip(targets, jobs, strict=True)],
            )
        )
    for (channel, rows), (taken, failure) in zip(jobs, sent, strict=True):
        _record(channel, rows, taken, failure, moment)
    return sum(taken for taken, _ in sent)


@transaction.atomic
def _claim() -> Mapping[UUID, list[AlarmDelivery]]:
    """Take the messages that are due, a few of each channel: unless removed, they are due again."""
    moment = now()
    due = AlarmDelivery.objects.filter(due_at__lte=moment, channel__enabled=True)
    place = Window(RowNumber(), partition_by=F("channel"), order_by=F("due_at").asc())
    first = due.annotate(place=place).filter(place__lte=AT_ONCE).values_list("pk", flat=True)
    rows = AlarmDelivery.objects.filter(pk__in=list(first), due_at__lte=moment)
    found: dict[UUID, list[AlarmDelivery]] = defaultdict(list)
    for row in rows.select_for_update(skip_locked=True).order_by("id"):
        row.due_at = moment + _PAUSE * 2**row.attempts
        row.attempts += 1
        found[row.channel_id].append(row)
    AlarmDelivery.objects.bulk_update(
        [row for each in found.values() for row in each], ["due_at", "attempts"]
    )
    return found


def _target(channel: AlarmChannel) -> _ChannelTarget | None:
    try:
        return _ChannelTarget(
            channel.kind,
            channel.language,
            encryption.decrypt(channel.encrypted_address),
            encryption.decrypt(channel.encrypted_secret) if channel.encrypted_secret else "",
            get_site_config().webhook_networks,
        )
    except encryption.UndecryptableError:
        return None


def _send_all(
    target: _ChannelTarget | None, rows: Sequence[AlarmDelivery], moment: datetime
) -> tuple[int, str]:
    """Send messages in order until one fails; return how many were taken, and the failure."""
    if target is None:
        return 0, "undecryptable"
    for taken, row in enumerate(rows):
        failure = _send(target, row, moment)
        if failure:
            return taken, failure
    return len(rows), TAKEN


def _send(target: _ChannelTarget, row: AlarmDelivery, moment: datetime) -> str:
    """Send one message; return a code of ours if it was not taken."""
    if target.kind != AlarmChannel.Kind.WEBHOOK:
        title, text = write_chat_message(row.payload, target.language)
        is_taken = send_to_chat(target.kind, target.address, target.secret, title, text)
        return TAKEN if is_taken else "not_taken"
    body = json.dumps({"id": str(row.pk), **row.payload}, ensure_ascii=False).encode()
    headers = sign_webhook(target.secret, str(row.pk), int(moment.timestamp()), body)
    try:
        status = asyncio.run(post_guarded(target.address, body, headers, target.networks))
    except ForbiddenAddressError:
        return "forbidden"
    except TimeoutError:
        return "timeout"
    except (ClientError, OSError, ValueError):
        return "unreachable"
    return TAKEN if 200 <= status < 300 else f"status_{status}"


def sign_webhook(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers of a signed request, as Standard Webhooks has them."""
    key = base64.b64decode(secret.removeprefix(KEY_PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "content-type": "application/json",
        "user-agent": "Berth",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{digest}",
    }


@transaction.atomic
def _record(
    channel: AlarmChannel,
    rows: Sequence[AlarmDelivery],
    taken: int,
    failure: str,
    moment: datetime,
) -> None:
    """Remove what was taken and what is given up, and save how the channel is."""
    given_up = [row for row in rows[taken:] if row.attempts >= MESSAGE_ATTEMPTS_MAX]
    changes: dict[str, Any] = {
        "failed_at": moment if failure else None,
        "failure": failure,
        **({"delivered_at": moment} if taken else {}),
    }
    AlarmChannel.objects.filter(pk=channel.pk).update(**changes)
    over = [row.pk for row in (*rows[:taken], *given_up)]
    AlarmDelivery.objects.filter(pk__in=over).delete()
    for row in given_up:
        logger.warning("alarm.message_dropped", channel=channel.name, message=str(row.pk))
    invalidate_topics([ALARMS_TOPIC])
