"""Who acts through the account API of django-allauth, for the audit log."""

from django.http import HttpRequest

from portal.common.actor import Actor
from portal.common.middleware import get_request_id
from portal.identity.models import User


def actor_of(request: HttpRequest, user: User | None) -> Actor:
    """Return who acts through the account API: a person, or None before anyone is known."""
    return Actor(
        user_id=user.pk if user else None,
        kind="person",
        name=user.username if user else "",
        request_id=get_request_id(request),
        address=str(request.META["REMOTE_ADDR"]),
    )
