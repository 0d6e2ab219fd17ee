"""What a reader may do to a row of a list now, so that pages offer nothing that would be refused.

A row can change before the click: each action decides again when it is called.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.tenancy import policies
from portal.workloads.holds import releasable_holds
from portal.workloads.models import Workload
from portal.workloads.state.lifecycle import must_not_repeat
from scheduler.core.model.states import PLACED, TERMINAL, WorkloadState

_ENDABLE: Final = frozenset({WorkloadState.QUEUED, *PLACED})


class RowAction(StrEnum):
    """An action on one workload; each is an endpoint of its kind."""

    CANCEL = "cancel"
    HOLD = "hold"
    RELEASE = "release"
    REQUEUE = "requeue"
    STOP = "stop"
    START = "start"
    DELETE = "delete"
    CLOSE = "close"


def actions_on(
    work: Workload, actor: Actor, task_states: Mapping[str, int] | None = None
) -> list[RowAction]:
    """Return what the actor may do to it; with `task_states`, to all tasks of its array."""
    may_stop = policies.can(actor, Action.WORKLOAD_STOP, work.group_id, owner_id=work.owner_id)
    if not may_stop:
        return []
    if work.kind == Workload.Kind.APP:
        return [RowAction.CLOSE] if work.state in _ENDABLE else []
    if work.kind == Workload.Kind.ENVIRONMENT:
        return list(_on_notebook(work, actor))
    return list(_on_job(work, actor) if task_states is None else _on_array(task_states))


def _on_notebook(work: Workload, actor: Actor) -> Iterator[RowAction]:
    if work.state in _ENDABLE:
        yield RowAction.STOP
    is_suspended = work.state == WorkloadState.SUSPENDED
    is_held = work.state == WorkloadState.QUEUED and work.held_by in releasable_holds(actor, work)
    if (is_suspended or is_held) and policies.can(actor, Action.WORKLOAD_SUBMIT, work.group_id):
        yield RowAction.START
    if is_suspended:
        yield RowAction.DELETE


def _on_job(work: Workload, actor: Actor) -> Iterator[RowAction]:
    if work.state in _ENDABLE:
        yield RowAction.CANCEL
    if work.state in PLACED and not must_not_repeat(work):
        yield RowAction.REQUEUE
    if work.state != WorkloadState.QUEUED:
        return
    if not work.held_by:
        yield RowAction.HOLD
    elif work.held_by in releasable_holds(actor, work):
        yield RowAction.RELEASE


def _on_array(task_states: Mapping[str, int]) -> Iterator[RowAction]:
    """Holds of single tasks are not counted in lists: an array that waits may be held and released."""
    if any(count and WorkloadState(state) not in TERMINAL for state, count in task_states.items()):
        yield RowAction.CANCEL
    if task_states.get(WorkloadState.QUEUED):
        yield RowAction.HOLD
        yield RowAction.RELEASE
