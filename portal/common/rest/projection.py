"""Answers built by the serializer that describes them: each declared field is read once.

A serializer of the framework also converts every value; the JSON renderer can do that at a fraction of
the cost, so lists are built by `project`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from rest_framework import serializers

Shape = type[serializers.Serializer[Any]]
Reader = Callable[[Any], Any]
Projection = Callable[[Any], dict[str, Any]]
_Types = tuple[type[Any], type[Any] | None]
"""Of an object, and of the extra object beside it."""


class Extended(NamedTuple):
    """An object with fields that are not its own: those that the class of `extra` defines.

    That is no tuple, which has an `index` and a `count` of its own.
    """

    source: Any
    extra: Any


def project(shape: Shape, source: Any) -> dict[str, Any]:
    """Return the answer that a serializer describes, read from an object, a dictionary or both.

    A field is read from the attribute, or from the key of a dictionary, that has its name or its
    `source`; the fields of nested serializers likewise. Keys are left to the renderer, which writes
    them as text.
    """
    return _reader(shape, _types(source))(source)


def project_all(shape: Shape, sources: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the answers of many objects."""
    found: list[dict[str, Any]] = []
    last: _Types | None = None
    read: Projection = dict
    for source in sources:
        types = _types(source)
        if types != last:
            read, last = _reader(shape, types), types
        found.append(read(source))
    return found


def _types(source: Any) -> _Types:
    if isinstance(source, Extended):
        return type(source.source), type(source.extra)
    return type(source), None


@cache
def _reader(shape: Shape, types: _Types) -> Projection:
    """Return what reads an answer from objects of these types: first all plain fields at once."""
    of, extra = types
    own = frozenset[str]() if extra is None else {*dir(extra), *_dataclass_fields(extra)}
    plain, others = [], []
    for name, field in shape().fields.items():
        path = field.source or name
        is_extra = path.partition(".")[0] in own
        is_key = issubclass(of, dict) and not is_extra
        nested = _nested(field)
        if nested is None and not is_extra and not (is_key and "." in path):
            plain.append((name, path))
        else:
            get = _from_key(path) if is_key else attrgetter(path)
            others.append((name, get if nested is None else nested(get), is_extra))
    read_plain = _plain_reader(plain, itemgetter if issubclass(of, dict) else attrgetter)

    def read(source: Any) -> dict[str, Any]:
        row, beside = (source, None) if extra is None else source
        found = read_plain(row)
        for name, get, is_extra in others:
            found[name] = get(beside if is_extra else row)
        return found

    return read


def _plain_reader(fields: Sequence[tuple[str, str]], getter: Callable[..., Reader]) -> Projection:
    if len(fields) < 2:  # a getter of one path returns no tuple
        readers = [(name, getter(path)) for name, path in fields]
        return lambda row: {name: get(row) for name, get in readers}
    names, get_all = [name for name, _ in fields], getter(*(path for _, path in fields))
    return lambda row: dict(zip(names, get_all(row), strict=True))


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


def _nested(field: serializers.Field[Any, Any, Any, Any]) -> Callable[[Reader], Reader] | None:
    """Return what makes a reader of the objects of a field into one of their answers; None: it has none."""
    if isinstance(field, serializers.ListSerializer) and isinstance(
        field.child, serializers.Serializer
    ):
        child = type(field.child)
        return lambda get: lambda source: project_all(child, get(source))
    if isinstance(field, serializers.Serializer):
        shape = type(field)
        return lambda get: (
            lambda source: None if (found := get(source)) is None else project(shape, found)
        )
    return None
