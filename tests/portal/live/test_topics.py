"""Who may listen to what, and who a caller is, on real rows."""

from typing import Any

import pytest
from pytest_django import Settings

from portal.common.clock import now
from portal.common.errors import NotFoundError
from portal.common.notifications import LISTED
from portal.identity.services import revoke_token
from portal.live.authentication import RequestCredentials, authenticate
from portal.live.topics import authorize_subscription, get_newest_seq, parse_topic
from portal.tenancy.models import Membership
from portal.workloads.models import WorkloadEvent
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member, a_token, a_user, an_actor
from tests.builders.volumes import a_group_volume, a_home
from tests.builders.workloads import a_workload
from tests.rest import browser

pytestmark = pytest.mark.django_db


def may_follow(user: Any, topic: str) -> bool:
    try:
        authorize_subscription(an_actor(user), topic)
    except NotFoundError:
        return False
    return True


def test_only_members_follow_their_groups_work() -> None:
    group, pool = a_group(), a_pool()
    owner, colleague, stranger = a_member(group), a_member(group, "viewer"), a_member(a_group())
    auditor = a_user(role="auditor")
    work = a_workload(owner, group, pool)
    names = ("workload:{}", "log:{}:0", "metrics:{}")
    work_topics = [name.format(work.pk) for name in names]
    for topic in (*work_topics, f"group:{group.pk}"):
        heard_by = [may_follow(user, topic) for user in (owner, colleague, auditor, stranger)]
        assert heard_by == [True, True, True, False], topic


def test_a_users_list_is_followed_by_that_user_only() -> None:
    user, admin = a_user(), a_user(role="platform_admin")
    for kind in ("user", "rights"):
        assert may_follow(user, f"{kind}:{user.pk}")
        assert not may_follow(admin, f"{kind}:{user.pk}")


def test_every_user_follows_pools_and_nodes_that_exist() -> None:
    user, pool = a_user(), a_pool()
    assert may_follow(user, f"pool:{pool.pk}")
    assert may_follow(user, "nodes")
    assert not may_follow(user, f"pool:{user.pk}")


def test_a_list_is_followed_by_those_who_may_ask_for_it() -> None:
    user, viewer = a_user(), a_member(a_group(), "viewer")
    auditor, admin = a_user(role="auditor"), a_user(role="platform_admin")
    for kind in LISTED:
        heard_by = [may_follow(one, f"changed:{kind}") for one in (user, viewer, auditor, admin)]
        of_staff = kind in {"user", "directory", "study", "site", "audit"}
        of_auditors = kind in {"site", "audit"} or not of_staff
        assert heard_by == [not of_staff, not of_staff, of_auditors, True], kind
    assert not may_follow(admin, "changed:session")
    assert may_follow(a_member(a_group(), "group_admin"), "changed:study")


def test_folders_are_followed_by_those_who_read_their_files() -> None:
    parent = a_group()
    group = a_group(parent=parent)
    volume = a_group_volume(parent)
    reader, stranger = a_member(group, "viewer"), a_member(a_group())
    auditor, home = a_user(role="auditor"), a_home(reader)
    for name in (f"files:{volume.pk}:", f"files:{volume.pk}:run%201/深"):
        assert [may_follow(user, name) for user in (reader, stranger, auditor)] == [
            *(True, False, False)
        ]
    assert may_follow(reader, f"files:{home.pk}:")
    assert not may_follow(auditor, f"files:{home.pk}:")
    for path in ("..", "a//b", ".berth/uploads", "a b"):
        assert not may_follow(reader, f"files:{volume.pk}:{path}")


def test_a_folder_is_followed_until_the_membership_ends() -> None:
    group = a_group()
    reader, volume = a_member(group), a_group_volume(group)
    audience = authorize_subscription(an_actor(reader), f"files:{volume.pk}:").audience
    assert audience.includes(an_actor(reader))
    Membership.objects.filter(user=reader).delete()
    assert not audience.includes(an_actor(reader))


def test_there_is_no_log_beyond_the_last_rank() -> None:
    group = a_group()
    owner = a_member(group)
    work = a_workload(owner, group, a_pool(), replicas=2)
    assert may_follow(owner, f"log:{work.pk}:1")
    assert not may_follow(owner, f"log:{work.pk}:2")


def test_the_newest_event_of_each_kind_of_topic_counts() -> None:
    group, pool = a_group(), a_pool()
    owner = a_member(group)
    first, second = a_workload(owner, group, pool), a_workload(owner, group, pool)
    ids = [_an_event(work) for work in (first, second, first)]
    assert _seq(f"workload:{first.pk}") == ids[2]
    assert _seq(f"workload:{second.pk}") == ids[1]
    assert (
        _seq(f"user:{owner.pk}") == _seq(f"group:{group.pk}") == _seq(f"pool:{pool.pk}") == ids[2]
    )
    assert _seq("nodes") == 0


def _seq(name: str) -> int:
    topic = parse_topic(name)
    assert topic is not None
    return get_newest_seq(topic)


def _an_event(work: Any) -> int:
    return WorkloadEvent.objects.create(
        workload=work,
        owner_id=work.owner_id,
        group_id=work.group_id,
        pool_id=work.pool_id,
        at=now(),
        to_state="queued",
        epoch=0,
        actor_kind="system",
    ).pk


def test_a_session_is_its_user_until_it_ends(settings: Settings) -> None:
    user = a_member(a_group())
    client = browser(user)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    actor = authenticate(RequestCredentials(session_key=key))
    assert actor is not None
    assert (actor.user_id, actor.session_key) == (user.pk, key)
    assert set(actor.roles.values()) == {"developer"}
    Membership.objects.filter(user=user).delete()
    again = authenticate(RequestCredentials(session_key=key))
    assert again is not None
    assert not again.roles
    client.logout()
    assert authenticate(RequestCredentials(session_key=key)) is None


@pytest.mark.parametrize("change", [{"is_active": False}, {"password": "another"}])
def test_a_session_ends_with_the_account_and_the_password(
    change: dict[str, Any], settings: Settings
) -> None:
    user = a_user()
    key = browser(user).cookies[settings.SESSION_COOKIE_NAME].value
    for name, value in change.items():
        setattr(user, name, value)
    user.save()
    assert authenticate(RequestCredentials(session_key=key)) is None


def test_a_token_is_its_user_until_it_is_revoked() -> None:
    user = a_user()
    secret = str(a_token(user, "workload.view"))
    actor = authenticate(RequestCredentials(bearer=secret))
    assert actor is not None
    assert actor.scopes == frozenset({"workload.view"})
    revoke_token(actor=an_actor(user), token_id=user.tokens.get().pk)
    assert authenticate(RequestCredentials(bearer=secret)) is None


@pytest.mark.parametrize("key", ["", "x", "0" * 40, "\x00", "' or 1=1 --"])
def test_nonsense_authenticates_nobody(key: str) -> None:
    assert authenticate(RequestCredentials(session_key=key)) is None
    assert authenticate(RequestCredentials(bearer=key)) is None
