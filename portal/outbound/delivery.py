"""Sending what waits for channels: claimed, tried a bounded number of times, each channel for itself.

A message may arrive twice where a worker ends between the answer and the removal; its id is the same.
The app that owns a table of channels writes to it: claims what `find_due` names, as `postpone` leaves it, and
records each `SentToChannel`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar
from uuid import UUID

import structlog
from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from portal.common import encryption
from portal.outbound.guard import Networks
from portal.outbound.models import OutboundChannel, OutboundMessage
from portal.outbound.sending import TAKEN, ChannelMessage, ChannelTarget, send_message

AT_ONCE: Final = 20
"""Messages of one channel that one run of the task sends."""
CHANNELS_AT_ONCE: Final = 8
"""Channels that are spoken to at the same time, so that a slow one holds up no other."""
MESSAGE_ATTEMPTS_MAX: Final = 6
"""How often a message is tried; then it is given up, about an hour after the first time."""
CLAIMED: Final = ("due_at", "attempts")
"""Columns that `postpone` changes."""
_PAUSE: Final = timedelta(minutes=1)
"""After the first failed attempt; each further one doubles it."""

Channel = TypeVar("Channel", bound=OutboundChannel)
Message = TypeVar("Message", bound=OutboundMessage)

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SentToChannel:
    """What became of the messages that were due for one channel."""

    channel: UUID
    taken: int
    """Messages that it took."""
    over: Sequence[UUID]
    """Messages that it took, or that are given up."""
    health: Mapping[str, Any]
    """Columns of the channel."""


def find_due(messages: "QuerySet[Message]", moment: datetime) -> list[UUID]:
    """Return the keys of messages that are due, a few of each channel, the oldest first."""
    place = Window(RowNumber(), partition_by=F("channel"), order_by=F("due_at").asc())
    due = messages.filter(due_at__lte=moment).annotate(place=place)
    return list(due.filter(place__lte=AT_ONCE).values_list("pk", flat=True))


def postpone(rows: Iterable[OutboundMessage], moment: datetime) -> None:
    """Count an attempt of each message: unless removed, it is due again later."""
    for row in rows:
        row.due_at = moment + _PAUSE * 2**row.attempts
        row.attempts += 1


def send_messages(
    channels: Mapping[UUID, Channel],
    rows: Iterable[Message],
    networks: Networks,
    describe: Callable[[Channel, Message], ChannelMessage],
    moment: datetime,
) -> list[SentToChannel]:
    """Send claimed messages to their channels; what belongs to none of these is left.

    `networks` are private ones that webhooks may reach.
    """
    due: dict[UUID, list[Message]] = defaultdict(list)
    for row in rows:
        due[row.channel_id].append(row)
    jobs = [(channels[key], found) for key, found in due.items() if key in channels]
    if not jobs:
        return []
    prepared = [
        (_target(channel, networks), [describe(channel, row) for row in found])
        for channel, found in jobs
    ]
    with ThreadPoolExecutor(CHANNELS_AT_ONCE, thread_name_prefix="outbound") as threads:
        sent = list(threads.map(lambda job: _send_all(job[0], job[1], moment), prepared))
    return [
        _result(channel, found, taken, failure, moment)
        for (channel, found), (taken, failure) in zip(jobs, sent, strict=True)
    ]


def _target(channel: OutboundChannel, networks: Networks) -> ChannelTarget | None:
    try:
        return ChannelTarget(
            channel.kind,
            encryption.decrypt(channel.encrypted_address),
            encryption.decrypt(channel.encrypted_secret) if channel.encrypted_secret else "",
            networks,
        )
    except encryption.UndecryptableError:
        return None


def _send_all(
    target: ChannelTarget | None, messages: Sequence[ChannelMessage], moment: datetime
) -> tuple[int, str]:
    """Send messages in order until one fails; return how many were taken, and the failure."""
    if target is None:
        return 0, "undecryptable"
    for taken, message in enumerate(messages):
        failure = send_message(target, message, moment)
        if failure:
            return taken, failure
    return len(messages), TAKEN


def _result(
    channel: OutboundChannel,
    rows: Sequence[OutboundMessage],
    taken: int,
    failure: str,
    moment: datetime,
) -> SentToChannel:
    given_up = [row.pk for row in rows[taken:] if row.attempts >= MESSAGE_ATTEMPTS_MAX]
    for key in given_up:
        logger.warning("outbound.message_dropped", host=channel.host, message=str(key))
    health: dict[str, Any] = {
        "failed_at": moment if failure else None,
        "failure": failure,
        **({"delivered_at": moment} if taken else {}),
    }
    return SentToChannel(channel.pk, taken, [row.pk for row in rows[:taken]] + given_up, health)
