"""The permission of every view: an authenticated caller with a scope for the declared action."""

from rest_framework.exceptions import MethodNotAllowed, NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from typing_extensions import override

from portal.common.actor import Actor
from portal.common.errors import DeniedError


class ActionIsAllowed(BasePermission):
    """Refuses anonymous callers, undeclared methods and tokens without the scope.

    What the caller may do to which group is decided later, by `portal.tenancy.policies`.
    """

    @override
    def has_permission(self, request: Request, view: object) -> bool:
        """Return True or raise the refusal."""
        actor = getattr(request, "actor", None)
        if not isinstance(actor, Actor):
            raise NotAuthenticated
        method = "GET" if request.method == "HEAD" else request.method
        action = getattr(view, "required_actions", {}).get(method)
        if action is None:
            raise MethodNotAllowed(str(request.method))
        if not actor.has_scope(action):
            raise DeniedError("scope_missing", action=str(action))
        return True
