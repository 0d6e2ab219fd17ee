"""Changes of what a workload asks for, after it was submitted; its state stays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from portal.common.actor import Actor
from portal.common.notifications import wake_scheduler
from portal.workloads.models import JobArray, Workload
from portal.workloads.state.transitions import record_note


@dataclass(frozen=True, slots=True)
class ChangeNote:
    """What one part of a change says in the event log: its cause, and the values before and after."""

    cause: str
    params: Mapping[str, int | str]


def preview_change(workload: Workload, columns: Mapping[str, Any]) -> None:
    """Set columns of the object only, so that the change can be checked before it is written."""
    for name, value in columns.items():
        setattr(workload, name, value)


def write_array_change(array: JobArray, columns: Mapping[str, Any]) -> None:
    """Write changed columns of a locked array; its tasks have its name."""
    for name, value in columns.items():
        setattr(array, name, value)
    array.save(update_fields=list(columns))
    if "name" in columns:
        array.tasks.update(name=array.name)
    if "running_max" in columns:
        wake_scheduler()


def write_change(
    workload: Workload, columns: Mapping[str, Any], notes: Sequence[ChangeNote], *, actor: Actor
) -> None:
    """Write changed columns of a locked workload, raise its version and log what was changed.

    The version fences plans: a pass that has decided on the old values cannot commit them.
    """
    values = {**columns, "version": workload.version + 1}
    preview_change(workload, values)
    Workload.objects.filter(pk=workload.pk).update(**values)
    for note in notes:
        record_note([workload], actor=actor, cause=note.cause, params=note.params)
    wake_scheduler()
