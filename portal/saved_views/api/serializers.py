"""Serializers of saved views."""

import json
import re
from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import (
    FieldFault,
    IdField,
    InputSerializer,
    NameField,
    OneOfField,
    PatternField,
    QuerySerializer,
)
from portal.saved_views.models import ListName

SEARCH_MAX: Final = 4096
"""Bytes of the filters and the order of a view, as JSON."""
COLUMNS_MAX: Final = 50
"""Columns that a view may hide."""
_WORD: Final = r"^[a-zA-Z][a-zA-Z0-9_]{0,39}$"
VIEW: Final = "view"
"""The word of an address that names a view; it is not part of one."""


class SearchField(serializers.DictField):
    """Words of an address: texts, numbers and truth values by name, or lists of these."""

    @override
    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the words, or the fault."""
        is_sound = isinstance(data, dict) and all(map(_is_word, data, data.values()))
        if not is_sound or len(json.dumps(data)) > SEARCH_MAX:
            raise ValidationError([FieldFault("not_words_of_an_address", max=SEARCH_MAX)])
        return dict(data)


def _is_word(name: str, value: object) -> bool:
    values = value if isinstance(value, list) else [value]
    is_named = re.fullmatch(_WORD, name) is not None and name != VIEW
    return is_named and all(map(_is_plain, values))


def _is_plain(value: object) -> bool:
    """Return whether it can be kept as it is: numbers, and texts that are text."""
    if isinstance(value, str):
        return value.isprintable()
    return isinstance(value, int | float)


class ViewChange(InputSerializer):
    """Changes of a view; absent fields stay as they are."""

    name = NameField(max_length=40, required=False)
    search = SearchField(required=False)
    """Filters and order, as the words of the page's address."""
    hidden = serializers.ListField(
        child=PatternField(_WORD, fault="column_not_allowed"),
        max_length=COLUMNS_MAX,
        required=False,
    )
    """Keys of the columns that are not shown."""
    shown = serializers.ListField(
        child=PatternField(_WORD, fault="column_not_allowed"),
        max_length=COLUMNS_MAX,
        required=False,
    )
    """Keys of the columns that are shown only where they are chosen."""
    group = IdField(allow_null=True, required=False)
    """Whose members may use it; null: only the caller."""


class ViewInput(ViewChange):
    """A new view of the caller."""

    list = OneOfField(choices=ListName.values)
    name = NameField(max_length=40)
    search = SearchField()


class OpeningInput(InputSerializer):
    """The view with which a list opens."""

    list = OneOfField(choices=ListName.values)
    view = IdField(allow_null=True)
    """Null: it opens with everything."""


class ViewQuery(QuerySerializer):
    """The list whose views to return; without one, those of all lists."""

    list = OneOfField(choices=ListName.values, required=False)


class SavedViewOutput(serializers.Serializer[Any]):
    """A view that the caller may use."""

    id = serializers.UUIDField()
    list = serializers.ChoiceField(choices=ListName.values, source="list_name")
    name = serializers.CharField()
    search = serializers.DictField()
    hidden = serializers.ListField(child=serializers.CharField())
    shown = serializers.ListField(child=serializers.CharField())
    owner = UserRef()
    group = TitledRef(allow_null=True)
    is_opening = serializers.BooleanField()
    """Whether the caller's list opens with it."""
    may_change = serializers.BooleanField()
    may_remove = serializers.BooleanField()
