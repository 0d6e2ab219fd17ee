"""Authorization: one table of actions by role; everything not in it is refused."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, NotFoundError

A = Action
EVERY_USER: Final = frozenset(
    {
        *(A.ME_VIEW, A.ME_EDIT, A.GROUP_VIEW, A.POOL_VIEW, A.NODE_VIEW, A.IMAGE_VIEW),
        *(A.DATASET_VIEW, A.TOKEN_MANAGE, A.SECRETS_VIEW, A.SECRETS_MANAGE, A.REQUEST_VIEW),
        *(A.RESERVATION_VIEW, A.VOLUME_VIEW, A.VOLUME_READ, A.VOLUME_WRITE, A.USAGE_VIEW),
        *(A.TEMPLATE_VIEW, A.TEMPLATE_MANAGE, A.IMAGE_SAVE),
        *(A.ALARM_VIEW, A.ALARM_ACKNOWLEDGE, A.SHARE_OPEN),
    }
)
"""Actions of every signed-in caller; lists still show only what the caller may see."""

_VIEWER: Final = frozenset({A.GROUP_VIEW, A.QUOTA_VIEW, A.WORKLOAD_VIEW, A.VOLUME_VIEW})
_DEVELOPER: Final = _VIEWER | {A.WORKLOAD_SUBMIT, A.SECRETS_VIEW, A.REQUEST_MAKE}
_GROUP_ADMIN: Final = _DEVELOPER | {
    *(A.WORKLOAD_STOP, A.ROBOT_MANAGE, A.MEMBER_MANAGE, A.MEMBER_LIMIT_EDIT),
    *(A.REQUEST_DECIDE, A.AUDIT_VIEW, A.SECRETS_MANAGE, A.VOLUME_MANAGE, A.USAGE_VIEW),
    *(A.TEMPLATE_MANAGE, A.IMAGE_SAVE, A.DATASET_MANAGE, A.SUBMISSION_RULES_EDIT),
    *(A.RESERVATION_EDIT, A.BUDGET_EDIT, A.WORKLOAD_ORDER, A.ALARM_MANAGE, A.STUDY_MANAGE),
}
BY_GROUP_ROLE: Final[Mapping[str, frozenset[Action]]] = {
    "": frozenset(),
    "viewer": _VIEWER,
    "developer": _DEVELOPER,
    "group_admin": _GROUP_ADMIN,
}

_WORKING_ROLES: Final = frozenset({"developer", "group_admin"})
_STRENGTH: Final = {"viewer": 0, "developer": 1, "group_admin": 2}

_AUDITOR: Final = _VIEWER | {A.AUDIT_VIEW, A.SITE_VIEW, A.USAGE_VIEW}
_OPERATOR: Final = _VIEWER | {
    *(A.NODE_MANAGE, A.POOL_MANAGE, A.WORKLOAD_STOP, A.SITE_VIEW, A.RESERVATION_EDIT),
    *(A.USAGE_VIEW, A.ALARM_SILENCE, A.WORKLOAD_ORDER, A.STUDY_MANAGE),
}
_PLATFORM_ADMIN: Final = frozenset(Action) - {A.WORKLOAD_OPEN, A.VOLUME_READ, A.VOLUME_WRITE}
BY_PLATFORM_ROLE: Final[Mapping[str, frozenset[Action]]] = {
    "": frozenset(),
    "auditor": _AUDITOR,
    "operator": _OPERATOR,
    "platform_admin": _PLATFORM_ADMIN,
}

OWNER: Final = frozenset({A.WORKLOAD_VIEW, A.WORKLOAD_STOP, A.WORKLOAD_OPEN})
"""Actions of the owner of a workload who is still a developer of its group."""


def can(actor: Actor, action: str, group_id: UUID | None, *, owner_id: UUID | None = None) -> bool:
    """Return whether the actor may do this to the group, or to an object of it owned by `owner_id`.

    Without a group only rights over the whole platform count.
    """
    if actor.kind != "system" and not actor.has_scope(action):
        return False
    return has_role_for(actor, action, group_id, owner_id=owner_id)


def has_role_for(
    actor: Actor, action: str, group_id: UUID | None = None, *, owner_id: UUID | None = None
) -> bool:
    """Return the same for the actor's roles alone, whatever the scopes of its credential.

    Selectors ask this: a view checks scopes once, for the action that it declares.
    """
    wanted = Action(action)
    if actor.kind == "system" or wanted in BY_PLATFORM_ROLE[actor.platform_role]:
        return True
    if group_id is None:
        return wanted in EVERY_USER
    role = actor.roles.get(group_id, "")
    works_here = actor.platform_role or role in _WORKING_ROLES
    if works_here and owner_id == actor.user_id and wanted in OWNER:
        return True
    return wanted in BY_GROUP_ROLE[role]


def may_be_let_in(actor: Actor, group_id: UUID, *, is_full: bool) -> bool:
    """Return whether an owner of work of the group may let the actor into it: viewers only read.

    Roles over the whole platform do not count: their holders are no colleagues.
    """
    role = actor.roles.get(group_id, "")
    return role in (_WORKING_ROLES if is_full else _STRENGTH)


def has_role_anywhere(actor: Actor, action: str) -> bool:
    """Return whether the actor's roles allow this for any object, of its own or of a group."""
    works = actor.platform_role or not _WORKING_ROLES.isdisjoint(actor.roles.values())
    if works and Action(action) in OWNER:
        return True
    return any(has_role_for(actor, action, group_id) for group_id in (None, *actor.roles))


def require(
    actor: Actor,
    action: str,
    group_id: UUID | None,
    *,
    owner_id: UUID | None = None,
    what: str = "group",
) -> None:
    """Raise unless the actor may do this.

    Raises:
        NotFoundError: the actor may not even see the group; `what` names the object.
        DeniedError: the actor may see it but not do this to it.
    """
    if can(actor, action, group_id, owner_id=owner_id):
        return
    if group_id is not None and not can_see_group(actor, group_id):
        raise NotFoundError(what)
    if not actor.has_scope(action):
        raise DeniedError("scope_missing", group_id=group_id, action=str(action))
    raise DeniedError("denied", group_id=group_id, action=str(action))


def can_see_everything(actor: Actor) -> bool:
    """Return whether the actor sees the objects of every tenant."""
    return actor.kind == "system" or bool(actor.platform_role)


def visible_group_ids(actor: Actor) -> frozenset[UUID] | None:
    """Return the groups whose work and quotas the actor may see; None is all of them."""
    return None if can_see_everything(actor) else frozenset(actor.roles)


def strongest_role(*roles: str) -> str:
    """Return the role that allows the most; no role is the empty text."""
    return max(roles, key=lambda role: _STRENGTH.get(role, -1))


def can_see_group(actor: Actor, group_id: UUID) -> bool:
    """Return whether the group exists for the actor."""
    return can_see_everything(actor) or group_id in actor.roles
