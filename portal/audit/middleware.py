"""Every 403 of the web process becomes an audit event, wherever it was refused."""

from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase

from portal.audit.denials import Denial, record_denial
from portal.common.actor import Actor
from portal.common.middleware import Handler, get_request_id
from portal.common.rest.problems import Problem, get_problem

FORBIDDEN: Final = 403


class DenialAuditMiddleware:
    """Record refusals, with the action that the view requires and the object in its address."""

    def __init__(self, get_response: Handler) -> None:
        """Wrap the next handler."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request, and record the answer if it is a refusal."""
        response = self.get_response(request)
        if response.status_code == FORBIDDEN:
            record_denial(_describe(request))
        return response


def _describe(request: HttpRequest) -> Denial:
    problem = get_problem(request) or Problem(FORBIDDEN, "denied", {})
    action = _action(request, problem)
    object_type, object_id = _named_object(request)
    actor = _actor(request)
    return Denial(
        actor=actor,
        action=action,
        object_type=object_type or action.partition(".")[0],
        object_id=object_id,
        group_id=problem.group_id or _own_group(request, actor),
        code=problem.code,
    )


def _actor(request: HttpRequest) -> Actor:
    """Return the caller: of a REST request, else of the session, else nobody but an address."""
    known = request.META.get("berth.actor")
    if isinstance(known, Actor):
        return known
    user: Any = getattr(request, "user", None)
    is_known = bool(user and user.is_authenticated)
    return Actor(
        user_id=user.pk if is_known else None,
        kind="person",
        name=user.get_username() if is_known else "",
        request_id=get_request_id(request),
        address=str(request.META["REMOTE_ADDR"]),
    )


def _action(request: HttpRequest, problem: Problem) -> str:
    """Return the action that was refused, else the one that the view requires, else its name."""
    if isinstance(refused := problem.params.get("action"), str):
        return refused
    match = request.resolver_match
    view = getattr(match.func, "view_class", None) if match else None
    required = getattr(view, "required_actions", {}).get(request.method)
    if required is not None:
        return str(required)
    name = match.url_name if match and match.url_name else "request"
    return f"web.{name}"


def _own_group(request: HttpRequest, actor: Actor) -> UUID | None:
    """Return the group in the address if it is one of the caller's: a refusal may come before it is read."""
    arguments = request.resolver_match.kwargs if request.resolver_match else {}
    group = arguments.get("group_id")
    return group if group in actor.roles else None


def _named_object(request: HttpRequest) -> tuple[str, str]:
    """Return kind and id of what the address names last; empty when it names nothing."""
    arguments = request.resolver_match.kwargs if request.resolver_match else {}
    named = [(name, value) for name, value in arguments.items() if isinstance(value, UUID)]
    if not named:
        return "", ""
    name, value = named[-1]
    return name.removesuffix("_id"), str(value)
