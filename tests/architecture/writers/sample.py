"""Every way of writing a table, once: what the readers must find (`test_writers.py`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from portal.datasets.models import Dataset
from portal.inventory.models import Accelerator, Node, NodeKey
from portal.tenancy.models import Group
from portal.workloads.models import Allocation, Workload


@dataclass
class Held:
    """Rows in a thing that is none."""

    rows: Mapping[UUID, Workload]
    items: tuple[Allocation, ...]

    def first(self) -> Allocation:
        """Return one."""
        return self.items[0]


class Keeper:
    """Rows that a constructor takes."""

    def __init__(self, node: Node) -> None:
        """Keep one."""
        self._node = node

    def writes_inventory_node(self) -> None:
        self._node.save()


def writes_tenancy_group(name: str) -> None:
    Group.objects.create(name=name)


def writes_inventory_accelerator(node: Node) -> None:
    for card in node.accelerators.all():
        card.state = "bad"
        card.save(update_fields=["state"])


def writes_workloads_workload(held: Held) -> None:
    for work in held.rows.values():
        work.save()


def writes_workloads_allocation(held: Held) -> None:
    last = held.first()
    last.delete()


def writes_inventory_nodekey(node: Node | None) -> None:
    keys = NodeKey.objects.filter(node=node)
    old = keys.exclude(used_at=None)
    old.delete()


def writes_datasets_dataset_groups(dataset: Dataset, groups: "QuerySet[Group]") -> None:
    dataset.groups.set(groups)


def writes_datasets_dataset(rows: Iterable[Dataset]) -> None:
    Dataset.objects.bulk_update(list(rows), ["description"])


def writes_inventory_pool(node: Node) -> None:
    pool = node.pool
    wanted = {"is_open": False}
    for name, value in wanted.items():
        setattr(pool, name, value)
    pool.save()


def writes_identity_user(work: Workload) -> None:
    (owner, _) = (work.owner, 1)
    owner.save()


def writes_quotas_quota() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE quotas_quota SET used = 0, ceiling = (1 + 1) WHERE used = 1")


def writes_quotas_budget(name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM quotas_budget WHERE period = '{name}'")


def is_unclear(rows: Any) -> None:
    rows.filter().update(state="bad")


def is_unclear_too(row: Any) -> None:
    row.state = "bad"
    row.save()


def makes_unsaved() -> Accelerator:
    return Accelerator(state="bad")
