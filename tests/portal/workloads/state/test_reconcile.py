"""The pure decisions of the node protocol, case by case."""

from dataclasses import replace
from itertools import pairwise

import pytest

from portal.common.work_kinds import JOB, NOTEBOOK, WorkTerms
from portal.execution.report import EndedContainer, Report, SeenContainer
from portal.workloads.retry import INFRASTRUCTURE_CAUSES, AttemptHistory, RestartRule, RetryPolicy
from portal.workloads.state.reconcile import (
    HeldAllocation,
    ObservedWorkload,
    Proof,
    ProvenEnd,
    decide_next_states,
    end_silent,
    reconcile_node,
)
from scheduler.core.model.states import TERMINAL, WorkloadState, is_legal_transition
from wire.words import INFRASTRUCTURE_CAUSES as WIRE_CAUSES
from wire.words import SilenceTerm

W = WorkloadState
NAME, EPOCH = "a.0", 3
KEY = (NAME, EPOCH)
SEEN = SeenContainer(NAME, EPOCH, "running")
ENDED = EndedContainer(NAME, EPOCH, "exited", 0)


def held(
    phase: str = "", *, wanted: bool = True, unwanted_seq: int | None = None
) -> HeldAllocation:
    return HeldAllocation(NAME, EPOCH, is_wanted=wanted, phase=phase, unwanted_seq=unwanted_seq)


def proofs(item: HeldAllocation, report: Report) -> list[Proof]:
    return [fact.proof for fact in reconcile_node((item,), report).ends]


@pytest.mark.parametrize(
    ("item", "report", "expected"),
    [
        (held(), Report(0), []),
        (held(), Report(0, seen=(SEEN,)), []),
        (held("running"), Report(0), [Proof.MISSING]),
        (held("running"), Report(0, ended=(ENDED,)), [Proof.FINISHED]),
        (held("running"), Report(0, seen=(SEEN,), ended=(ENDED,)), [Proof.FINISHED]),
        (held(), Report(0, tombstones=(KEY,)), [Proof.TOMBSTONE]),
        (held(), Report(0, seen=(SEEN,), tombstones=(KEY,)), []),
        (held(wanted=False), Report(9), []),
        (held(wanted=False, unwanted_seq=5), Report(4), []),
        (held(wanted=False, unwanted_seq=5), Report(5), [Proof.NEVER_STARTED]),
        (held(wanted=False, unwanted_seq=5), Report(5, seen=(SEEN,)), []),
        (held(wanted=True, unwanted_seq=5), Report(5), []),
        (held(), Report(0, ended=(EndedContainer(NAME, 2, "exited", 0),)), []),
        (held(), Report(0, ended=(EndedContainer("b.0", EPOCH, "exited", 0),)), []),
        (held(), Report(0, tombstones=((NAME, 4),)), []),
    ],
)
def test_what_proves_an_end(item: HeldAllocation, report: Report, expected: list[Proof]) -> None:
    assert proofs(item, report) == expected


def test_everything_is_acknowledged_once_and_only_held_reports_count() -> None:
    old = EndedContainer(NAME, 1, "exited", 1)
    report = Report(
        0, seen=(SEEN, SeenContainer("b.0", 1, "running")), ended=(old, old), tombstones=(KEY,)
    )

    settlement = reconcile_node((held(),), report)

    assert settlement.acks == ((NAME, 1), KEY)
    assert settlement.seen == (SEEN,)
    assert settlement.ends == ()


def work(state: W, **facts: object) -> ObservedWorkload:
    base: dict[str, object] = {
        "terms": JOB,
        "state": state,
        "outcome": "",
        "replicas": 1,
        "live": 0,
        "seen": 1,
        "up": 0,
    }
    return ObservedWorkload(**{**base, **facts})  # type: ignore[arg-type]


TWICE = RetryPolicy(RestartRule.ON_FAILURE, retries_max=1)
ONCE = RetryPolicy(RestartRule.NEVER)


def end(cause: str = "exited", code: int | None = 1) -> ProvenEnd:
    return ProvenEnd(NAME, EPOCH, Proof.FINISHED, cause, code)


NO_DATA = replace(end("start_failed", None), detail="dataset_missing: faces")


def first_start(**facts: object) -> ObservedWorkload:
    """Return a notebook on its way for the first time."""
    return work(W.STARTING, terms=NOTEBOOK, **{"past": AttemptHistory(0, 1), **facts})


@pytest.mark.parametrize(
    ("given", "ends", "path"),
    [
        (work(W.PLACING, live=1, seen=0), (), None),
        (work(W.PLACING, live=1), (), [W.STARTING]),
        (work(W.PLACING, live=1, up=1), (), [W.STARTING, W.RUNNING]),
        (work(W.PLACING, up=1), (end(code=0),), [W.STARTING, W.RUNNING, W.SUCCEEDED]),
        (work(W.STARTING, live=1), (), None),
        (work(W.RUNNING, live=1, up=1), (), None),
        (work(W.RUNNING, up=1), (end(code=0),), [W.SUCCEEDED]),
        (work(W.RUNNING, replicas=2, live=1, up=2), (end(code=0),), None),
        (work(W.RUNNING), (end(),), [W.FAILED]),
        (work(W.PLACING), (end("start_failed", None),), [W.FAILED]),
        (work(W.RUNNING, live=1), (end(),), [W.STOPPING]),
        (work(W.RUNNING, live=1, policy=TWICE), (end(),), [W.QUEUED]),
        (work(W.RUNNING, past=AttemptHistory(1, 2), policy=TWICE), (end(),), [W.FAILED]),
        (work(W.RUNNING, policy=ONCE), (end("node_lost", None),), [W.FAILED]),
        (work(W.RUNNING, live=1, policy=ONCE), (end("node_lost", None),), [W.STOPPING]),
        (work(W.RUNNING), (end("vanished", None),), [W.QUEUED]),
        (work(W.RUNNING), (end(), end("lease_ended", None)), [W.QUEUED]),
        (work(W.STOPPING, live=1, outcome="cancelled"), (end(code=0),), None),
        (work(W.STOPPING, outcome="cancelled"), (end(code=0),), [W.CANCELLED]),
        (work(W.STOPPING, outcome="expired"), (), [W.EXPIRED]),
        (work(W.RUNNING, terms=NOTEBOOK), (end(code=0),), [W.SUSPENDED]),
        (work(W.STARTING, terms=NOTEBOOK), (end("start_failed"),), [W.SUSPENDED]),
        (first_start(), (NO_DATA,), [W.QUEUED]),
        (first_start(past=AttemptHistory(0, 2)), (NO_DATA,), [W.QUEUED]),
        (first_start(past=AttemptHistory(0, 3)), (NO_DATA,), [W.SUSPENDED]),
        (work(W.STARTING, past=AttemptHistory(0, 1)), (NO_DATA,), [W.QUEUED]),
        (work(W.STARTING, past=AttemptHistory(0, 3)), (NO_DATA,), [W.FAILED]),
        (work(W.STARTING, past=AttemptHistory(0, 1), policy=ONCE), (NO_DATA,), [W.FAILED]),
        (work(W.RUNNING, terms=NOTEBOOK), (end("node_lost", None),), [W.QUEUED]),
        (work(W.QUEUED), (end(),), None),
        (work(W.SUSPENDED), (end(),), None),
        *[(work(state), (end(),), None) for state in sorted(TERMINAL)],
    ],
)
def test_where_work_goes(
    given: ObservedWorkload, ends: tuple[ProvenEnd, ...], path: list[W] | None
) -> None:
    found = decide_next_states(given, ends)

    assert (None if found is None else list(found.path)) == path
    steps = [given.state, *(found.path if found else ())]
    assert all(is_legal_transition(a, b) for a, b in pairwise(steps))


def test_of_several_ends_the_one_that_tells_most_decides() -> None:
    """When one rank runs out of memory, the others fail over its silence."""
    given = work(W.RUNNING, replicas=3, policy=TWICE)

    found = decide_next_states(given, (end(), end("out_of_memory", 137)))
    lost = decide_next_states(given, (end(), end("out_of_memory", 137), end("device_lost", None)))

    assert found is not None
    assert lost is not None
    assert (found.path, found.cause) == ((W.FAILED,), "out_of_memory")
    assert (lost.path, lost.cause, lost.counts_retry) == ((W.QUEUED,), "device_lost", False)


def test_both_sides_of_the_wire_agree_on_infrastructure() -> None:
    assert {cause.value for cause in WIRE_CAUSES} <= INFRASTRUCTURE_CAUSES


@pytest.mark.parametrize(
    ("proof", "cause", "ends"),
    [
        # What may be replaced, what is kept, what is kept and was never sent.
        (Proof.LEASE_OVER, "node_lost", (True, False, True)),
        (Proof.NEW_BOOT, "node_rebooted", (True, True, True)),
        (Proof.DECLARED_LOST, "node_declared_lost", (True, True, True)),
        (Proof.FENCED, "node_fenced", (True, True, True)),
    ],
)
def test_what_each_proof_about_a_node_ends(
    proof: Proof, cause: str, ends: tuple[bool, ...]
) -> None:
    replaced = held("running")
    kept = replace(replaced, silence=SilenceTerm.KEEP)
    for item, is_over in zip((replaced, kept, replace(kept, is_sent=False)), ends, strict=True):
        found = end_silent((item,), proof)
        expected = [(KEY, proof, cause, True)] if is_over else []
        assert [(e.key, e.proof, e.cause, e.is_infrastructure) for e in found] == expected


@pytest.mark.parametrize(
    ("ended", "expected"),
    [
        (None, (Proof.NEW_BOOT, "node_rebooted")),
        (EndedContainer(NAME, EPOCH, "vanished"), (Proof.NEW_BOOT, "node_rebooted")),
        (EndedContainer(NAME, EPOCH, "exited", 255), (Proof.NEW_BOOT, "node_rebooted")),
        (EndedContainer(NAME, EPOCH, "killed", 137), (Proof.NEW_BOOT, "node_rebooted")),
        (ENDED, (Proof.FINISHED, "exited")),
        (EndedContainer(NAME, EPOCH, "time_limit", 143), (Proof.FINISHED, "time_limit")),
    ],
)
def test_new_boot_ends_everything_but_what_had_ended_before(
    ended: EndedContainer | None, expected: tuple[Proof, str]
) -> None:
    report = Report(0, ended=(ended,) if ended else (), is_new_boot=True)
    (gone,) = reconcile_node((replace(held("running"), silence=SilenceTerm.KEEP),), report).ends

    assert (gone.proof, gone.cause) == expected


@pytest.mark.parametrize(
    ("terms", "live", "path", "outcome"),
    [
        (JOB, 0, (W.STOPPING, W.EXPIRED), ""),
        (JOB, 1, (W.STOPPING,), "expired"),
        (NOTEBOOK, 0, (W.SUSPENDED,), ""),
    ],
)
def test_limit_that_the_node_enforced_counts_as_the_portal_s_own(
    terms: WorkTerms, live: int, path: tuple[W, ...], outcome: str
) -> None:
    of = work(W.RUNNING, terms=terms, live=live, time_limit_s=3600)
    found = decide_next_states(of, (end("time_limit", 143),))

    assert found is not None
    assert (found.path, found.cause, found.outcome) == (path, "time_limit", outcome)
    assert found.params == {"time_limit_s": 3600}
