"""Volumes are made, changed, put into the trash and restored by those who may; each act is audited."""

import pytest

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.errors import ConflictError, DeniedError, ExhaustedError, InvalidError
from portal.common.site_config import get_site_config
from portal.tenancy.models import Group
from portal.volumes.models import Volume
from portal.volumes.services import (
    VOLUMES_PER_GROUP_MAX,
    change_volume,
    create_volume,
    ensure_home,
    restore_volume,
    trash_volume,
)
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.volumes import a_group_volume, a_home

pytestmark = pytest.mark.django_db


def an_admin(group: Group) -> Actor:
    return an_actor(a_member(group, "group_admin"))


def test_a_home_is_made_once_on_first_use() -> None:
    actor = an_actor(a_user())

    home = ensure_home(actor=actor, site=get_site_config())

    assert (home.name, home.quota_mib) == ("home", get_site_config().home_mib)
    assert ensure_home(actor=actor, site=get_site_config()) == home


def test_group_admins_make_change_trash_and_restore_and_each_act_is_audited() -> None:
    group, site = a_group(), get_site_config()
    admin = an_admin(group)
    columns = {"name": "shared", "quota_mib": 10}

    volume = create_volume(actor=admin, group_id=group.pk, columns=columns, site=site)
    change_volume(actor=admin, volume_id=volume.pk, columns={"quota_mib": 20}, site=site)
    trashed = trash_volume(actor=admin, volume_id=volume.pk)
    assert (trashed.state, trashed.trashed_at is None) == ("trashed", False)
    with pytest.raises(ConflictError, match="volume_in_trash"):
        trash_volume(actor=admin, volume_id=volume.pk)
    restored = restore_volume(actor=admin, volume_id=volume.pk)
    with pytest.raises(ConflictError, match="volume_not_in_trash"):
        restore_volume(actor=admin, volume_id=volume.pk)

    assert (restored.state, restored.quota_mib) == ("active", 20)
    events = AuditEvent.objects.filter(object_id=str(volume.pk)).order_by("pk")
    assert [event.action for event in events] == [
        *("volume.create", "volume.change", "volume.trash", "volume.restore"),
    ]
    assert events[1].params["quota_mib"] == 20


def test_developers_make_none() -> None:
    group = a_group()

    with pytest.raises(DeniedError):
        create_volume(
            actor=an_actor(a_member(group)),
            group_id=group.pk,
            columns={"name": "mine", "quota_mib": 1},
            site=get_site_config(),
        )


def test_names_are_unique_in_a_group_while_in_use() -> None:
    group, site = a_group(), get_site_config()
    admin, columns = an_admin(group), {"name": "shared", "quota_mib": 1}
    first = create_volume(actor=admin, group_id=group.pk, columns=columns, site=site)

    with pytest.raises(ConflictError, match="volume_name_taken"):
        create_volume(actor=admin, group_id=group.pk, columns=columns, site=site)
    trash_volume(actor=admin, volume_id=first.pk)
    create_volume(actor=admin, group_id=group.pk, columns=columns, site=site)
    with pytest.raises(ConflictError, match="volume_name_taken"):
        restore_volume(actor=admin, volume_id=first.pk)


@pytest.mark.parametrize("quota_mib", [0, 2**30])
def test_only_platform_admins_give_very_large_quotas(quota_mib: int) -> None:
    group, site = a_group(), get_site_config()
    volume, columns = a_group_volume(group), {"quota_mib": quota_mib}

    with pytest.raises(InvalidError, match="volume_quota"):
        change_volume(actor=an_admin(group), volume_id=volume.pk, columns=columns, site=site)
    boss = an_actor(a_user(role="platform_admin"))
    change_volume(actor=boss, volume_id=volume.pk, columns=columns, site=site)

    assert Volume.objects.get(pk=volume.pk).quota_mib == quota_mib


def test_a_group_has_a_limit_of_volumes() -> None:
    group = a_group()
    for _ in range(VOLUMES_PER_GROUP_MAX):
        a_group_volume(group)

    with pytest.raises(ExhaustedError, match="too_many_volumes"):
        create_volume(
            actor=an_admin(group),
            group_id=group.pk,
            columns={"name": "another", "quota_mib": 1},
            site=get_site_config(),
        )


def test_the_home_of_somebody_is_restored_with_its_files_unless_there_is_a_new_one() -> None:
    owner, boss = a_user(), an_actor(a_user(role="platform_admin"))
    home = a_home(owner)
    trash_volume(actor=boss, volume_id=home.pk)
    a_home(owner)

    with pytest.raises(ConflictError, match="volume_name_taken"):
        restore_volume(actor=boss, volume_id=home.pk)
