"""Answers are what the serializer that describes them says."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rest_framework import serializers

from portal.common.rest.projection import Extended, project, project_all
from portal.common.rest.rendering import OrjsonRenderer

KEY = UUID(int=7)


class PartShape(serializers.Serializer[Any]):
    name = serializers.CharField()


class ThingShape(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    size = serializers.IntegerField(source="box.size")
    owner = PartShape(allow_null=True)
    parts = PartShape(many=True)
    state = serializers.CharField()


@dataclass
class Part:
    name: str


@dataclass
class Box:
    size: int


@dataclass
class Thing:
    id: UUID
    box: Box
    owner: Part | None
    parts: list[Part]
    state: str = "stored"
    hidden: str = "not in the shape"


@dataclass
class Beside:
    state: str


A_THING = Thing(KEY, Box(3), None, [Part("one"), Part("two")])


def _written(answer: Any) -> Any:
    return json.loads(OrjsonRenderer().render(answer))


def test_an_answer_is_the_same_as_the_serializers_own() -> None:
    assert _written(project(ThingShape, A_THING)) == _written(ThingShape(A_THING).data)


def test_dictionaries_are_read_by_key() -> None:
    source = {
        "id": KEY,
        "box": Box(3),
        "owner": Part("li"),
        "parts": [{"name": "one"}],
        "state": "",
    }

    assert _written(project(ThingShape, source)) == {
        "id": str(KEY),
        "size": 3,
        "owner": {"name": "li"},
        "parts": [{"name": "one"}],
        "state": "",
    }


def test_objects_of_several_types_may_be_in_one_list() -> None:
    sources = [Part("one"), {"name": "two"}, {"name": "three"}, Part("four")]

    found = project_all(PartShape, sources)

    assert [each["name"] for each in found] == ["one", "two", "three", "four"]


def test_fields_that_are_not_the_objects_own_come_from_beside_it() -> None:
    assert project(ThingShape, Extended(A_THING, Beside("shown")))["state"] == "shown"
