"""The tree of groups."""

import pytest

from portal.common.errors import NotFoundError
from portal.tenancy import selectors
from tests.builders.people import a_group, a_member, a_root, an_actor

pytestmark = pytest.mark.django_db


def test_a_role_holds_in_all_groups_below_and_the_strongest_counts() -> None:
    top = a_group()
    below = a_group(parent=top)
    user = a_member(top, "viewer")
    lead = a_member(top, "group_admin")
    below.memberships.create(user=user, role="developer")
    below.memberships.create(user=lead, role="viewer")
    assert an_actor(user).roles == {top.pk: "viewer", below.pk: "developer"}
    assert an_actor(lead).roles == {top.pk: "group_admin", below.pk: "group_admin"}


def test_paths_run_from_the_root_to_the_group() -> None:
    top = a_group()
    below = a_group(parent=top)
    assert selectors.paths_for_system([below.pk])[below.pk] == (a_root().pk, top.pk, below.pk)
    assert set(selectors.paths_for_system()) == {a_root().pk, top.pk, below.pk}


def test_another_tenants_group_does_not_exist() -> None:
    mine, theirs = a_group(), a_group()
    actor = an_actor(a_member(mine))
    assert list(selectors.groups_visible_to(actor)) == [mine]
    with pytest.raises(NotFoundError):
        selectors.group_visible_to(actor, theirs.pk)
