"""Whose rules they are, as columns."""

from uuid import UUID

from portal.inventory.models import Pool
from portal.tenancy.models import Group

RulesOwner = Group | Pool


def columns_of(owner: RulesOwner) -> dict[str, UUID | None]:
    """Return the owner as columns of the rules."""
    if isinstance(owner, Group):
        return {"group_id": owner.pk, "pool_id": None}
    return {"group_id": None, "pool_id": owner.pk}
