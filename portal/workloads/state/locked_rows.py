"""Rows that a commit has locked, with the columns that it checks a placement by."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from portal.inventory.card_facts import (
    enforced_isolation,
    parse_mig_profiles,
    usable_gpu_memory_mib,
)
from portal.inventory.gpu_models import find_gpu_model, model_name
from portal.inventory.models import Pool
from portal.inventory.node_storage import has_own_storage
from portal.workloads.models import Workload
from portal.workloads.request_columns import REQUEST_COLUMNS, request_from_row
from scheduler.core.model.card_kind import CardKind, device_memory_mib, is_chosen
from scheduler.core.model.entities import Request
from scheduler.core.model.isolation import IsolationLevel, is_isolation_sufficient


class LockedWorkload(NamedTuple):
    """A workload whose row is locked, with the columns that a placement looks at."""

    id: UUID
    group_id: UUID
    owner_id: UUID
    pool_id: UUID
    kind: str
    state: str
    version: int
    preemptible: bool
    time_limit_s: int | None
    array_id: UUID | None
    held_by: str
    not_before: datetime | None
    files: list[str]
    """References, as `portal.common.uses.files` reads them."""
    request: Request

    @classmethod
    def read(cls, rows: "QuerySet[Workload]") -> "list[LockedWorkload]":
        """Return these rows; the query, or its caller, locks them."""
        names = cls._fields[:-1]
        return [
            cls._make((*row[: len(names)], request_from_row(row[len(names) :])))
            for row in rows.values_list(*names, *REQUEST_COLUMNS)
        ]


class LockedNode(NamedTuple):
    """A node whose row is locked; its key is a text, as plans name it."""

    id: str
    name: str
    pool_id: UUID
    state: str
    cpu_milli: int
    memory_mib: int
    faults: list[Any]

    @property
    def shares_storage(self) -> bool:
        """Return whether its storage is that of all nodes."""
        return not has_own_storage(self.faults)


class LockedCard(NamedTuple):
    """A card whose row is locked; its key and its node's are texts, as plans name them."""

    id: str
    node_id: str
    pool_id: UUID
    state: str
    memory_mib: int
    slices: int
    slice_mib: int
    mode: str
    is_simulated: bool
    isolation: list[str]
    mig_profiles: list[Any]
    model: str

    def is_chosen(self, request: Request) -> bool:
        """Return whether it is a card that the request chooses: by model, memory, features, bandwidth."""
        if not request.chooses_cards:
            return True
        known = find_gpu_model(self.model)
        usable = usable_gpu_memory_mib(self.memory_mib, self.slices, self.slice_mib)
        kind = CardKind(model_name(self.model), usable)
        if known is not None:
            kind = kind._replace(features=known.features, bandwidth_gbps=known.bandwidth_gbps)
        return is_chosen(kind, request)

    def is_isolation_sufficient(self, weakest: IsolationLevel) -> bool:
        """Return whether it keeps tenants apart as its pool demands it now."""
        offered = enforced_isolation(self.isolation, is_simulated=self.is_simulated)
        return is_isolation_sufficient(offered, weakest, is_cut=self.mode != Pool.Mode.EXCLUSIVE)

    def device_memory_mib(self, request: Request) -> int:
        """Return the memory that the request gets on it: all of it, or that of a MIG instance."""
        usable = usable_gpu_memory_mib(self.memory_mib, self.slices, self.slice_mib)
        profiles = parse_mig_profiles(self.mig_profiles) if request.mig_profile else ()
        return device_memory_mib(CardKind("", usable, profiles), request)
