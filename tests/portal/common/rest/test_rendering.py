"""Answers are the JSON that REST framework would write."""

import gc
import json
import weakref
from collections import OrderedDict, namedtuple
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

import pytest
from django.test import RequestFactory
from django.utils.functional import lazystr
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.utils.serializer_helpers import ReturnDict, ReturnList

from portal.common.rest.rendering import OrjsonRenderer
from portal.common.rest.views import ApiView

Point = namedtuple("Point", "x y")


class Word(StrEnum):
    """A word of an answer."""

    RUNNING = "running"


VALUES: list[Any] = [
    datetime(2026, 11, 27, 1, 2, 3, 4, tzinfo=UTC),
    datetime(2026, 11, 27, 1, 2, 3, tzinfo=timezone(timedelta(hours=8))),
    date(2026, 2, 28),
    time(23, 59, 1),
    timedelta(days=2, milliseconds=250),
    Decimal("12.3400"),
    UUID(int=7),
    Word.RUNNING,
    lazystr("later"),
    Point(1, 2),
    (1, "两", None, True),
    ReturnDict({"a": 1}, serializer=Serializer()),
    ReturnList([1], serializer=Serializer()),
    OrderedDict(b=1, a=2),
    {1: "whole", "text": 2**63},
    1e300,
    0.1,
    -(2**53),
    "\u2028 / <script> \x00 é",
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_value_is_written_as_rest_framework_writes_it(value: Any) -> None:
    written = OrjsonRenderer().render({"value": [value]})
    assert json.loads(written) == json.loads(JSONRenderer().render({"value": [value]}))


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**64 - 1)
        | st.text()
        | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_whatever_an_answer_has_is_read_back(value: Any) -> None:
    assert json.loads(OrjsonRenderer().render([value])) == [value]


def test_no_body_and_numbers_that_are_none() -> None:
    assert OrjsonRenderer().render(None) == b""
    assert OrjsonRenderer().render([float("nan"), float("inf")]) == b"[null,null]"


def test_the_rows_of_an_answer_are_gone_without_the_collector_once_it_is_written() -> None:
    kept: list[weakref.ref[Any]] = []

    class Rows(dict[str, str]):
        """A body that can be watched."""

    class Listing(ApiView):
        """A view of our own, for anybody."""

        authentication_classes = ()
        permission_classes = ()

        def get(self, request: Request) -> Response:
            """Return the body."""
            rows = Rows(name="train")
            kept.append(weakref.ref(rows))
            return Response(rows)

    gc.disable()
    try:
        answer = Listing.as_view()(RequestFactory().get("/"))
        content = answer.render().content
        assert (json.loads(content), kept[0]()) == ({"name": "train"}, None)
    finally:
        gc.enable()
