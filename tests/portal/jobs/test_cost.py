"""What one submission costs, in statements: the number is a promise of `docs/benchmarks.md`."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from portal.common.clock import now
from portal.inventory.models import Pool
from portal.quotas.models import Quota
from portal.submission_rules.models import SubmissionRules
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member
from tests.builders.scenes import a_quota
from tests.rest import browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

STATEMENTS_MAX = 19
"""Of one accepted submission with a key, transactions and savepoints included."""
BODY = {
    "name": "train",
    "group": "vision",
    "pool": "training",
    "image": "python",
    "command": ["python", "train.py"],
    "gpus": 2,
    "cpu_milli": 1000,
    "memory_mib": 1024,
}


@pytest.fixture
def group() -> Any:
    pool = a_pool("training")
    for _ in range(4):
        a_node(pool)
    an_image("python")
    return a_group("vision")


@pytest.fixture
def client(group: Any) -> APIClient:
    return browser(a_member(group, username="li.wei"))


def submit(client: APIClient, key: str) -> Any:
    return client.post("/api/v1/jobs", BODY, format="json", headers={"Idempotency-Key": key})


def test_a_submission_asks_the_database_few_questions(client: APIClient, set_site: Any) -> None:
    set_site(site_view_age_s=60)
    submit(client, "first")

    with CaptureQueriesContext(connection) as statements:
        answer = submit(client, "second")

    assert answer.status_code == 202
    assert len(statements) <= STATEMENTS_MAX


def test_the_answer_is_what_the_page_would_show(client: APIClient) -> None:
    shown = submit(client, "first").json()

    found = client.get(f"/api/v1/jobs/{shown['id']}").json()
    # The database keeps microseconds, and nobody schedules here.
    assert [reason["code"] for reason in found.pop("reasons")] == ["scheduler_down"]
    assert shown.pop("reasons") == []
    assert {step["step"] for step in found.pop("timeline")} == {"queued"}
    assert {step["step"] for step in shown.pop("timeline")} == {"queued"}
    assert shown == found


def test_what_became_impossible_a_moment_ago_waits_instead(
    client: APIClient, group: Any, set_site: Any
) -> None:
    set_site(site_view_age_s=60)
    submit(client, "first")

    a_quota(group, ceiling=1000)

    assert submit(client, "second").status_code == 202


def test_what_became_possible_a_moment_ago_is_accepted(
    client: APIClient, group: Any, set_site: Any
) -> None:
    set_site(site_view_age_s=60)
    a_quota(group, ceiling=1000)
    assert submit(client, "first").status_code == 422

    Quota.objects.update(ceiling=8000)

    assert submit(client, "first").status_code == 202


def test_rules_cost_a_submission_one_statement_however_many_there_are(
    client: APIClient, group: Any, set_site: Any
) -> None:
    set_site(site_view_age_s=60)
    submit(client, "first")
    for owner in ({"group": group}, {"group": group.parent}, {"pool": Pool.objects.get()}):
        ranges = {"gpus": {"max": 4}}
        SubmissionRules.objects.create(
            kind="training", ranges=ranges, defaults={"replicas": 1}, changed_at=now(), **owner
        )

    with CaptureQueriesContext(connection) as statements:
        answer = submit(client, "second")

    assert answer.status_code == 202
    about_rules = [item for item in statements if "submission_rules" in item["sql"]]
    assert len(about_rules) == 1
    assert len(statements) <= STATEMENTS_MAX
