"""The channel of a person: where notices go outside of the portal, besides mail.

Everybody has one of their own at most. What it may reach is the operator's decision
(`personal_webhook_networks`), because anybody can then have requests sent there.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Count

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.errors import ConflictError, DeniedError, NotFoundError
from portal.common.notifications import start_task
from portal.common.site_config import get_site_config
from portal.identity.models import NoticeChannel, OutgoingNotice, User, UserKind
from portal.notices.kinds import KIND_OF_NOTICE, turn
from portal.notices.mail import PersonalMessage
from portal.outbound import channels
from portal.outbound.channels import IssuedChannel

DELIVER_TASK: Final = "notices.deliver"
TEST: Final = "channel_test"
"""The code of the message by which a person tries the channel."""
WAITING_MAX: Final = 100
"""Notices that wait for one channel; further ones are in the inbox alone."""


@transaction.atomic
def set_channel(*, actor: Actor, given: Mapping[str, Any]) -> IssuedChannel[NoticeChannel]:
    """Send the caller's notices to an address from now on; it replaces the one before.

    Raises:
        DeniedError: the site allows no channels of people.
        InvalidError: the address is not one of its kind, or must not be reached.
    """
    _require_allowed()
    user = _lock_person(actor)
    channel = find_channel(user.pk) or NoticeChannel(user=user)
    channel.kind = given["kind"]
    channels.set_address(channel, given["address"], get_site_config().personal_webhook_networks)
    issued = channels.issue_channel(channel, given.get("secret", ""))
    channel.delivered_at = None
    channel.save()
    _record(actor, "notice_channel.set", channel)
    return issued


@transaction.atomic
def remove_channel(*, actor: Actor) -> None:
    """Send the caller's notices to no channel any more; what waits to be sent there is dropped."""
    channel = _require_channel(_lock_person(actor))
    _record(actor, "notice_channel.remove", channel)
    channel.delete()


@transaction.atomic
def send_test_message(*, actor: Actor) -> None:
    """Send a message to the caller's channel; the channel shows whether it was taken."""
    _require_allowed()
    channel = _require_channel(_lock_person(actor))
    if channel.waiting.count() >= WAITING_MAX:
        raise ConflictError("notice_channel_busy", max=WAITING_MAX)
    OutgoingNotice.objects.create(channel=channel, code=TEST, path="/profile")
    start_task(DELIVER_TASK)


def choose_kinds(*, user_id: UUID, off: Collection[str]) -> None:
    """Keep which kinds of notices a person does not want in the channel; nothing without one."""
    NoticeChannel.objects.filter(user=user_id).update(kinds_turned=sorted(turn(off)))


def find_channel(user_id: UUID) -> NoticeChannel | None:
    """Return the channel of a person, if there is one."""
    return NoticeChannel.objects.filter(user=user_id).first()


def queue_for_channels(messages: Sequence[PersonalMessage]) -> None:
    """Store these for the channels of their people, in the caller's transaction; sent after its commit."""
    if not messages or not get_site_config().personal_channels:
        return
    users = {message.user for message in messages}
    open_channels = NoticeChannel.objects.annotate(count=Count("waiting")).filter(
        user__in=users, user__is_active=True, count__lt=WAITING_MAX
    )
    of_person = {channel.user_id: channel for channel in open_channels}
    rows = [
        OutgoingNotice(
            channel=channel, code=message.code, params=dict(message.params), path=message.path
        )
        for message in messages
        if (channel := of_person.get(message.user)) is not None
        and KIND_OF_NOTICE.get(message.code) not in turn(channel.kinds_turned)
    ]
    if OutgoingNotice.objects.bulk_create(rows):
        start_task(DELIVER_TASK)


@transaction.atomic
def encrypt_again() -> int:
    """Encrypt all addresses and secrets with the present key; return how many channels there are."""
    rows = list(NoticeChannel.objects.select_for_update(no_key=True).order_by("id"))
    for row in rows:
        channels.encrypt_again(row)
    NoticeChannel.objects.bulk_update(rows, channels.ENCRYPTED)
    return len(rows)


def _require_allowed() -> None:
    if not get_site_config().personal_channels:
        raise DeniedError("notice_channels_off")


def _lock_person(actor: Actor) -> User:
    if actor.user_id is None:
        raise NotFoundError("user")
    people = User.objects.select_for_update(no_key=True).filter(kind=UserKind.PERSON)
    user = people.filter(pk=actor.user_id).first()
    if user is None:
        raise NotFoundError("user")
    return user


def _require_channel(user: User) -> NoticeChannel:
    channel = find_channel(user.pk)
    if channel is None:
        raise NotFoundError("notice_channel")
    return channel


def _record(actor: Actor, action: str, channel: NoticeChannel) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="notice_channel",
        object_id=channel.pk,
        params={"channel_kind": channel.kind, "host": channel.host},
    )
