"""The columns that the engine reads are columns of workloads, in the order in which they are read."""

from dataclasses import fields

from portal.workloads.models import Workload
from portal.workloads.request_columns import (
    PENDING_COLUMNS,
    PENDING_FIELDS,
    REQUEST_COLUMNS,
    columns_of,
    request_from_input,
    request_of,
)
from scheduler.core.model.entities import PendingWorkload, Request

COLUMNS = {column.name for column in Workload._meta.concrete_fields}
MADE_BY_THE_SNAPSHOT = {"request", "held", "avoid", "expected_s", "contents", "traits"}
MADE_BY_THE_SCHEDULER = {"max_card_memory_mib", "home_nodes", "builds_image"}


def test_every_field_of_queued_work_is_a_column_or_made_by_the_snapshot() -> None:
    names = {field.name for field in fields(PendingWorkload)}

    assert set(PENDING_COLUMNS) <= COLUMNS
    assert names - set(PENDING_FIELDS) == MADE_BY_THE_SNAPSHOT


def test_every_field_of_a_request_is_a_column_or_made_by_the_scheduler() -> None:
    names = {field.name for field in fields(Request)}

    assert set(REQUEST_COLUMNS) <= COLUMNS
    assert names - set(REQUEST_COLUMNS) == MADE_BY_THE_SCHEDULER


def test_a_request_survives_its_columns() -> None:
    request = Request(
        replicas=2,
        gpus=4,
        cpu_milli=1500,
        memory_mib=2048,
        gpu_models=frozenset({"B", "A 80GB"}),
        gpu_features=frozenset({"fp8"}),
    )
    row = Workload(**columns_of(request))

    assert request_of(row) == request
    assert (row.gpu_models, row.gpu_features) == (["A 80GB", "B"], ["fp8"])


def test_models_of_a_submission_go_by_the_names_of_the_catalogue() -> None:
    asked = {"gpus": 1, "gpu_models": ["nvidia a100-sxm4-80gb", "homemade"]}

    request = request_from_input(asked)

    assert request.gpu_models == {"NVIDIA A100 SXM 80GB", "homemade"}
