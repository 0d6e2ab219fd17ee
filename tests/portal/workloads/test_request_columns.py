"""The columns that the engine reads are columns of workloads, in the order in which they are read."""

from dataclasses import fields

from portal.workloads.models import Workload
from portal.workloads.request_columns import (
    PENDING_COLUMNS,
    PENDING_FIELDS,
    REQUEST_COLUMNS,
    build_request,
    request_of,
)
from scheduler.core.model.entities import PendingWorkload, Request

COLUMNS = {column.name for column in Workload._meta.concrete_fields}
MADE_BY_THE_SNAPSHOT = {"request", "held", "avoid", "expected_s"}
MADE_BY_THE_SCHEDULER = {"models", "min_card_memory_mib", "max_card_memory_mib", "home_node"}


def test_every_field_of_queued_work_is_a_column_or_made_by_the_snapshot() -> None:
    names = {field.name for field in fields(PendingWorkload)}

    assert set(PENDING_COLUMNS) <= COLUMNS
    assert names - set(PENDING_FIELDS) == MADE_BY_THE_SNAPSHOT


def test_every_field_of_a_request_is_a_column_or_made_by_the_scheduler() -> None:
    names = {field.name for field in fields(Request)}

    assert set(REQUEST_COLUMNS) <= COLUMNS
    assert names - set(REQUEST_COLUMNS) == MADE_BY_THE_SCHEDULER


def test_a_request_survives_its_columns() -> None:
    request = Request(replicas=2, gpus=4, cpu_milli=1500, memory_mib=2048)
    row = Workload(**{name: getattr(request, name) for name in REQUEST_COLUMNS})

    assert request_of(row) == request
    assert build_request(tuple(getattr(row, name) for name in REQUEST_COLUMNS)) == request
