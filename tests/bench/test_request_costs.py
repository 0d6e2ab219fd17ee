"""How often the calls that everybody makes ask the database: promises of `docs/benchmarks.md`."""

from typing import Any

import pytest

from bench.request_costs import STATEMENTS_MAX, SUBMITTERS, build_calls, counted

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_no_call_asks_the_database_more_often_than_promised(set_site: Any) -> None:
    set_site(site_view_age_s=60)
    asked = {}
    for name, call in build_calls().items():
        for _ in range(SUBMITTERS + 1):  # each has used its token once
            call()
        with counted() as found:
            call()
        asked[name] = found["statements"]

    assert asked == STATEMENTS_MAX
