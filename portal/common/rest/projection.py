"""Answers built by the serializer that describes them: each declared field is read once.

A serializer of the framework also converts every value; the JSON renderer can do that at a fraction of
the cost, so lists are built by `project`.
"""

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from operator import attrgetter, itemgetter
from typing import Any, Final, NamedTuple

from rest_framework import serializers

Shape = type[serializers.Serializer[Any]]
Reader = Callable[[Any], Any]
Column = tuple[str, Reader, bool]
"""Name and reader of a field, and whether it is read from the extra object."""


class Extended(NamedTuple):
    """An object with fields that are not its own: those that the class of `extra` defines."""

    source: Any
    extra: Any


def project(shape: Shape, source: Any) -> dict[str, Any]:
    """Return the answer that a serializer describes, read from an object, a dictionary or both.

    A field is read from the attribute, or from the key of a dictionary, that has its name or its
    `source`; the fields of nested serializers likewise.
    """
    if isinstance(source, Extended):
        row, extra = source
        readers = _readers(shape, type(row), type(extra))
        return {name: read(extra if is_extra else row) for name, read, is_extra in readers}
    return {name: read(source) for name, read, _ in _readers(shape, type(source), None)}


def project_all(shape: Shape, sources: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the answers of many objects."""
    return [project(shape, source) for source in sources]


_COMPILED: Final[dict[tuple[Shape, type[Any], type[Any] | None], tuple[Column, ...]]] = {}


def _readers(shape: Shape, of: type[Any], extra: type[Any] | None) -> tuple[Column, ...]:
    key = (shape, of, extra)
    found = _COMPILED.get(key)
    if found is None:
        found = _COMPILED[key] = _compile(shape, of, extra)
    return found


def _compile(shape: Shape, of: type[Any], extra: type[Any] | None) -> tuple[Column, ...]:
    own = frozenset[str]() if extra is None else {*dir(extra), *_dataclass_fields(extra)}
    found = []
    for name, field in shape().fields.items():
        path = field.source or name
        is_extra = path.partition(".")[0] in own
        get = _from_key(path) if issubclass(of, dict) and not is_extra else attrgetter(path)
        found.append((name, _converted(field, get), is_extra))
    return tuple(found)


def _dataclass_fields(of: type[Any]) -> Iterable[str]:
    return (item.name for item in fields(of)) if is_dataclass(of) else ()


def _from_key(path: str) -> Reader:
    """Return a reader of a key, and of an attribute of what is there where the path has a dot."""
    key, _, attribute = path.partition(".")
    get = itemgetter(key)
    if not attribute:
        return get
    rest = attrgetter(attribute)
    return lambda source: rest(get(source))


def _converted(field: serializers.Field[Any, Any, Any, Any], get: Reader) -> Reader:
    if isinstance(field, serializers.ListSerializer) and isinstance(
        field.child, serializers.Serializer
    ):
        child = type(field.child)
        return lambda source: project_all(child, get(source))
    if isinstance(field, serializers.Serializer):
        nested = type(field)
        return lambda source: None if (found := get(source)) is None else project(nested, found)
    if isinstance(field, serializers.UUIDField):
        return lambda source: None if (found := get(source)) is None else str(found)
    return get
