"""Writes of robots; every change is in the audit log."""

from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError
from portal.identity import services as identity
from portal.identity.models import User, UserKind
from portal.tenancy import policies
from portal.tenancy.models import Membership
from portal.tenancy.selectors import group_visible_to, robot_for_manager


@transaction.atomic
def create_robot(*, actor: Actor, group_id: UUID, name: str) -> User:
    """Create a service account that may submit work in one group, and nothing else."""
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.ROBOT_MANAGE, group.pk)
    robot = User(username=name, display_name=name, kind=UserKind.ROBOT)
    robot.set_unusable_password()
    try:
        with transaction.atomic():
            robot.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("name_taken", name=name, pointer="/name") from error
    Membership.objects.create(user=robot, group=group, role=Membership.Role.DEVELOPER)
    audit.record_event(
        actor=actor,
        action="robot.create",
        object_type="user",
        object_id=robot.pk,
        group_id=group.pk,
        params={"name": name},
    )
    return robot


@transaction.atomic
def set_robot_active(*, actor: Actor, robot_id: UUID, is_active: bool) -> User:
    """Deactivate a robot, or activate it again: without it its tokens are refused and its work does not start."""
    robot, group_id = robot_for_manager(actor, robot_id)
    robot.is_active = is_active
    identity.update_person(robot, ["is_active"])
    if not is_active:
        identity.end_access(actor=actor, user=robot)
    audit.record_event(
        actor=actor,
        action="robot.change",
        object_type="user",
        object_id=robot.pk,
        group_id=group_id,
        params={"name": robot.username, "is_active": is_active},
    )
    return robot
