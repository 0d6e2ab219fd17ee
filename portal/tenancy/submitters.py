"""Which owners may still submit to the groups of their work, asked of many at once.

`portal.tenancy.policies` says which roles may; this asks the database who has one of them now.
"""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from django.db import connection

from portal.common.actions import Action
from portal.common.postgresql.arrays import format_array
from portal.tenancy.policies import BY_GROUP_ROLE, BY_PLATFORM_ROLE

Owner = tuple[str, str]
"""A user and the group that has the work."""

_SUBMITTING: Final = {
    "group_roles": [role for role, may in BY_GROUP_ROLE.items() if Action.WORKLOAD_SUBMIT in may],
    "platform_roles": [
        role for role, may in BY_PLATFORM_ROLE.items() if Action.WORKLOAD_SUBMIT in may
    ],
}
_WITHOUT_RIGHT: Final = """
WITH RECURSIVE above AS (
    SELECT id AS leaf, id, parent_id FROM tenancy_group WHERE id = ANY(%(groups)s::uuid[])
    UNION ALL
    SELECT above.leaf, upper.id, upper.parent_id
    FROM above JOIN tenancy_group upper ON upper.id = above.parent_id
)
SELECT asked.owner::text, asked.leaf::text
FROM unnest(%(users)s::uuid[], %(leaves)s::uuid[]) AS asked (owner, leaf)
JOIN identity_user person ON person.id = asked.owner
WHERE NOT person.is_active OR NOT (
    person.platform_role = ANY(%(platform_roles)s) OR EXISTS (
        SELECT FROM tenancy_membership held JOIN above ON above.id = held.group_id
        WHERE held.user_id = asked.owner AND above.leaf = asked.leaf
            AND held.role = ANY(%(group_roles)s)
    )
)
"""
_SHARE_MEMBERSHIPS: Final = """
SELECT held.id FROM tenancy_membership held
WHERE held.user_id = ANY(%s::uuid[]) ORDER BY held.id FOR SHARE
"""
_SHARE_USERS: Final = """
SELECT person.id FROM identity_user person
WHERE person.id = ANY(%s::uuid[]) ORDER BY person.id FOR SHARE
"""


def find_without_right(owners: Collection[Owner]) -> frozenset[Owner]:
    """Return those of these owners who may not submit to the group any more (one query)."""
    if not owners:
        return frozenset()
    users, groups = zip(*owners, strict=True)
    asked = {
        "users": format_array(users),
        "leaves": format_array(groups),
        "groups": format_array(set(groups)),
    }
    with connection.cursor() as cursor:
        cursor.execute(_WITHOUT_RIGHT, {**asked, **_SUBMITTING})
        return frozenset(cursor.fetchall())


def share_memberships(users: Collection[UUID]) -> None:
    """Keep the roles of these users in groups until the transaction ends; before any workload is locked."""
    _share(_SHARE_MEMBERSHIPS, users)


def share_users(users: Collection[UUID]) -> None:
    """Keep whether these users are active, and their platform roles, until the transaction ends."""
    _share(_SHARE_USERS, users)


def _share(statement: str, users: Collection[UUID]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [format_array(users)])
