"""Try something in a savepoint and say by which rule the database refused it."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import psycopg
from django.db import IntegrityError, connection, transaction

from portal.common.ids import new_id
from tests.portal.constraints.catalog import Kind, Rule, disable

Attempt = Callable[[], object]

_COPY: Final = (
    "INSERT INTO {table} SELECT (jsonb_populate_record(old, %s::jsonb)).* FROM {table} old LIMIT 1"
)


def refusal_of(attempt: Attempt) -> tuple[str, str]:
    """Return the table and the rule by which an attempt was refused; empty when it was not.

    A NOT NULL is named by its column. Nothing stays of the attempt.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            # What was saved before is sound, and a table with checks to come cannot be emptied.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            attempt()
            transaction.set_rollback(True)
    except IntegrityError as error:
        return _told(error.__cause__)
    return "", ""


def _told(cause: object) -> tuple[str, str]:
    if not isinstance(cause, psycopg.IntegrityError):
        raise TypeError(cause)
    is_null = isinstance(cause, psycopg.errors.NotNullViolation)
    name = cause.diag.column_name if is_null else cause.diag.constraint_name
    return cause.diag.table_name or "", name or ""


def is_refused_by(rule: Rule, attempt: Attempt, others: Iterable[Rule]) -> bool:
    """Tell whether a rule refuses an attempt when those that refuse it first are taken away."""
    others = list(others)
    with transaction.atomic():
        try:
            while True:
                table, name = refusal_of(attempt)
                if not name or _is(rule, table, name):
                    return bool(name)
                (first,) = (other for other in others if _is(other, table, name))
                disable(first)
                others.remove(first)
        finally:
            transaction.set_rollback(True)


def _is(rule: Rule, table: str, name: str) -> bool:
    """Tell whether a refusal names this rule, on its table or on a partition of it."""
    if rule.kind is Kind.NOT_NULL:
        return rule.name == name and table.startswith(rule.table)
    return name in (rule.name, *rule.of_partitions)


def copying(rule: Rule, others: Iterable[Rule]) -> Attempt:
    """Return the attempt that a rule of a column refuses: a copy of a row with one bad value."""
    changes: dict[str, Any] = {}
    match rule.kind:
        case Kind.NOT_NULL:
            changes = dict.fromkeys(rule.columns)
        case Kind.CHECK:
            changes = dict.fromkeys(rule.columns, -1)
        case Kind.FOREIGN_KEY:
            keys = (other.columns for other in others if other.kind is Kind.PRIMARY_KEY)
            changes = {
                name: _unused(rule.table, name)
                for columns in (rule.columns, *keys)
                for name in columns
            }
        case _:
            pass
    return lambda: _copy(rule.table, changes)


def _copy(table: str, changes: Mapping[str, Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_COPY.format(table=table), [json.dumps(changes, default=str)])


def _unused(table: str, column: str) -> object:
    """Return a value that no row has in a column with keys."""
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT pg_typeof("{column}")::text FROM {table} LIMIT 1')
        (kind,) = cursor.fetchone() or ("",)
    return new_id() if kind == "uuid" else -1
