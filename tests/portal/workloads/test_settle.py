"""The pure decisions of the node protocol, case by case."""

from itertools import pairwise

import pytest

from portal.workloads.retry import INFRASTRUCTURE_CAUSES, Past, RestartRule, RetryPolicy
from portal.workloads.settle import (
    Ended,
    Gone,
    Held,
    NodeReport,
    Proof,
    Seen,
    Work,
    conclude,
    node_lost,
    settle,
)
from scheduler.core.states import TERMINAL, WorkloadState, may_move
from wire.words import INFRASTRUCTURE_CAUSES as WIRE_CAUSES

W = WorkloadState
NAME, EPOCH = "a.0", 3
KEY = (NAME, EPOCH)
SEEN = Seen(NAME, EPOCH, "running")
ENDED = Ended(NAME, EPOCH, "exited", 0)


def held(phase: str = "", *, wanted: bool = True, unwanted_seq: int | None = None) -> Held:
    return Held(NAME, EPOCH, is_wanted=wanted, phase=phase, unwanted_seq=unwanted_seq)


def proofs(item: Held, report: NodeReport) -> list[Proof]:
    return [fact.proof for fact in settle((item,), report).gone]


@pytest.mark.parametrize(
    ("item", "report", "expected"),
    [
        (held(), NodeReport(0), []),
        (held(), NodeReport(0, seen=(SEEN,)), []),
        (held("running"), NodeReport(0), [Proof.MISSING]),
        (held("running"), NodeReport(0, ended=(ENDED,)), [Proof.FINISHED]),
        (held("running"), NodeReport(0, seen=(SEEN,), ended=(ENDED,)), [Proof.FINISHED]),
        (held(), NodeReport(0, tombstones=(KEY,)), [Proof.TOMBSTONE]),
        (held(), NodeReport(0, seen=(SEEN,), tombstones=(KEY,)), []),
        (held(wanted=False), NodeReport(9), []),
        (held(wanted=False, unwanted_seq=5), NodeReport(4), []),
        (held(wanted=False, unwanted_seq=5), NodeReport(5), [Proof.NEVER_STARTED]),
        (held(wanted=False, unwanted_seq=5), NodeReport(5, seen=(SEEN,)), []),
        (held(wanted=True, unwanted_seq=5), NodeReport(5), []),
        (held(), NodeReport(0, ended=(Ended(NAME, 2, "exited", 0),)), []),
        (held(), NodeReport(0, ended=(Ended("b.0", EPOCH, "exited", 0),)), []),
        (held(), NodeReport(0, tombstones=((NAME, 4),)), []),
    ],
)
def test_what_proves_an_end(item: Held, report: NodeReport, expected: list[Proof]) -> None:
    assert proofs(item, report) == expected


def test_everything_is_acknowledged_once_and_only_held_reports_count() -> None:
    old = Ended(NAME, 1, "exited", 1)
    report = NodeReport(
        0, seen=(SEEN, Seen("b.0", 1, "running")), ended=(old, old), tombstones=(KEY,)
    )

    settlement = settle((held(),), report)

    assert settlement.acks == ((NAME, 1), KEY)
    assert settlement.seen == (SEEN,)
    assert settlement.gone == ()


def work(state: W, **facts: object) -> Work:
    base: dict[str, object] = {
        "is_environment": False,
        "state": state,
        "outcome": "",
        "replicas": 1,
        "live": 0,
        "seen": 1,
        "up": 0,
    }
    return Work(**{**base, **facts})  # type: ignore[arg-type]


TWICE = RetryPolicy(RestartRule.ON_FAILURE, retries_max=1)
ONCE = RetryPolicy(RestartRule.NEVER)


def end(cause: str = "exited", code: int | None = 1) -> Gone:
    return Gone(NAME, EPOCH, Proof.FINISHED, cause, code)


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
        (work(W.RUNNING, past=Past(1, 2), policy=TWICE), (end(),), [W.FAILED]),
        (work(W.RUNNING, policy=ONCE), (end("node_lost", None),), [W.FAILED]),
        (work(W.RUNNING, live=1, policy=ONCE), (end("node_lost", None),), [W.STOPPING]),
        (work(W.RUNNING), (end("vanished", None),), [W.QUEUED]),
        (work(W.RUNNING), (end(), end("lease_ended", None)), [W.QUEUED]),
        (work(W.STOPPING, live=1, outcome="cancelled"), (end(code=0),), None),
        (work(W.STOPPING, outcome="cancelled"), (end(code=0),), [W.CANCELLED]),
        (work(W.STOPPING, outcome="expired"), (), [W.EXPIRED]),
        (work(W.RUNNING, is_environment=True), (end(code=0),), [W.SUSPENDED]),
        (work(W.STARTING, is_environment=True), (end("start_failed"),), [W.SUSPENDED]),
        (work(W.RUNNING, is_environment=True), (end("node_lost", None),), [W.QUEUED]),
        (work(W.QUEUED), (end(),), None),
        (work(W.SUSPENDED), (end(),), None),
        *[(work(state), (end(),), None) for state in sorted(TERMINAL)],
    ],
)
def test_where_work_goes(given: Work, ends: tuple[Gone, ...], path: list[W] | None) -> None:
    found = conclude(given, ends)

    assert (None if found is None else list(found.path)) == path
    steps = [given.state, *(found.path if found else ())]
    assert all(may_move(a, b) for a, b in pairwise(steps))


def test_of_several_ends_the_one_that_tells_most_decides() -> None:
    """When one rank runs out of memory, the others fail over its silence."""
    given = work(W.RUNNING, replicas=3, policy=TWICE)

    found = conclude(given, (end(), end("out_of_memory", 137)))
    lost = conclude(given, (end(), end("out_of_memory", 137), end("device_lost", None)))

    assert found is not None
    assert lost is not None
    assert (found.path, found.cause) == ((W.FAILED,), "out_of_memory")
    assert (lost.path, lost.cause, lost.counts_retry) == ((W.QUEUED,), "device_lost", False)


def test_both_sides_of_the_wire_agree_on_infrastructure() -> None:
    assert {cause.value for cause in WIRE_CAUSES} <= INFRASTRUCTURE_CAUSES


def test_loss_of_a_node_ends_everything_on_it() -> None:
    (gone,) = node_lost((held("running"),))

    assert (gone.key, gone.proof, gone.is_infrastructure) == (KEY, Proof.LEASE_OVER, True)
