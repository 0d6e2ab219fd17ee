"""Bodies and filters of the endpoints of alarms."""

from typing import Any

from rest_framework import serializers

from portal.alarms.decisions import DAY_MINUTES, AlarmState
from portal.alarms.kinds import (
    DURATION_S_MAX,
    THRESHOLD_MAX,
    AlarmAct,
    AlarmAudience,
    AlarmKind,
    AlarmSeverity,
)
from portal.common.rest.serializers import (
    IdField,
    InputSerializer,
    NameField,
    OneOfField,
    PatternField,
    QuerySerializer,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    VersionField,
)
from portal.common.rest.times import MomentField
from portal.common.translations import LANGUAGES
from portal.outbound.addresses import ADDRESS_MAX, CHAT_SECRET_MAX
from portal.outbound.kinds import ChannelKind
from portal.workloads.tags import TAG_PATTERN

RULE_CHANNELS_MAX = 20
"""Channels of one rule."""
SUBJECT_MAX = 100
"""Characters of a name that is searched for."""
REASON_MAX = 300
"""Characters of the reason of a silence, or of a comment."""


def _words(enum: Any) -> list[str]:
    return [word.value for word in enum]


class AlarmQuery(QuerySerializer):
    """Which alarms to list."""

    state = OneOfField([AlarmState.FIRING.value, AlarmState.RESOLVED.value], required=False)
    severity = OneOfField(_words(AlarmSeverity), required=False)
    rule = IdField(required=False)
    kind = OneOfField(_words(AlarmKind), required=False)
    group = IdField(required=False)
    """The group that it concerns, without those below."""
    subject = StrictCharField(max_length=SUBJECT_MAX, required=False)
    """Part of the name of what it is about."""
    is_acknowledged = serializers.BooleanField(required=False)


class AcknowledgeInput(InputSerializer):
    """What somebody who takes care of an alarm has to say."""

    comment = StrictCharField(max_length=REASON_MAX, allow_blank=True, default="")


class _RuleFields(InputSerializer):
    """What a rule says."""

    name = NameField(required=False)
    enabled = StrictBooleanField(required=False)
    severity = OneOfField(_words(AlarmSeverity), required=False)
    threshold = StrictIntegerField(max_value=THRESHOLD_MAX, required=False)
    duration_s = StrictIntegerField(max_value=DURATION_S_MAX, required=False)
    pool = IdField(required=False, allow_null=True)
    group = IdField(required=False, allow_null=True)
    quiet_from = StrictIntegerField(max_value=DAY_MINUTES - 1, required=False, allow_null=True)
    """Minute of the site's day."""
    quiet_until = StrictIntegerField(max_value=DAY_MINUTES - 1, required=False, allow_null=True)
    audience = serializers.ListField(
        child=OneOfField(_words(AlarmAudience)), max_length=len(AlarmAudience), required=False
    )
    channels = serializers.ListField(child=IdField(), max_length=RULE_CHANNELS_MAX, required=False)
    act = OneOfField(_words(AlarmAct), required=False)
    tag = PatternField(
        TAG_PATTERN, fault="tag_not_allowed", max_length=32, required=False, allow_blank=True
    )


class AlarmRuleChange(_RuleFields):
    """Changes of a rule; what is left out stays."""

    version = VersionField()


class AlarmRuleInput(_RuleFields):
    """A new rule, or one to try."""

    kind = OneOfField(_words(AlarmKind))
    severity = OneOfField(_words(AlarmSeverity))
    threshold = StrictIntegerField(max_value=THRESHOLD_MAX)
    duration_s = StrictIntegerField(max_value=DURATION_S_MAX)


class AlarmSilenceInput(InputSerializer):
    """A new silence; without a rule, pool and alarm it is about all alarms."""

    until = MomentField()
    reason = StrictCharField(max_length=REASON_MAX)
    rule = IdField(allow_null=True, default=None)
    pool = IdField(allow_null=True, default=None)
    alarm = IdField(allow_null=True, default=None)
    """Its subject."""


class AlarmChannelChange(InputSerializer):
    """Changes of a channel; what is left out stays."""

    name = NameField(required=False)
    address = StrictCharField(max_length=ADDRESS_MAX, required=False, write_only=True)
    """As the chat shows it, or the address of the receiver of a webhook. It is never shown again."""
    secret = StrictCharField(
        max_length=CHAT_SECRET_MAX, required=False, allow_blank=True, write_only=True
    )
    """Of a DingTalk robot that checks signatures; webhooks get one of their own."""
    language = OneOfField(list(LANGUAGES), required=False)
    enabled = StrictBooleanField(required=False)


class AlarmChannelInput(AlarmChannelChange):
    """A new channel."""

    name = NameField()
    kind = OneOfField(_words(ChannelKind))
    address = StrictCharField(max_length=ADDRESS_MAX, write_only=True)
