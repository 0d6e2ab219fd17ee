"""No index costs every write what another index of the table answers as well."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import permutations
from typing import NamedTuple

import pytest
from django.db import connection

from tests.portal.constraints.catalog import product_models

pytestmark = pytest.mark.django_db
_INDEXES = """
SELECT held.relname, named.relname, i.indisunique,
       coalesce(pg_get_expr(i.indpred, i.indrelid), ''), i.indkey::int[], i.indclass::oid[]
FROM pg_index i JOIN pg_class held ON held.oid = i.indrelid
JOIN pg_class named ON named.oid = i.indexrelid
WHERE held.relname = ANY(%s)
"""


class Index(NamedTuple):
    """An index: the numbers of its columns, 0 for an expression, and how it compares them."""

    name: str
    is_unique: bool
    predicate: str
    columns: list[int]
    classes: list[int]

    def is_answered_by(self, other: "Index") -> bool:
        """Return whether the other begins with the same columns, of the same rows."""
        return (
            not self.is_unique
            and 0 not in self.columns
            and self.columns == other.columns[: len(self.columns)]
            and self.classes == other.classes[: len(self.columns)]
            and other.predicate == self.predicate
        )


def repeated(indexes: Iterable[Index]) -> set[str]:
    """Return the names of those that another one answers."""
    return {one.name for one, other in permutations(indexes, 2) if one.is_answered_by(other)}


def test_no_index_repeats_the_start_of_another() -> None:
    tables = defaultdict(list)
    # Django makes the tables behind many-to-many fields, and an index for each of their columns.
    named = [each._meta.db_table for each in product_models() if not each._meta.auto_created]
    with connection.cursor() as cursor:
        cursor.execute(_INDEXES, [named])
        for table, *index in cursor.fetchall():
            tables[table].append(Index(*index))
    assert tables["workloads_workload"]
    assert set().union(*map(repeated, tables.values())) == set()


def test_the_start_of_another_is_found() -> None:
    owner = Index("owner", is_unique=False, predicate="", columns=[2], classes=[1])
    by_owner = owner._replace(name="by_owner", columns=[2, 5], classes=[1, 1])
    live = by_owner._replace(predicate="ended_at IS NULL")
    assert repeated([owner, by_owner]) == {"owner"}
    assert repeated([owner, live]) == set()
    assert repeated([owner._replace(is_unique=True), by_owner]) == set()
