"""What something of the product is, as far as rows of tables are concerned."""

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db.models import Model
from django.db.models.fields.reverse_related import ForeignObjectRel


@dataclass(frozen=True, slots=True)
class Row:
    """An object of a model."""

    model: type[Model]


@dataclass(frozen=True, slots=True)
class Rows:
    """A manager or a query of a model."""

    model: type[Model]
    table: str
    """That is written through it; of a many-to-many field the one between."""


@dataclass(frozen=True, slots=True)
class Many:
    """Anything that one can loop over."""

    of: "Type"


@dataclass(frozen=True, slots=True)
class Pairs:
    """A mapping."""

    key: "Type"
    value: "Type"


@dataclass(frozen=True, slots=True)
class Several:
    """A tuple of known length."""

    of: tuple["Type", ...]


@dataclass(frozen=True, slots=True)
class Thing:
    """An object of the product or a library that is no row."""

    kind: Any
    """Its class."""


@dataclass(frozen=True, slots=True)
class Named:
    """A class, function or module itself."""

    what: Any


Type: TypeAlias = Row | Rows | Many | Pairs | Several | Thing | Named | None


def rows_of(model: type[Model]) -> Rows:
    """Return the manager of a model."""
    return Rows(model, model._meta.db_table)


def element(kind: Type) -> Type:
    """Return what looping over something gives."""
    match kind:
        case Rows(model):
            return Row(model)
        case Many(of):
            return of
        case Pairs(key):
            return key
        case Several(of):
            return best(of)
        case _:
            return None


def of_object(what: Any) -> Type:
    """Return what an object that a module knows by name is."""
    if inspect.isclass(what) or inspect.isroutine(what) or inspect.ismodule(what):
        return Named(what)
    if isinstance(what, Model):
        return Row(type(what))
    return None if what is None else Thing(type(what))


def best(kinds: Iterable[Type]) -> Type:
    """Return the first that is known, rows before everything else."""
    known = [kind for kind in kinds if kind is not None and kind != Thing(type(None))]
    about_rows = (kind for kind in known if isinstance(kind, Row | Rows))
    return next(about_rows, known[0] if known else None)


def is_model(what: Any) -> bool:
    """Tell whether something is the class of a table."""
    return inspect.isclass(what) and issubclass(what, Model)


def column_of(model: type[Model], name: str) -> Type:
    """Return what a row refers to under a name: another row, or the rows that refer to it."""
    for relation in model._meta.get_fields():
        far = relation.related_model
        if not isinstance(far, type):
            continue
        if isinstance(relation, ForeignObjectRel):
            if relation.get_accessor_name() == name:
                return Row(far) if relation.one_to_one else rows_of(far)
        elif relation.name == name and relation.many_to_many:
            return Rows(far, getattr(model, name).through._meta.db_table)
        elif relation.name == name:
            return Row(far)
    return None
