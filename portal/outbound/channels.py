"""Channels as people fill them in. An address goes in and never comes out again."""

from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from portal.common import encryption
from portal.outbound.addresses import issue_signing_secret, require_address
from portal.outbound.guard import Networks
from portal.outbound.kinds import ChannelKind
from portal.outbound.models import OutboundChannel

ENCRYPTED: Final = ("encrypted_address", "encrypted_secret")
"""Columns of a channel."""
Channel = TypeVar("Channel", bound=OutboundChannel)


def set_address(channel: OutboundChannel, address: str, networks: Networks) -> None:
    """Let a channel, whose kind is set, go to an address; of private ones, to those in `networks` only.

    Raises:
        InvalidError: it is not an address of this kind, or one that must not be reached.
    """
    channel.host = require_address(channel.kind, address, networks)
    channel.encrypted_address = encryption.encrypt(address)
    channel.failed_at, channel.failure = None, ""


@dataclass(frozen=True, slots=True)
class IssuedChannel(Generic[Channel]):
    """A channel with the secret that signs its requests, which is shown this once; empty for chats."""

    channel: Channel
    signing_secret: str = field(repr=False)


def issue_channel(channel: Channel, chat_secret: str) -> IssuedChannel[Channel]:
    """Give a webhook a new secret to sign with, and a chat that of its robot."""
    signing_secret = issue_signing_secret() if channel.kind == ChannelKind.WEBHOOK else ""
    set_secret(channel, signing_secret or chat_secret)
    return IssuedChannel(channel, signing_secret)


def set_secret(channel: OutboundChannel, secret: str) -> None:
    """Sign what goes to a channel with a secret; with none, do not sign it."""
    channel.encrypted_secret = encryption.encrypt(secret) if secret else ""


def encrypt_again(channel: OutboundChannel) -> None:
    """Encrypt address and secret of a channel with the present key; its table's owner saves `ENCRYPTED`."""
    channel.encrypted_address = encryption.rotate(channel.encrypted_address)
    if channel.encrypted_secret:
        channel.encrypted_secret = encryption.rotate(channel.encrypted_secret)
