"""Column lists of plain SQL, written from the models, so that no column is named in two places."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from django.contrib.postgres.fields import ArrayField
from django.db.models import DateTimeField, ForeignKey, Model, UUIDField

SEPARATOR: Final = ","
"""Between the items of a list, none of which contains it."""
_NO_OVERRIDES: Final[Mapping[str, str]] = MappingProxyType({})


def select_list(
    model: type[Model],
    names: Iterable[str],
    *,
    table: str,
    overrides: Mapping[str, str] = _NO_OVERRIDES,
) -> str:
    """Return these fields as a SELECT list, in the form that the engine takes.

    Keys are read as text, moments as integer milliseconds and lists as one text with `SEPARATOR`
    between their items; everything else as it is stored.
    `overrides` are expressions to use instead, by field name.
    """
    return ", ".join(
        overrides.get(name) or _expression(_field(model, name), table) for name in names
    )


def fill_columns(statement: str, **lists: str) -> str:
    """Return a statement with column lists put in where it has their name in braces."""
    for name, columns in lists.items():
        statement = statement.replace(f"{{{name}}}", columns)
    return statement


def _field(model: type[Model], name: str) -> Any:
    return getattr(model, name).field


def _expression(field: Any, table: str) -> str:
    column = f"{table}.{field.column}"
    if isinstance(field, ForeignKey | UUIDField):
        return f"{column}::text"
    if isinstance(field, ArrayField):
        return f"array_to_string({column}, '{SEPARATOR}')"
    if isinstance(field, DateTimeField):
        return f"floor(extract(epoch FROM {column}) * 1000)::bigint"
    return column
