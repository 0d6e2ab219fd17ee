"""The states of nodes in one word, and the edges of work: one row for each rule."""

import pytest

from scheduler.core.model.states import (
    TERMINAL,
    WORKLOAD_TRANSITIONS,
    NodeContact,
    NodeHold,
    NodeState,
    WorkloadState,
    derive_node_state,
    is_legal_transition,
)

HEARD, SILENT, LOST, NEVER = (
    NodeContact.HEARD,
    NodeContact.SILENT,
    NodeContact.LOST,
    NodeContact.NEVER,
)
Node = tuple[NodeHold, NodeContact, bool, bool, NodeState]
"""Hold, contact, whether blocked, whether empty; the state."""

NODES: dict[str, Node] = {
    "heard and sound": (NodeHold.NONE, HEARD, False, False, NodeState.READY),
    "heard with a fault": (NodeHold.NONE, HEARD, True, False, NodeState.UNREADY),
    "a fault of an empty node": (NodeHold.NONE, HEARD, True, True, NodeState.UNREADY),
    "not heard for a while": (NodeHold.NONE, SILENT, False, False, NodeState.UNREADY),
    "not heard for long": (NodeHold.NONE, LOST, False, False, NodeState.LOST),
    "never heard": (NodeHold.NONE, NEVER, False, True, NodeState.JOINING),
    "cordoned": (NodeHold.CORDON, HEARD, False, False, NodeState.CORDONED),
    "an empty cordoned node is not drained": (
        *(NodeHold.CORDON, HEARD, False, True),
        NodeState.CORDONED,
    ),
    "a cordon shows before a fault": (NodeHold.CORDON, HEARD, True, False, NodeState.CORDONED),
    "a silent cordoned node": (NodeHold.CORDON, SILENT, False, False, NodeState.UNREADY),
    "a lost cordoned node": (NodeHold.CORDON, LOST, False, True, NodeState.LOST),
    "draining": (NodeHold.DRAIN, HEARD, False, False, NodeState.DRAINING),
    "drained once it is empty": (NodeHold.DRAIN, HEARD, False, True, NodeState.DRAINED),
    "a drained node may be silent": (NodeHold.DRAIN, LOST, False, True, NodeState.DRAINED),
    "a draining node that is lost": (NodeHold.DRAIN, LOST, False, False, NodeState.LOST),
    "in quarantine": (NodeHold.QUARANTINE, HEARD, False, False, NodeState.UNREADY),
    "silent in quarantine": (NodeHold.QUARANTINE, LOST, False, False, NodeState.LOST),
}


@pytest.mark.parametrize("row", NODES.values(), ids=NODES)
def test_state_of_a_node_in_one_word(row: Node) -> None:
    hold, contact, is_blocked, is_empty, expected = row

    state = derive_node_state(hold, contact, is_blocked=is_blocked, is_empty=is_empty)

    assert state is expected


def test_final_states_are_never_left_and_all_others_can_be() -> None:
    for state in WorkloadState:
        assert (state in TERMINAL) is not any(
            is_legal_transition(state, target) for target in WorkloadState
        )


def test_what_stops_never_runs_again_before_its_containers_are_gone() -> None:
    placed = {WorkloadState.PLACING, WorkloadState.STARTING, WorkloadState.RUNNING}

    assert not WORKLOAD_TRANSITIONS[WorkloadState.STOPPING] & {*placed, WorkloadState.QUEUED}
    assert all(is_legal_transition(state, WorkloadState.STOPPING) for state in placed)
