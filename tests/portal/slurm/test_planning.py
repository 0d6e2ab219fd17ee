"""What is submitted and stopped: once, whole, after every earlier attempt, and with grace."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.execution.desired import DesiredState, GrantedGrace
from portal.foreign.attempts import JobKey, RefuseAttempt
from portal.slurm.judging import NOT_TAKEN
from portal.slurm.planning import SUBMISSIONS_MAX, plan
from portal.slurm.values import (
    AttemptRecord,
    Cancel,
    Drop,
    JobEnd,
    Order,
    Signal,
    SubmitJob,
)
from tests.builders.slurm_jobs import AT, KEY, a_queued_job, a_rank, a_record, a_reply, a_view
from wire.versions import STOP_GRACE_S
from wire.words import Device, Probe

NOTHING = a_reply()
EARLIER = replace(KEY, epoch=1)
ENDED = JobEnd("exited", 0)


def planned(reply: DesiredState, *records: AttemptRecord) -> Sequence[Order]:
    return plan({"n1": reply}, {record.key: record for record in records}, a_view())


def test_what_is_wanted_and_not_recorded_is_submitted() -> None:
    assert planned(a_reply(a_rank())) == (SubmitJob(KEY, (a_rank(),), ("n1",)),)


@pytest.mark.parametrize(
    "record",
    [
        a_record(),
        a_record(state="PENDING"),
        a_record(job_id=None, state=""),
        a_record(end=ENDED),
        a_record(replace(KEY, epoch=3), end=ENDED),
        a_record(EARLIER),
    ],
    ids=["runs", "waits", "in doubt", "has ended", "a later one was taken", "an earlier one lives"],
)
def test_nothing_is_submitted_twice_or_too_early(record: AttemptRecord) -> None:
    orders = planned(a_reply(a_rank()), record)
    assert not [order for order in orders if isinstance(order, SubmitJob)]


def test_what_did_not_arrive_is_submitted_again() -> None:
    assert planned(a_reply(a_rank()), a_record(job_id=None, state=NOT_TAKEN)) == (
        SubmitJob(KEY, (a_rank(),), ("n1",)),
    )
    assert planned(NOTHING, a_record(job_id=None, state=NOT_TAKEN)) == (Drop(KEY),)


def test_after_an_earlier_attempt_has_ended_the_next_is_submitted() -> None:
    [order] = planned(a_reply(a_rank()), a_record(EARLIER, end=ENDED))
    assert isinstance(order, SubmitJob)


def test_a_gang_is_one_job_once_all_its_ranks_are_named() -> None:
    first, second = a_rank(rank=0, ranks=2), a_rank(rank=1, ranks=2)
    assert plan({"n1": a_reply(first)}, {}, a_view()) == ()
    orders = plan({"n2": a_reply(second), "n1": a_reply(first)}, {}, a_view())
    assert orders == (SubmitJob(KEY, (first, second), ("n1", "n2")),)


@pytest.mark.parametrize(
    ("asked", "need"),
    [
        ({"app_token": "x"}, "server"),
        ({"ports": (8080,)}, "server"),
        ({"probe": Probe("/", period_ms=50)}, "server"),
        ({"builds_image": True}, "build"),
        ({"has_secrets": True}, "secrets"),
        ({"launcher": "torchrun"}, "launcher"),
    ],
)
def test_what_is_beyond_it_is_refused(asked: dict[str, Any], need: str) -> None:
    [order] = planned(a_reply(a_rank(**asked)))
    assert order == RefuseAttempt(KEY, ("n1",), f"backend_cannot_{need}")


def test_shares_are_refused() -> None:
    share = Device("SLURM-1", 1024, gpu_milli=250)
    [order] = planned(a_reply(replace(a_rank(), devices=(share,))))
    assert order == RefuseAttempt(KEY, ("n1",), "backend_cannot_shares")


def test_what_runs_and_is_left_out_is_signalled_then_cancelled() -> None:
    assert planned(NOTHING, a_record()) == (Signal(KEY, 11, "TERM", AT + STOP_GRACE_S),)
    assert planned(NOTHING, a_record(stop_at=AT + 1)) == ()
    assert planned(NOTHING, a_record(stop_at=AT)) == (Cancel(11, KEY),)


def test_what_waits_and_is_left_out_is_cancelled_at_once() -> None:
    assert planned(NOTHING, a_record(state="PENDING")) == (Cancel(11, KEY),)


@pytest.mark.parametrize(
    ("grace", "order"),
    [
        ({"seconds": 45}, Signal(KEY, 11, "TERM", AT + 45)),
        ({"seconds": 0}, Cancel(11, KEY)),
        (
            {"seconds": 60, "notice_s": 40, "signal": "SIGUSR1"},
            Signal(KEY, 11, "USR1", AT + 40),
        ),
        ({"seconds": 60, "notice_s": 40}, Signal(KEY, 11, "", AT + 40)),
    ],
)
def test_grace_is_as_granted(grace: dict[str, object], order: Order) -> None:
    granted = GrantedGrace(*KEY.rank(0), **grace)  # type: ignore[arg-type]
    assert planned(a_reply(graces=(granted,)), a_record()) == (order,)


def test_what_a_restored_database_does_not_know_goes_on() -> None:
    assert planned(a_reply(unknown=(KEY.rank(0),)), a_record()) == ()


def test_nothing_is_stopped_while_one_of_its_nodes_was_not_answered() -> None:
    assert planned(NOTHING, a_record(nodes=("n1", "n2"))) == ()


def test_a_second_job_and_one_after_the_end_are_cancelled() -> None:
    replies = {"n1": a_reply(a_rank())}
    view = a_view(a_queued_job(id=11), a_queued_job(id=12))
    assert plan(replies, {KEY: a_record()}, view) == (Cancel(12),)
    assert plan(replies, {KEY: a_record(end=ENDED)}, view) == (Cancel(11), Cancel(12))


def test_a_round_submits_so_many_only() -> None:
    keys = [JobKey(UUID(int=number), 1) for number in range(SUBMISSIONS_MAX + 5)]
    orders = planned(a_reply(*(a_rank(key) for key in keys)))
    assert [order.key for order in orders if isinstance(order, SubmitJob)] == keys[:SUBMISSIONS_MAX]


@given(
    st.lists(st.integers(min_value=1, max_value=4), max_size=4, unique=True),
    st.lists(
        st.tuples(
            st.integers(min_value=1, max_value=4),
            st.sampled_from(["RUNNING", "PENDING", "", NOT_TAKEN]),
            st.booleans(),
        ),
        max_size=4,
        unique_by=lambda row: row[0],
    ),
)
def test_at_most_one_attempt_of_a_work_is_alive(
    wanted: list[int], recorded: list[tuple[int, str, bool]]
) -> None:
    records = {
        (key := replace(KEY, epoch=epoch)): a_record(
            key,
            state=state,
            job_id=None if state in ("", NOT_TAKEN) else 11,
            end=ENDED if has_ended else None,
        )
        for epoch, state, has_ended in recorded
    }
    reply = a_reply(*(a_rank(replace(KEY, epoch=epoch)) for epoch in wanted[:1]))
    submitted = [
        order for order in plan({"n1": reply}, records, a_view()) if isinstance(order, SubmitJob)
    ]
    alive = [item for item in records.values() if not item.end and item.state != NOT_TAKEN]
    assert len(submitted) <= 1
    if submitted:
        assert alive == []
        assert records.get(submitted[0].key, a_record()).end is None
