"""The rows that a submission names, by id or by name; written out, because every submission asks them."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import Model

from portal.catalog.models import Image
from portal.common.model_rows import ModelRows
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.tenancy.models import Group

M = TypeVar("M", bound=Model)

_ROWS: Final[Mapping[type[Model], ModelRows[Any]]] = {
    model: ModelRows(model, "named") for model in (Group, Pool, Image)
}
_SELECT: Final[Mapping[type[Model], str]] = {
    Group: _ROWS[Group].fill("SELECT {named} FROM tenancy_group named WHERE "),
    Pool: _ROWS[Pool].fill("SELECT {named} FROM inventory_pool named WHERE "),
    Image: _ROWS[Image].fill("SELECT {named} FROM catalog_image named WHERE is_active AND "),
}
_HAS_CHILDREN: Final = "SELECT EXISTS (SELECT FROM tenancy_group WHERE parent_id = %s)"
_SERVING: Final = f"{_SELECT[Pool]}purpose = %s ORDER BY is_open DESC, name LIMIT 1"
_SHARED: Final = " FOR SHARE"
_OWNERS: Final = ModelRows(User, "owner")
_LOCK_CLASS: Final = 0x5355424D
"""Name space of the advisory locks below: the letters SUBM."""
_LOCK_OWNER: Final = _OWNERS.fill(
    "SELECT {owner} FROM pg_advisory_xact_lock(%s, hashtext(%s)) AS held, identity_user owner"
    " WHERE owner.id = %s"
)
_SHARE_OWNER: Final = _LOCK_OWNER.replace("xact_lock", "xact_lock_shared")
_COUNT_QUEUED: Final = """
SELECT count(*), current_setting('max_connections')::int
FROM workloads_workload WHERE owner_id = %s AND group_id = %s AND state = 'queued'
"""


def find_named(model: type[M], reference: str, *, is_locked: bool = False) -> M | None:
    """Return the group, pool or active image of this id or name, if asked for with a shared lock.

    Submissions share the lock: they wait only for a change by an operator that has begun.
    """
    column, value = _id_or_name(reference)
    statement = f"{_SELECT[model]}named.{column} = %s{_SHARED if is_locked else ''}"
    return next(iter(_ROWS[model].fetch(statement, [value])), None)


def find_serving_pool(purpose: str, *, is_locked: bool) -> Pool | None:
    """Return the first pool for such work, an open one if there is any."""
    statement = f"{_SERVING}{_SHARED if is_locked else ''}"
    return next(iter(_ROWS[Pool].fetch(statement, [purpose])), None)


def has_children(group_id: UUID) -> bool:
    """Return whether a group has groups below it; a lock of it comes first, in a statement of its own."""
    with connection.cursor() as cursor:
        cursor.execute(_HAS_CHILDREN, [group_id])
        return bool(cursor.fetchone()[0])


def lock_owner(user_id: UUID, *, is_shared: bool) -> User:
    """Return the user whose submissions wait for this one, until its transaction ends.

    Those that share the lock do not wait for each other. It is an advisory lock, not one of the row:
    its waiters go in turn, so that one alone is not passed for ever by those that share.
    """
    statement = _SHARE_OWNER if is_shared else _LOCK_OWNER
    (owner,) = _OWNERS.fetch(statement, [_LOCK_CLASS, str(user_id), user_id])
    return owner


def count_queued(user_id: UUID, group_id: UUID) -> tuple[int, int]:
    """Return how much work of a user is queued in a group, and how many sessions PostgreSQL has at most."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_QUEUED, [user_id, group_id])
        queued, sessions = cursor.fetchone()
    return int(queued), int(sessions)


def _id_or_name(reference: str) -> tuple[str, UUID | str]:
    try:
        return "id", UUID(reference)
    except ValueError:
        return "name", reference
