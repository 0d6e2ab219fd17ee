"""What holds for every route and method, whoever wrote it."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.common.rest.views import ApiView, PublicView
from tests.builders.people import a_group, a_member
from tests.portal.api_contract.routes import Route, api_routes, named, operations
from tests.rest import browser, problem_of, stranger

PROTECTED = [item for item in operations() if not issubclass(item[0].view, PublicView)]
LOOKS = (".view", ".read")
WITH_IDS = [item for item in PROTECTED if "<uuid:" in item[0].pattern]


def call(client: APIClient, route: Route, method: str) -> Any:
    # Only tickets of jobs do not do with an empty body: jobs have nothing but ports to open.
    body = '{"port": 6006}' if route.pattern.endswith("/tickets") else "{}"
    return client.generic(method, route.address(), body, content_type="application/json")


def test_every_view_is_of_our_own_kind_and_declares_what_it_needs() -> None:
    assert len(api_routes()) > 15
    for route in api_routes():
        assert issubclass(route.view, ApiView | PublicView), route.pattern
        if issubclass(route.view, ApiView):
            assert set(route.view.required_actions) == set(route.methods), route.pattern


def test_a_right_to_look_writes_nothing() -> None:
    """A token for looking, in wrong hands, changes nothing at all."""
    found = [
        named((route, method))
        for route, method in operations()
        if method != "GET"
        and str(getattr(route.view, "required_actions", {}).get(method, "")).endswith(LOOKS)
    ]
    assert found == []


def test_only_the_first_page_is_public() -> None:
    public = [route.pattern for route in api_routes() if issubclass(route.view, PublicView)]
    assert public == ["api/v1/config"]


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_url")
class TestEveryOperation:
    """One request to each."""

    @pytest.mark.parametrize("operation", PROTECTED, ids=named)
    def test_strangers_are_refused(self, operation: tuple[Route, str]) -> None:
        problem_of(call(stranger(), *operation), 401, "not_authenticated")

    @pytest.mark.parametrize("operation", PROTECTED, ids=named)
    def test_a_forged_token_is_refused(self, operation: tuple[Route, str]) -> None:
        client = stranger()
        client.credentials(HTTP_AUTHORIZATION="Bearer berth_forged")
        problem_of(call(client, *operation), 401, "credentials_refused")

    @pytest.mark.parametrize("operation", WITH_IDS, ids=named)
    def test_unknown_ids_are_not_found_or_beyond_reach(self, operation: tuple[Route, str]) -> None:
        answer = call(browser(a_member(a_group(), "group_admin")), *operation)
        assert answer.status_code in (403, 404), answer.content
