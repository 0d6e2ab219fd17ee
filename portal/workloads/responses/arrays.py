"""Job arrays as the API shows them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count

from portal.common.rest.projection import Extended, project
from portal.workloads import selectors
from portal.workloads.dependencies import DependencyStatus, dependencies_of
from portal.workloads.models import JobArray, Workload
from portal.workloads.responses.array_shapes import JobArrayShape
from scheduler.core.model.states import WorkloadState


@dataclass(frozen=True, slots=True)
class _States:
    """How many tasks are in each state."""

    states: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _ArrayDetail(_States):
    """Fields of a job array that are no columns of it."""

    row: JobArray

    @property
    def head_id(self) -> UUID:
        return self.row.tasks.values_list("pk", flat=True).get(heads_array=True)

    @property
    def holds(self) -> Mapping[str, int]:
        held = self.row.tasks.filter(state=WorkloadState.QUEUED).exclude(held_by="")
        return dict(held.values_list("held_by").annotate(Count("pk")).order_by("held_by"))

    @property
    def dependencies(self) -> list[DependencyStatus]:
        return dependencies_of(self.row.group_id, array=self.row.pk)


def find_arrays(rows: Iterable[Workload]) -> Mapping[UUID, Extended]:
    """Return the arrays of these tasks, by id, with the states of all their tasks (two queries)."""
    named = {row.array_id for row in rows if row.array_id is not None}
    if not named:
        return {}
    states = selectors.task_states_for_system(named)
    arrays = JobArray.objects.in_bulk(list(named))
    return {key: Extended(array, _States(states[key])) for key, array in arrays.items()}


def present_array(array: JobArray) -> dict[str, Any]:
    """Present one job array with everything that its page shows."""
    states = selectors.task_states_for_system([array.pk])[array.pk]
    return project(JobArrayShape, Extended(array, _ArrayDetail(states, array)))
