"""Strict input serializers: no unknown fields, no silent conversions."""

import functools
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, ClassVar, Final, NoReturn, Self
from uuid import UUID

from django.core.validators import RegexValidator
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from typing_extensions import override

from portal.common.rest.etags import read_if_match

INTEGER_MAX = 2**31 - 1
"""Largest integer that a plain column takes; every integer of the API is bounded by it."""
AMOUNT_MAX = 2**53
"""Largest amount that every JSON reader keeps exact."""
TITLE_MAX = 100
"""Characters of a title that people read."""
_APOSTROPHES: Final = "'\u2018\u2019"
_HYPHENS: Final = "-\u2010\u2011\u05be"
_MIDDLE_DOTS: Final = "\u00b7\u2027\u30fb\uff65"
_IN_NAMES: Final = frozenset(f" ._()（）\u05f3\u05f4{_APOSTROPHES}{_HYPHENS}{_MIDDLE_DOTS}")
"""What stands in names besides letters, digits and marks; of Hebrew also geresh, gershayim and maqaf."""
_NON_JOINER: Final = "\u200c"
_JOINERS: Final = f"{_NON_JOINER}\u200d"
_VIRAMA: Final = 9
"""Combining class of the signs that remove a letter's vowel."""
_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)


class FaultCode(str):
    """The code of a field's fault, with the parameters of its message."""

    __slots__ = ("params",)
    params: dict[str, Any]


class FieldFault(ErrorDetail):
    """A fault of one field, with the parameters of its message.

    They are kept on the code: out of nested serializers the framework copies each detail into a
    plain one and keeps nothing but text and code.
    """

    def __new__(cls, code: str, **params: Any) -> Self:
        """Build the fault from its code and parameters."""
        kept = FaultCode(code)
        kept.params = params
        return super().__new__(cls, code, kept)


class InputSerializer(serializers.Serializer[Any]):
    """A request body. An unknown field is a fault."""

    takes_others: ClassVar[bool] = False
    """Whether a request may have fields beside these, which another shape reads."""

    answered: ClassVar[frozenset[str]] = frozenset()
    """Fields of the answer that may be sent back with it; they are ignored."""

    @override
    def to_internal_value(self, data: Any) -> Any:
        """Return the validated fields."""
        known = self.answered.union(self.fields)
        if isinstance(data, dict) and (unknown := sorted(set(data) - known)):
            raise ValidationError({name: [FieldFault("unknown_field")] for name in unknown})
        return super().to_internal_value(data)

    @classmethod
    def parse(cls, request: Request) -> dict[str, Any]:
        """Return the validated body of a request, or raise the faults of all its fields.

        The version that `If-Match` names counts as the one in the body.
        """
        found = cls.parse_body(request.data)
        if "version" in cls._declared_fields and (version := read_if_match(request)) is not None:
            found["version"] = version
        return found

    @classmethod
    def parse_body(cls, body: Any) -> dict[str, Any]:
        """Return the same of a body that is no longer the one that was sent."""
        try:
            return dict(_shared(cls).run_validation(body))
        except ValidationError:
            cls(data=body).is_valid(raise_exception=True)
            raise

    @classmethod
    def shared_fields(cls) -> Mapping[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields by name, to validate one of them alone."""
        return _shared(cls).fields


@functools.cache
def _shared(shape: type[InputSerializer]) -> InputSerializer:
    """Return one serializer for all requests: to copy its fields for each takes most of the time."""
    return shape()


class QuerySerializer(serializers.Serializer[Any]):
    """The query string of a list: an allow-list of filters, each given at most once."""

    paging: ClassVar[frozenset[str]] = frozenset({"cursor", "page_size", "format"})

    @classmethod
    def parse(cls, request: Request) -> dict[str, Any]:
        """Return the validated filters of a request; absent ones are left out."""
        return cls.read(request.query_params)

    @classmethod
    def read(cls, given: QueryDict) -> dict[str, Any]:
        """Return the validated parameters of a query string; absent ones are left out."""
        faults: dict[str, Any] = {}
        for name in given:
            if name not in cls._declared_fields and name not in cls.paging:
                faults[name] = [FieldFault("unknown_parameter")]
            elif len(given.getlist(name)) > 1:
                faults[name] = [FieldFault("given_twice")]
        if faults:
            raise ValidationError(faults)
        shape = cls(data=given.dict())
        shape.is_valid(raise_exception=True)
        return dict(shape.validated_data)


class NoFilters(QuerySerializer):
    """The query string of a list that is only paged."""


class CommaListField(serializers.ListField):
    """Values of a query string with commas between them."""

    @override
    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the values."""
        return super().to_internal_value(str(data).split(","))


class StrictIntegerField(serializers.IntegerField):
    """A JSON integer: neither text nor a fraction nor a boolean."""

    def __init__(self, **options: Any) -> None:
        """Bound the value even where the caller names no bounds."""
        options.setdefault("min_value", 0)
        options.setdefault("max_value", INTEGER_MAX)
        super().__init__(**options)

    @override
    def to_internal_value(self, data: Any) -> int:
        """Return the integer, or the fault with the bounds it breaks."""
        if type(data) is not int:
            raise ValidationError([FieldFault("not_an_integer")])
        if data < (self.min_value or 0):
            raise ValidationError([FieldFault("too_small", min=self.min_value or 0)])
        if self.max_value is not None and data > self.max_value:
            raise ValidationError([FieldFault("too_large", max=self.max_value)])
        return data


class VersionField(StrictIntegerField):
    """The version that the caller read: if somebody has changed it since, the answer is 409."""

    def __init__(self) -> None:
        """A caller that names none saves whatever there is."""
        super().__init__(
            required=False,
            max_value=AMOUNT_MAX,
            help_text="The version that was read: if it is another one now, the answer is 409. "
            "`If-Match` says the same, and is answered 412.",
        )


class OneOfField(serializers.ChoiceField):
    """One word of a list; the fault names the list."""

    @override
    def to_internal_value(self, data: Any) -> Any:
        """Return the word; what only reads like one, such as a number, is none."""
        if not isinstance(data, str):
            self.fail("invalid_choice", input=data)
        return super().to_internal_value(data)

    @override
    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        """Raise the fault."""
        if key == "invalid_choice":
            words = ", ".join(str(word) for word in self.choices)
            raise ValidationError([FieldFault("invalid_choice", choices=words)])
        super().fail(key, **kwargs)


class IdField(serializers.UUIDField):
    """An identifier as the API writes it: neither a number nor another spelling of a UUID."""

    @override
    def to_internal_value(self, data: Any) -> UUID:
        """Return the identifier."""
        if not isinstance(data, str) or not _ID.fullmatch(data):
            raise ValidationError([FieldFault("not_an_id")])
        return UUID(data)


class StrictBooleanField(serializers.BooleanField):
    """A JSON boolean: neither text nor a number."""

    @override
    def to_internal_value(self, data: Any) -> bool:
        """Return the boolean."""
        if type(data) is not bool:
            raise ValidationError([FieldFault("not_a_boolean")])
        return data


class StrictCharField(serializers.CharField):
    """A JSON string; never a number turned into one."""

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the text, or the fault."""
        if not isinstance(data, str):
            raise ValidationError([FieldFault("not_a_string")])
        return str(super().to_internal_value(data))


class PatternField(StrictCharField):
    """A JSON string that matches a pattern as a whole; the sentence of its fault says what is allowed."""

    def __init__(self, pattern: str, *, fault: str, **options: Any) -> None:
        """Take the pattern as `RegexField` of the framework does, which the schema shows."""
        super().__init__(**options)
        self.validators.append(RegexValidator(pattern, code=fault))


class PathNameField(PatternField):
    """A name that is part of paths and addresses."""

    def __init__(self, **options: Any) -> None:
        """Limit the length to 63 characters."""
        pattern = r"^[a-z0-9][a-z0-9._-]{0,62}$"
        super().__init__(pattern, fault="path_name_not_allowed", max_length=63, **options)


class NameField(StrictCharField):
    """A name that users choose: any letters, normalised (NFC), one line, no hidden characters.

    Names never become paths; `/` and backslash are refused all the same, as are characters that
    change how the surrounding text is read.
    """

    def __init__(self, **options: Any) -> None:
        """Limit the length to 63 characters unless the caller sets another limit."""
        options.setdefault("max_length", 63)
        super().__init__(**options)

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the normalised name, or the fault."""
        name = unicodedata.normalize("NFC", super().to_internal_value(data)).strip()
        if not is_plain_name(name):
            raise ValidationError([FieldFault("name_not_allowed")])
        return name


def is_plain_name(name: str) -> bool:
    """Return whether a name starts with a letter or digit and has no hidden characters.

    Before the first letter an apostrophe may stand, as in 't Hooft.
    """
    first = name[1:2] if name[:1] in _APOSTROPHES else name[:1]
    return first.isalnum() and all(_is_of_a_name(name, at) for at in range(len(name)))


def _is_of_a_name(name: str, at: int) -> bool:
    char = name[at]
    if char in _IN_NAMES:
        return True
    if char in _JOINERS:
        return _joins(name[at - 1 : at], name[at + 1 : at + 2], char)
    # Letters, digits and the marks that some scripts need; no controls, formats or symbols.
    return unicodedata.category(char)[0] in "LN" or unicodedata.category(char) in ("Mn", "Mc")


def _joins(before: str, after: str, char: str) -> bool:
    """Return whether an invisible joiner is part of the spelling, as RFC 5892 (A.1, A.2) has it."""
    if not before or not after:
        return False
    if unicodedata.combining(before) == _VIRAMA:
        return True
    is_arabic = all(unicodedata.bidirectional(each) == "AL" for each in (before, after))
    return char == _NON_JOINER and is_arabic
