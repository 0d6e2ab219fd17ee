"""The query of `…/logs`: which part of which ranks' logs, in which form, and whether to follow them."""

from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from django.http import QueryDict
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.serializers import CommaListField, FieldFault, OneOfField, QuerySerializer
from portal.live.log_formats import LinesFormat, LogFormat, RecordsFormat
from portal.workloads.logs.files import SIZE_MAX
from wire.messages import REPLICAS_MAX

OFFSET_MAX: Final = 2 * SIZE_MAX
"""Offset from which a log may be read."""
_ALL: Final = "all"


@extend_schema_field(
    {
        "oneOf": [
            {
                "type": "array",
                "items": {"type": "integer", "minimum": 0, "maximum": REPLICAS_MAX - 1},
                "maxItems": REPLICAS_MAX,
            },
            {"const": _ALL},
        ],
        "default": [0],
    }
)
class _RanksField(CommaListField):
    """Ranks with commas between them, each once; or `all`, which is an empty list."""

    @override
    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the ranks."""
        if data == _ALL:
            return []
        ranks = super().to_internal_value(data)
        if len(set(ranks)) < len(ranks):
            raise ValidationError([FieldFault("rank_twice")])
        return ranks


class LogQueryShape(QuerySerializer):
    """The query as it is sent."""

    paging: ClassVar[frozenset[str]] = frozenset()

    rank = _RanksField(
        child=serializers.IntegerField(min_value=0, max_value=REPLICAS_MAX - 1),
        max_length=REPLICAS_MAX,
        default=[0],
        help_text="Ranks with commas between them, or `all`.",
    )
    offset = CommaListField(
        child=serializers.IntegerField(min_value=-OFFSET_MAX, max_value=OFFSET_MAX),
        max_length=REPLICAS_MAX,
        default=[0],
        help_text="From which byte on: one for all ranks, or one for each; negative from the end.",
    )
    limit = serializers.IntegerField(
        min_value=1, max_value=OFFSET_MAX, default=OFFSET_MAX, help_text="Bytes of text."
    )
    follow = serializers.BooleanField(
        default=False, help_text="Go on with what is added, over all attempts, until the end."
    )
    times = serializers.BooleanField(default=False, help_text="The time before each line.")
    format = OneOfField(
        ["text", "records"], default="text", help_text="Text, or one JSON object a line."
    )

    @override
    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Compare the offsets with the ranks."""
        if len(attrs["offset"]) not in (1, len(attrs["rank"])):
            raise ValidationError({"offset": [FieldFault("offsets_unmatched")]})
        return attrs


@dataclass(frozen=True, slots=True)
class LogQuery:
    """What is asked of the logs of one workload."""

    ranks: tuple[int, ...]
    """Empty is all that the workload has."""
    offsets: tuple[int, ...]
    """One for all ranks, or one for each."""
    limit: int
    """Bytes of text."""
    follow: bool
    has_times: bool
    is_records: bool

    @classmethod
    def read(cls, given: QueryDict) -> Self:
        """Return what a query string asks for."""
        found = LogQueryShape.read(given)
        return cls(
            ranks=tuple(found["rank"]),
            offsets=tuple(found["offset"]),
            limit=found["limit"],
            follow=found["follow"],
            has_times=found["times"],
            is_records=found["format"] == "records",
        )

    def ranks_of(self, replicas: int) -> tuple[int, ...]:
        """Return the ranks that are meant, in a workload of so many."""
        return self.ranks or tuple(range(replicas))

    def offsets_of(self, ranks: tuple[int, ...]) -> tuple[int, ...]:
        """Return the offset of each of these ranks."""
        return self.offsets if len(self.offsets) == len(ranks) else self.offsets * len(ranks)

    def format_of(self, ranks: tuple[int, ...]) -> LogFormat | None:
        """Return the form of the answer; None is the plain text of one rank."""
        if self.is_records:
            return RecordsFormat()
        if self.has_times or len(ranks) > 1:
            return LinesFormat(has_times=self.has_times, has_ranks=len(ranks) > 1)
        return None
