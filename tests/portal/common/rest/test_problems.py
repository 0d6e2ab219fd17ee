"""Every refusal is a problem document in the reader's language."""

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404
from rest_framework import exceptions

from portal.common.errors import InvalidError
from portal.common.rest.problems import to_problem as meaning_of
from tests.builders.people import a_user
from tests.rest import API, browser, problem_of, stranger


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Http404(), 404, "not_found"),
        (PermissionDenied(), 403, "denied"),
        (RequestDataTooBig(), 413, "body_too_large"),
        (SuspiciousOperation(), 400, "bad_request"),
        (OperationalError("lock timeout"), 503, "busy"),
        (exceptions.UnsupportedMediaType("text/plain"), 415, "media_type_unsupported"),
        (exceptions.NotAcceptable(), 406, "not_acceptable"),
    ],
)
def test_foreign_errors_have_codes(error: Exception, status: int, code: str) -> None:
    problem = meaning_of(error)
    assert problem is not None
    assert (problem.status, problem.code) == (status, code)


def test_a_fault_of_ours_is_not_dressed_up() -> None:
    assert meaning_of(KeyError("x")) is None


def test_the_pointer_of_a_domain_error_becomes_a_field() -> None:
    problem = meaning_of(InvalidError("never_fits", pointer="/gpus", asked=9))
    assert problem is not None
    assert problem.errors == ({"pointer": "/gpus", "code": "never_fits", "params": {"asked": 9}},)


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_url")
class TestAnswers:
    """What travels over HTTP."""

    @pytest.mark.parametrize(
        ("wanted", "tag", "word"),
        [
            ("zh-CN,zh;q=0.9", "zh-CN", "登录"),
            ("en", "en", "Sign in"),
            ("fr", "en", "Sign in"),
        ],
    )
    def test_language_follows_the_reader(self, wanted: str, tag: str, word: str) -> None:
        answer = stranger().get(f"{API}/me", HTTP_ACCEPT_LANGUAGE=wanted)
        body = problem_of(answer, 401, "not_authenticated")
        assert word in body["detail"]
        assert answer["Content-Language"] == tag
        assert answer["WWW-Authenticate"].startswith("Bearer")

    def test_unknown_addresses_and_methods(self) -> None:
        problem_of(stranger().get("/api/v1/nothing"), 404, "not_found")
        answer = browser(a_user()).put(f"{API}/me", {}, "json")
        problem_of(answer, 405, "method_not_allowed")
        assert "GET" in answer["Allow"]

    def test_wrong_media_types(self) -> None:
        client = browser(a_user())
        problem_of(client.post(f"{API}/tokens", {"a": 1}), 415, "media_type_unsupported")
        problem_of(client.get(f"{API}/me", HTTP_ACCEPT="text/html"), 406, "not_acceptable")

    def test_request_id_is_taken_over_when_it_is_harmless(self) -> None:
        kept = stranger().get(f"{API}/config", HTTP_X_REQUEST_ID="pipeline-4711")
        assert kept["X-Request-Id"] == "pipeline-4711"
        made = stranger().get(f"{API}/config", HTTP_X_REQUEST_ID="a\tb<script>")
        assert len(made["X-Request-Id"]) == 36
