"""How pods have ended, and what is reported of them."""

from typing import Any

import pytest

from portal.kubernetes.judging import PodEnd, ended_on, find_end, newest_reply, seen_on
from portal.kubernetes.values import ClusterPod
from tests.builders.kubernetes_pods import (
    AT,
    KEY,
    a_cluster_node,
    a_cluster_view,
    a_container,
    a_pod,
)
from wire.words import ExitCause

WAITING = a_container("waiting", reason="ContainerCreating")


def end_of(pod: ClusterPod) -> PodEnd | None:
    return find_end(pod, a_cluster_view(pod))


@pytest.mark.parametrize(
    ("container", "pod", "end"),
    [
        ({}, {}, PodEnd(ExitCause.EXITED, 0)),
        ({"exit_code": 7}, {}, PodEnd(ExitCause.EXITED, 7)),
        ({"exit_code": 137}, {}, PodEnd(ExitCause.KILLED, -9)),
        ({"exit_code": 143, "signal": 15}, {}, PodEnd(ExitCause.KILLED, -15)),
        ({"exit_code": 137, "reason": "OOMKilled"}, {}, PodEnd(ExitCause.OUT_OF_MEMORY, 137)),
        (
            {"exit_code": 127, "reason": "ContainerCannotRun", "message": "no such file"},
            {},
            PodEnd(ExitCause.START_FAILED, 127, "kubernetes_refused: no such file"),
        ),
        (
            {"exit_code": 137, "reason": "ContainerStatusUnknown"},
            {},
            PodEnd(ExitCause.VANISHED),
        ),
        (
            {"exit_code": 143},
            {"grace_s": 30, "why": "stop"},
            PodEnd(ExitCause.STOPPED, 143),
        ),
        ({}, {"grace_s": 30, "why": "stop"}, PodEnd(ExitCause.EXITED, 0)),
        (
            {"exit_code": 143},
            {"grace_s": 30},
            PodEnd(ExitCause.KILLED, 143, "kubernetes_deleted"),
        ),
        (
            {"exit_code": 137},
            {"phase": "Failed", "reason": "DeadlineExceeded"},
            PodEnd(ExitCause.TIME_LIMIT, 137, "kubernetes_deadline"),
        ),
        (
            {"exit_code": 137},
            {"phase": "Failed", "reason": "Evicted", "message": "low on memory"},
            PodEnd(ExitCause.NODE_FAULT, 137, "kubernetes_evicted: low on memory"),
        ),
    ],
)
def test_an_ended_container_says_how(
    container: dict[str, Any], pod: dict[str, Any], end: PodEnd
) -> None:
    assert end_of(a_pod(container=a_container(**container), **pod)) == end


@pytest.mark.parametrize(
    ("reason", "message", "end"),
    [
        (
            "OutOfnvidia.com/gpu",
            "requested: 1, used: 4, capacity: 4",
            PodEnd(
                ExitCause.NODE_FAULT,
                detail="kubernetes_out_of: requested: 1, used: 4, capacity: 4",
            ),
        ),
        ("Evicted", "", PodEnd(ExitCause.NODE_FAULT, detail="kubernetes_evicted")),
        ("NodeShutdown", "", PodEnd(ExitCause.NODE_FAULT, detail="kubernetes_shutdown")),
        (
            "UnexpectedAdmissionError",
            "x",
            PodEnd(ExitCause.NODE_FAULT, None, "kubernetes_admission: x"),
        ),
        ("DeadlineExceeded", "", PodEnd(ExitCause.TIME_LIMIT, detail="kubernetes_deadline")),
        (
            "SysctlForbidden",
            "no",
            PodEnd(ExitCause.START_FAILED, None, "kubernetes_refused: SysctlForbidden no"),
        ),
    ],
)
def test_what_a_kubelet_does_not_run_has_words(reason: str, message: str, end: PodEnd) -> None:
    pod = a_pod(phase="Failed", container=None, reason=reason, message=message)
    assert end_of(pod) == end


def test_a_pod_that_has_succeeded_needs_no_container() -> None:
    assert end_of(a_pod(phase="Succeeded", container=None)) == PodEnd(ExitCause.EXITED, 0)


@pytest.mark.parametrize(
    ("pod", "end"),
    [
        ({"grace_s": 30}, None),
        ({"grace_s": 0, "why": "stop"}, PodEnd(ExitCause.STOPPED)),
        ({"grace_s": 0}, PodEnd(ExitCause.KILLED, detail="kubernetes_deleted")),
    ],
    ids=["its kubelet is at it", "stopped", "deleted by somebody"],
)
@pytest.mark.parametrize("container", [None, WAITING], ids=["nothing", "waiting"])
def test_what_never_started_ends_once_its_kubelet_says_so(
    container: Any, pod: dict[str, Any], end: PodEnd | None
) -> None:
    assert end_of(a_pod(phase="Pending", container=container, **pod)) == end


def test_an_image_that_cannot_be_had_is_the_cause() -> None:
    waits = a_container("waiting", reason="ImagePullBackOff", message="not found")
    pod = a_pod(phase="Pending", container=waits, grace_s=0, why="image")
    end = PodEnd(ExitCause.IMAGE_UNAVAILABLE, detail="kubernetes_image: not found")
    assert end_of(pod) == end


def test_what_may_still_run_has_not_ended() -> None:
    assert end_of(a_pod()) is None
    assert end_of(a_pod(grace_s=0)) is None, "somebody has forced its deletion; it may run"
    silent = a_cluster_view(a_pod(), nodes=(a_cluster_node(away="NodeStatusUnknown"),))
    assert find_end(a_pod(), silent) is None, "silence ends nothing"


@pytest.mark.parametrize(
    "nodes", [(a_cluster_node("n2"),), (a_cluster_node(is_lost=True),)], ids=["gone", "marked"]
)
def test_a_node_that_is_given_up_ends_what_ran_there(nodes: Any) -> None:
    view = a_cluster_view(a_pod(), nodes=nodes)
    assert find_end(a_pod(), view) == PodEnd(ExitCause.NODE_FAULT, detail="kubernetes_node_gone")


# --- Reports -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pod", "phase", "detail"),
    [
        ({}, "running", ""),
        ({"grace_s": 30}, "stopping", ""),
        ({"container": None}, "starting", "starting"),
        ({"container": WAITING}, "starting", "creating"),
        (
            {"container": a_container("waiting", reason="ErrImagePull", message="denied")},
            "starting",
            "foreign_queue: image: denied",
        ),
    ],
)
def test_what_is_there_is_reported(pod: dict[str, Any], phase: str, detail: str) -> None:
    [seen] = seen_on("n1", a_cluster_view(a_pod(**pod)))
    assert (seen.key, seen.phase, seen.detail) == (KEY.rank(0), phase, detail)


def test_what_waits_for_its_node_says_so() -> None:
    away = a_cluster_node(away="KubeletNotReady")
    [seen] = seen_on("n1", a_cluster_view(a_pod(container=None), nodes=(away,)))
    assert seen.detail == "foreign_queue: node_away"


def test_each_node_reports_its_own_ranks() -> None:
    view = a_cluster_view(a_pod(rank=0), a_pod(rank=1, node="n2", container=a_container()))
    assert [item.key for item in seen_on("n1", view)] == [KEY.rank(0)]
    assert (seen_on("n2", view), ended_on("n1", view)) == ((), ())
    [ended] = ended_on("n2", view)
    assert (ended.key, ended.cause, ended.exit_code) == (KEY.rank(1), "exited", 0)
    assert (ended.started_at, ended.finished_at) == ((AT - 50) * 1000, (AT - 10) * 1000)


def test_nothing_lies_in_the_future() -> None:
    [ended] = ended_on("n1", a_cluster_view(a_pod(container=a_container(ended_at=AT + 9))))
    assert ended.finished_at == AT * 1000


def test_the_newest_reply_is_that_of_the_node() -> None:
    pods = (a_pod(reply=3), a_pod(rank=1, reply=5), a_pod(rank=2, reply=9, node="n2"))
    assert [newest_reply(name, pods) for name in ("n1", "n2", "n3")] == [5, 9, -1]
