"""What the database itself enforces, read from its catalog: nothing here is a list by hand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from django.apps import apps
from django.db import connection
from django.db.models import Model
from typing_extensions import override

_TABLES: Final = """
SELECT oid::regclass::text FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
"""
_CONSTRAINTS: Final = """
SELECT con.conrelid::regclass::text, con.conname, con.contype::text, pg_get_constraintdef(con.oid),
    ARRAY(SELECT attname::text FROM pg_attribute
        WHERE attrelid = con.conrelid AND attnum = ANY(con.conkey) ORDER BY attnum),
    ARRAY(SELECT conname::text FROM pg_constraint WHERE conparentid = con.oid)
FROM pg_constraint con
WHERE con.conrelid = ANY(%s::regclass[]) AND con.contype IN ('c', 'f', 'p', 'u', 'x')
"""
_UNIQUE_INDEXES: Final = """
SELECT indrelid::regclass::text, indexrelid::regclass::text FROM pg_index
WHERE indrelid = ANY(%s::regclass[]) AND indisunique
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""
_NOT_NULL: Final = """
SELECT attrelid::regclass::text, attname::text FROM pg_attribute
WHERE attrelid = ANY(%s::regclass[]) AND attnum > 0 AND attnotnull AND NOT attisdropped
    AND NOT EXISTS (
        SELECT FROM pg_partitioned_table WHERE partrelid = attrelid AND attnum = ANY(partattrs))
"""
"""A row without the column that its table is partitioned by has no partition to go to anyway."""
_TRIGGERS: Final = """
SELECT tgrelid::regclass::text, tgname, tgtype, tgfoid::regproc::text, pg_get_functiondef(tgfoid)
FROM pg_trigger WHERE tgrelid = ANY(%s::regclass[]) AND NOT tgisinternal
"""
_EVENTS: Final = {"insert": 4, "delete": 8, "update": 16, "truncate": 32}
"""Bits of `pg_trigger.tgtype`."""
_NOT_BELOW_ZERO: Final = re.compile(r'CHECK \(\("?\w+"? >= 0\)\)')
_RAISED: Final = re.compile(r"CONSTRAINT = '(\w+)'")


class Kind(StrEnum):
    """What sort of rule it is."""

    CHECK = "check"
    FOREIGN_KEY = "foreign key"
    PRIMARY_KEY = "primary key"
    UNIQUE = "unique"
    EXCLUSION = "exclusion"
    NOT_NULL = "not null"
    TRIGGER = "trigger"


_KINDS: Final = {
    "c": Kind.CHECK,
    "f": Kind.FOREIGN_KEY,
    "p": Kind.PRIMARY_KEY,
    "u": Kind.UNIQUE,
    "x": Kind.EXCLUSION,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that the database refuses."""

    table: str
    name: str
    """As a refusal names it; of a NOT NULL, the column."""
    kind: Kind
    columns: tuple[str, ...] = ()
    event: str = ""
    """Of a trigger: what it looks at."""
    trigger: str = ""
    function: str = ""
    is_index: bool = False
    """Whether it is a unique index without a constraint, as those with a condition are."""
    of_column: bool = False
    """Whether it follows from how one column, or a many-to-many table, is declared."""
    of_partitions: tuple[str, ...] = ()
    """Its names on the partitions of its table."""

    @override
    def __str__(self) -> str:
        """Return a name to read."""
        return " ".join(filter(None, (f"{self.table}.{self.name}", self.event)))

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what a case names it by."""
        return self.table, self.name, self.event


def product_tables() -> list[str]:
    """Return every table of the product, with those that have no model."""
    foreign = {
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if model not in product_models()
    }
    with connection.cursor() as cursor:
        cursor.execute(_TABLES)
        found = {name for (name,) in cursor.fetchall()}
    return sorted(found - foreign - {"django_migrations"})


def product_models() -> list[type[Model]]:
    """Return the models of our own apps, with the tables behind many-to-many fields."""
    return [
        model
        for app in apps.get_app_configs()
        if app.name.startswith("portal.")
        for model in app.get_models(include_auto_created=True)
    ]


def named_in_models() -> set[str]:
    """Return the names that stand in `Meta.constraints`."""
    return {rule.name for model in product_models() for rule in model._meta.constraints}


def rules() -> list[Rule]:
    """Return everything that the database refuses in tables of the product."""
    tables = product_tables()
    found = [*_constraints(tables), *_unique_indexes(tables), *_not_null(tables)]
    return [*found, *_triggers(tables)]


def _constraints(tables: list[str]) -> Iterator[Rule]:
    named = named_in_models()
    pairs = {model._meta.db_table for model in product_models() if model._meta.auto_created}
    for table, name, letter, definition, columns, of_partitions in _rows(_CONSTRAINTS, tables):
        kind = _KINDS[letter]
        is_simple = kind is Kind.PRIMARY_KEY or len(columns) == 1 or table in pairs
        is_simple &= kind is not Kind.CHECK or bool(_NOT_BELOW_ZERO.fullmatch(definition))
        yield Rule(
            table,
            name,
            kind,
            tuple(columns),
            of_column=is_simple and name not in named,
            of_partitions=tuple(of_partitions),
        )


def _unique_indexes(tables: list[str]) -> Iterator[Rule]:
    for table, name in _rows(_UNIQUE_INDEXES, tables):
        yield Rule(table, name, Kind.UNIQUE, is_index=True)


def _not_null(tables: list[str]) -> Iterator[Rule]:
    for table, column in _rows(_NOT_NULL, tables):
        yield Rule(table, column, Kind.NOT_NULL, (column,), of_column=True)


def _triggers(tables: list[str]) -> Iterator[Rule]:
    for table, trigger, bits, function, source in _rows(_TRIGGERS, tables):
        for event in (event for event, bit in _EVENTS.items() if bits & bit):
            for name in _RAISED.findall(source) or [trigger]:
                yield Rule(
                    table, name, Kind.TRIGGER, event=event, trigger=trigger, function=function
                )


def _rows(query: str, parameter: list[str] | str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, [parameter])
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def disable(rule: Rule) -> None:
    """Take one rule away, for the rest of the transaction."""
    with connection.cursor() as cursor:
        # Nothing may be waiting for the end of the transaction when a table is changed.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for statement in _without(rule):
            cursor.execute(statement)


def _without(rule: Rule) -> Iterator[str]:
    match rule.kind:
        case Kind.TRIGGER:
            yield _unraised(rule)
        case Kind.NOT_NULL:
            for key in (other for other in rules() if other.kind is Kind.PRIMARY_KEY):
                if key.table == rule.table and rule.name in key.columns:
                    yield f'ALTER TABLE {key.table} DROP CONSTRAINT "{key.name}" CASCADE'
            yield f'ALTER TABLE {rule.table} ALTER COLUMN "{rule.name}" DROP IDENTITY IF EXISTS'
            yield f'ALTER TABLE {rule.table} ALTER COLUMN "{rule.name}" DROP NOT NULL'
        case Kind.UNIQUE if rule.is_index:
            yield f"DROP INDEX {rule.name}"
        case _:
            yield f'ALTER TABLE {rule.table} DROP CONSTRAINT "{rule.name}" CASCADE'


def _unraised(rule: Rule) -> str:
    """Return the statement that takes one refusal out of a trigger, or the trigger if it has one."""
    ((source,),) = _rows("SELECT pg_get_functiondef(%s::regproc)", rule.function)
    if len(_RAISED.findall(source)) < 2:
        return f"DROP TRIGGER {rule.trigger} ON {rule.table}"
    raising = rf"RAISE EXCEPTION[^;]*CONSTRAINT = '{rule.name}';"
    silent, count = re.subn(raising, "NULL;", source)
    assert count == 1, source
    return silent
