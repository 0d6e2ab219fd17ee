"""The way to a provider of OpenID Connect and back: two addresses for browsers."""

from typing import Final

from allauth.account.internal.stagekit import get_pending_stage
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.base import AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.views import callback as library_callback
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.http import require_GET
from requests import RequestException
from rest_framework.exceptions import Throttled

from portal.common.rest.problems import build_response, to_problem
from portal.identity import sign_in_attempts

STEPS_MAX: Final = 120
"""Steps of sign-in by providers, a minute and address or known browser, there and back counted apart."""


@require_GET
def start(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    """Send the browser to a provider; `next` is a path of ours to which it returns."""
    refused = _within(request, "provider_start")
    if refused is not None:
        return refused
    try:
        provider = get_adapter().get_provider(request, provider_id)
    except SocialApp.DoesNotExist:
        raise Http404 from None
    try:
        found: HttpResponseBase = provider.redirect(
            request, AuthProcess.LOGIN, next_url=_own_path(request), headless=True
        )
    except (OAuth2Error, RequestException) as error:
        found = render_authentication_error(request, provider, exception=error)
    return found


@require_GET
def callback(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    """Take the answer of a provider, open a session, and send the browser on."""
    refused = _within(request, "provider_callback")
    if refused is not None:
        return refused
    found: HttpResponseBase = library_callback(request, provider_id)
    if request.user.is_authenticated or get_pending_stage(request) is None:
        return found
    # The page asks for the second factor, which this account has enrolled here.
    onward = {"second": "true", "next": found.get("Location", "/")}
    return HttpResponseRedirect(f"/sign-in?{urlencode(onward)}")


def _within(request: HttpRequest, step: str) -> HttpResponse | None:
    try:
        sign_in_attempts.require_within(request, step, STEPS_MAX)
    except Throttled as error:
        problem = to_problem(error)
        return None if problem is None else build_response(request, problem)
    return None


def _own_path(request: HttpRequest) -> str:
    path = request.GET.get("next", "/")
    is_own = path.startswith("/") and url_has_allowed_host_and_scheme(path, allowed_hosts=None)
    return path if is_own else "/"
