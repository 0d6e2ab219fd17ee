"""Doors for probes and for pages that nobody has signed in to yet."""

from dataclasses import asdict

from django.middleware.csrf import get_token
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from portal import VERSION
from portal.common.site_config import get_site_config
from portal.common.views import PublicView, get_django_request
from portal.fleet import health
from portal.fleet.api.serializers import ConfigOutput, ReadinessOutput


class ConfigView(PublicView):
    """What a page must know before anybody has signed in."""

    @extend_schema(responses=ConfigOutput)
    def get(self, request: Request) -> Response:
        """Return the addresses and the honest facts, and set the CSRF cookie for signing in."""
        get_token(get_django_request(request))
        site = get_site_config()
        addresses = {
            "portal_url": site.portal_url,
            "apps_url": site.apps_url,
            "ssh_port": site.ssh_port or None,
        }
        shown = {**addresses, **asdict(health.summarise_fleet()), "version": VERSION}
        return Response(ConfigOutput(shown).data)


class LiveView(PublicView):
    """Whether this process answers at all."""

    @extend_schema(responses={204: None})
    def get(self, _request: Request) -> Response:
        """Answer."""
        return Response(status=204)


class ReadyView(PublicView):
    """Whether the platform works."""

    @extend_schema(responses={200: ReadinessOutput, 503: ReadinessOutput})
    def get(self, _request: Request) -> Response:
        """Return what each part says; 503 when requests cannot be answered."""
        found = health.check_readiness()
        word = "ok" if found.is_healthy else "degraded" if found.is_ready else "down"
        shown = ReadinessOutput({**asdict(found), "status": word}).data
        return Response(shown, status=200 if found.is_ready else 503)
