"""What changes of quotas look like on the wire: history, edits, previews."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.refs import SavedChangeShape, TitledRef, UserRef
from portal.common.rest.serializers import (
    AMOUNT_MAX,
    FieldFault,
    IdField,
    InputSerializer,
    OneOfField,
    StrictCharField,
    StrictIntegerField,
)
from portal.inventory.gpu_model_field import GpuModelField
from portal.quotas.edits import CHANGES_MAX, REASON_MAX
from portal.quotas.models import Quota
from portal.workloads.responses.shapes import StoppedWork, WaitReason, WorkGlimpse
from scheduler.core.model.resources import Resource
from scheduler.core.quotas.overcommit import PromiseKind

CSV_MAX = 200_000
"""Characters of a file that is imported."""
_RESOURCES = [item.value for item in Resource]


class QuotaLimits(serializers.Serializer[Any]):
    """All limits of a quota; null is unlimited."""

    guarantee = serializers.IntegerField()
    deserved = serializers.IntegerField()
    ceiling = serializers.IntegerField(allow_null=True)
    user_ceiling = serializers.IntegerField(allow_null=True)
    weight = serializers.ChoiceField(Quota.Weight.values)


class QuotaChangeItemShape(serializers.Serializer[Any]):
    """What a change did to one quota; null where there was none before, or is none after."""

    group = TitledRef()
    pool = TitledRef(allow_null=True)
    resource = serializers.CharField()
    model = serializers.CharField()
    before = QuotaLimits(allow_null=True)
    after = QuotaLimits(allow_null=True)


class MemberCeilingChangeShape(serializers.Serializer[Any]):
    """What a change did to what one member may hold of a quota; null is no ceiling of its own."""

    group = TitledRef()
    user = UserRef()
    pool = TitledRef(allow_null=True)
    resource = serializers.CharField()
    model = serializers.CharField()
    before = serializers.IntegerField(allow_null=True)
    after = serializers.IntegerField(allow_null=True)


class QuotaChangeShape(SavedChangeShape):
    """Who changed which quotas, when and why; of groups that the caller administers."""

    items = QuotaChangeItemShape(many=True)
    members = MemberCeilingChangeShape(many=True)


class QuotaLimitsInput(InputSerializer):
    """All limits of a quota; null is unlimited."""

    guarantee = StrictIntegerField(max_value=AMOUNT_MAX)
    deserved = StrictIntegerField(max_value=AMOUNT_MAX)
    ceiling = StrictIntegerField(max_value=AMOUNT_MAX, allow_null=True)
    user_ceiling = StrictIntegerField(max_value=AMOUNT_MAX, allow_null=True)
    weight = OneOfField(Quota.Weight.values)


class QuotaEditInput(InputSerializer):
    """One quota as the caller saw it, and as it shall be."""

    group = IdField()
    pool = IdField(allow_null=True, default=None)
    resource = OneOfField(_RESOURCES)
    model = GpuModelField(default="", allow_blank=True)
    before = QuotaLimitsInput(allow_null=True, help_text="Null: there is no such quota yet.")
    after = QuotaLimitsInput(allow_null=True, help_text="Null: the quota is removed.")


class MemberEditInput(InputSerializer):
    """What one member may hold of a quota as the caller saw it, and as it shall be."""

    group = IdField()
    user = IdField()
    pool = IdField(allow_null=True, default=None)
    resource = OneOfField(_RESOURCES)
    model = GpuModelField(default="", allow_blank=True)
    before = StrictIntegerField(
        max_value=AMOUNT_MAX, allow_null=True, help_text="Null: no ceiling of its own."
    )
    after = StrictIntegerField(
        max_value=AMOUNT_MAX, allow_null=True, help_text="Null: only the group's limits apply."
    )


class QuotaChangePreviewInput(InputSerializer):
    """Quotas to change together, or an earlier change to take back; nothing is saved."""

    changes = serializers.ListField(child=QuotaEditInput(), default=list, max_length=CHANGES_MAX)
    members = serializers.ListField(child=MemberEditInput(), default=list, max_length=CHANGES_MAX)
    undo = IdField(allow_null=True, default=None)

    @override
    def to_internal_value(self, data: Any) -> Any:
        """Return the validated fields; edits or an earlier change must be given."""
        if isinstance(data, dict) and not {"changes", "members", "undo"} & set(data):
            raise ValidationError({"changes": [FieldFault("required")]})
        return super().to_internal_value(data)


class QuotaChangeInput(QuotaChangePreviewInput):
    """Quotas to change together, or an earlier change to take back, and why."""

    reason = StrictCharField(max_length=REASON_MAX, default="", allow_blank=True)


class QuotaCsvInput(InputSerializer):
    """The text of a CSV file, as the export has it."""

    text = StrictCharField(max_length=CSV_MAX, trim_whitespace=False)


class QuotaEditShape(serializers.Serializer[Any]):
    """One quota as it is, and as it would be."""

    group = serializers.UUIDField()
    pool = serializers.UUIDField(allow_null=True)
    resource = serializers.CharField()
    model = serializers.CharField()
    before = QuotaLimits(allow_null=True)
    after = QuotaLimits(allow_null=True)


class MemberEditShape(serializers.Serializer[Any]):
    """What one member may hold of a quota as it is, and as it would be."""

    group = serializers.UUIDField()
    user = UserRef()
    pool = serializers.UUIDField(allow_null=True)
    resource = serializers.CharField()
    model = serializers.CharField()
    before = serializers.IntegerField(allow_null=True)
    after = serializers.IntegerField(allow_null=True)


class QuotaEditsShape(serializers.Serializer[Any]):
    """What a file would change of the present quotas."""

    changes = QuotaEditShape(many=True)
    members = MemberEditShape(many=True)


class CapacityShape(serializers.Serializer[Any]):
    """What there is of one resource in one pool, or in all together."""

    pool = serializers.UUIDField(allow_null=True)
    resource = serializers.CharField()
    installed = serializers.IntegerField()
    usable = serializers.IntegerField(help_text="Healthy, on nodes in service, or held anyway.")


class OvercommitShape(serializers.Serializer[Any]):
    """Groups are promised more than can be had."""

    pool = TitledRef(allow_null=True)
    resource = serializers.CharField()
    kind = serializers.ChoiceField(choices=[kind.value for kind in PromiseKind])
    group = TitledRef(allow_null=True, help_text="Null: all top groups, against what there is.")
    promised = serializers.IntegerField()
    available = serializers.IntegerField()
    is_ceiling = serializers.BooleanField()
    is_new = serializers.BooleanField(help_text="The present quotas do not have it.")


class WorksShape(serializers.Serializer[Any]):
    """Workloads, the first of them by name."""

    total = serializers.IntegerField()
    works = WorkGlimpse(many=True)


class ImpossibleWorkShape(serializers.Serializer[Any]):
    """Waiting work that could never start."""

    work = WorkGlimpse()
    reasons = WaitReason(many=True)


class ReclaimExposureShape(serializers.Serializer[Any]):
    """GPUs in milli that a group could lose by reclaim in a pool."""

    group = TitledRef()
    pool = TitledRef()
    before = serializers.IntegerField()
    after = serializers.IntegerField()


class ExceededCeilingShape(serializers.Serializer[Any]):
    """A group, or a member of it, holds more than a new ceiling allows."""

    group = TitledRef()
    pool = TitledRef(allow_null=True)
    resource = serializers.CharField()
    model = serializers.CharField()
    user = UserRef(allow_null=True, help_text="Whose ceiling it is; null for that of the group.")
    used = serializers.IntegerField()
    ceiling = serializers.IntegerField()


class QuotaPreviewShape(serializers.Serializer[Any]):
    """What a change would do, decided by the scheduler's own code on the present moment."""

    changes = QuotaEditShape(many=True)
    members = MemberEditShape(many=True)
    capacities = CapacityShape(many=True)
    overcommits = OvercommitShape(many=True)
    starts = WorksShape(help_text="Would start at once.")
    held_back = WorksShape(help_text="Would start now, and waits under the change.")
    possible = WorksShape(help_text="Could never start, and can under the change.")
    impossible = ImpossibleWorkShape(many=True)
    impossible_total = serializers.IntegerField()
    stops = StoppedWork(many=True)
    stops_total = serializers.IntegerField()
    exposures = ReclaimExposureShape(many=True)
    exceeded = ExceededCeilingShape(many=True)
    waiting = serializers.IntegerField(help_text="Work that waits under the change, in all.")
