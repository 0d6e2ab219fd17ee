"""One order of locks: the constant, the page that quotes it, and what holds the tests to it."""

import re
from typing import Any, Final

import pytest
from django.apps import apps
from django.db import connection

from portal.common.locks import COVERED_BY, LOCK_ORDER
from tests.architecture.sources import ROOT
from tests.builders.scenes import a_scene
from tests.lock_order import LockOrder, locked_tables

PAGE: Final = ROOT / "docs" / "dev" / "lifecycle.md"


def test_the_page_quotes_the_order() -> None:
    text = PAGE.read_text(encoding="utf-8").split("## Order of locks")[1].split("\n\n")[2]

    assert tuple(re.findall(r"`(\w+)`", text)) == LOCK_ORDER


def test_it_names_tables_that_are_there() -> None:
    tables = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}

    assert {*LOCK_ORDER, *COVERED_BY, *COVERED_BY.values()} <= tables
    assert set(COVERED_BY.values()) <= set(LOCK_ORDER)


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ('SELECT 1 FROM "inventory_node" WHERE id = 1 FOR NO KEY UPDATE', ["inventory_node"]),
        ("SELECT * FROM tenancy_group WHERE id = 1 FOR SHARE", ["tenancy_group"]),
        (
            "SELECT 1 FROM quotas_quota q JOIN tenancy_group t ON true FOR UPDATE OF q",
            ["quotas_quota"],
        ),
        ("SELECT 1 FROM workloads_allocation FOR NO KEY UPDATE SKIP LOCKED", []),
        ('UPDATE "inventory_node" SET hold = 1', ["inventory_node"]),
        ("WITH a AS (INSERT INTO x SELECT 1) UPDATE quotas_quota SET used = 1", ["quotas_quota"]),
        ('DELETE FROM "inventory_jointoken"', ["inventory_jointoken"]),
        ("LOCK TABLE quotas_quota IN EXCLUSIVE MODE", ["quotas_quota"]),
        ("INSERT INTO quotas_quota VALUES (1) ON CONFLICT (id) DO UPDATE SET used = 1", []),
        ("UPDATE audit_auditevent SET at = now()", []),
    ],
)
def test_locks_are_read_from_statements(sql: str, tables: list[str]) -> None:
    assert locked_tables(sql) == tables


def _run(*statements: str) -> list[str]:
    """Return what is broken when the product runs these."""
    order = LockOrder()
    scope: dict[str, Any] = {"__name__": "portal.planted", "order": order, "all": statements}
    exec("for sql in all: order(lambda *_: None, sql, None, False, {})", scope)
    return order.broken


CARDS, NODES = (
    f"SELECT 1 FROM {table} FOR UPDATE" for table in ("inventory_accelerator", "inventory_node")
)


def test_another_order_in_one_transaction_is_seen() -> None:
    begin, end = 'SAVEPOINT "a"', 'RELEASE SAVEPOINT "a"'

    assert _run(begin, NODES, CARDS, NODES, end) == []
    assert _run(begin, CARDS, end, begin, NODES, end) == []
    assert _run(CARDS, NODES) == []
    (broken,) = _run(begin, CARDS, 'SAVEPOINT "b"', NODES)
    assert broken.startswith("inventory_accelerator → inventory_node, by SELECT")
    assert _run(begin, "SELECT 1 FROM audit_auditevent FOR UPDATE") != []


@pytest.mark.django_db
def test_placements_are_looked_at() -> None:
    order = LockOrder()
    scene = a_scene()
    work = scene.work(gpus=1)

    with connection.execute_wrapper(order):
        scene.place(work, scene.placement(cards=(0,)))

    assert order._taken == [
        *("tenancy_membership", "workloads_workload", "identity_user", "quotas_quota"),
        *("quotas_budget", "inventory_node", "inventory_accelerator"),
    ]
