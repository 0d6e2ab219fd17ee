"""The program of a submission: a command in exec form, or the text of a script."""

from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.serializers import FieldFault, StrictCharField

COMMAND_ITEMS_MAX: Final = 256
"""Arguments of a command."""
COMMAND_ITEM_MAX: Final = 8 * 1024
"""Bytes of one argument."""
COMMAND_BYTES_MAX: Final = 64 * 1024
"""Bytes of a command, all arguments together."""
SCRIPT_BYTES_MAX: Final = 64 * 1024
"""Bytes of a script."""


class ScriptField(StrictCharField):
    """Text of a program, kept as it is (see `runnable_script`)."""

    def __init__(self, **options: Any) -> None:
        """Keep leading and trailing blanks, which may be part of the program."""
        super().__init__(trim_whitespace=False, allow_blank=True, **options)

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the text; refuse it if it is too long."""
        text = super().to_internal_value(data)
        if len(text.encode()) > SCRIPT_BYTES_MAX:
            raise ValidationError([FieldFault("script_too_long", max=SCRIPT_BYTES_MAX // 1024)])
        return text


class CommandField(serializers.ListField):
    """Arguments in exec form: no shell reads them."""

    def __init__(self, **options: Any) -> None:
        """Bound the number and length of the arguments."""
        item = StrictCharField(max_length=COMMAND_ITEM_MAX, allow_blank=True, trim_whitespace=False)
        super().__init__(child=item, max_length=COMMAND_ITEMS_MAX, **options)

    @override
    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the arguments; refuse them if they are too long together."""
        items = super().to_internal_value(data)
        if sum(len(item.encode()) for item in items) > COMMAND_BYTES_MAX:
            raise ValidationError([FieldFault("command_too_long", max=COMMAND_BYTES_MAX // 1024)])
        return items
