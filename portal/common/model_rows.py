"""Objects of models out of rows of written-out SQL, for the few statements of every request."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet

M = TypeVar("M", bound=Model)


class ModelRows(Generic[M]):
    """The columns of one model in a SELECT list, and objects from their values.

    Django writes and compiles a statement again each time, which takes longer than to run it.

    Example:
        _USERS = ModelRows(User, "person")
        _USER = _USERS.fill("SELECT {person} FROM identity_user person WHERE person.id = %s")
        user = _USERS.build(row)
    """

    def __init__(self, model: type[M], table: str) -> None:
        """Name the columns as those of a table, or of its alias."""
        fields = QuerySet(model).query.get_meta().concrete_fields
        self._model = model
        self._table = table
        self._names = [field.attname for field in fields]
        self._decoded = [at for at, field in enumerate(fields) if hasattr(field, "from_db_value")]
        self._fields: Sequence[Any] = fields
        self._columns = ", ".join(f"{table}.{field.column}" for field in fields)
        self.width = len(fields)

    def fill(self, statement: str) -> str:
        """Return a statement with the columns put in where it has the table's name in braces."""
        return statement.replace(f"{{{self._table}}}", self._columns)

    def build(self, values: Sequence[Any]) -> M:
        """Return the object with these values, in the order of the columns."""
        row = list(values)
        for at in self._decoded:
            row[at] = self._fields[at].from_db_value(row[at], None, connection)
        return self._model.from_db(connection.alias, self._names, row)

    def fetch(self, statement: str, params: Sequence[Any]) -> list[M]:
        """Return the objects that a statement finds, which selects the columns alone."""
        with connection.cursor() as cursor:
            cursor.execute(statement, params)
            return [self.build(row) for row in cursor.fetchall()]
