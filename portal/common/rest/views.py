"""Bases of REST views, which declare the required action per method."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpRequest
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from typing_extensions import override

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.etags import PreconditionError, read_if_match, tag_answer


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
    versioned: ClassVar[tuple[str, ...]] = ()
    """Methods that save only what the caller has read, by `version` in the body or `If-Match`."""

    @override
    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse a write that is conditional on what cannot be compared."""
        super().initial(request, *args, **kwargs)
        if request.method in SAFE_METHODS or request.method in self.versioned:
            return
        if read_if_match(request) is not None:
            raise PreconditionError("if_match_unsupported")

    @override
    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """Tag the answer, and let go of its rows once they are written.

        The framework's view, request and response refer to each other, so that the rows of each answer would
        stay until a garbage collection: 30 ms of every fifteenth list of nodes.
        """
        found = super().finalize_response(request, response, *args, **kwargs)
        if isinstance(found, Response):  # and no file, or answer that was written before
            found.add_post_render_callback(_let_go)
            tag_answer(request, found)
        return found


def _let_go(response: Response) -> None:
    response.data = None


class PublicView(APIView):
    """A view without authentication; credentials are ignored."""

    authentication_classes = ()
    permission_classes = ()
