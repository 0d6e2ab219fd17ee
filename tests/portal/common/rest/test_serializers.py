"""Names and query strings."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from portal.common.rest.problems import to_problem
from portal.common.rest.serializers import (
    InputSerializer,
    NameField,
    OneOfField,
    QuerySerializer,
    StrictIntegerField,
)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("train", "train"),
        ("视觉 训练-1", "视觉 训练-1"),
        ("  padded  ", "padded"),
        ("e\u0301toile", "étoile"),
        ("x" * 63, "x" * 63),
        ("ResNet (v2).final_1", "ResNet (v2).final_1"),
    ],
)
def test_names_in_any_script_are_kept_normalised(given: str, kept: str) -> None:
    assert NameField().run_validation(given) == kept


@pytest.mark.parametrize(
    "given",
    [
        "",
        "   ",
        ".",
        "..",
        "-rf",
        "--help",
        "a/b",
        "a\\b",
        "a\x00b",
        "a\nb",
        "a\x1b[31mb",
        "a\u202eb",
        "a\u200bb",
        "$(id)",
        "`id`",
        "{{7*7}}",
        "<script>",
        "'\";--",
        "=cmd()",
        "x" * 64,
        7,
        None,
        ["a"],
    ],
)
def test_names_that_hide_or_command_something_are_refused(given: object) -> None:
    with pytest.raises(ValidationError):
        NameField().run_validation(given)


class Order(InputSerializer):
    cards = StrictIntegerField(max_value=8)
    ports = serializers.ListField(child=StrictIntegerField(min_value=1024))
    launcher = OneOfField(["plain", "torchrun"])


def test_a_fault_keeps_its_numbers_through_every_nesting() -> None:
    order = Order(data={"cards": 9, "ports": [80], "launcher": "mpi"})
    with pytest.raises(ValidationError) as caught:
        order.is_valid(raise_exception=True)
    problem = to_problem(caught.value)
    assert problem is not None
    assert {item["pointer"]: (item["code"], item["params"]) for item in problem.errors} == {
        "/cards": ("too_large", {"max": 8}),
        "/ports/0": ("too_small", {"min": 1024}),
        "/launcher": ("invalid_choice", {"choices": "plain, torchrun"}),
    }


class Filters(QuerySerializer):
    state = serializers.ChoiceField(["queued"], required=False)


def test_query_strings_take_listed_parameters_once() -> None:
    assert Filters.read(QueryDict("state=queued&page_size=3")) == {"state": "queued"}
    for query in ("ordering=user__password", "state=queued&state=queued", "state=x"):
        with pytest.raises(ValidationError):
            Filters.read(QueryDict(query))


def test_every_choice_that_is_read_names_what_can_be_chosen() -> None:
    import_module("portal.config.urls")
    shapes = [*_below(InputSerializer), *_below(QuerySerializer)]
    assert len(shapes) > 100

    plain = {
        f"{shape.__module__}.{shape.__name__}.{name}"
        for shape in shapes
        if shape.__module__.startswith("portal.")
        for name, field in shape().fields.items()
        for each in (field, getattr(field, "child", None))
        if isinstance(each, serializers.ChoiceField) and not isinstance(each, OneOfField)
    }

    assert sorted(plain) == []


def _below(shape: type[Any]) -> Iterator[type[Any]]:
    for each in shape.__subclasses__():
        yield each
        yield from _below(each)
