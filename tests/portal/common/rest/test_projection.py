"""Answers are what the serializer that describes them says."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rest_framework import serializers

from portal.common.rest.projection import Extended, project

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


def test_an_answer_is_the_same_as_the_serializers_own() -> None:
    assert project(ThingShape, A_THING) == ThingShape(A_THING).data


def test_dictionaries_are_read_by_key() -> None:
    source = {
        "id": KEY,
        "box": Box(3),
        "owner": Part("li"),
        "parts": [{"name": "one"}],
        "state": "",
    }

    assert project(ThingShape, source) == {
        "id": str(KEY),
        "size": 3,
        "owner": {"name": "li"},
        "parts": [{"name": "one"}],
        "state": "",
    }


def test_fields_that_are_not_the_objects_own_come_from_beside_it() -> None:
    assert project(ThingShape, Extended(A_THING, Beside("shown")))["state"] == "shown"
