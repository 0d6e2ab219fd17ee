"""The same key never acts twice."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection, connections
from django.urls import path
from rest_framework.response import Response
from rest_framework.test import APIClient

from portal.audit.models import AuditEvent
from portal.audit.services import record_event
from portal.common.actions import Action
from portal.common.clock import freeze, now
from portal.common.errors import InvalidError
from portal.common.models import IdempotencyRecord
from portal.common.rest import idempotency
from portal.common.rest.idempotency import idempotent
from portal.common.rest.views import ApiRequest, ApiView
from tests.builders.people import a_user
from tests.rest import browser, json_of, problem_of
from tests.waiting import PATIENCE_S


class EchoView(ApiView):
    """Acts once per call and says so in the audit log."""

    required_actions = {"POST": Action.ME_VIEW}

    @idempotent
    def post(self, request: ApiRequest) -> Response:
        record_event(actor=request.actor, action="test.act", object_type="test")
        if "refuse" in request.data:
            raise InvalidError("bad_request")
        acts = AuditEvent.objects.count()
        return Response({"act": acts}, status=202, headers={"Location": f"/acts/{acts}"})


urlpatterns = [path("act", EchoView.as_view())]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis_url"),
    pytest.mark.urls(__name__),
]


def act(client: APIClient, key: str | None, **body: Any) -> Any:
    headers = {} if key is None else {"Idempotency-Key": key}
    return client.post("/act", body, "json", headers=headers)


def test_a_repeated_request_gets_the_first_answer() -> None:
    client = browser(a_user())
    first = act(client, "k1", a=1, b=2)
    again = act(client, "k1", b=2, a=1)
    assert json_of(again, 202) == json_of(first, 202) == {"act": 1}
    assert again["Location"] == first["Location"] == "/acts/1"
    assert again["Idempotent-Replayed"] == "true"
    assert json_of(act(client, "k2", a=1), 202) == {"act": 2}
    assert json_of(act(client, None, a=1), 202) == {"act": 3}


def test_another_body_is_refused_and_another_user_is_independent() -> None:
    client = browser(a_user())
    act(client, "k1", a=1)
    problem_of(act(client, "k1", a=2), 422, "idempotency_mismatch")
    assert json_of(act(browser(a_user()), "k1", a=2), 202) == {"act": 2}


def test_a_refusal_is_not_kept_and_leaves_nothing_behind() -> None:
    client = browser(a_user())
    problem_of(act(client, "k1", refuse=True), 422, "bad_request")
    assert not AuditEvent.objects.exists()
    assert not IdempotencyRecord.objects.exists()
    assert json_of(act(client, "k1"), 202) == {"act": 1}


@pytest.mark.parametrize("key", ["", "x" * 201, "caf\u00e9", "a\tb"])
def test_bad_keys_are_refused(key: str) -> None:
    problem_of(act(browser(a_user()), key), 400, "bad_idempotency_key")


def test_a_race_with_one_key_acts_once() -> None:
    user = a_user()
    clients = [browser(user) for _ in range(8)]
    answers: list[dict[str, int]] = []
    together = threading.Barrier(len(clients))

    def one(client: APIClient) -> None:
        together.wait(timeout=PATIENCE_S)
        answers.append(json_of(act(client, "k1"), 202))
        connections.close_all()

    _run_all([partial(one, client) for client in clients])
    assert answers == [{"act": 1}] * 8
    assert AuditEvent.objects.count() == 1


def test_answers_are_forgotten_after_a_day() -> None:
    client = browser(a_user())
    act(client, "k1")
    assert idempotency.delete_expired_responses() == 0
    with freeze(now() + idempotency.RETENTION * 1.01):
        assert idempotency.delete_expired_responses() == 1


def _run_all(tasks: list[Callable[[], None]]) -> None:
    connection.close()
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE_S)
