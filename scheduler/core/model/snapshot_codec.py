"""The lossless JSON form of a snapshot, with which a production queue becomes a test or a replay.

The form follows the dataclasses: an object for each class, lists for tuples, sorted lists for
sets. A field that an older dump lacks takes its default; an unknown one is ignored.
"""

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import NewType, TypeVar, Union, get_args, get_origin, get_type_hints

from scheduler.core.model.snapshot import Snapshot

T = TypeVar("T")
Json = None | bool | int | str | list["Json"] | dict[str, "Json"]


class SnapshotFormatError(ValueError):
    """The JSON is not that of a snapshot."""


def encode_snapshot(snapshot: Snapshot) -> Json:
    """Return the snapshot as plain JSON values."""
    return _encode(snapshot)


def decode_snapshot(form: Json) -> Snapshot:
    """Return the snapshot that `to_json` was given; raise ValueError if the form is another."""
    return _decode_object(Snapshot, form)


def encode_value(value: object) -> Json:
    """Return any of the core's values as plain JSON values."""
    return _encode(value)


def decode_value(kind: type[T], form: Json) -> T:
    """Return the value that `encode` was given; raise ValueError if the form is another."""
    return _decode_object(kind, form)


def _encode(value: object) -> Json:
    match value:
        case StrEnum():
            return value.value
        case None | bool() | int() | str():
            return value
        case frozenset():
            return [_encode(item) for item in sorted(value)]
        case tuple():
            return [_encode(item) for item in value]
        case Mapping():
            return {key: _encode(item) for key, item in value.items()}
        case _ if is_dataclass(value):
            return {field.name: _encode(getattr(value, field.name)) for field in fields(value)}
        case _:
            raise TypeError(type(value).__name__)


def _decode(hint: object, form: Json) -> object:
    """Build the value that a type hint describes."""
    if isinstance(hint, NewType):
        return _decode(hint.__supertype__, form)
    if get_origin(hint) in {Union, types.UnionType}:
        return _decode_union(get_args(hint), form)
    if get_origin(hint) is not None:
        return _decode_collection(hint, form)
    if isinstance(hint, type) and is_dataclass(hint):
        return _decode_object(hint, form)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint(str(form))
    if type(form) is not hint:
        raise SnapshotFormatError(f"{form!r} is not {hint}")
    return form


def _decode_union(options: tuple[object, ...], form: Json) -> object:
    if form is None:
        return None
    if type(form) in options:
        return form
    return _decode(next(option for option in options if option is not types.NoneType), form)


def _decode_collection(hint: object, form: Json) -> object:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Mapping:
        return {key: _decode(args[1], item) for key, item in _object(form).items()}
    if not isinstance(form, list):
        raise SnapshotFormatError(f"{form!r} is not a list")
    if origin is frozenset:
        return frozenset(_decode(args[0], item) for item in form)
    kinds = [args[0]] * len(form) if args[-1] is Ellipsis else list(args)
    return tuple(_decode(kind, item) for kind, item in zip(kinds, form, strict=True))


def _decode_object(kind: type[T], form: Json) -> T:
    hints, given = get_type_hints(kind), _object(form)
    known = {name: hint for name, hint in hints.items() if name in given}
    try:
        return kind(**{name: _decode(hint, given[name]) for name, hint in known.items()})
    except TypeError as error:
        raise SnapshotFormatError(f"{kind.__name__}: {error}") from error


def _object(form: Json) -> dict[str, Json]:
    if not isinstance(form, dict):
        raise SnapshotFormatError(f"{form!r} is not an object")
    return form
