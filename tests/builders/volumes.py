"""Volumes of people and groups."""

from itertools import count
from typing import Any

from portal.identity.models import User
from portal.tenancy.models import Group
from portal.volumes.models import HOME_NAME, Volume

_numbers = count(1)


def a_home(owner: User, **columns: Any) -> Volume:
    """Save the home of a user."""
    return Volume.objects.create(
        **{"kind": Volume.Kind.HOME, "owner": owner, "name": HOME_NAME, **columns}
    )


def a_group_volume(group: Group, name: str = "", **columns: Any) -> Volume:
    """Save a volume of a group."""
    chosen = name or f"volume-{next(_numbers)}"
    return Volume.objects.create(
        **{"kind": Volume.Kind.GROUP, "group": group, "name": chosen, **columns}
    )
