"""Middleware of every request: request id, client address, log line, security headers."""

import re
import time
from collections.abc import Callable
from ipaddress import ip_address

import structlog
from django.http import HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from typing_extensions import override

from portal.common.ids import new_id
from portal.common.site_config import get_site_config

REQUEST_ID_HEADER = "X-Request-Id"
_ACCEPTABLE_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
_LOOPBACK = ("127.0.0.1", "::1", "")
_ADDRESS_LENGTH_MAX = 45
_LANGUAGE_TAGS = {"zh-hans": "zh-CN"}

logger = structlog.get_logger(__name__)
Handler = Callable[[HttpRequest], HttpResponseBase]


class RequestContextMiddleware:
    """Give the request an id, bind it to every log line, and log the answer once."""

    def __init__(self, get_response: Handler) -> None:
        """Wrap the next handler."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request with its id in the headers."""
        request_id = _request_id(request)
        request.META["berth.request_id"] = request_id
        structlog.contextvars.clear_contextvars()
        began = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
            logger.info(
                "request.done",
                method=request.method,
                path=request.path,
                status=response.status_code,
                took_ms=round((time.perf_counter() - began) * 1000),
            )
        response[REQUEST_ID_HEADER] = request_id
        return response


class ClientAddressMiddleware:
    """Set `REMOTE_ADDR` to the client's address: the live process is the only client of web.

    The live process, on this machine or one of `trusted_proxies`, writes `X-Forwarded-For` itself,
    so the last entry can be trusted.
    """

    def __init__(self, get_response: Handler) -> None:
        """Wrap the next handler."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on with the client's own address in `REMOTE_ADDR`."""
        forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        if forwarded and _is_trusted(request.META.get("REMOTE_ADDR", "")):
            request.META["REMOTE_ADDR"] = forwarded[:_ADDRESS_LENGTH_MAX]
        return self.get_response(request)


def _is_trusted(address: str) -> bool:
    if address in _LOOPBACK:
        return True
    return any(ip_address(address) in network for network in get_site_config().trusted_proxies)


class ResponseHeadersMiddleware:
    """Set language and policies of the response, and keep answers out of caches.

    Only files and the page itself, which are everybody's, say how they may be cached.
    """

    def __init__(self, get_response: Handler) -> None:
        """Wrap the next handler and build the content security policy once."""
        self.get_response = get_response
        site = get_site_config()
        self.policy = build_content_policy(site.portal_url, site.inference_url)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with the headers that the view has not set itself."""
        response = self.get_response(request)
        # Static files are answered before the language is known, and have none.
        if language := getattr(request, "LANGUAGE_CODE", None):
            response["Content-Language"] = _LANGUAGE_TAGS.get(language, language)
        response.setdefault("Cache-Control", "no-store")
        response.setdefault("Content-Security-Policy", self.policy)
        response.setdefault("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
        return response


class JsonCompressionMiddleware(GZipMiddleware):
    """Compress JSON for browsers that accept it; files have variants, and downloads stay as they are.

    Django pads each answer by random bytes, so that its length tells nothing about a secret in it.
    """

    @override
    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Return the answer, compressed if it is JSON of some length."""
        of = response.get("Content-Type", "")
        if response.streaming or not ("json" in of or "openapi" in of):
            return response
        return super().process_response(request, response)


def get_request_id(request: HttpRequest) -> str:
    """Return the id given by `RequestContext`, or empty outside of it."""
    found: str = request.META.get("berth.request_id", "")
    return found


def build_content_policy(portal_url: str, inference_url: str) -> str:
    """Return the policy of our pages: own scripts, and connections to our own origin and that of services only.

    Pages try services; what those answer is shown as text. Inline styles are allowed because the component library writes them at run time.
    """
    live_origin = re.sub("^http", "ws", portal_url)
    return (
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' {live_origin} "
        f"{inference_url}; "
        "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def _request_id(request: HttpRequest) -> str:
    offered = request.headers.get(REQUEST_ID_HEADER, "")
    return offered if _ACCEPTABLE_ID.fullmatch(offered) else str(new_id())
