"""Messages to chat rooms, by Apprise. Only the worker imports this: the library is large."""

import logging
from typing import Final

from apprise import NotifyFormat
from apprise.plugins.base import NotifyBase
from apprise.plugins.dingtalk import NotifyDingTalk
from apprise.plugins.feishu import NotifyFeishu
from apprise.plugins.lark import NotifyLark
from apprise.plugins.slack import NotifySlack
from apprise.plugins.wecombot import NotifyWeComBot
from apprise.plugins.workflows import NotifyWorkflows

from portal.outbound.addresses import ChatAddress, read_chat_address
from portal.outbound.kinds import ChannelKind

_TEXT: Final = NotifyFormat.TEXT

for _name in ("apprise", "urllib3"):  # they log addresses, which are secrets
    logging.getLogger(_name).setLevel(logging.CRITICAL)


def send_to_chat(kind: str, address: str, secret: str, title: str, text: str) -> bool:
    """Send a message and return whether the chat has taken it; False also for an unknown address."""
    found = read_chat_address(kind, address)
    if found is None:
        return False
    room = build_room(kind, found, secret)
    return room is not None and bool(room.notify(body=text, title=title, body_format=_TEXT))


def build_room(kind: str, address: ChatAddress, secret: str) -> NotifyBase | None:
    """Return the library's object for a chat room."""
    token = address.parts.get("token", "")
    if kind == ChannelKind.TEAMS:
        results = NotifyWorkflows.parse_native_url(address.url)
        return NotifyWorkflows(**results) if results else None
    if kind == ChannelKind.SLACK:
        parts = address.parts
        return NotifySlack(token_a=parts["team"], token_b=parts["bot"], token_c=token)
    if kind == ChannelKind.DINGTALK:
        return NotifyDingTalk(token=token, secret=secret or None)
    if kind == ChannelKind.WECOM:
        return NotifyWeComBot(key=token)
    return NotifyLark(token=token) if kind == ChannelKind.LARK else NotifyFeishu(token=token)
