"""Channels as people fill them in. An address goes in and never comes out again."""

from typing import Final

from portal.common import encryption
from portal.outbound.addresses import require_address
from portal.outbound.guard import Networks
from portal.outbound.models import OutboundChannel

ENCRYPTED: Final = ("encrypted_address", "encrypted_secret")
"""Columns of a channel."""


def set_address(channel: OutboundChannel, address: str, networks: Networks) -> None:
    """Let a channel, whose kind is set, go to an address; of private ones, to those in `networks` only.

    Raises:
        InvalidError: it is not an address of this kind, or one that must not be reached.
    """
    channel.host = require_address(channel.kind, address, networks)
    channel.encrypted_address = encryption.encrypt(address)
    channel.failed_at, channel.failure = None, ""


def set_secret(channel: OutboundChannel, secret: str) -> None:
    """Sign what goes to a channel with a secret; with none, do not sign it."""
    channel.encrypted_secret = encryption.encrypt(secret) if secret else ""


def encrypt_again(channel: OutboundChannel) -> None:
    """Encrypt address and secret of a channel with the present key; its table's owner saves `ENCRYPTED`."""
    channel.encrypted_address = encryption.rotate(channel.encrypted_address)
    if channel.encrypted_secret:
        channel.encrypted_secret = encryption.rotate(channel.encrypted_secret)
