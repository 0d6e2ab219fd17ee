"""Responses of the endpoints of alarms."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers
from typing_extensions import override

from portal.alarms.decisions import AlarmState
from portal.alarms.kinds import (
    AlarmAct,
    AlarmAudience,
    AlarmKind,
    AlarmSeverity,
    AlarmSubjectType,
    AlarmUnit,
)
from portal.alarms.models import AlarmRule
from portal.audit.versions import ALARM_RULE, UNCHANGED, read_versions
from portal.common.rest.refs import TitledRef, UserRef
from portal.outbound.kinds import ChannelKind


def _words(enum: Any) -> list[str]:
    return [word.value for word in enum]


class AlarmRuleRef(serializers.Serializer[Any]):
    """A rule wherever another thing refers to it."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(_words(AlarmKind))
    name = serializers.CharField(help_text="Empty for shipped rules, which their kind names.")
    severity = serializers.ChoiceField(_words(AlarmSeverity))


class AlarmSubjectShape(serializers.Serializer[Any]):
    """What an alarm is about, with what was read of it."""

    subject_type = serializers.ChoiceField(_words(AlarmSubjectType))
    subject_id = serializers.UUIDField()
    subject_name = serializers.CharField(
        help_text="Of a quota or budget the name of `group`, which has its titles."
    )
    work_kind = serializers.CharField(help_text="Empty unless the subject is work.")
    node_id = serializers.UUIDField(allow_null=True)
    detail = serializers.CharField(
        help_text="A code that says more; of a quota its resource, and the model if it is of one."
    )
    value = serializers.IntegerField(help_text="In the unit of the kind.")
    group = TitledRef(allow_null=True)
    pool = TitledRef(allow_null=True)


class AlarmShape(AlarmSubjectShape):
    """What a rule has found about one subject."""

    id = serializers.UUIDField()
    rule = AlarmRuleRef()
    state = serializers.ChoiceField([AlarmState.FIRING.value, AlarmState.RESOLVED.value])
    owner = UserRef(allow_null=True)
    since = serializers.DateTimeField()
    fired_at = serializers.DateTimeField()
    resolved_at = serializers.DateTimeField(allow_null=True)
    notified_at = serializers.DateTimeField(allow_null=True)
    acted_at = serializers.DateTimeField(allow_null=True)
    outcome = serializers.CharField(help_text="Of the rule's act: `done`, or why it was refused.")
    acknowledged_at = serializers.DateTimeField(allow_null=True)
    acknowledged_by = UserRef(allow_null=True)
    comment = serializers.CharField()


class AlarmCounts(serializers.Serializer[Any]):
    """How many alarms need somebody."""

    firing = serializers.IntegerField(help_text="Those that nobody has acknowledged.")


class AlarmChannelRef(serializers.Serializer[Any]):
    """A channel wherever a rule refers to it."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class _RuleVersion(serializers.IntegerField):
    """The version of a rule, among those that the context has."""

    def __init__(self) -> None:
        """Read it of the whole row."""
        super().__init__(source="*", help_text="Grows with each change of the rule.")

    @override
    def to_representation(self, value: Any) -> int:
        """Return it."""
        return int(self.context["versions"].get(str(value.pk), UNCHANGED))


class AlarmRuleShape(AlarmRuleRef):
    """A rule."""

    is_shipped = serializers.BooleanField()
    enabled = serializers.BooleanField()
    threshold = serializers.IntegerField()
    duration_s = serializers.IntegerField()
    pool = TitledRef(allow_null=True)
    group = TitledRef(allow_null=True)
    by_group = serializers.BooleanField(help_text="Made by admins of the group, who change it.")
    quiet_from = serializers.IntegerField(allow_null=True)
    quiet_until = serializers.IntegerField(allow_null=True)
    audience = serializers.ListField(child=serializers.ChoiceField(_words(AlarmAudience)))
    channels = AlarmChannelRef(many=True)
    act = serializers.ChoiceField(_words(AlarmAct))
    tag = serializers.CharField(help_text="What the work that it finds is tagged with.")
    version = _RuleVersion()


class AlarmKindShape(serializers.Serializer[Any]):
    """What holds for every rule of a kind."""

    kind = serializers.ChoiceField(_words(AlarmKind))
    unit = serializers.ChoiceField(_words(AlarmUnit))
    is_below = serializers.BooleanField()
    least = serializers.IntegerField()
    most = serializers.IntegerField()
    threshold = serializers.IntegerField()
    duration_s = serializers.IntegerField()
    severity = serializers.ChoiceField(_words(AlarmSeverity))
    audience = serializers.ListField(child=serializers.ChoiceField(_words(AlarmAudience)))
    acts = serializers.ListField(child=serializers.ChoiceField(_words(AlarmAct)))
    has_pool = serializers.BooleanField()
    has_group = serializers.BooleanField()
    has_past = serializers.BooleanField()


class AlarmRulesShape(serializers.Serializer[Any]):
    """The rules that the caller sees, and what new ones may be."""

    rules = AlarmRuleShape(many=True)
    kinds = AlarmKindShape(many=True)


class PastFiringsShape(serializers.Serializer[Any]):
    """How often a rule would have fired."""

    count = serializers.IntegerField()
    days = serializers.IntegerField(help_text="Days of the past that were looked at.")


class AlarmTrialShape(serializers.Serializer[Any]):
    """What a rule would find."""

    count = serializers.IntegerField(help_text="Subjects that meet the condition now.")
    subjects = AlarmSubjectShape(many=True, help_text="The first of them.")
    past = PastFiringsShape(allow_null=True)


class AlarmSilenceShape(serializers.Serializer[Any]):
    """A silence in force."""

    id = serializers.UUIDField()
    rule = AlarmRuleRef(allow_null=True)
    pool = TitledRef(allow_null=True)
    subject_name = serializers.CharField(help_text="Empty is every subject.")
    until = serializers.DateTimeField()
    reason = serializers.CharField()
    created_by = UserRef(allow_null=True)
    created_at = serializers.DateTimeField()


class AlarmChannelShape(serializers.Serializer[Any]):
    """A channel; of its address only the host is shown."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(_words(ChannelKind))
    host = serializers.CharField()
    language = serializers.CharField()
    enabled = serializers.BooleanField()
    delivered_at = serializers.DateTimeField(allow_null=True)
    failed_at = serializers.DateTimeField(allow_null=True)
    failure = serializers.CharField(help_text="A code; empty when the last message was taken.")


class IssuedAlarmChannel(AlarmChannelShape):
    """A new channel with the secret of its signatures, which is not shown again."""

    signing_secret = serializers.CharField(help_text="Empty for chats.")


def context_of(rules: Iterable[AlarmRule]) -> dict[str, Any]:
    """Return what the shapes of these rules need beside their rows."""
    return {"versions": read_versions(ALARM_RULE, [rule.pk for rule in rules])}
