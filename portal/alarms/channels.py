"""Channels as administrators configure them. An address goes in and never comes out again."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.alarms.messages import build_test_payload
from portal.alarms.models import AlarmChannel
from portal.alarms.outbox import queue_message
from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, ExhaustedError, NotFoundError
from portal.common.notifications import ALARMS_TOPIC, invalidate_topics
from portal.common.site_config import get_site_config
from portal.outbound import channels
from portal.outbound.channels import IssuedChannel
from portal.outbound.kinds import ChannelKind
from portal.tenancy import policies

CHANNELS_MAX: Final = 30
"""Channels of the site."""


@transaction.atomic
def create_channel(*, actor: Actor, given: Mapping[str, Any]) -> IssuedChannel[AlarmChannel]:
    """Add a channel; a webhook gets a secret to sign with.

    Raises:
        InvalidError: the address is not one of its kind, or must not be reached.
        ConflictError: the name is taken.
    """
    policies.require(actor, Action.ALARM_MANAGE, None)
    if AlarmChannel.objects.count() >= CHANNELS_MAX:
        raise ExhaustedError("alarm_channels_too_many", max=CHANNELS_MAX)
    channel = AlarmChannel(kind=given["kind"])
    _fill(channel, {name: value for name, value in given.items() if name != "secret"})
    issued = channels.issue_channel(channel, given.get("secret", ""))
    _save(channel, is_new=True)
    _record(actor, "alarm_channel.create", channel)
    return issued


@transaction.atomic
def change_channel(*, actor: Actor, channel_id: UUID, changes: Mapping[str, Any]) -> AlarmChannel:
    """Change a channel; its kind stays, and so does the secret of a webhook."""
    policies.require(actor, Action.ALARM_MANAGE, None)
    channel = _lock(channel_id)
    own = dict(changes)
    if channel.kind == ChannelKind.WEBHOOK:
        own.pop("secret", None)
    _fill(channel, own)
    _save(channel)
    _record(actor, "alarm_channel.change", channel)
    return channel


@transaction.atomic
def remove_channel(*, actor: Actor, channel_id: UUID) -> None:
    """Remove a channel with what waits to be sent to it."""
    policies.require(actor, Action.ALARM_MANAGE, None)
    channel = _lock(channel_id)
    _record(actor, "alarm_channel.remove", channel)
    channel.delete()


@transaction.atomic
def send_test_message(*, actor: Actor, channel_id: UUID) -> None:
    """Send a message to a channel; the channel shows whether it was taken."""
    policies.require(actor, Action.ALARM_MANAGE, None)
    channel = _lock(channel_id)
    if not channel.enabled:
        raise ConflictError("alarm_channel_disabled")
    queue_message(channel, build_test_payload())
    _record(actor, "alarm_channel.test", channel)


@transaction.atomic
def encrypt_again() -> int:
    """Encrypt all addresses and secrets with the present key; return how many channels there are."""
    rows = list(AlarmChannel.objects.select_for_update(no_key=True).order_by("id"))
    for row in rows:
        channels.encrypt_again(row)
    AlarmChannel.objects.bulk_update(rows, channels.ENCRYPTED)
    return len(rows)


def _fill(channel: AlarmChannel, given: Mapping[str, Any]) -> None:
    for name in ("name", "language", "enabled"):
        if name in given:
            setattr(channel, name, given[name])
    if "address" in given:
        channels.set_address(channel, given["address"], get_site_config().webhook_networks)
    if "secret" in given:
        channels.set_secret(channel, given["secret"])


def _save(channel: AlarmChannel, *, is_new: bool = False) -> None:
    try:
        with transaction.atomic():
            channel.save(force_insert=is_new)
    except IntegrityError as error:
        raise ConflictError(
            "alarm_channel_name_taken", name=channel.name, pointer="/name"
        ) from error


def _lock(channel_id: UUID) -> AlarmChannel:
    channel = AlarmChannel.objects.select_for_update(no_key=True).filter(pk=channel_id).first()
    if channel is None:
        raise NotFoundError("alarm_channel")
    return channel


def _record(actor: Actor, action: str, channel: AlarmChannel) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="alarm_channel",
        object_id=channel.pk,
        params={
            "name": channel.name,
            "channel_kind": channel.kind,
            "host": channel.host,
            "enabled": channel.enabled,
        },
    )
    invalidate_topics([ALARMS_TOPIC])
