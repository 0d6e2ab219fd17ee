"""Addresses of channels, as people enter them: read and checked, without a request; and their secrets."""

import base64
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from portal.common.errors import InvalidError
from portal.outbound.guard import ForbiddenAddressError, Networks, OutboundGuard, is_address
from portal.outbound.kinds import ChannelKind

ADDRESS_MAX: Final = 2000
"""Characters of the address of a channel."""
CHAT_SECRET_MAX: Final = 200
"""Characters of the signing secret of a chat."""
KEY_PREFIX: Final = "whsec_"
"""Of secrets by which receivers know that a webhook is ours, as Standard Webhooks writes them."""
_KEY_BYTES: Final = 32
_LABEL: Final = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.?")
_CHATS: Final[Mapping[str, re.Pattern[str]]] = {
    ChannelKind.DINGTALK: re.compile(
        r"https://oapi\.dingtalk\.com/robot/send\?access_token=(?P<token>[A-Za-z0-9]{1,128})"
    ),
    ChannelKind.FEISHU: re.compile(
        r"https://open\.feishu\.cn/open-apis/bot/v2/hook/(?P<token>[A-Za-z0-9-]{1,128})/?"
    ),
    ChannelKind.LARK: re.compile(
        r"https://open\.larksuite\.com/open-apis/bot/v2/hook/(?P<token>[A-Za-z0-9-]{1,128})"
    ),
    ChannelKind.WECOM: re.compile(
        r"https://qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=(?P<token>[A-Za-z0-9-]{1,128})"
    ),
    ChannelKind.SLACK: re.compile(
        r"https://hooks\.slack\.com/services/"
        r"(?P<team>T[A-Z0-9]{1,32})/(?P<bot>B[A-Z0-9]{1,32})/(?P<token>[A-Za-z0-9]{1,64})"
    ),
    ChannelKind.TEAMS: re.compile(
        r"https://[a-z0-9.-]+\.(?:logic\.azure\.com|api\.powerplatform\.com)(?::443)?"
        r"(?:/powerautomate/automations/direct(?:/cu/\d{1,4})?)?"
        r"/workflows/[A-Za-z0-9_-]{1,128}/triggers/manual/paths/invoke/?\?[\x21-\x7e]+"
    ),
}
"""Addresses as the chats themselves show them; their hosts are fixed, so none leads elsewhere."""


@dataclass(frozen=True, slots=True)
class ChatAddress:
    """The address of a chat with the names that its parts have."""

    url: str
    parts: Mapping[str, str]


def issue_signing_secret() -> str:
    """Return a new secret for a webhook."""
    return KEY_PREFIX + base64.b64encode(secrets.token_bytes(_KEY_BYTES)).decode()


def read_chat_address(kind: str, address: str) -> ChatAddress | None:
    """Return the parts of the address of a chat; None if it is not one of this kind."""
    found = _CHATS[kind].fullmatch(address)
    return None if found is None else ChatAddress(address, found.groupdict())


def require_address(kind: str, address: str, networks: Networks) -> str:
    """Return the host of the address of a channel.

    Raises:
        InvalidError: it is not an address of this kind, or one that must not be reached.
    """
    try:
        parts = urlsplit(address)
    except ValueError as error:  # such as brackets around what is no IPv6 address
        raise InvalidError("channel_address", pointer="/address", channel_kind=kind) from error
    if kind != ChannelKind.WEBHOOK:
        if read_chat_address(kind, address) is None:
            raise InvalidError("channel_address", pointer="/address", channel_kind=kind)
    else:
        _require_webhook(address, parts, networks)
    return str(parts.hostname)


def _require_webhook(address: str, parts: SplitResult, networks: Networks) -> None:
    schemes = ("https", "http") if networks else ("https",)
    is_plain = address.isascii() and address.isprintable() and " " not in address
    host = parts.hostname or ""
    try:
        is_complete = parts.port != 0 and (is_address(host) or bool(_HOST.fullmatch(host)))
    except ValueError:
        is_complete = False
    if parts.scheme not in schemes or not is_complete or not is_plain or "@" in parts.netloc:
        raise InvalidError("channel_address", pointer="/address", channel_kind="webhook")
    if is_address(host):
        try:
            OutboundGuard(networks, is_encrypted=parts.scheme == "https").require([host])
        except ForbiddenAddressError as error:
            raise InvalidError("channel_forbidden", pointer="/address") from error
