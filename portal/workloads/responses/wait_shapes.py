"""Response shapes of waits: who holds a limit, ways out, dry runs."""

from typing import Any

from rest_framework import serializers

from portal.common.rest.refs import TitledRef
from portal.workloads.responses.shapes import (
    AdviceShape,
    StartRangeShape,
    StoppedWork,
    WaitReason,
    WorkGlimpse,
)
from scheduler.core.dry_run import DryRunOutcome
from scheduler.core.model.plan import EstimateBasis
from scheduler.core.ways_out import WayOutCode


class LimitHolder(serializers.Serializer[Any]):
    """Running work of a group that the caller may see, and what it holds of a limit."""

    work = WorkGlimpse()
    amount = serializers.IntegerField(
        help_text="In the unit of the limit: thousandths or MiB; a counted limit counts 1, "
        "a budget GPU-seconds that the work may still use."
    )
    ends_at = serializers.DateTimeField(
        allow_null=True, help_text="Expected end; null while it is being set up."
    )
    basis = serializers.ChoiceField(
        choices=[EstimateBasis.LIMITS.value, EstimateBasis.PREDICTIONS.value],
        help_text="What the expected end rests on.",
    )


class HeldLimitShape(serializers.Serializer[Any]):
    """A limit that keeps the work waiting, and who holds it; the first to end comes first."""

    reason = WaitReason()
    holders = LimitHolder(many=True)
    others = serializers.IntegerField(
        help_text="Further holders: work of other groups, and what exceeds the list."
    )
    others_amount = serializers.IntegerField(help_text="What they hold together.")


class WayOutCall(serializers.Serializer[Any]):
    """The request that takes a way out."""

    method = serializers.CharField()
    path = serializers.CharField()
    body = serializers.DictField(allow_null=True)


class WayOutShape(serializers.Serializer[Any]):
    """A change after which the work would start now, as the engine has tried it."""

    code = serializers.ChoiceField(choices=[code.value for code in WayOutCode])
    changes = serializers.DictField(help_text="Fields of the submission with their new values.")
    pool = TitledRef(allow_null=True, help_text="The other pool, if the way out is one.")
    stops = WorkGlimpse(allow_null=True, help_text="Running work to stop, if the way out is that.")
    call = WayOutCall(
        allow_null=True, help_text="Null for a change of a submission that has not been made."
    )


class WaitAnswer(serializers.Serializer[Any]):
    """The wait of one workload: expected start, who holds its limits, and ways out."""

    expected_start = StartRangeShape(allow_null=True)
    limits = HeldLimitShape(many=True)
    ways_out = WayOutShape(many=True)


class PlannedCard(serializers.Serializer[Any]):
    """A card that a rank would get, or slices of one."""

    id = serializers.UUIDField()
    index = serializers.IntegerField()
    model = serializers.CharField()
    slots = serializers.ListField(
        child=serializers.IntegerField(), help_text="Of its slices; of a whole card 0."
    )


class PlannedPlace(serializers.Serializer[Any]):
    """Where one rank would start."""

    node = serializers.CharField()
    cards = PlannedCard(many=True)


class DryRunAnswer(serializers.Serializer[Any]):
    """What would happen to a submission now."""

    verdict = serializers.ChoiceField(choices=[outcome.value for outcome in DryRunOutcome])
    position = serializers.IntegerField(allow_null=True)
    reasons = WaitReason(many=True)
    expected_start = StartRangeShape(allow_null=True)
    stops = StoppedWork(many=True)
    limits = HeldLimitShape(many=True)
    ways_out = WayOutShape(many=True)
    advice = AdviceShape(allow_null=True)
    placement = PlannedPlace(
        many=True,
        help_text="Where a decision of the scheduler would start it now, by rank; nothing is held"
        " for it. Empty if it would not start now.",
    )
