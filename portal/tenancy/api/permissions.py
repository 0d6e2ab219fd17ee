"""The permission of every view: an authenticated caller with a scope and a role for the action."""

from rest_framework.exceptions import MethodNotAllowed, NotAuthenticated
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from typing_extensions import override

from portal.common.actor import Actor
from portal.common.errors import DeniedError
from portal.tenancy import policies


class ActionIsAllowed(BasePermission):
    """Refuses anonymous callers, undeclared methods, tokens without the scope and missing roles.

    It runs before a body is read, so that only a caller who may do the action to some object sees
    faults of the input. Which object, the service decides later; reads show what is visible.
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
        if method not in SAFE_METHODS and not policies.has_role_anywhere(actor, action):
            raise DeniedError("denied", action=str(action))
        return True
