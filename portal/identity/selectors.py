"""Reads of users."""

from uuid import UUID

from portal.common.errors import NotFoundError
from portal.identity.models import User


def user_for_system(user_id: UUID | None) -> User:
    """Return one user, whoever asks."""
    user = User.objects.filter(pk=user_id).first() if user_id else None
    if user is None:
        raise NotFoundError("user")
    return user
