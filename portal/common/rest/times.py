"""Times and days of requests: RFC 3339, never without an offset."""

import re
from datetime import UTC, date, datetime
from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.serializers import FieldFault

YEARS: Final = (1970, 9998)
"""First and last year of a time: no clock of the world may leave what can be stored and shown."""
EXAMPLE: Final = "2027-03-01T09:00:00+08:00"
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)([Zz]|[-+ ][0-9]{2}(?::?[0-5][0-9])?)?)?"
)
"""A day, its time and its offset; a blank is a `+` that an address was read with."""


class MomentField(serializers.DateTimeField):
    """A moment: the one way to read a time, from JSON, YAML and addresses.

    What names no offset from UTC is refused: it could be meant by any clock.
    """

    @override
    def to_internal_value(self, value: Any) -> datetime:
        """Return the moment in UTC, or the fault."""
        found = _TIME.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            raise _fault("not_a_time", EXAMPLE)
        day, clock, offset = found[1], found[2] or "00:00:00", found[3] or ""
        local = _read(f"{day}T{clock}")
        if not found[2] or not offset:
            raise _fault("time_without_offset", f"{day}T{clock}+08:00")
        if offset.startswith(" "):
            raise _fault("time_plus_lost", f"{day}T{clock}%2B{offset[1:]}")
        moment = _read(f"{day}T{clock}{offset.upper()}")
        if not YEARS[0] <= local.year <= YEARS[1]:
            raise ValidationError([FieldFault("time_out_of_range", first=YEARS[0], last=YEARS[1])])
        return moment.astimezone(UTC)


class DayField(serializers.DateField):
    """A day, as `2027-03-01`."""

    @override
    def to_internal_value(self, value: Any) -> date:
        """Return the day, or the fault."""
        if not isinstance(value, str) or not _DAY.fullmatch(value):
            raise _fault("not_a_day", EXAMPLE[:10])
        try:
            day = date.fromisoformat(value)
        except ValueError as error:
            raise _fault("not_a_day", EXAMPLE[:10]) from error
        if not YEARS[0] <= day.year <= YEARS[1]:
            raise ValidationError([FieldFault("time_out_of_range", first=YEARS[0], last=YEARS[1])])
        return day


def _read(text: str) -> datetime:
    """Return a time; refuse one that no calendar or clock has."""
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise _fault("not_a_time", EXAMPLE) from error


def _fault(code: str, example: str) -> ValidationError:
    return ValidationError([FieldFault(code, example=example)])
