"""What answers of an API server mean: taken, refused, in doubt, gone, cut off."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from portal.foreign.bounds import IN_DOUBT_S
from portal.kubernetes.client import CHUNK_BYTES, KubernetesClient, PodRefusedError
from portal.kubernetes.logs import LogCursor
from portal.kubernetes.transport import KubeAnswer, KubeError, KubeRequest
from portal.kubernetes.values import StopPod, Why
from tests.builders.kubernetes_pods import SITE, TERMS, a_creation, a_pod, a_pod_object


@dataclass
class ScriptedApi:
    """Gives answers in order, and keeps what it was asked."""

    answers: list[tuple[int, Any]]
    asked: list[KubeRequest] = field(default_factory=list)

    def send(self, request: KubeRequest) -> KubeAnswer:
        """Return the next answer."""
        self.asked.append(request)
        status, told = self.answers.pop(0)
        return KubeAnswer(status, told if isinstance(told, bytes) else json.dumps(told).encode())


def client_of(*answers: tuple[int, Any]) -> tuple[KubernetesClient, ScriptedApi]:
    api = ScriptedApi(list(answers))
    return KubernetesClient(api, TERMS), api


@pytest.mark.parametrize(
    ("status", "is_taken"), [(201, True), (409, True), (429, False)], ids=["new", "found", "later"]
)
def test_a_creation_may_be_repeated(status: int, is_taken: bool) -> None:
    client, api = client_of((status, {"message": "x"}))
    assert client.create(a_creation(), 0, 12) is is_taken
    [request] = api.asked
    assert (request.method, request.query) == ("POST", {"timeout": "20s"})


@pytest.mark.parametrize(
    ("status", "message"),
    [(422, "spec.nodeName: Invalid value"), (403, "exceeded quota: q"), (400, "bad")],
)
def test_what_is_never_taken_has_the_words_of_the_server(status: int, message: str) -> None:
    client, _ = client_of((status, {"message": message}))
    with pytest.raises(PodRefusedError, match=message):
        client.create(a_creation(), 0, 12)


@pytest.mark.parametrize(
    ("status", "message", "quiet_s"),
    [
        (504, "request timed out", IN_DOUBT_S),
        (500, "failed calling webhook", IN_DOUBT_S),
        (403, "User x cannot create resource pods", 0),
        (401, "Unauthorized", 0),
        (404, "namespaces not found", 0),
    ],
)
def test_what_may_have_been_taken_is_waited_for(status: int, message: str, quiet_s: int) -> None:
    client, _ = client_of((status, {"message": message}))
    with pytest.raises(KubeError, match=message) as failed:
        client.create(a_creation(), 0, 12)
    assert failed.value.quiet_s == quiet_s


def test_a_list_has_pages_and_begins_again_when_its_rest_is_forgotten() -> None:
    page = {"items": [a_pod_object(rank=0)], "metadata": {"continue": "next"}}
    rest = {"items": [a_pod_object(rank=1)], "metadata": {}}
    client, api = client_of((200, page), (410, {"message": "expired"}), (200, page), (200, rest))
    assert [pod.rank for pod in client.pods()] == [0, 1]
    assert api.asked[0].query == {"labelSelector": f"berth/site={SITE}", "limit": "500"}
    assert [request.query.get("continue") for request in api.asked] == [None, "next"] * 2


def test_a_second_break_fails_the_round() -> None:
    page = {"items": [], "metadata": {"continue": "next"}}
    client, _ = client_of(*[(200, page), (410, {})] * 2)
    with pytest.raises(KubeError):
        client.pods()


def test_a_stop_is_noted_before_it_begins() -> None:
    client, api = client_of((200, {}), (200, {}))
    client.stop(StopPod("a", 30, Why.STOP))
    note, deletion = api.asked
    assert note.body == {"metadata": {"annotations": {"berth/stopped": "stop"}}}
    assert (deletion.method, deletion.query) == ("DELETE", {"gracePeriodSeconds": "30"})


def test_what_has_gone_needs_no_stop_and_no_release() -> None:
    client, _ = client_of(*[(404, {})] * 4)
    client.stop(StopPod("a", 30, Why.STOP))
    client.release(a_pod())


def test_a_release_takes_away_our_finalizer_only() -> None:
    client, api = client_of((200, {}), (200, {}))
    client.release(a_pod(finalizers=("example.com/theirs", "berth/end-reported")))
    assert api.asked[1].body == {"metadata": {"finalizers": ["example.com/theirs"]}}


@pytest.mark.parametrize("status", [400, 404])
def test_what_has_no_log_has_nothing_new(status: int) -> None:
    client, _ = client_of((status, {"message": "container is waiting to start"}))
    assert client.read_log(a_pod(), LogCursor()) is None


def test_a_second_in_which_more_was_written_than_a_chunk_is_read_whole() -> None:
    line = b"2026-11-30T04:00:00.5Z " + b"x" * 1000 + b"\n"
    full = line * (2 * CHUNK_BYTES // len(line))
    client, api = client_of((200, full[:CHUNK_BYTES]), (200, full[:CHUNK_BYTES]), (200, full))
    first = client.read_log(a_pod(), LogCursor())
    assert first is not None
    second = client.read_log(a_pod(), first.cursor)
    assert second is not None
    assert len(first.data + second.data) == 1001 * (len(full) // len(line))
    assert [int(request.query["limitBytes"]) for request in api.asked] == [
        CHUNK_BYTES,
        CHUNK_BYTES,
        8 * CHUNK_BYTES,
    ]


@pytest.mark.parametrize("told", [b"<html>gateway</html>", {}], ids=["a proxy", "no words"])
def test_an_answer_without_words_is_named_by_its_status(told: Any) -> None:
    client, _ = client_of((502, told))
    with pytest.raises(KubeError, match=r"gateway|status 502"):
        client.nodes()


def test_an_answer_that_is_no_object_fails_the_round() -> None:
    client, _ = client_of((200, b"<html>"))
    with pytest.raises(KubeError, match="no object"):
        client.pods()
