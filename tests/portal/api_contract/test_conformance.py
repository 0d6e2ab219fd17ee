"""Every operation does what the OpenAPI document says, whatever is sent to it.

Requests are made from the document: some keep to it, some break it in one place. The seed is
fixed, so a run is the same every time; a new operation is covered by being there.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

import pytest
import schemathesis
from django.test.client import ClientHandler
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks

from portal.common.redis_client import get_redis_client
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_token, a_user
from tests.builders.workloads import a_workload
from tests.rest import openapi

CHECKS_OF_ANY: Final = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
CHECKS: Final = [*CHECKS_OF_ANY, checks.negative_data_rejection]
THE_SAME_EVERY_TIME: Final = settings(
    max_examples=2,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def cluster() -> dict[str, str]:
    """Save one thing of every kind; return what paths and bodies call them."""
    user = a_user(role="platform_admin")
    group = a_group("group", members={user: "group_admin"})
    pool = a_pool("pool")
    node = a_node(pool)
    an_image("image")
    return {
        "group": group.name,
        "pool": pool.name,
        "image": "image",
        "pool_id": str(pool.pk),
        "node_id": str(node.pk),
        "workload_id": str(a_workload(user, group, pool).pk),
        "token": a_token(user),
    }


@pytest.mark.django_db
@pytest.mark.timeout(900)  # every operation there is, on a busy machine too
@pytest.mark.usefixtures("redis_url")
def test_every_operation_keeps_to_the_document(cluster: dict[str, str]) -> None:
    schema = schemathesis.openapi.from_dict(openapi())
    schema.app = application
    answers = Counter[int]()
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()
        _send_some(operation, GenerationMode.POSITIVE, cluster, answers)
        if operation.query or operation.body:
            _send_some(operation, GenerationMode.NEGATIVE, cluster, answers)
    assert sum(answers[status] for status in (200, 201, 202)) > 50, answers
    assert answers[400] > 50, answers


def application(
    environ: dict[str, Any], start_response: Callable[[str, list[tuple[str, str]]], Any]
) -> list[bytes]:
    """Answer in this process and on the test's own connection, as Django's client does."""
    answer = ClientHandler(enforce_csrf_checks=False)(environ)
    start_response(f"{answer.status_code} {answer.reason_phrase}", list(answer.items()))
    return [answer.getvalue()]


def _send_some(
    operation: Any, mode: GenerationMode, known: Mapping[str, str], answers: Counter[int]
) -> None:
    """Send a few requests of one kind to one operation, and hold each answer to the document."""
    own = {name: known[name] for name in _names_in(operation.path) if name in known}

    @given(case=operation.as_strategy(generation_mode=mode, path_parameters=own or None))
    @THE_SAME_EVERY_TIME
    def send(case: Any) -> None:
        get_redis_client().flushdb()
        if mode is GenerationMode.POSITIVE and isinstance(case.body, dict):
            case.body.update({name: known[name] for name in case.body if name in known})
        # This transport reads no compressed answers.
        headers = {"Authorization": f"Bearer {known['token']}", "Accept-Encoding": "identity"}
        answer = case.call(headers=headers)
        answers[answer.status_code] += 1
        # What is too large as a whole is refused before anything in it is looked at.
        is_read = answer.status_code != HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        case.validate_response(answer, checks=CHECKS if is_read else CHECKS_OF_ANY)

    send()


def _names_in(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]
