"""What follows from how a column is declared: null, negative, doubled and dangling values."""

from collections import defaultdict
from collections.abc import Sequence

import pytest
from django.db import transaction

from tests.portal.constraints.catalog import Rule, product_tables, rules
from tests.portal.constraints.refusals import copying, is_refused_by
from tests.portal.constraints.rows import Rows

pytestmark = pytest.mark.django_db


def test_every_column_refuses_what_it_may_not_hold() -> None:
    by_table: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in rules():
        by_table[rule.table].append(rule)

    assert sorted(by_table) == product_tables()
    for of_table in by_table.values():
        for rule in of_table:
            if rule.of_column:
                expect_refusal(rule, of_table)


def expect_refusal(rule: Rule, of_table: Sequence[Rule]) -> None:
    """Fail unless the rule of a column refuses the copy of a sound row with one bad value."""
    others = [other for other in of_table if other != rule]
    with transaction.atomic():
        Rows().in_table(rule.table)
        assert is_refused_by(rule, copying(rule, others), others), str(rule)
        transaction.set_rollback(True)
