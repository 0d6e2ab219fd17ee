"""Times and days of requests: read in one way, or refused with the reason."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from django.urls import get_resolver
from hypothesis import given
from hypothesis import strategies as st
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from portal.common.rest.serializers import InputSerializer, QuerySerializer
from portal.common.rest.times import YEARS, DayField, MomentField

NINE = datetime(2027, 3, 1, 9, 0, tzinfo=UTC)
FIRST = NINE.replace(year=YEARS[0], tzinfo=None)


def fault_of(given: Any, field: serializers.Field[Any, Any, Any, Any] | None = None) -> str:
    with pytest.raises(ValidationError) as caught:
        (field or MomentField()).run_validation(given)
    details: Any = caught.value.get_full_details()
    return str(details[0]["code"])


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2027-03-01T09:00:00Z", NINE),
        ("2027-03-01t09:00:00z", NINE),
        ("2027-03-01 09:00:00Z", NINE),
        ("2027-03-01T17:00:00+08:00", NINE),
        ("2027-03-01T17:00:00+0800", NINE),
        ("2027-03-01T17:00:00+08", NINE),
        ("2027-03-01T17:00+08:00", NINE),
        ("2027-03-01T09:00:00-00:00", NINE),
        ("2027-02-28T21:30:00-11:30", NINE),
        ("2027-03-01T09:00:00.5Z", NINE + timedelta(milliseconds=500)),
        ("2027-03-01T09:00:00.123456789Z", NINE + timedelta(microseconds=123456)),
        ("1970-01-01T00:00:00+14:00", datetime(1969, 12, 31, 10, tzinfo=UTC)),
    ],
)
def test_a_time_with_an_offset_is_one_moment(text: str, moment: datetime) -> None:
    assert MomentField().run_validation(text) == moment


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("2027-03-01T09:00:00", "time_without_offset"),
        ("2027-03-01t09:00", "time_without_offset"),
        ("2027-03-01 09:00:00.5", "time_without_offset"),
        ("2027-03-01", "time_without_offset"),
        ("2027-03-01T09:00:00 08:00", "time_plus_lost"),
        ("2027-03-01T09:00:00 0800", "time_plus_lost"),
        ("2027-02-29T09:00:00Z", "not_a_time"),
        ("2027-02-29", "not_a_time"),
        ("2027-03-01T24:00:00Z", "not_a_time"),
        ("2027-03-01T23:59:60Z", "not_a_time"),
        ("2027-03-01T09:00:00+24:00", "not_a_time"),
        ("2027-03-01T09:00:00+08:60", "not_a_time"),
        ("2027-W09-1T09:00:00Z", "not_a_time"),
        ("2027-060T09:00:00Z", "not_a_time"),
        ("20270301T090000Z", "not_a_time"),
        ("2027-03-01T09Z", "not_a_time"),
        ("2027-03-01T09:00:00,5Z", "not_a_time"),
        ("2027-03-01T09:00:00Z[Asia/Shanghai]", "not_a_time"),
        ("2027-03-01T09:00:00 UTC", "not_a_time"),
        ("2001-12-14 21:59:43.10 -5", "not_a_time"),
        ("２０２７-03-01T09:00:00Z", "not_a_time"),
        (" 2027-03-01T09:00:00Z", "not_a_time"),
        ("2027-03-01T09:00:00Z\n", "not_a_time"),
        ("+012027-03-01T09:00:00Z", "not_a_time"),
        ("Mon, 01 Mar 2027 09:00:00 GMT", "not_a_time"),
        ("1803891600", "not_a_time"),
        (1803891600, "not_a_time"),
        (1803891600.5, "not_a_time"),
        (True, "not_a_time"),
        ([], "not_a_time"),
        ("", "not_a_time"),
        ("0001-01-01T00:00:00+14:00", "time_out_of_range"),
        ("1969-12-31T23:59:59Z", "time_out_of_range"),
        ("9999-12-31T23:59:59-14:00", "time_out_of_range"),
        ("9999-01-01T00:00:00Z", "time_out_of_range"),
    ],
)
def test_anything_else_is_refused_with_its_reason(given: Any, code: str) -> None:
    assert fault_of(given) == code


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("2027-02-29", "not_a_day"),
        ("20270301", "not_a_day"),
        ("2027-W09-1", "not_a_day"),
        ("2027-03-01T00:00:00Z", "not_a_day"),
        (20270301, "not_a_day"),
        ("9999-12-31", "time_out_of_range"),
    ],
)
def test_a_day_is_written_in_one_way(given: Any, code: str) -> None:
    assert DayField().run_validation("2028-02-29") == date(2028, 2, 29)
    assert fault_of(given, DayField()) == code


@given(
    st.datetimes(FIRST, FIRST.replace(year=YEARS[1])),
    st.integers(-1439, 1439),
)
def test_every_moment_is_read_as_it_was_written(local: datetime, minutes: int) -> None:
    moment = local.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert MomentField().run_validation(moment.isoformat()) == moment
    assert fault_of(local.isoformat()) == "time_without_offset"


def test_no_request_reads_times_in_another_way() -> None:
    assert get_resolver().url_patterns  # imports the views, and so their inputs
    shapes = [*_below(InputSerializer), *_below(QuerySerializer)]
    found = {(path, type(field)) for shape in shapes for path, field in _fields(shape(), "")}
    other = {
        path
        for path, kind in found
        if issubclass(kind, serializers.DateTimeField | serializers.DateField)
        and kind not in (MomentField, DayField)
    }
    assert other == set()
    assert any(kind is MomentField for _, kind in found)


def _below(shape: type[Any]) -> Iterator[type[Any]]:
    for each in shape.__subclasses__():
        yield each
        yield from _below(each)


def _fields(field: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield f"{path}", field
    inner = dict(getattr(field, "fields", {}))
    if getattr(field, "child", None) is not None:
        inner["*"] = field.child
    for name, each in inner.items():
        yield from _fields(each, f"{path or type(field).__name__}/{name}")
