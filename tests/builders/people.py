"""Users, groups and the actors that they become."""

from collections.abc import Mapping
from datetime import timedelta
from itertools import count

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.identity.models import User
from portal.identity.services import issue_token
from portal.tenancy.actors import load_actor
from portal.tenancy.models import Group, Membership

_numbers = count(1)
PASSWORD = "a-long-password-for-tests"


def a_user(username: str = "", *, role: str = "", can_sign_in: bool = False) -> User:
    """Save a person; `role` is a platform role."""
    name = username or f"user-{next(_numbers)}"
    user = User(username=name, display_name=name.title(), platform_role=role)
    if can_sign_in:
        user.set_password(PASSWORD)
    else:
        user.set_unusable_password()
    user.save()
    return user


def a_root() -> Group:
    """Return the organisation, saved on first use."""
    root, _ = Group.objects.get_or_create(
        parent=None, defaults={"name": "org", "title_en": "Org", "title_zh": "Org"}
    )
    return root


def a_group(
    name: str = "", *, parent: Group | None = None, members: Mapping[User, str] | None = None
) -> Group:
    """Save a group below `parent` (the organisation unless told otherwise) with its members."""
    chosen = name or f"group-{next(_numbers)}"
    group = Group.objects.create(
        name=chosen, title_en=chosen.title(), title_zh=chosen.title(), parent=parent or a_root()
    )
    for user, role in (members or {}).items():
        Membership.objects.create(user=user, group=group, role=role)
    return group


def a_member(group: Group, role: str = "developer", username: str = "") -> User:
    """Save a person who belongs to the group."""
    user = a_user(username)
    Membership.objects.create(user=user, group=group, role=role)
    return user


def an_actor(user: User) -> Actor:
    """Return the actor that a fresh request of this user would have."""
    return load_actor(user)


def a_token(user: User, *scopes: str) -> str:
    """Save an API token and return its secret; without scopes it may do all its user may."""
    issued = issue_token(
        actor=Actor.system("test"),
        user=user,
        name="test",
        scopes=scopes or tuple(Action),
        expires_in=timedelta(days=1),
    )
    return issued.secret
