"""Objects out of written-out statements are those that the ORM reads."""

import pytest
from django.db import connection
from django.db.models import Model

from portal.common.model_rows import ModelRows
from portal.common.postgresql.base import PARAMETERS_MAX
from portal.inventory.models import Node, Pool
from tests.builders.machines import a_node, a_pool

pytestmark = pytest.mark.django_db


def columns_of(row: Model) -> dict[str, object]:
    return {name: value for name, value in vars(row).items() if name != "_state"}


def test_an_object_is_the_one_that_the_orm_reads() -> None:
    pool = a_pool(silence="replace")
    rows = ModelRows(Pool, "pool")

    (found,) = rows.fetch(rows.fill("SELECT {pool} FROM inventory_pool pool"), [])

    assert found.policy == {"silence": "replace"}
    assert columns_of(found) == columns_of(Pool.objects.get(pk=pool.pk))
    assert not found._state.adding


def test_two_models_may_share_a_statement() -> None:
    node = a_node(a_pool("training"))
    nodes, pools = ModelRows(Node, "node"), ModelRows(Pool, "pool")
    statement = "SELECT {node}, {pool} FROM inventory_node node, inventory_pool pool"
    with connection.cursor() as cursor:
        cursor.execute(nodes.fill(pools.fill(statement)))
        row = cursor.fetchone()

    assert nodes.build(row[: nodes.width]).name == node.name
    assert pools.build(row[nodes.width :]).name == "training"


def test_a_statement_may_have_more_parameters_than_the_protocol_counts() -> None:
    many = list(range(PARAMETERS_MAX + 1))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 7 IN ({', '.join(['%s'] * len(many))})", many)

        assert cursor.fetchone() == (True,)
