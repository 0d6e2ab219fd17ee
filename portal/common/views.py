"""Base of every REST view: it declares, per method, the action that it requires."""

from collections.abc import Mapping
from typing import ClassVar

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.views import APIView

from portal.common.actions import Action
from portal.common.actor import Actor


def plain(request: Request) -> HttpRequest:
    """Return Django's request inside the framework's; session and cookies belong to it."""
    inner: HttpRequest = request._request  # noqa: SLF001 - the framework has no public name for it
    return inner


class ApiRequest(Request):
    """A request whose caller is known: authentication sets `actor`."""

    actor: Actor


class ApiView(APIView):
    """A view that answers nothing it has not declared.

    Example:
        class PoolList(ApiView):
            required_actions = {"GET": Action.POOL_VIEW}

            def get(self, request: ApiRequest) -> Response: ...
    """

    required_actions: ClassVar[Mapping[str, Action]] = {}
    is_paged: ClassVar[bool] = True
    """Whether its lists come page by page; short ones that never grow say False."""


class PublicView(APIView):
    """A view for callers who need not sign in; it never sees credentials."""

    authentication_classes = ()
    permission_classes = ()
