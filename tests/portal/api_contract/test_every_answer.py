"""Every GET operation answers every role: on an empty database, and on the seeded one with work.

The operations come from the OpenAPI document, so that a new list is covered by being there. A test of
one endpoint seldom looks at what fails only while there is nothing to list.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest
from rest_framework.test import APIClient

from portal.common.ids import new_id
from portal.common.redis_client import get_redis_client
from portal.demo import organisation, services
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.tenancy.models import Group
from scheduler.core.model.states import WorkloadState
from tests.builders.machines import a_node
from tests.builders.people import a_member, a_user
from tests.builders.volumes import a_group_volume
from tests.builders.workloads import a_workload
from tests.portal.api_contract.conformance import LIVE_PATHS
from tests.rest import API, browser, openapi, pipeline, stranger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url", "storage")]

PLATFORM_ROLES: Final = ("platform_admin", "operator", "auditor")
GROUP_ROLES: Final = ("group_admin", "developer", "viewer")
SEE_EVERY_STATE: Final = ("platform_admin", "developer")
"""Roles that are asked about work in every state; the others about running work, which has most to show."""
TEAM: Final = organisation.TEAMS[0]
LISTS_MIN: Final = 50

Ids = Mapping[str, tuple[str, ...]]
"""What stands for a parameter of a path, by its name; `workload_id` by the word before it, too."""


@pytest.fixture
def storage(tmp_path: Path, set_site: Callable[..., None]) -> None:
    set_site(storage_dir=tmp_path)


@pytest.mark.parametrize("role", ["", *PLATFORM_ROLES])
def test_while_there_is_nothing(role: str) -> None:
    answers = ask(browser(a_user(role=role)), addresses({}))

    assert answers[200] >= (LISTS_MIN // 2), answers


def test_without_an_account() -> None:
    assert set(ask(stranger(), addresses({}))) == {200, 401}


@pytest.mark.parametrize("role", [*PLATFORM_ROLES, *GROUP_ROLES, "token", ""])
def test_on_the_seeded_organisation(role: str) -> None:
    group, ids = seed(WorkloadState if role in SEE_EVERY_STATE else [WorkloadState.RUNNING])

    answers = ask(client_of(role, group), addresses(ids))

    assert answers[200] >= LISTS_MIN if role else answers[200] >= (LISTS_MIN // 2), answers


def test_every_choice_of_every_filter() -> None:
    _, ids = seed()

    answers = ask(browser(User.objects.get(username=organisation.ADMIN)), filtered(ids))

    assert answers[200] > LISTS_MIN, answers
    assert answers[400] == 0, answers


def client_of(role: str, group: Group) -> APIClient:
    if role == "token":
        return pipeline(User.objects.get(username=organisation.ADMIN))
    if role in GROUP_ROLES:
        return browser(a_member(group, role))
    return browser(a_user(role=role))


def seed(states: Iterable[WorkloadState] = WorkloadState) -> tuple[Group, Ids]:
    """Save the demo organisation, a node in each pool, and work of both kinds in these states."""
    services.seed_organisation("a-long-password")
    group = Group.objects.get(name=TEAM.name)
    owner = User.objects.get(username=TEAM.people[0])
    pools = list(Pool.objects.all())
    nodes = [a_node(pool) for pool in pools]
    kinds, states = {"jobs": "training", "environments": "environment"}, tuple(states)
    work = {
        word: tuple(
            str(a_workload(owner, group, pools[0], kind=kind, state=state).pk) for state in states
        )
        for word, kind in kinds.items()
    }
    return group, {
        **work,
        "workloads": work["jobs"][:1] + work["environments"][:1],
        "group_id": (str(group.pk),),
        "pool_id": tuple(str(pool.pk) for pool in pools),
        "node_id": tuple(str(node.pk) for node in nodes),
        "user_id": (str(owner.pk),),
        "volume_id": (str(a_group_volume(group).pk),),
    }


def ask(client: APIClient, addresses: Iterable[str]) -> Counter[int]:
    """Send GET requests, none of which may fail; return how often each status was the answer."""
    answers = Counter[int]()
    broken = []
    get_redis_client().flushdb()
    for address in addresses:
        answer = client.get(address)
        answers[answer.status_code] += 1
        if answer.status_code >= 500 or answer.status_code == 429:
            broken.append((address, answer.status_code, answer.content[:300]))
    assert broken == []
    return answers


def addresses(ids: Ids) -> Iterator[str]:
    """Yield the address of every GET operation, for each thing that is there."""
    for path, _ in read_operations():
        yield from _filled(path, ids)


def filtered(ids: Ids) -> Iterator[str]:
    """Yield an address for each choice that the document names for a parameter of a query."""
    for path, operation in read_operations():
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "query":
                place, name = next(_filled(path, ids)), parameter["name"]
                yield from (f"{place}?{name}={quote(each)}" for each in _choices(parameter))


@cache
def read_operations() -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return path and description of every GET operation of the API that the web process answers."""
    paths = openapi()["paths"].items()
    return tuple(
        (path, methods["get"])
        for path, methods in paths
        if path.startswith(API) and "get" in methods and path not in LIVE_PATHS
    )


def _filled(path: str, ids: Ids) -> Iterator[str]:
    """Yield the path with each thing that is there in the place of its parameters."""
    steps = path.split("/")
    choices = [
        ids.get(before if step == "{workload_id}" else step[1:-1], _nothing(step))
        if step.startswith("{")
        else (step,)
        for before, step in zip(["", *steps], steps, strict=False)
    ]
    return map("/".join, product(*choices))


def _nothing(step: str) -> tuple[str, ...]:
    """Return what a parameter may be that names nothing which is there."""
    return ("1",) if step == "{number}" else (str(new_id()),)


def _choices(parameter: Mapping[str, Any]) -> list[str]:
    """Return the values that the document names for a parameter."""
    shape = parameter["schema"]
    if shape.get("type") == "boolean":
        return ["true", "false"]
    return [str(each) for each in shape.get("enum", []) if each]
