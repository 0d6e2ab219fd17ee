"""The field of requests that names a priority."""

from typing import Any

from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.serializers import FieldFault, OneOfField
from portal.quotas.priorities import PRIORITIES


class PriorityField(OneOfField):
    """A priority by name: `low`, `normal` or `high`."""

    def __init__(self, **options: Any) -> None:
        """Offer the names in `PRIORITIES`."""
        super().__init__(choices=sorted(PRIORITIES), **options)

    @override
    def to_internal_value(self, data: Any) -> Any:
        """Return the name; refuse anything else, also unhashable input."""
        if not isinstance(data, str):
            raise ValidationError([FieldFault("not_a_string")])
        return super().to_internal_value(data)
