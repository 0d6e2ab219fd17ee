"""After `migrate`, processes of the version before run on until they are replaced, and after a way back."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest
from django.db import models
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation

from deploy.server.upgrades import HARD_STOPS

TAKES_AWAY: Final = (
    operations.RemoveField,
    operations.DeleteModel,
    operations.RenameField,
    operations.RenameModel,
    operations.AlterModelTable,
)


def in_database(given: Sequence[Operation]) -> Iterator[Operation]:
    """Yield what is done to tables, without what only Django is told."""
    for operation in given:
        if isinstance(operation, operations.SeparateDatabaseAndState):
            yield from in_database(operation.database_operations)
        else:
            yield operation


def breaks(given: Sequence[Operation]) -> list[str]:
    """Return the operations after which rows cannot be read or made by who does not know of them."""
    done = list(in_database(given))
    new = {each.name_lower for each in done if isinstance(each, operations.CreateModel)}
    return [each.describe() for each in done if _breaks(each, new)]


def _breaks(operation: Operation, new: set[str]) -> bool:
    if isinstance(operation, TAKES_AWAY):
        return True
    if not isinstance(operation, operations.AddField) or operation.model_name_lower in new:
        return False
    return not _may_be_left_out(operation.field)


def _may_be_left_out(field: "models.Field[Any, Any]") -> bool:
    return field.many_to_many or field.null or field.has_db_default()


def ours() -> dict[tuple[str, str], Migration]:
    disk = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    return {key: each for key, each in disk.items() if type(each).__module__.startswith("portal.")}


def test_no_migration_takes_from_earlier_processes_what_they_read_or_write() -> None:
    found = {key: breaks(migration.operations) for key, migration in ours().items()}
    assert {key for key, broken in found.items() if broken} == HARD_STOPS


@pytest.mark.parametrize(
    "operation",
    [
        operations.RemoveField("node", "name"),
        operations.RenameField("node", "name", "title"),
        operations.DeleteModel("node"),
        operations.RenameModel("node", "machine"),
        operations.AlterModelTable("node", "machines"),
        operations.AddField("node", "rack", models.CharField(max_length=9, default="")),
        operations.SeparateDatabaseAndState([operations.RemoveField("node", "name")]),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_such_a_migration_is_found(operation: Operation) -> None:
    assert len(breaks([operation])) == 1


@pytest.mark.parametrize(
    "given",
    [
        [operations.AddField("node", "rack", models.CharField(max_length=9, db_default=""))],
        [operations.AddField("node", "rack", models.IntegerField(null=True))],
        [operations.AddField("node", "racks", models.ManyToManyField("inventory.Pool"))],
        [operations.SeparateDatabaseAndState([], [operations.DeleteModel("node")])],
        [
            operations.CreateModel("Rack", [("id", models.UUIDField(primary_key=True))]),
            operations.AddField("rack", "name", models.CharField(max_length=9)),
        ],
    ],
)
def test_what_earlier_processes_do_not_notice_is_no_such_migration(
    given: list[Operation],
) -> None:
    assert breaks(given) == []
