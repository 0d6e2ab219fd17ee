"""What work uses, for apps below that change or remove it (`portal.common.uses`)."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet, Sum

from portal.common.uses.files import FileKind, file_reference
from portal.common.uses.work import WorkUsers
from portal.quotas.counters import QuotaUse
from portal.secrets.uses import SecretScope
from portal.workloads.dependencies import is_depended_on
from portal.workloads.models import Allocation, Workload
from portal.workloads.selectors import unfinished_for_system
from scheduler.core.model.resources import Resources
from scheduler.core.model.states import LIVE_ALLOCATION

_DATASET_USES: Final = """
SELECT used.name, count(*)
FROM workloads_workload work, jsonb_array_elements_text(work.spec -> 'datasets') AS used (name)
WHERE work.state NOT IN ('succeeded', 'failed', 'cancelled', 'expired') GROUP BY used.name
"""
_FILE_USES: Final = """
SELECT used.reference, count(*)
FROM workloads_workload work, unnest(work.files) AS used (reference)
WHERE work.state NOT IN ('succeeded', 'failed', 'cancelled', 'expired')
    AND work.files && %(wanted)s::varchar[] AND used.reference = ANY(%(wanted)s)
GROUP BY used.reference
"""


def users_of_files_for_system(references: Collection[str]) -> WorkUsers:
    """Return the work that has not ended and uses one of these files (`portal.common.uses.files`)."""
    return _users(unfinished_for_system().filter(files__overlap=list(references)))


def users_of_secret_for_system(
    name: str, *, user_id: UUID | None, group_id: UUID | None
) -> WorkUsers:
    """Return the work that has not ended and names a secret of this user or of this group."""
    scope = SecretScope.GROUP if user_id is None else SecretScope.USER
    rows = unfinished_for_system()
    rows = rows.filter(group=group_id) if user_id is None else rows.filter(owner=user_id)
    return _users(rows.filter(spec__contains={"secrets": [{"name": name, "scope": scope.value}]}))


def uses_of_files_for_system(references: Collection[str]) -> Mapping[str, int]:
    """Return how much work that has not ended uses these files (`portal.common.uses.files`), by reference."""
    if not references:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_FILE_USES, {"wanted": list(references)})
        return dict(cursor.fetchall())


def needed_for_system(ids: Collection[UUID]) -> set[UUID]:
    """Return which of these workloads left what work that has not ended has as its input, or waits for."""
    references = {file_reference(FileKind.INPUT, key): key for key in ids}
    read = {references[found] for found in uses_of_files_for_system(references)}
    waited_for = Workload.objects.filter(is_depended_on(), pk__in=ids)
    return read | set(waited_for.values_list("pk", flat=True))


def dataset_uses_for_system() -> Mapping[str, int]:
    """Return how much work that has not ended uses each version, by its reference (one query)."""
    with connection.cursor() as cursor:
        cursor.execute(_DATASET_USES)
        return dict(cursor.fetchall())


def count_of_group_for_system(group_id: UUID) -> int:
    """Return how much work a group has, also of the past."""
    return Workload.objects.filter(group=group_id).count()


def count_unfinished_of_group_for_system(group_id: UUID) -> int:
    """Return how much work of a group has not ended."""
    return unfinished_for_system().filter(group=group_id).count()


def uses_for_system() -> Iterator[QuotaUse]:
    """Return what every user holds in every group and pool, from the live allocations."""
    held = Allocation.objects.filter(state__in=LIVE_ALLOCATION).values(
        "workload__group", "pool", "workload__owner"
    )
    for row in held.annotate(
        gpu=Sum("total_gpu_milli"),
        gpu_memory=Sum("total_gpu_memory_mib"),
        cpu=Sum("cpu_milli"),
        memory=Sum("memory_mib"),
    ).order_by("workload__group", "pool", "workload__owner"):
        amount = Resources(row["gpu"], row["gpu_memory"], row["cpu"], row["memory"])
        yield QuotaUse(row["workload__group"], row["pool"], row["workload__owner"], amount)
    with_gpus = Allocation.objects.filter(state__in=LIVE_ALLOCATION, total_gpu_milli__gt=0)
    columns = ("workload__group", "pool", "workload__owner", "gpu_milli_by_model")
    for group, pool, owner, by_model in with_gpus.order_by("id").values_list(*columns):
        yield QuotaUse(group, pool, owner, Resources(), by_model)


def _users(rows: "QuerySet[Workload]") -> WorkUsers:
    first = rows.order_by("id").first()
    return WorkUsers(0, "") if first is None else WorkUsers(rows.count(), first.name)
