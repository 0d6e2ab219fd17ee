"""What somebody new has done already, in one question."""

import pytest

from portal.identity.models import SshKey
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member
from tests.builders.workloads import a_workload
from tests.rest import API, browser, json_of, problem_of

pytestmark = pytest.mark.django_db


def test_steps_are_those_of_the_reader_and_count_after_work_has_ended() -> None:
    group, pool = a_group(), a_pool()
    newcomer, other = a_member(group), a_member(group)
    path = f"{API}/first-steps"
    a_workload(other, group, pool, kind="environment")
    SshKey.objects.create(user=other, name="laptop", fingerprint="a")

    none = {"notebook": False, "job": False, "ssh_key": False}
    assert json_of(browser(newcomer).get(path)) == none
    assert json_of(browser(other).get(path)) == {**none, "notebook": True, "ssh_key": True}

    a_workload(newcomer, group, pool, kind="training", state="succeeded")
    assert json_of(browser(newcomer).get(path)) == {**none, "job": True}
    problem_of(browser(newcomer).get(f"{path}?all=1"), 400, "invalid_input")
