"""Dependencies of jobs: naming them, what they hold back now, and which can never be satisfied.

Whether a dependency is satisfied is read from the states of what it names, each time: a job that
has started or ended never becomes one that has not. The sweep settles what holds nothing back any
more, so that a pass reads only the few that still may.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import InvalidError
from portal.common.postgresql.arrays import format_array
from portal.common.postgresql.column_lists import fill_columns
from portal.common.work_kinds import kinds_where
from portal.tenancy import policies
from portal.workloads.models import Dependency, JobArray, Workload
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.states import TERMINAL, WorkloadState

DEPENDENCIES_MAX: Final = 64
"""Jobs and arrays on which one submission may depend."""

_REASONS: Final[Mapping[str, ReasonCode]] = {
    Dependency.Type.AFTER_OK: ReasonCode.DEPENDENCY_NOT_SUCCEEDED,
    Dependency.Type.AFTER_ANY: ReasonCode.DEPENDENCY_NOT_ENDED,
    Dependency.Type.AFTER: ReasonCode.DEPENDENCY_NOT_STARTED,
}
# Of an array, only a task that contradicts is looked for: the first one answers.
_IS_UNSATISFIED: Final = """
CASE
    WHEN dep.on_workload_id IS NOT NULL THEN CASE dep.type
        WHEN 'after_ok' THEN named.state <> 'succeeded'
        WHEN 'after_any' THEN named.state NOT IN ('succeeded', 'failed', 'cancelled', 'expired')
        ELSE named.started_at IS NULL
            AND named.state NOT IN ('succeeded', 'failed', 'cancelled', 'expired')
    END
    ELSE EXISTS (
        SELECT FROM workloads_workload task WHERE task.array_id = dep.on_array_id AND CASE dep.type
            WHEN 'after_ok' THEN task.state <> 'succeeded'
            WHEN 'after_any' THEN task.state NOT IN ('succeeded', 'failed', 'cancelled', 'expired')
            ELSE task.started_at IS NULL
                AND task.state NOT IN ('succeeded', 'failed', 'cancelled', 'expired')
        END
    )
END
"""
_HAS_DEPENDENT_ENDED: Final = """
NOT EXISTS (
    SELECT FROM workloads_workload own
    WHERE (own.id = dep.workload_id OR own.array_id = dep.array_id)
        AND own.state NOT IN ('succeeded', 'failed', 'cancelled', 'expired')
)
"""
_UNSETTLED: Final = """
FROM workloads_dependency dep
LEFT JOIN workloads_workload named ON named.id = dep.on_workload_id
WHERE dep.settled_at IS NULL
"""
_OF_THESE: Final = "AND coalesce(dep.workload_id, dep.array_id) = ANY(%s::uuid[])"
_UNSATISFIED: Final = """
SELECT coalesce(dep.workload_id, dep.array_id)::text, dep.type, count(*)
{unsettled} {narrowed} AND {is_unsatisfied} GROUP BY 1, 2 ORDER BY 1, 2
"""
_UNSATISFIED_OF_UNSAVED: Final = """
SELECT dep.type, count(*)
FROM unnest(%s::text[], %s::uuid[], %s::uuid[]) AS dep (type, on_workload_id, on_array_id)
LEFT JOIN workloads_workload named ON named.id = dep.on_workload_id
WHERE {is_unsatisfied} GROUP BY 1 ORDER BY 1
"""
_UNSATISFIABLE: Final = fill_columns(
    """
SELECT DISTINCT ON (coalesce(dep.workload_id, dep.array_id)) dep.workload_id, dep.array_id,
    coalesce(dep.on_workload_id, dep.on_array_id)
{unsettled} AND dep.type = 'after_ok' AND (
    named.state IN ('failed', 'cancelled', 'expired') OR EXISTS (
        SELECT FROM workloads_workload task WHERE task.array_id = dep.on_array_id
            AND task.state IN ('failed', 'cancelled', 'expired')
    )
)
ORDER BY coalesce(dep.workload_id, dep.array_id), dep.id
""",
    unsettled=_UNSETTLED,
)
_OF_DEPENDENT: Final = fill_columns(
    """
SELECT dep.type, coalesce(dep.on_workload_id, dep.on_array_id), dep.on_array_id IS NOT NULL,
    CASE WHEN coalesce(named.group_id, tasks.group_id) = %s
        THEN coalesce(named.name, tasks.name) END,
    NOT {is_unsatisfied}
FROM workloads_dependency dep
LEFT JOIN workloads_workload named ON named.id = dep.on_workload_id
LEFT JOIN workloads_jobarray tasks ON tasks.id = dep.on_array_id
WHERE dep.workload_id = %s OR dep.array_id = %s
ORDER BY dep.id
""",
    is_unsatisfied=_IS_UNSATISFIED,
)
_SETTLE: Final = fill_columns(
    """
UPDATE workloads_dependency SET settled_at = %s WHERE id IN (
    SELECT dep.id {unsettled} AND (NOT ({is_unsatisfied}) OR {has_dependent_ended})
)
""",
    unsettled=_UNSETTLED,
    is_unsatisfied=_IS_UNSATISFIED,
    has_dependent_ended=_HAS_DEPENDENT_ENDED,
)


@dataclass(frozen=True, slots=True)
class DependencyRequest:
    """One dependency as it is submitted: `id` is that of a job or of an array."""

    type: str
    id: UUID


@dataclass(frozen=True, slots=True)
class UnsatisfiableDependent:
    """A job or an array that waits for the success of what has ended otherwise."""

    workload: UUID | None
    array: UUID | None
    on: UUID
    """The job or array that did not succeed."""


class DependencyStatus(NamedTuple):
    """A dependency as the API shows it."""

    type: str
    id: UUID
    is_array: bool
    name: str | None
    """None where it belongs to another group than its dependent."""
    is_satisfied: bool


def resolve_dependencies(actor: Actor, asked: Iterable[DependencyRequest]) -> list[Dependency]:
    """Return the rows, unsaved and without their dependent, of what a submission depends on.

    Raises:
        InvalidError: one names no job that the actor may see, or can never be satisfied.
    """
    wanted = list(dict.fromkeys(asked))
    if not wanted:
        return []
    ids = {item.id for item in wanted}
    rows = _visible(actor, ids)
    found = []
    for item in wanted:
        if item.id not in rows:
            raise InvalidError("unknown_dependency", pointer="/dependencies", job=str(item.id))
        found.append(Dependency(type=item.type, **{rows[item.id]: item.id}))
    _require_satisfiable(found)
    return found


def save_dependencies(
    rows: Sequence[Dependency], *, workload: Workload | None = None, array: JobArray | None = None
) -> None:
    """Save resolved dependencies for their dependent."""
    for row in rows:
        row.workload, row.array = workload, array
    Dependency.objects.bulk_create(rows)


def unsatisfied_for_system(
    dependents: Collection[UUID] | None = None,
) -> Mapping[str, tuple[Reason, ...]]:
    """Return by job or array what still keeps it, or each of its tasks, from starting (one query).

    `dependents` are the jobs and arrays to look at; None is all.
    """
    if dependents is not None and not dependents:
        return {}
    statement = fill_columns(
        _UNSATISFIED,
        unsettled=_UNSETTLED,
        narrowed="" if dependents is None else _OF_THESE,
        is_unsatisfied=_IS_UNSATISFIED,
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [] if dependents is None else [format_array(dependents)])
        rows = cursor.fetchall()
    found: dict[str, tuple[Reason, ...]] = {}
    for key, kind, jobs in rows:
        found[key] = (*found.get(key, ()), Reason(_REASONS[kind], {"jobs": jobs}))
    return found


def holds_of_unsaved(rows: Sequence[Dependency]) -> tuple[Reason, ...]:
    """Return what would keep work with these dependencies from starting now, in one query."""
    if not rows:
        return ()
    columns = zip(*((row.type, row.on_workload_id, row.on_array_id) for row in rows), strict=True)
    statement = fill_columns(_UNSATISFIED_OF_UNSAVED, is_unsatisfied=_IS_UNSATISFIED)
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(column) for column in columns])
        return tuple(Reason(_REASONS[kind], {"jobs": jobs}) for kind, jobs in cursor.fetchall())


def dependencies_of(
    group_id: UUID, *, workload: UUID | None = None, array: UUID | None = None
) -> list[DependencyStatus]:
    """Return what a job or an array of this group depends on, in the order of its submission."""
    with connection.cursor() as cursor:
        cursor.execute(_OF_DEPENDENT, [group_id, workload, array])
        return [DependencyStatus(*row) for row in cursor.fetchall()]


def unsatisfiable_for_system() -> list[UnsatisfiableDependent]:
    """Return every dependent that can never start."""
    with connection.cursor() as cursor:
        cursor.execute(_UNSATISFIABLE)
        return [UnsatisfiableDependent(*row) for row in cursor.fetchall()]


def settle_dependencies() -> None:
    """Mark what is satisfied, or whose dependent has ended, as holding nothing back any more."""
    with connection.cursor() as cursor:
        cursor.execute(_SETTLE, [now()])


def is_depended_on() -> Q:
    """Return the condition that work which has not ended depends on a workload, or on its array."""
    ended = [state.value for state in TERMINAL]
    waits = Workload.objects.exclude(state__in=ended)
    dependents = Dependency.objects.filter(
        Q(Exists(waits.filter(pk=OuterRef("workload"))))
        | Q(Exists(waits.filter(array=OuterRef("array"))))
    )
    return Q(Exists(dependents.filter(on_workload=OuterRef("pk")))) | Q(
        Exists(dependents.filter(on_array=OuterRef("array")))
    )


def _visible(actor: Actor, ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return which of these are jobs or arrays that the actor may see, and the column for each."""
    groups = policies.visible_group_ids(actor)
    seen = Q() if groups is None else Q(group__in=groups)
    kinds = kinds_where(lambda terms: terms.runs_to_end)
    jobs = Workload.objects.filter(seen, pk__in=ids, kind__in=kinds)
    arrays = JobArray.objects.filter(seen, pk__in=ids)
    return {
        **dict.fromkeys(jobs.values_list("pk", flat=True), "on_workload_id"),
        **dict.fromkeys(arrays.values_list("pk", flat=True), "on_array_id"),
    }


def _require_satisfiable(rows: Iterable[Dependency]) -> None:
    """Refuse to wait for the success of what has ended otherwise."""
    wanted = [row for row in rows if row.type == Dependency.Type.AFTER_OK]
    bad = [state.value for state in TERMINAL if state is not WorkloadState.SUCCEEDED]
    failed = Workload.objects.filter(state__in=bad).filter(
        Q(pk__in=[row.on_workload_id for row in wanted if row.on_workload_id])
        | Q(array__in=[row.on_array_id for row in wanted if row.on_array_id])
    )
    if first := failed.values_list("pk", "state").first() if wanted else None:
        job, state = first
        raise InvalidError(
            "dependency_never_satisfied", pointer="/dependencies", job=str(job), state=state
        )


def delete_dependencies(work: Collection[UUID], arrays: Collection[UUID]) -> None:
    """Delete what ended work depended on, and what depended on it: all of that has ended, too."""
    of_work = Q(workload__in=work) | Q(on_workload__in=work)
    Dependency.objects.filter(of_work | Q(array__in=arrays) | Q(on_array__in=arrays)).delete()
