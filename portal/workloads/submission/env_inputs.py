"""The environment variables of a submission."""

from collections.abc import Mapping
from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.serializers import FieldFault, StrictCharField
from portal.workloads.submission.variable_names import find_malformed_names, find_reserved_names

ENV_ENTRIES_MAX: Final = 120
"""Eight fewer than the node protocol takes: the platform adds its own."""
ENV_BYTES_MAX: Final = 128 * 1024
"""Bytes of all variables, names included."""


class EnvField(serializers.DictField):
    """Variables of the work's environment."""

    def __init__(self, **options: Any) -> None:
        """Take text only."""
        value = StrictCharField(max_length=ENV_BYTES_MAX, allow_blank=True, trim_whitespace=False)
        super().__init__(child=value, **options)

    @override
    def to_internal_value(self, data: Any) -> dict[str, str]:
        """Return the variables; refuse names that are malformed or reserved."""
        env: dict[str, str] = super().to_internal_value(data)
        if len(env) > ENV_ENTRIES_MAX:
            raise ValidationError([FieldFault("too_large", max=ENV_ENTRIES_MAX)])
        if _count_bytes(env) > ENV_BYTES_MAX:
            raise ValidationError([FieldFault("too_large", max=ENV_BYTES_MAX)])
        if names := find_malformed_names(env):
            raise ValidationError([FieldFault("env_name_malformed", names=names[:10])])
        if names := find_reserved_names(env):
            raise ValidationError([FieldFault("env_name_reserved", names=names[:10])])
        return env


def _count_bytes(env: Mapping[str, str]) -> int:
    """Return the bytes of all names and values."""
    return sum(len(name.encode()) + len(value.encode()) for name, value in env.items())
