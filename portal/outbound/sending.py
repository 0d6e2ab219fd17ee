"""Speaking to a channel. Only the worker imports this: the library of the chats is large."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from aiohttp import ClientError

from portal.outbound.addresses import KEY_PREFIX
from portal.outbound.chats import send_to_chat
from portal.outbound.guard import ForbiddenAddressError, Networks, post_guarded
from portal.outbound.kinds import ChannelKind

TAKEN: Final = ""
"""The failure of a message that was taken."""


@dataclass(frozen=True, slots=True)
class ChannelTarget:
    """A channel as it is spoken to; never logged."""

    kind: str
    address: str = field(repr=False)
    secret: str = field(repr=False)
    networks: Networks
    """Private networks that its webhook may reach."""


@dataclass(frozen=True, slots=True)
class ChannelMessage:
    """One message, as a webhook and as a chat gets it."""

    id: str
    """The same at every attempt."""
    payload: Mapping[str, Any]
    title: str
    text: str


def send_message(target: ChannelTarget, message: ChannelMessage, moment: datetime) -> str:
    """Send a message; return `TAKEN`, or a code of ours: never the words of the other side."""
    if target.kind != ChannelKind.WEBHOOK:
        is_taken = send_to_chat(
            target.kind, target.address, target.secret, message.title, message.text
        )
        return TAKEN if is_taken else "not_taken"
    body = json.dumps({"id": message.id, **message.payload}, ensure_ascii=False).encode()
    headers = _sign(target.secret, message.id, int(moment.timestamp()), body)
    try:
        status = asyncio.run(post_guarded(target.address, body, headers, target.networks))
    except ForbiddenAddressError:
        return "forbidden"
    except TimeoutError:
        return "timeout"
    except (ClientError, OSError, ValueError):
        return "unreachable"
    return TAKEN if 200 <= status < 300 else f"status_{status}"


def _sign(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
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
