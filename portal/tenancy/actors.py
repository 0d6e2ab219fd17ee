"""The actor that a user is at this moment, with the rights that the database holds now."""

from collections.abc import Mapping
from uuid import UUID

from django.db import connection

from portal.common.actor import Actor
from portal.identity.models import ApiToken, User, UserKind
from portal.tenancy.policies import strongest_role

_ROLES_WITH_DESCENDANTS = """
WITH RECURSIVE held AS (
    SELECT group_id, role FROM tenancy_membership WHERE user_id = %s
    UNION
    SELECT child.id, held.role FROM tenancy_group child JOIN held ON child.parent_id = held.group_id
)
SELECT group_id, role FROM held
"""


def load_actor(
    user: User,
    *,
    token: ApiToken | None = None,
    session_key: str = "",
    request_id: str = "",
    address: str = "",
) -> Actor:
    """Return the user as an actor with its present rights (one query)."""
    return Actor(
        user_id=user.pk,
        kind="robot" if user.kind == UserKind.ROBOT else "person",
        name=user.username,
        platform_role=user.platform_role,
        roles=load_roles(user.pk),
        scopes=None if token is None else frozenset(token.scopes),
        session_key=session_key,
        token_id=token.pk if token else None,
        request_id=request_id,
        address=address,
    )


def load_roles(user_id: UUID) -> Mapping[UUID, str]:
    """Return the strongest role of a user by group; a role also holds in all groups below."""
    with connection.cursor() as cursor:
        cursor.execute(_ROLES_WITH_DESCENDANTS, [user_id])
        rows = cursor.fetchall()
    roles: dict[UUID, str] = {}
    for group_id, role in rows:
        roles[group_id] = strongest_role(role, roles.get(group_id, ""))
    return roles
