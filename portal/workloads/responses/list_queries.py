"""Filters of lists of workloads, and what they can be sorted by."""

from collections.abc import Mapping
from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from typing_extensions import override

from portal.common.rest.pagination import Ordering, parse_ordering
from portal.common.rest.serializers import IdField, OneOfField, QuerySerializer, StrictCharField
from portal.common.rest.times import MomentField
from portal.common.work_kinds import KINDS
from portal.inventory.gpu_models import GPU_MODEL_MAX
from portal.workloads.responses.past_states import PastStates
from scheduler.core.model.states import WorkloadState

ORDERINGS: Final = tuple(
    f"{sign}{name}" for name in ("submitted_at", "name", "state") for sign in ("-", "")
)
"""What lists can be sorted by; `-` is descending, and the first is the default.

The order of submission is that of the keys; the others have an index each."""


def ordering_of(filters: Mapping[str, Any]) -> Ordering:
    """Return the order of validated filters."""
    return parse_ordering(filters["ordering"], past={"state": PastStates()}, submitted_at="pk")


@extend_schema_field(OpenApiTypes.STR)
class OwnerFilter(serializers.Field[Any, Any, Any, Any]):
    """`me`, or the id of a user."""

    @override
    def to_internal_value(self, data: Any) -> Any:
        """Return the id, or None for the caller."""
        return None if data == "me" else serializers.UUIDField().to_internal_value(data)

    @override
    def to_representation(self, value: Any) -> str:
        """Return the filter as it is written in a query."""
        return "me" if value is None else str(value)


class OneKindQuery(QuerySerializer):
    """Filters of a list of one kind of work."""

    state = OneOfField(choices=[state.value for state in WorkloadState], required=False)
    active = serializers.BooleanField(required=False)
    group = IdField(required=False)
    owner = OwnerFilter(required=False)
    search = serializers.CharField(required=False, max_length=63)
    array = IdField(required=False, help_text="Only tasks of this job array.")
    collapsed = serializers.BooleanField(
        required=False, help_text="One row for each job array instead of one for each task."
    )
    pool = IdField(required=False)
    owner_name = StrictCharField(
        max_length=150, required=False, help_text="The user name of the owner, in full."
    )
    owner_left = serializers.BooleanField(
        required=False, help_text="Work whose owner may not submit to its group any more."
    )
    gpu_model = StrictCharField(
        max_length=GPU_MODEL_MAX,
        required=False,
        help_text="Work that asks for this model of GPU, or has had one.",
    )
    tag = StrictCharField(max_length=32, required=False, help_text="Work with this tag.")
    since = MomentField(required=False, help_text="Submitted then or later.")
    until = MomentField(required=False, help_text="Submitted before.")
    ended_since = MomentField(required=False, help_text="Ended then or later.")
    ordering = OneOfField(
        choices=ORDERINGS,
        required=False,
        default=ORDERINGS[0],
        help_text="Following `next` shows each row once, whatever changes meanwhile: by `state`, rows "
        "keep the places that they had at the first page.",
    )


class WorkloadQuery(OneKindQuery):
    """Filters of the list of all work."""

    kind = OneOfField(choices=list(KINDS), required=False)
