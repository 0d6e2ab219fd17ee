"""Who may do what: the table, row by row."""

from uuid import UUID

import pytest

from portal.common.actor import Actor
from portal.common.errors import DeniedError, NotFoundError
from portal.tenancy import policies

GROUP, OTHER, ME = UUID(int=1), UUID(int=2), UUID(int=3)


def a_caller(role: str = "", *, platform: str = "", scopes: frozenset[str] | None = None) -> Actor:
    roles = {GROUP: role} if role else {}
    return Actor(ME, "person", "me", platform_role=platform, roles=roles, scopes=scopes)


@pytest.mark.parametrize(
    ("role", "action", "allowed"),
    [
        ("viewer", "workload.view", True),
        ("viewer", "workload.submit", False),
        ("developer", "workload.submit", True),
        ("developer", "workload.stop", False),
        ("developer", "robot.manage", False),
        ("group_admin", "workload.stop", True),
        ("group_admin", "robot.manage", True),
        ("group_admin", "member.manage", True),
        ("group_admin", "audit.view", True),
        ("developer", "audit.view", False),
        ("developer", "member.manage", False),
        ("group_admin", "group.manage", False),
        ("group_admin", "workload.open", False),
        ("group_admin", "quota.edit", False),
        ("group_admin", "node.manage", False),
    ],
)
def test_roles_in_a_group(role: str, action: str, allowed: bool) -> None:
    assert policies.can(a_caller(role), action, GROUP) is allowed
    assert policies.can(a_caller(role), action, OTHER) is False


@pytest.mark.parametrize(
    ("caller", "action", "allowed"),
    [
        (a_caller(), "token.manage", True),
        (a_caller(), "workload.submit", False),
        (a_caller(), "workload.stop", False),
        (a_caller("viewer"), "workload.stop", False),
        (a_caller("viewer"), "quota.edit", False),
        (a_caller("developer"), "workload.submit", True),
        (a_caller("developer"), "workload.open", True),
        (a_caller("developer"), "member.manage", False),
        (a_caller("group_admin"), "member.manage", True),
        (a_caller("group_admin"), "quota.edit", False),
        (a_caller(platform="auditor"), "workload.stop", True),
        (a_caller(platform="auditor"), "workload.submit", False),
        (a_caller(platform="platform_admin"), "quota.edit", True),
        (Actor.system("sweep"), "quota.edit", True),
    ],
)
def test_a_role_for_an_action_anywhere(caller: Actor, action: str, allowed: bool) -> None:
    """An owner may stop and open its own work, so these count for everyone who can have some."""
    assert policies.has_role_anywhere(caller, action) is allowed


@pytest.mark.parametrize(
    ("platform", "action", "allowed"),
    [
        ("auditor", "workload.view", True),
        ("auditor", "workload.stop", False),
        ("operator", "node.manage", True),
        ("operator", "pool.manage", True),
        ("auditor", "pool.manage", False),
        ("operator", "quota.edit", False),
        ("auditor", "audit.view", True),
        ("operator", "audit.view", False),
        ("operator", "user.manage", False),
        ("platform_admin", "user.manage", True),
        ("platform_admin", "quota.edit", True),
        ("platform_admin", "workload.open", False),
    ],
)
def test_roles_over_the_platform(platform: str, action: str, allowed: bool) -> None:
    assert policies.can(a_caller(platform=platform), action, OTHER) is allowed


def test_owners_stop_and_open_their_own_work_while_they_work_in_the_group() -> None:
    for action in ("workload.stop", "workload.open"):
        assert policies.can(a_caller("developer"), action, GROUP, owner_id=ME)
        assert not policies.can(a_caller("developer"), action, GROUP, owner_id=OTHER)
        assert not policies.can(a_caller("viewer"), action, GROUP, owner_id=ME)
        assert not policies.can(a_caller(), action, GROUP, owner_id=ME)


def test_scopes_only_narrow() -> None:
    reader = a_caller("group_admin", scopes=frozenset({"workload.view", "quota.edit"}))
    assert policies.can(reader, "workload.view", GROUP)
    assert not policies.can(reader, "workload.stop", GROUP)
    assert not policies.can(reader, "quota.edit", GROUP)


def test_refusal_hides_what_the_caller_may_not_see() -> None:
    with pytest.raises(NotFoundError):
        policies.require(a_caller("developer"), "workload.view", OTHER, what="workload")
    with pytest.raises(DeniedError, match="denied"):
        policies.require(a_caller("developer"), "robot.manage", GROUP)
    with pytest.raises(DeniedError, match="scope_missing"):
        policies.require(
            a_caller("developer", scopes=frozenset({"me.view"})), "workload.view", GROUP
        )


def test_visible_groups_have_no_border_for_platform_roles() -> None:
    assert policies.visible_group_ids(a_caller("viewer")) == frozenset({GROUP})
    assert policies.visible_group_ids(a_caller()) == frozenset()
    assert policies.visible_group_ids(a_caller(platform="auditor")) is None
    assert policies.visible_group_ids(Actor.system("test")) is None
