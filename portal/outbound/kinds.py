"""The kinds of channels; settings and models name them before anything else is loaded."""

from enum import StrEnum


class ChannelKind(StrEnum):
    """How a channel is spoken to."""

    WEBHOOK = "webhook"
    """A signed request of our own (Standard Webhooks)."""
    DINGTALK = "dingtalk"
    FEISHU = "feishu"
    LARK = "lark"
    WECOM = "wecom"
    SLACK = "slack"
    TEAMS = "teams"
