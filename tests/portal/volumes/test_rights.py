"""Who reads and who writes the files of a volume, by role and by where in the tree of groups."""

from uuid import UUID

import pytest

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DeniedError, NotFoundError
from portal.tenancy.models import Group
from portal.tenancy.selectors import paths_for_system
from portal.volumes.models import Volume
from portal.volumes.policies import VolumeAccess, access_of_work
from portal.volumes.selectors import (
    rights_of,
    volume_for_manager,
    volume_for_reader,
    volume_for_writer,
    volumes_visible_to,
)
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.volumes import a_group_volume, a_home

pytestmark = pytest.mark.django_db
NONE, READ, WRITE = VolumeAccess


@pytest.mark.parametrize(
    ("writers", "role", "access"),
    [
        ("developer", "viewer", READ),
        ("developer", "developer", WRITE),
        ("developer", "group_admin", WRITE),
        ("group_admin", "developer", READ),
        ("group_admin", "group_admin", WRITE),
        ("nobody", "group_admin", READ),
    ],
)
def test_members_write_if_their_role_suffices(writers: str, role: str, access: int) -> None:
    group = a_group()
    volume = a_group_volume(group, writers=writers)

    assert rights_of(an_actor(a_member(group, role))).access_to(volume) == access


@pytest.mark.parametrize(("is_writable_below", "access"), [(False, READ), (True, WRITE)])
def test_groups_below_read_and_write_only_where_that_is_said(
    is_writable_below: bool, access: int
) -> None:
    top = a_group()
    volume = a_group_volume(top, is_writable_below=is_writable_below)
    member = an_actor(a_member(a_group(parent=top)))

    assert rights_of(member).access_to(volume) == access
    assert list(volumes_visible_to(member)) == [volume]


def test_a_role_above_the_group_counts_in_it() -> None:
    top = a_group()
    volume = a_group_volume(a_group(parent=top), writers="group_admin")

    assert rights_of(an_actor(a_member(top, "group_admin"))).access_to(volume) == WRITE


def test_volumes_of_other_groups_and_homes_of_others_do_not_exist() -> None:
    group = a_group()
    stranger = an_actor(a_member(a_group()))
    for volume in (a_group_volume(group), a_home(a_member(group))):
        assert rights_of(stranger).access_to(volume) == NONE
        for find in (volume_for_reader, volume_for_writer, volume_for_manager):
            with pytest.raises(NotFoundError):
                find(stranger, volume.pk)


@pytest.mark.parametrize("role", ["platform_admin", "operator", "auditor"])
def test_platform_roles_see_volumes_and_not_their_files(role: str) -> None:
    group = a_group()
    volumes = [a_group_volume(group), a_home(a_member(group))]
    actor = an_actor(a_user(role=role))

    assert set(volumes_visible_to(actor)) == set(volumes)
    for volume in volumes:
        with pytest.raises(DeniedError):
            volume_for_reader(actor, volume.pk)


def test_a_home_is_managed_by_platform_admins_and_written_by_its_owner() -> None:
    owner = a_member(a_group(), "group_admin")
    home = a_home(owner)

    assert volume_for_writer(an_actor(owner), home.pk) == home
    with pytest.raises(DeniedError):
        volume_for_manager(an_actor(owner), home.pk)
    assert volume_for_manager(an_actor(a_user(role="platform_admin")), home.pk) == home


def test_files_in_the_trash_are_not_reached() -> None:
    group = a_group()
    volume = a_group_volume(group, state="trashed", trashed_at=now())
    admin = an_actor(a_member(group, "group_admin"))

    with pytest.raises(NotFoundError):
        volume_for_reader(admin, volume.pk)
    assert volume_for_manager(admin, volume.pk) == volume


def test_work_of_one_group_never_gets_volumes_of_another_group_of_its_owner() -> None:
    group, other = a_group(), a_group()
    owner = a_member(group)
    a_membership_too(owner.pk, other)
    volume = a_group_volume(other)
    actor = an_actor(owner)
    paths = paths_for_system()

    assert rights_of(actor).access_to(volume) == WRITE
    assert access_of_work(volume, owner.pk, actor.roles, paths[group.pk]) == NONE
    assert access_of_work(volume, owner.pk, actor.roles, paths[other.pk]) == WRITE


def test_work_of_a_home_s_owner_writes_it_in_every_group() -> None:
    owner = a_member(a_group())
    home = a_home(owner)
    path = (a_group().pk,)

    assert access_of_work(home, owner.pk, {}, path) == WRITE
    assert access_of_work(home, a_user().pk, {}, path) == NONE


def test_a_token_without_the_scope_reaches_no_files() -> None:
    owner = a_user()
    home = a_home(owner)
    narrow = Actor(user_id=owner.pk, kind="person", name="", scopes=frozenset({"volume.view"}))

    with pytest.raises(DeniedError, match="scope_missing"):
        volume_for_reader(narrow, home.pk)


def a_membership_too(user_id: UUID, group: Group) -> None:
    group.memberships.create(user_id=user_id, role="developer")


def test_a_volume_is_full_at_its_quota() -> None:
    sizes = [(10, None), (10, 9), (10, 10), (10, 11), (0, 11)]

    full = [Volume(quota_mib=quota, used_mib=used).is_full for quota, used in sizes]

    assert full == [False, False, True, True, False]
