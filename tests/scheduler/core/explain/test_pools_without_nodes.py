"""Pools whose nodes have not joined yet, or are all away: what might fit one day waits and is not refused."""

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.dry_run import DryRunOutcome, evaluate_submission, find_permanent_refusals
from scheduler.core.ledger import Ledger
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from tests.scheduler.clusters import snapshots

BY_HARDWARE = {ReasonCode.NEVER_FITS, ReasonCode.NO_MATCHING_MODEL}
EMPTY = ReasonCode.POOL_HAS_NO_NODES_YET


def without_running(snapshot: Snapshot) -> Snapshot:
    """Return the same cluster while nothing runs."""
    cards = tuple(
        replace(card, taken_slots=frozenset(), gpu_milli_taken=0, gpu_memory_taken_mib=0)
        for card in snapshot.accelerators
    )
    nodes = tuple(replace(node, cpu_used_milli=0, memory_used_mib=0) for node in snapshot.nodes)
    return replace(snapshot, running=(), accelerators=cards, nodes=nodes, reservations=())


def in_state(snapshot: Snapshot, state: NodeState) -> Snapshot:
    return replace(snapshot, nodes=tuple(replace(node, state=state) for node in snapshot.nodes))


def emptied(snapshot: Snapshot) -> Mapping[str, Snapshot]:
    """Return the ways in which pools have no hardware."""
    idle = without_running(snapshot)
    gone = tuple(replace(card, state=AcceleratorState.GONE) for card in idle.accelerators)
    return {
        "none has joined": replace(idle, nodes=(), accelerators=()),
        "all are retired": in_state(idle, NodeState.RETIRED),
        "all cards are gone": replace(idle, accelerators=gone),
    }


def refused_by_hardware(snapshot: Snapshot) -> set[str]:
    ledger = Ledger(snapshot)
    return {
        work.id
        for work in snapshot.pending
        if BY_HARDWARE & {reason.code for reason in find_permanent_refusals(ledger, work)}
    }


@settings(max_examples=60)
@given(snapshots())
def test_a_pool_without_hardware_refuses_nothing_whatever_node_may_join(snapshot: Snapshot) -> None:
    for empty in emptied(snapshot).values():
        assert refused_by_hardware(empty) == set()
        for hold in run_cycle(empty, empty.taken_at).holds:
            assert not BY_HARDWARE & {reason.code for reason in hold.reasons}


@settings(max_examples=40)
@given(snapshots())
def test_what_would_start_once_its_nodes_have_joined_waits_for_them(snapshot: Snapshot) -> None:
    joined = in_state(without_running(snapshot), NodeState.READY)
    starts = {start.workload for start in run_cycle(joined, joined.taken_at).starts}
    empty = emptied(snapshot)["none has joined"]
    pending = {work.id: work for work in empty.pending}

    for hold in run_cycle(empty, empty.taken_at).holds:
        if hold.workload not in starts:
            continue
        assert EMPTY in {reason.code for reason in hold.reasons}
        dry = evaluate_submission(empty, pending[hold.workload])
        assert dry.outcome is DryRunOutcome.WAITS
        assert EMPTY in {reason.code for reason in dry.reasons}


@settings(max_examples=40)
@given(snapshots(), st.sampled_from(sorted(set(NodeState) - {NodeState.RETIRED})))
def test_hardware_is_known_whatever_state_its_nodes_are_in(
    snapshot: Snapshot, state: NodeState
) -> None:
    ready = in_state(without_running(snapshot), NodeState.READY)

    assert refused_by_hardware(in_state(ready, state)) == refused_by_hardware(ready)
