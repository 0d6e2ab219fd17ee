"""What follows from how a column is declared: null, negative, doubled and dangling values."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import pytest
from django.db import transaction

from tests.portal.constraints.catalog import Rule, rules
from tests.portal.constraints.refusals import copying, is_refused_by
from tests.portal.constraints.rows import Rows

pytestmark = pytest.mark.django_db


def test_every_column_refuses_what_it_may_not_hold() -> None:
    by_table: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in rules():
        by_table[rule.table].append(rule)

    unseen = [rule for of_table in by_table.values() for rule in accepted(of_table)]

    assert unseen == []


def accepted(of_table: Sequence[Rule]) -> Iterator[str]:
    """Yield the rules of one table's columns that do not refuse a copy with one bad value."""
    with transaction.atomic():
        Rows().in_table(of_table[0].table)
        for rule in of_table:
            others = [other for other in of_table if other != rule]
            if rule.of_column and not is_refused_by(rule, copying(rule, others), others):
                yield str(rule)
        transaction.set_rollback(True)
