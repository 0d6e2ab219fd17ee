"""What every table of channels has, and every table of messages that wait to be sent to them."""

from typing import ClassVar
from uuid import UUID

from django.db import models

from portal.common.clock import now
from portal.common.models import Entity
from portal.outbound.kinds import ChannelKind


class OutboundChannel(Entity):
    """A place outside of the portal to which messages are sent; its address is a secret."""

    kind = models.CharField(
        max_length=16, choices=[(kind.value, kind.value.title()) for kind in ChannelKind]
    )
    encrypted_address = models.TextField()
    """As `portal.common.encryption` returns it."""
    encrypted_secret = models.TextField(blank=True)
    """Signs the requests of a webhook, and the messages of DingTalk where its robot asks for it."""
    host = models.CharField(max_length=255)
    """Of the address: all that is ever shown of it."""
    delivered_at = models.DateTimeField(null=True)
    """When it last took a message."""
    failed_at = models.DateTimeField(null=True)
    """When it last did not; null once it has taken one again."""
    failure = models.CharField(max_length=40, blank=True)
    """A code of ours, never its own words: these may repeat the address."""

    class Meta:
        abstract = True


class OutboundMessage(Entity):
    """A message that waits to be sent; removed when it was taken, or given up."""

    channel_id: ClassVar[UUID]
    """Of the foreign key `channel` that each such table has."""
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(default=now)

    class Meta:
        abstract = True
