"""What is about one kind of work knows no work of another kind."""

import pytest

from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member
from tests.builders.workloads import a_workload
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.mark.parametrize(
    ("path", "kind", "other"),
    [
        ("environments/{}/schedule", "environment", "training"),
        ("environments/{}/image-save", "environment", "training"),
        ("jobs/{}/metrics", "training", "environment"),
        ("jobs/{}/metrics/lines", "training", "environment"),
    ],
)
def test_work_of_another_kind_is_not_found(path: str, kind: str, other: str) -> None:
    group = a_group()
    owner, pool = a_member(group), a_pool()
    known, unknown = (a_workload(owner, group, pool, kind=each) for each in (kind, other))

    json_of(browser(owner).get(f"{API}/{path.format(known.pk)}"))
    problem_of(browser(owner).get(f"{API}/{path.format(unknown.pk)}"), 404, "not_found")
