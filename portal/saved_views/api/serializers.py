"""Serializers of saved views."""

import json
from typing import Any, ClassVar, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import (
    FieldFault,
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
_PLAIN: Final = (str, int, float, bool)


class SearchField(serializers.DictField):
    """Words of an address: texts, numbers and truth values by name, or lists of these."""

    @override
    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the words, or the fault."""
        if not isinstance(data, dict):
            raise ValidationError([FieldFault("not_words_of_an_address", max=SEARCH_MAX)])
        for name, value in data.items():
            values = value if isinstance(value, list) else [value]
            if not all(isinstance(each, _PLAIN) for each in values) or name == VIEW:
                raise ValidationError([FieldFault("not_words_of_an_address", max=SEARCH_MAX)])
        if len(json.dumps(data)) > SEARCH_MAX:
            raise ValidationError([FieldFault("not_words_of_an_address", max=SEARCH_MAX)])
        return data


class ViewChange(InputSerializer):
    """Changes of a view; absent fields stay as they are."""

    name = NameField(max_length=40, required=False)
    search = SearchField(required=False)
    """Filters and order, as the words of the page's address."""
    hidden = serializers.ListField(
        child=PatternField(_WORD), max_length=COLUMNS_MAX, required=False
    )
    """Keys of the columns that are not shown."""
    group = serializers.UUIDField(allow_null=True, required=False)
    """Whose members may use it; null: only the caller."""


class ViewInput(ViewChange):
    """A new view of the caller."""

    list = OneOfField(choices=ListName.values)
    name = NameField(max_length=40)
    search = SearchField()


class OpeningInput(InputSerializer):
    """The view with which a list opens."""

    list = OneOfField(choices=ListName.values)
    view = serializers.UUIDField(allow_null=True)
    """Null: it opens with everything."""


class ViewQuery(QuerySerializer):
    """The list whose views to return; without one, those of all lists."""

    paging: ClassVar[frozenset[str]] = frozenset({"cursor", "page_size", "format"})

    list = OneOfField(choices=ListName.values, required=False)


class SavedViewOutput(serializers.Serializer[Any]):
    """A view that the caller may use."""

    id = serializers.UUIDField()
    list = serializers.ChoiceField(choices=ListName.values, source="list_name")
    name = serializers.CharField()
    search = serializers.DictField()
    hidden = serializers.ListField(child=serializers.CharField())
    owner = UserRef()
    group = TitledRef(allow_null=True)
    is_opening = serializers.BooleanField()
    """Whether the caller's list opens with it."""
    may_change = serializers.BooleanField()
    may_remove = serializers.BooleanField()
