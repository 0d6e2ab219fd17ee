"""Lists of unfinished work: which states they leave out, and that they read nothing that has ended."""

import pytest
from django.db import connection

from portal.workloads.selectors import unfinished_for_system, workloads_visible_to
from scheduler.core.model.states import TERMINAL, WorkloadState
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.workloads import a_workload

pytestmark = pytest.mark.django_db


def test_all_states_that_are_no_end_are_unfinished() -> None:
    group, pool = a_group("vision"), a_pool("training")
    owner = a_member(group)
    for state in WorkloadState:
        a_workload(owner, group, pool, state=state.value)

    found = set(unfinished_for_system().values_list("state", flat=True))

    assert found == set(WorkloadState) - TERMINAL


def test_a_plan_for_all_kinds_reads_an_index_of_unfinished_work() -> None:
    group, pool = a_group("vision"), a_pool("training")
    owner = a_member(group)
    for number in range(300):
        a_workload(owner, group, pool, state="queued" if number % 100 == 0 else "succeeded")
    rows = workloads_visible_to(
        an_actor(a_user(role="platform_admin")), {"kind": "app", "active": True}
    )
    # Without its joins: a planner that starts at one of a handful of images says nothing of work.
    alone = rows.select_related(None).order_by("-pk")[:50]
    statement, params = alone.query.sql_with_params()
    for number in range(len(params)):
        statement = statement.replace("%s", f"${number + 1}", 1)

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE workloads_workload")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN (GENERIC_PLAN) {statement}", None)
        plan = "\n".join(line for (line,) in cursor.fetchall())

    # By kind or by state, whichever is smaller at the moment: neither has what has ended.
    assert "workload_active" in plan, plan
