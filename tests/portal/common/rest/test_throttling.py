"""Limits that hold with Redis and without it."""

from datetime import timedelta

import pytest
from django.urls import path
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.clock import freeze, now
from portal.common.rest import throttling
from portal.common.rest.throttling import RateThrottle, WriteThrottle
from portal.common.rest.views import ApiRequest, ApiView
from tests.builders.people import a_user
from tests.rest import browser, json_of, problem_of


class Three(RateThrottle):
    scope = "three"
    count = 3
    window_s = 3600


class LimitedView(ApiView):
    """Answers three times an hour."""

    required_actions = {"GET": Action.ME_VIEW}
    throttle_classes = [Three]

    def get(self, request: ApiRequest) -> Response:
        return Response({})


class ThreeWrites(WriteThrottle):
    scope = "three-writes"
    count = 3
    window_s = 3600


class ThingsView(ApiView):
    """Takes three things an hour, and lists them as often as one likes."""

    required_actions = {"GET": Action.ME_VIEW, "POST": Action.ME_VIEW}
    throttle_classes = [ThreeWrites]

    def get(self, request: ApiRequest) -> Response:
        return Response({})

    def post(self, request: ApiRequest) -> Response:
        return Response({})


urlpatterns = [path("limited", LimitedView.as_view()), path("things", ThingsView.as_view())]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


def the_fourth_is_refused() -> None:
    with freeze(now()):  # a window that ends in between would let the fourth pass
        client = browser(a_user())
        for _ in range(3):
            json_of(client.get("/limited"))
        refused = client.get("/limited")
    problem = problem_of(refused, 429, "too_many_requests")
    assert 1 <= problem["params"]["wait_s"] <= 3600
    assert int(refused["Retry-After"]) == problem["params"]["wait_s"]
    json_of(browser(a_user()).get("/limited"))


@pytest.mark.usefixtures("redis_url")
def test_limits_are_counted_per_caller() -> None:
    the_fourth_is_refused()


@pytest.mark.usefixtures("redis_away")
def test_limits_hold_while_redis_is_away() -> None:
    the_fourth_is_refused()
    assert throttling.delete_expired_counts() == 0
    with freeze(now() + timedelta(hours=2)):
        assert throttling.delete_expired_counts() == 2


@pytest.mark.usefixtures("redis_url")
def test_what_is_read_is_not_counted_as_written() -> None:
    with freeze(now()):
        client = browser(a_user())
        for _ in range(4):
            json_of(client.get("/things"))
        for _ in range(3):
            json_of(client.post("/things", {}, format="json"))
        problem_of(client.post("/things", {}, format="json"), 429, "too_many_requests")
        json_of(client.get("/things"))
