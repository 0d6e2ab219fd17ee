"""Tables of a TOML file as dataclasses; a wrong key is reported in one line that names it."""

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from typing import Any, ClassVar, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

from scheduler.core.model.policy import WEEK_MINUTES, WeekWindow


class _Table(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


T = TypeVar("T", bound=_Table)
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_PLAIN = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


class TableError(ValueError):
    """A table has an unknown, missing or invalid key; the message names it."""


def read_table(kind: type[T], table: object, where: str) -> T:
    """Build a dataclass from a table; raise FormError that names what is wrong in it."""
    if not isinstance(table, Mapping):
        raise TableError(f"{where} must be a table")
    named = {field.name: field for field in fields(kind) if field.init}
    for key in table:
        if key not in named:
            raise TableError(f"{_at(where, key)} is not known; known are {', '.join(named)}")
    for name, field in named.items():
        if name not in table and _is_required(field):
            raise TableError(f"{_at(where, name)} is missing")
    hints = get_type_hints(kind)
    values = {key: _value(hints[key], value, _at(where, key)) for key, value in table.items()}
    try:
        return kind(**values)
    except ValueError as error:
        raise TableError(f"{where or 'the file'}: {error}") from error


def parse_window(text: str) -> WeekWindow:
    """Read `Mon 20:00 - Tue 08:00`."""
    start, _, end = text.partition(" - ")
    return WeekWindow(_minute_of_week(start, text), _minute_of_week(end, text))


def parse_minute_of_day(text: str) -> int:
    """Read `08:30` as minutes after midnight."""
    hours, _, minutes = text.partition(":")
    if not (hours.isdigit() and minutes.isdigit() and int(hours) < 24 and int(minutes) < 60):
        raise TableError(f"{text!r} is not a time such as 08:30")
    return int(hours) * 60 + int(minutes)


def parse_day_of_week(text: str) -> int:
    """Read `Mon` as 0."""
    if text not in _DAYS:
        raise TableError(f"{text!r} is not a day; days are {', '.join(_DAYS)}")
    return _DAYS.index(text)


def _minute_of_week(text: str, whole: str) -> int:
    day, _, time = text.strip().partition(" ")
    if not time:
        raise TableError(f"{whole!r} is not a window such as 'Mon 20:00 - Tue 08:00'")
    return (parse_day_of_week(day) * 24 * 60 + parse_minute_of_day(time)) % WEEK_MINUTES


def _value(hint: object, value: object, where: str) -> object:
    """Convert one value to its type."""
    origin = get_origin(hint)
    if origin in {Union, types.UnionType}:
        return _value(
            next(each for each in get_args(hint) if each is not types.NoneType), value, where
        )
    if origin in {tuple, frozenset}:
        if not isinstance(value, list):
            raise TableError(f"{where} must be a list")
        items = [_value(get_args(hint)[0], item, f"{where}[{n}]") for n, item in enumerate(value)]
        return tuple(items) if origin is tuple else frozenset(items)
    if hint is WeekWindow:
        return _parse_text(parse_window, value, where)
    if isinstance(hint, type) and is_dataclass(hint):
        return read_table(hint, value, where)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        if value not in [item.value for item in hint]:
            raise TableError(f"{where} must be one of {', '.join(hint)}")
        return hint(value)
    return _plain(hint, value, where)


def _plain(hint: object, value: object, where: str) -> object:
    if hint is float and type(value) is int:
        return float(value)
    if isinstance(hint, type) and type(value) is not hint:
        raise TableError(f"{where} must be {_PLAIN.get(hint, hint.__name__)}")
    return value


def _parse_text(read: object, value: object, where: str) -> object:
    if not isinstance(value, str) or not callable(read):
        raise TableError(f"{where} must be text")
    try:
        return read(value)
    except ValueError as error:
        raise TableError(f"{where}: {error}") from error


def _is_required(field: Field[object]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _at(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key
