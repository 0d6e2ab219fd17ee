"""What a reader may do to a row of a list now, so that pages offer nothing that would be refused.

A row can change before the click: each action decides again when it is called.
"""

from collections.abc import Mapping
from typing import Final

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.work_kinds import WorkAction
from portal.tenancy import policies
from portal.workloads.holds import releasable_holds
from portal.workloads.models import Workload
from portal.workloads.state.lifecycle import must_not_repeat
from scheduler.core.model.states import PLACED, TERMINAL, WorkloadState

_ENDABLE: Final = frozenset({WorkloadState.QUEUED, *PLACED})


def actions_on(
    work: Workload, actor: Actor, task_states: Mapping[str, int] | None = None
) -> list[WorkAction]:
    """Return what the actor may do to it; with `task_states`, to all tasks of its array."""
    may_stop = policies.can(actor, Action.WORKLOAD_STOP, work.group_id, owner_id=work.owner_id)
    if not may_stop:
        return []
    if task_states is not None:
        return [action for action in work.terms.actions if _is_open_of_array(action, task_states)]
    return [action for action in work.terms.actions if _is_open(action, work, actor)]


def _is_open(action: WorkAction, work: Workload, actor: Actor) -> bool:
    match action:
        case WorkAction.START:
            return _may_start(work, actor)
        case WorkAction.DELETE:
            return work.state == WorkloadState.SUSPENDED
        case WorkAction.REQUEUE:
            return work.state in PLACED and not must_not_repeat(work)
        case WorkAction.HOLD | WorkAction.RELEASE:
            holds = [""] if action is WorkAction.HOLD else releasable_holds(actor, work)
            return work.state == WorkloadState.QUEUED and work.held_by in holds
        case WorkAction.REMOVE:
            return work.state in TERMINAL and work.array_id is None  # tasks go with their array
        case _:
            return work.state in _ENDABLE


def _may_start(work: Workload, actor: Actor) -> bool:
    is_suspended = work.state == WorkloadState.SUSPENDED
    is_held = work.state == WorkloadState.QUEUED and work.held_by in releasable_holds(actor, work)
    return (is_suspended or is_held) and policies.can(actor, Action.WORKLOAD_SUBMIT, work.group_id)


def _is_open_of_array(action: WorkAction, task_states: Mapping[str, int]) -> bool:
    """Holds of single tasks are not counted in lists: an array that waits may be held and released."""
    match action:
        case WorkAction.HOLD | WorkAction.RELEASE:
            return bool(task_states.get(WorkloadState.QUEUED))
        case WorkAction.REQUEUE:
            return False
        case WorkAction.REMOVE:
            return all(WorkloadState(state) in TERMINAL for state in _present(task_states))
        case _:
            return any(WorkloadState(state) not in TERMINAL for state in _present(task_states))


def _present(task_states: Mapping[str, int]) -> list[str]:
    return [state for state, count in task_states.items() if count]
