"""What the cluster shows of a job: live by the queue, ended by accounting, and in doubt between them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.foreign.bounds import IN_DOUBT_S
from portal.slurm import words
from portal.slurm.judging import (
    LOST_S,
    NOT_TAKEN,
    ended_on,
    is_acknowledged,
    judge,
    seen_on,
)
from portal.slurm.values import AttemptRecord, ClusterView, JobEnd
from tests.builders.slurm_jobs import AT, KEY, a_queued_job, a_record, a_view, an_accounted_job


def judged(record: AttemptRecord, view: ClusterView) -> AttemptRecord:
    return judge([record], view).records[record.key]


def test_what_the_queue_shows_is_live() -> None:
    record = a_record(state="PENDING", missing_since=AT - 5)
    found = judged(record, a_view(a_queued_job()))
    assert (found.state, found.started_at, found.missing_since) == ("RUNNING", AT - 50, None)


def test_what_waits_has_a_reason_and_no_start() -> None:
    waiting = a_queued_job(state="PENDING", reason="Priority", started_at=AT + 900)
    found = judged(a_record(), a_view(waiting))
    assert (found.reason, found.started_at) == ("priority", None)
    [seen] = seen_on("n1", [found], AT)
    assert (seen.phase, seen.detail) == ("starting", "foreign_queue: priority")


@pytest.mark.parametrize(
    ("row", "was_stopped", "end"),
    [
        ({"state": "COMPLETED"}, False, ("exited", 0, "")),
        ({"state": "COMPLETED"}, True, ("exited", 0, "")),
        ({"state": "FAILED", "exit_code": 7}, False, ("exited", 7, "")),
        ({"state": "FAILED", "exit_code": 7}, True, ("stopped", 7, "")),
        ({"state": "FAILED", "signal": 9}, False, ("killed", -9, "")),
        ({"state": "CANCELLED", "signal": 15}, True, ("stopped", -15, "")),
        ({"state": "CANCELLED"}, False, ("killed", 0, "slurm_cancelled")),
        ({"state": "TIMEOUT"}, False, ("time_limit", 0, "slurm_timeout")),
        ({"state": "OUT_OF_MEMORY"}, False, ("out_of_memory", 0, "slurm_out_of_memory")),
        ({"state": "NODE_FAIL"}, False, ("node_fault", 0, "slurm_node_fail")),
        ({"state": "NODE_FAIL"}, True, ("node_fault", 0, "slurm_node_fail")),
        ({"state": "PREEMPTED"}, False, ("node_fault", 0, "slurm_preempted")),
    ],
)
def test_accounting_says_how_it_ended(
    row: dict[str, Any], was_stopped: bool, end: tuple[str, int, str]
) -> None:
    record = a_record(stop_at=AT if was_stopped else None)
    found = judged(record, a_view(accounting=(an_accounted_job(**row),))).end
    assert found is not None
    assert (found.cause, found.exit_code, found.detail) == end
    assert (found.started_at, found.ended_at) == (AT - 50, AT - 10)


def test_a_time_out_of_slurm_is_no_success() -> None:
    """Parsl once took it for COMPLETED."""
    found = judged(a_record(), a_view(accounting=(an_accounted_job(state="TIMEOUT"),))).end
    assert found is not None
    assert found.cause != "exited"


def test_what_the_queue_forgot_waits_for_accounting() -> None:
    running = an_accounted_job(state="RUNNING", ended_at=None)
    first = judged(a_record(), a_view(accounting=(running,)))
    assert (first.end, first.missing_since) == (None, AT)
    later = judged(first, a_view(at=AT + 60, accounting=(an_accounted_job(),)))
    assert later.end == JobEnd("exited", 0, AT - 50, AT - 10)


def test_an_end_is_none_before_accounting_has_its_moment() -> None:
    """As after `slurmdbd` was away: the state comes before the exit code, which is 0 until then."""
    half = an_accounted_job(state="FAILED", exit_code=0, ended_at=None)
    found = judged(a_record(), a_view(accounting=(half,)))
    assert (found.end, found.missing_since) == (None, AT)
    whole = an_accounted_job(state="FAILED", exit_code=5)
    later = judged(found, a_view(at=AT + 2, accounting=(whole,)))
    assert later.end == JobEnd("exited", 5, AT - 50, AT - 10)


def test_a_failure_without_a_code_is_no_success() -> None:
    row = an_accounted_job(state="FAILED", exit_code=0)
    end = judged(a_record(), a_view(accounting=(row,))).end
    assert end is not None
    assert (end.cause, end.exit_code) == ("exited", None)


def test_what_nobody_knows_has_vanished_after_a_while_only() -> None:
    first = judged(a_record(), a_view())
    assert judged(first, a_view(at=AT + LOST_S - 1)).end is None
    gone = judged(first, a_view(at=AT + LOST_S)).end
    assert gone is not None
    assert gone.cause == "vanished"


def test_without_accounting_nothing_ends_or_is_missing() -> None:
    record = a_record()
    assert judged(record, a_view(at=AT + 10 * LOST_S, accounting=None)) == record


def test_a_submission_without_an_answer_is_found_by_its_name() -> None:
    in_doubt = a_record(job_id=None, state="")
    assert judged(in_doubt, a_view(a_queued_job(id=44))).job_id == 44
    ended = judged(in_doubt, a_view(accounting=(an_accounted_job(id=44),)))
    assert (ended.job_id, ended.end is not None) == (44, True)


def test_a_submission_without_a_trace_is_not_taken_after_a_while_only() -> None:
    in_doubt = a_record(job_id=None, state="", submitted_at=AT)
    assert judged(in_doubt, a_view(at=AT + IN_DOUBT_S - 1)).state == ""
    assert judged(in_doubt, a_view(at=AT + IN_DOUBT_S)).state == NOT_TAKEN
    assert judged(in_doubt, a_view(at=AT + IN_DOUBT_S, accounting=None)).state == ""


def test_of_two_jobs_of_an_attempt_the_first_counts() -> None:
    in_doubt = a_record(job_id=None, state="")
    found = judged(in_doubt, a_view(a_queued_job(id=45), a_queued_job(id=44)))
    assert found.job_id == 44


def test_a_live_job_without_a_record_is_adopted() -> None:
    found = judge([], a_view(a_queued_job(nodes=("n2", "n1"))))
    assert found.unrecorded == (KEY,)
    assert [item.allocation for item in seen_on("n2", found.records.values(), AT)] == [
        f"{KEY.workload.hex}.0"
    ]
    assert judge([], a_view(a_queued_job(state="FAILED"))).records == {}


def test_ranks_are_reported_where_they_are_and_end_together() -> None:
    record = a_record(nodes=("n1", "n2", "n1"))
    assert [item.key for item in seen_on("n1", [record], AT)] == [KEY.rank(0), KEY.rank(2)]
    ended = a_record(nodes=("n1", "n2"), end=JobEnd("exited", 7, AT - 9, AT + 99))
    [end] = ended_on("n2", [ended], AT)
    assert (end.key, end.exit_code, end.finished_at) == (KEY.rank(1), 7, AT * 1000)
    assert seen_on("n1", [ended], AT) == ()
    assert not is_acknowledged(ended, [KEY.rank(0)], ["n1", "n2"])
    assert is_acknowledged(ended, [KEY.rank(0)], ["n1"]), "the other node is gone"
    assert is_acknowledged(ended, [KEY.rank(0), KEY.rank(1)], ["n1", "n2"])


STATES = sorted(words.LIVE | {"COMPLETED", "FAILED", "CANCELLED", "NODE_FAIL", "SOMETHING_NEW"})


@given(
    st.sampled_from(STATES),
    st.none() | st.sampled_from(STATES),
    st.booleans(),
    st.integers(min_value=0, max_value=2 * LOST_S),
)
def test_a_live_job_never_ends_and_an_end_never_changes(
    in_queue: str, accounted: str | None, answers: bool, later: int
) -> None:
    rows = () if accounted is None else (an_accounted_job(state=accounted),)
    accounting = rows if answers else None
    view = a_view(a_queued_job(state=in_queue), at=AT + later, accounting=accounting)
    found = judged(a_record(), view)
    if in_queue in words.LIVE:
        assert found.end is None
    if found.end is not None:
        assert judged(found, a_view(a_queued_job())) == found
    else:
        assert seen_on("n1", [found], AT), "what has not ended is there"


@pytest.mark.parametrize(
    ("reason", "ours"),
    [
        ("Resources", "resources"),
        ("(Priority)", "priority"),
        ("ReqNodeNotAvail, UnavailableNodes:n1", "node_away"),
        ("AssocGrpGRES", "limit"),
        ("QOSMaxJobsPerUserLimit", "limit"),
        ("QOSNotAllowed", "account"),
        ("SomethingOf26.05", "other"),
        ("", "other"),
    ],
)
def test_reasons_have_our_words(reason: str, ours: str) -> None:
    assert words.waiting_reason(reason) == ours
