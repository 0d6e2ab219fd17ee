"""What is created, stopped and released: once, whole, after every earlier attempt, and with grace."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.execution.desired import DesiredState, GrantedGrace
from portal.foreign.attempts import JobKey, RefuseAttempt
from portal.kubernetes.names import pod_name
from portal.kubernetes.planning import CREATIONS_MAX, IMAGE_WAIT_S, plan
from portal.kubernetes.values import (
    ClusterPod,
    CreatePods,
    Order,
    ReleasePod,
    StopPod,
    Why,
)
from tests.builders.kubernetes_pods import (
    AT,
    KEY,
    SITE,
    a_cluster_view,
    a_container,
    a_pod,
    a_wanted_rank,
)
from wire.versions import STOP_GRACE_S
from wire.words import Device, Probe

EARLIER = replace(KEY, epoch=1)
ENDED = a_container()
NAME = pod_name(SITE, KEY, 0)


def a_reply(*containers: Any, **chosen: Any) -> DesiredState:
    return DesiredState(containers=containers, **chosen)


def planned(reply: DesiredState, *pods: ClusterPod) -> Sequence[Order]:
    return plan({"n1": reply}, a_cluster_view(*pods))


def test_what_is_wanted_and_not_there_is_created() -> None:
    rank = a_wanted_rank()
    assert planned(a_reply(rank)) == (CreatePods(KEY, (rank,), ("n1",), (0,)),)


@pytest.mark.parametrize(
    "pod",
    [
        a_pod(),
        a_pod(container=None, phase="Pending"),
        a_pod(container=ENDED),
        a_pod(replace(KEY, epoch=3), container=ENDED),
        a_pod(EARLIER, node="n2"),
    ],
    ids=["runs", "waits", "has ended", "a later one was there", "an earlier one lives"],
)
def test_nothing_is_created_twice_or_too_early(pod: ClusterPod) -> None:
    assert planned(a_reply(a_wanted_rank()), pod) == ()


def test_after_an_earlier_attempt_has_ended_the_next_is_created() -> None:
    [order] = planned(a_reply(a_wanted_rank()), a_pod(EARLIER, container=ENDED))
    assert isinstance(order, CreatePods)


def test_a_gang_is_created_once_all_its_ranks_are_named() -> None:
    first, second = a_wanted_rank(rank=0, ranks=2), a_wanted_rank(rank=1, ranks=2)
    assert plan({"n1": a_reply(first)}, a_cluster_view()) == ()
    orders = plan({"n2": a_reply(second), "n1": a_reply(first)}, a_cluster_view())
    assert orders == (CreatePods(KEY, (first, second), ("n1", "n2"), (0, 1)),)


def test_what_was_broken_off_is_completed() -> None:
    ranks = (a_wanted_rank(rank=0, ranks=2), a_wanted_rank(rank=1, ranks=2))
    assert planned(a_reply(*ranks), a_pod(rank=0)) == (CreatePods(KEY, ranks, ("n1", "n1"), (1,)),)


@pytest.mark.parametrize(
    ("asked", "need"),
    [
        ({"app_token": "x"}, "backend_cannot_server"),
        ({"ports": (8080,)}, "backend_cannot_server"),
        ({"probe": Probe("/", period_ms=50)}, "backend_cannot_server"),
        ({"builds_image": True}, "backend_cannot_build"),
        ({"has_secrets": True}, "backend_cannot_secrets"),
        ({"launcher": "torchrun"}, "backend_cannot_launcher"),
    ],
)
def test_what_is_beyond_it_is_refused(asked: dict[str, Any], need: str) -> None:
    assert planned(a_reply(a_wanted_rank(**asked))) == (RefuseAttempt(KEY, ("n1",), need),)


def test_shares_are_refused() -> None:
    share = Device("KUBERNETES-1", 1024, gpu_milli=250)
    [order] = planned(a_reply(replace(a_wanted_rank(), devices=(share,))))
    assert order == RefuseAttempt(KEY, ("n1",), "backend_cannot_shares")


@pytest.mark.parametrize(
    ("pod", "orders"),
    [
        ({}, (StopPod(NAME, STOP_GRACE_S, Why.STOP),)),
        ({"container": None}, (StopPod(NAME, STOP_GRACE_S, Why.STOP),)),
        ({"grace_s": STOP_GRACE_S}, ()),
        ({"grace_s": 0}, ()),
        ({"grace_s": STOP_GRACE_S + 100}, (StopPod(NAME, STOP_GRACE_S, Why.STOP),)),
        ({"container": ENDED}, ()),
    ],
)
def test_what_is_left_out_is_stopped_once(pod: dict[str, Any], orders: tuple[Order, ...]) -> None:
    assert planned(a_reply(), a_pod(**pod)) == orders


@pytest.mark.parametrize(("seconds", "grace_s"), [(45, 45), (0, 1)])
def test_grace_is_as_granted_and_never_none(seconds: int, grace_s: int) -> None:
    granted = GrantedGrace(*KEY.rank(0), seconds)
    assert planned(a_reply(graces=(granted,)), a_pod()) == (StopPod(NAME, grace_s, Why.STOP),)


def test_what_a_restored_database_does_not_know_goes_on() -> None:
    assert planned(a_reply(unknown=(KEY.rank(0),)), a_pod()) == ()


def test_nothing_is_stopped_whose_node_was_not_answered() -> None:
    assert planned(a_reply(), a_pod(node="n2")) == ()


def test_an_end_that_was_acknowledged_is_released() -> None:
    pod = a_pod(container=ENDED)
    assert planned(a_reply(acks=(KEY.rank(0),)), pod) == (ReleasePod(pod),)
    assert planned(a_reply(), pod) == ()
    assert planned(a_reply(a_wanted_rank(), acks=(KEY.rank(0),)), a_pod()) == ()


def test_an_image_is_waited_for_and_then_given_up() -> None:
    waits = a_container("waiting", reason="ImagePullBackOff")
    fresh = a_pod(container=waits, created_at=AT - IMAGE_WAIT_S + 1)
    reply = a_reply(a_wanted_rank())
    assert planned(reply, fresh) == ()
    old = replace(fresh, created_at=AT - IMAGE_WAIT_S)
    assert planned(reply, old) == (StopPod(NAME, 1, Why.IMAGE),)
    assert planned(reply, replace(old, grace_s=1)) == ()


def test_a_round_creates_so_many_only() -> None:
    keys = [JobKey(UUID(int=number), 1) for number in range(1, CREATIONS_MAX + 5)]
    orders = planned(a_reply(*map(a_wanted_rank, keys)))
    assert [order.key for order in orders if isinstance(order, CreatePods)] == keys[:CREATIONS_MAX]


def test_a_gang_beyond_that_is_created_alone() -> None:
    size = CREATIONS_MAX + 1
    ranks = [a_wanted_rank(rank=rank, ranks=size) for rank in range(size)]
    other = a_wanted_rank(JobKey(UUID(int=8), 1))
    [order] = planned(a_reply(*ranks, other))
    assert isinstance(order, CreatePods)


@given(
    st.lists(st.integers(min_value=1, max_value=4), max_size=1),
    st.lists(st.tuples(st.integers(1, 4), st.booleans()), max_size=4, unique_by=lambda it: it[0]),
)
def test_at_most_one_attempt_of_a_work_is_alive(
    wanted: list[int], there: list[tuple[int, bool]]
) -> None:
    pods = [
        a_pod(key, container=ENDED) if has_ended else a_pod(key)
        for key, has_ended in ((replace(KEY, epoch=epoch), ended) for epoch, ended in there)
    ]
    reply = a_reply(*(a_wanted_rank(replace(KEY, epoch=epoch)) for epoch in wanted))
    created = [order for order in planned(reply, *pods) if isinstance(order, CreatePods)]
    assert len(created) <= 1
    if created:
        assert all(has_ended for _, has_ended in there)
        assert all(epoch < created[0].key.epoch for epoch, _ in there)
