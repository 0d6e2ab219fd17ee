"""The secrets that a submission names: how each reaches the work, and which targets are allowed."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.serializers import (
    FieldFault,
    InputSerializer,
    OneOfField,
    StrictCharField,
)
from portal.secrets.uses import SecretScope
from portal.workloads.submission.variable_names import find_malformed_names, find_reserved_names
from wire.secrets import SECRETS_MAX

AS_VARIABLE: Final = "env"
AS_FILE: Final = "file"
TARGET_MAX: Final = 128
"""Characters of the variable or file that holds a secret."""
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")


class SecretUseInput(InputSerializer):
    """One secret: `as` an environment variable or a file, under the name `target`."""

    name = StrictCharField(max_length=63)
    scope = OneOfField(
        choices=[scope.value for scope in SecretScope], default=SecretScope.USER.value
    )
    """Whether the name is a secret of the caller or of the work's group."""
    target = StrictCharField(max_length=TARGET_MAX)

    @override
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add the field whose name is a word of the language."""
        return {**super().get_fields(), "as": OneOfField(choices=[AS_VARIABLE, AS_FILE])}

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Refuse targets that are malformed, or variables that the platform sets."""
        target = attrs["target"]
        if attrs["as"] == AS_FILE:
            if not _FILE_NAME.fullmatch(target):
                raise ValidationError({"target": [FieldFault("secret_file_name")]})
        elif names := find_malformed_names([target]):
            raise ValidationError({"target": [FieldFault("env_name_malformed", names=names)]})
        elif names := find_reserved_names([target]):
            raise ValidationError({"target": [FieldFault("env_name_reserved", names=names)]})
        return attrs


class SecretUsesField(serializers.ListField):
    """The secrets of a submission; no two have the same target."""

    def __init__(self, **options: Any) -> None:
        """Bound their number."""
        super().__init__(child=SecretUseInput(), max_length=SECRETS_MAX, **options)

    @override
    def to_internal_value(self, data: Any) -> list[dict[str, Any]]:
        """Return the uses as they are stored."""
        uses = [dict(use) for use in super().to_internal_value(data)]
        counts = Counter((use["as"], use["target"]) for use in uses)
        for (_, target), count in counts.items():
            if count > 1:
                raise ValidationError([FieldFault("secret_target_twice", target=target)])
        return uses
