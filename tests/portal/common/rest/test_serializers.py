"""Names and query strings."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final
from uuid import UUID

import pytest
from django.core.validators import EmailValidator, RegexValidator
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from portal.common.rest.problems import to_problem
from portal.common.rest.serializers import (
    IdField,
    InputSerializer,
    NameField,
    OneOfField,
    QuerySerializer,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.common.rest.times import DayField, MomentField
from portal.common.translations import LANGUAGES, load_messages
from portal.identity.account_api.credentials import CredentialField


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("train", "train"),
        ("视觉 训练-1", "视觉 训练-1"),
        ("  padded  ", "padded"),
        ("e\u0301toile", "étoile"),
        ("x" * 63, "x" * 63),
        ("ResNet (v2).final_1", "ResNet (v2).final_1"),
        ("Sinéad O'Connor", "Sinéad O'Connor"),
        ("Sinéad O\u2019Connor", "Sinéad O\u2019Connor"),
        ("D\u2018Arcy", "D\u2018Arcy"),
        ("'t Hooft", "'t Hooft"),
        ("Ka\u02bbiulani", "Ka\u02bbiulani"),
        ("Jean\u2010Luc", "Jean\u2010Luc"),
        ("Martin Luther King Jr.", "Martin Luther King Jr."),
        ("古丽·阿卜杜拉", "古丽·阿卜杜拉"),
        ("ジョン・スミス", "ジョン・スミス"),
        ("ابن رشد", "ابن رشد"),
        ("علی\u200cرضا", "علی\u200cرضا"),
        ("ක්\u200dරිස්", "ක්\u200dරිස්"),
        ("בן\u05beדוד", "בן\u05beדוד"),
        ("สมหญิง ใจงาม", "สมหญิง ใจงาม"),
        ("Nguyễn Văn Ánh", "Nguyễn Văn Ánh"),
        ("Linda's notebook", "Linda's notebook"),
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
        "+1+1",
        "@SUM(A1)",
        "'",
        "''a",
        "'=1+1",
        "a\u200db",
        "a\u200cb",
        "\u200dab",
        "李\u200d明",
        "ab\u200c",
        "a\u2028b",
        "a\u00adb",
        "a\ufeffb",
        "a\u0301\u202e",
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


def test_every_pattern_says_what_it_allows() -> None:
    """In both languages: never that a value is not valid, and no more."""
    for module in (
        "portal.config.urls",
        "portal.access.terminal.endpoints",
        "portal.live.log_query",
    ):
        import_module(module)
    shapes = [*_below(InputSerializer), *_below(QuerySerializer)]
    codes = {
        f"{shape.__name__}.{path}": str(validator.code)
        for shape in shapes
        if shape.__module__.startswith("portal.")
        for path, field in _fields(shape(), "")
        for validator in field.validators
        if isinstance(validator, RegexValidator | EmailValidator)
    }
    assert len(codes) > 40
    silent = {
        (where, code)
        for where, code in codes.items()
        for language in LANGUAGES
        if f"field.{code}" not in load_messages(language)
    }
    assert silent == set()


STRICT: Final = (
    *(StrictCharField, StrictIntegerField, StrictBooleanField, IdField, OneOfField),
    *(MomentField, DayField, CredentialField),
    *(serializers.ListField, serializers.DictField, serializers.Serializer),
)
"""Fields that take a JSON value for what it is; what lists and objects hold is looked at by itself."""


def test_every_body_takes_values_for_what_they_are() -> None:
    import_module("portal.config.urls")
    converting = {
        f"{shape.__module__}.{shape.__name__}.{path}"
        for shape in _below(InputSerializer)
        if shape.__module__.startswith("portal.")
        for path, field in _fields(shape(), "")
        if not isinstance(field, STRICT)
    }
    assert sorted(converting) == []


def _fields(field: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield what a body consists of; what any value may stand in is checked where it is used."""
    if isinstance(field, serializers.Serializer):
        for name, inner in field.fields.items():
            yield from _fields(inner, f"{path}.{name}")
    elif not type(field).__name__.startswith("_Unvalidated"):
        yield path, field
        if child := getattr(field, "child", None):
            yield from _fields(child, f"{path}[]")


class Kinds(InputSerializer):
    number = StrictIntegerField(required=False)
    switch = StrictBooleanField(required=False)
    text = StrictCharField(required=False)
    id = IdField(required=False)
    word = OneOfField(["1", "True", "none"], required=False)
    moment = MomentField(required=False)
    day = DayField(required=False)
    list = serializers.ListField(child=IdField(), required=False)


SPELT: Final = "0190d3a0-0000-7000-8000-00000000000A"


@pytest.mark.parametrize(
    ("name", "code", "others"),
    [
        ("number", "not_an_integer", [True, False, "1", 1.0, [1], {}]),
        ("switch", "not_a_boolean", [0, 1, "true", "", []]),
        ("text", "not_a_string", [0, True, 1.5, [], {}]),
        ("id", "not_an_id", [0, 1, True, False, 2**100, "1", [], {}, *SPELT.partition("a")]),
        ("id", "not_an_id", [SPELT.replace("-", ""), f"{{{SPELT}}}", f"urn:uuid:{SPELT}"]),
        ("id", "not_an_id", [f" {SPELT}", f"{SPELT}\n", SPELT.replace("0", "０")]),
        ("word", "invalid_choice", [1, True, [], {}]),
        ("moment", "not_a_time", [0, True, 1.5, []]),
        ("day", "not_a_day", [0, True, []]),
        ("list", "not_an_id", [[0], [True], [SPELT, 1]]),
    ],
)
def test_no_value_is_taken_for_another_kind(name: str, code: str, others: list[object]) -> None:
    for other in others:
        with pytest.raises(ValidationError) as refused:
            Kinds.parse_body({name: other})
        problem = to_problem(refused.value)
        assert problem is not None
        assert [fault["code"] for fault in problem.errors] == [code], other


def test_an_id_is_taken_in_either_case() -> None:
    assert Kinds.parse_body({"id": SPELT})["id"] == UUID(SPELT)


def _below(shape: type[Any]) -> Iterator[type[Any]]:
    for each in shape.__subclasses__():
        yield each
        yield from _below(each)
