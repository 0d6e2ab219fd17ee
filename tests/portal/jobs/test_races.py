"""One key, many requests at once: one job, one answer."""

from collections import Counter

import pytest

from portal.common.actions import Action
from portal.workloads.models import Workload
from tests.builders.at_once import at_once
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member
from tests.rest import API, pipeline

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


def test_same_key_from_many_pipelines_at_once_makes_one_job() -> None:
    a_node(a_pool())
    group = a_group("vision")
    an_image("python")
    owner = a_member(group)
    clients = [pipeline(owner, Action.WORKLOAD_SUBMIT, Action.WORKLOAD_VIEW) for _ in range(12)]
    body = {
        "name": "train",
        "group": "vision",
        "image": "python",
        "command": ["true"],
        "cpu_milli": 1000,
        "memory_mib": 1024,
    }

    def submit(number: int) -> tuple[int, str]:
        answer = clients[number].post(
            f"{API}/jobs", body, format="json", HTTP_IDEMPOTENCY_KEY="build-17"
        )
        return answer.status_code, answer.json().get("id", "")

    answers = at_once(len(clients), submit)

    work = Workload.objects.get()
    assert Counter(answers) == {(202, str(work.pk)): len(clients)}
