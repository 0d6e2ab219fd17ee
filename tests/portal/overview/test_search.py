"""The search over all kinds of things: each reader finds what the lists show them, and no more."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.identity.models import User
from portal.overview.search import HITS_MAX, hits_visible_to
from tests.builders.datasets import a_dataset
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.workloads import a_workload
from tests.rest import API, browser, json_of, problem_of

pytestmark = pytest.mark.django_db

QUERIES_MAX = 6
"""One for each kind, and one for the groups above the reader's; it does not grow with rows."""


def found(user: User, text: str) -> list[tuple[str, str]]:
    hits = json_of(browser(user).get(f"{API}/search", {"text": text}))["hits"]
    return [(hit["kind"], hit["name"]) for hit in hits]


def test_everything_is_found_by_a_part_of_its_name() -> None:
    group = a_group()
    member = a_member(group, username="orion.li")
    pool = a_pool()
    a_node(pool, name="orion-7")
    a_workload(member, group, pool, name="train-ORION")
    a_dataset("orion-set", everybody=True)
    an_image("orion-torch")

    assert found(member, "orion") == [
        ("training", "train-ORION"),
        ("node", "orion-7"),
        ("person", "orion.li"),
        ("dataset", "orion-set"),
        ("image", "orion-torch"),
    ]
    assert found(member, "nothing of that name") == []


def test_what_others_have_is_found_by_those_only_who_may_see_it() -> None:
    theirs, mine = a_group(), a_group()
    other = a_member(theirs, username="vega.wu")
    a_workload(other, theirs, a_pool(), name="vega-run")
    a_dataset("vega-set", groups=[theirs])
    me, colleague = a_member(mine), a_member(theirs)

    assert found(me, "vega") == []
    assert {kind for kind, _ in found(colleague, "vega")} == {"training", "person", "dataset"}
    auditor = a_user(role="auditor")
    assert {kind for kind, _ in found(auditor, "vega")} == {"training", "person"}
    assert len(found(a_user(role="platform_admin"), "vega")) == 3


def test_a_token_finds_what_its_scopes_cover() -> None:
    group = a_group()
    member = a_member(group, username="rigel.he")
    a_workload(member, group, a_pool(), name="rigel-run")

    def kinds(*scopes: str) -> set[str]:
        narrowed = replace(an_actor(member), scopes=frozenset(scopes))
        return {hit.kind for hit in hits_visible_to(narrowed, "rigel")}

    assert kinds("workload.view") == {"training"}
    assert kinds("group.view") == {"person"}
    assert kinds("node.view") == set()


def test_few_of_each_kind_are_read_by_few_statements() -> None:
    group = a_group()
    member, pool = a_member(group), a_pool()
    actor = an_actor(member)

    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            hits_visible_to(actor, "lyra")
        return len(captured)

    first = statements()
    for number in range(HITS_MAX + 2):
        a_node(pool, name=f"lyra-{number}")
        a_workload(member, group, pool, name=f"lyra-{number}")
        a_member(group, username=f"lyra.{number}")
        a_dataset(f"lyra-{number}", groups=[group])
        an_image(f"lyra-{number}")

    assert statements() == first <= QUERIES_MAX
    assert len(hits_visible_to(actor, "lyra")) == 5 * HITS_MAX


@pytest.mark.parametrize("query", ["", "?text=a", f"?text={'x' * 64}", "?text=ab&kind=node"])
def test_what_cannot_be_looked_for_is_named(query: str) -> None:
    problem_of(browser(a_user()).get(f"{API}/search{query}"), 400, "invalid_input")
