"""Bases of REST views, which declare the required action per method."""

from collections.abc import Mapping
from typing import ClassVar

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.views import APIView

from portal.common.actions import Action
from portal.common.actor import Actor


def get_django_request(request: Request) -> HttpRequest:
    """Return Django's request, to which session and cookies belong, out of the framework's."""
    inner: HttpRequest = request._request  # noqa: SLF001 - the framework has no public name for it
    return inner


class ApiRequest(Request):
    """A request with an authenticated caller: authentication sets `actor`."""

    actor: Actor


class ApiView(APIView):
    """A view that allows only the methods whose action it declares.

    Example:
        class PoolList(ApiView):
            required_actions = {"GET": Action.POOL_VIEW}

            def get(self, request: ApiRequest) -> Response: ...
    """

    required_actions: ClassVar[Mapping[str, Action]] = {}
    is_paged: ClassVar[bool] = True
    """Whether its lists are paged; False for short lists that cannot grow."""
    refuses_questions: ClassVar[bool] = False
    """Whether a well-formed question to it can be refused (422), for what its answer would be."""


class PublicView(APIView):
    """A view without authentication; credentials are ignored."""

    authentication_classes = ()
    permission_classes = ()
