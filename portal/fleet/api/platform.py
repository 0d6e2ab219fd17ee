"""Public endpoints: probes, and what the pages need before sign-in."""

from dataclasses import asdict
from typing import Any

from django.middleware.csrf import get_token
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from portal import VERSION
from portal.common.rest.views import PublicView, get_django_request
from portal.common.site_config import get_site_config
from portal.directory.selectors import offered_ways_for_system
from portal.fleet import health
from portal.site.selectors import settings_for_system


class SignInWay(serializers.Serializer[Any]):
    """A directory by which people sign in: `/sign-in/oidc/<name>` leads to its provider; by LDAP it takes name and password."""

    name = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.ChoiceField(["oidc", "ldap"])


class ConfigOutput(serializers.Serializer[Any]):
    """What the pages need before sign-in."""

    portal_url = serializers.URLField()
    apps_url = serializers.URLField()
    inference_url = serializers.URLField(help_text="Origin under which programs reach services.")
    has_apps_hosts = serializers.BooleanField()
    """Whether web apps can have a host name of their own."""
    ssh_port = serializers.IntegerField(allow_null=True)
    """SSH port of the portal's host; null where it accepts no SSH connections."""
    is_simulated = serializers.BooleanField()
    is_isolated = serializers.BooleanField()
    runtimes = serializers.ListField(child=serializers.CharField())
    version = serializers.CharField()
    has_password_reset = serializers.BooleanField()
    """Whether a forgotten password can be reset by mail."""
    sign_in = SignInWay(many=True)
    """Directories by which people sign in, besides name and password."""
    time_zone = serializers.CharField()
    """IANA name: days, budget periods and calendars follow the clock of the site."""


class ReadinessOutput(serializers.Serializer[Any]):
    """State of each part of the platform."""

    status = serializers.ChoiceField(["ok", "degraded", "down"])
    database = serializers.BooleanField()
    redis = serializers.BooleanField()
    scheduler_age_s = serializers.IntegerField(allow_null=True)
    silent_nodes = serializers.IntegerField()


class ConfigView(PublicView):
    """What the pages need before sign-in."""

    @extend_schema(responses=ConfigOutput)
    def get(self, request: Request) -> Response:
        """Return addresses and facts about the nodes, and set the CSRF cookie for sign-in."""
        get_token(get_django_request(request))
        site = get_site_config()
        addresses = {
            "portal_url": site.portal_url,
            "apps_url": site.apps_url,
            "inference_url": site.inference_url,
            "has_apps_hosts": site.apps_hosts is not None,
            "ssh_port": site.ssh_port or None,
        }
        shown = {**addresses, **asdict(health.summarise_fleet_for_system()), "version": VERSION}
        shown["has_password_reset"] = site.sends_mail
        shown["sign_in"] = offered_ways_for_system()
        shown["time_zone"] = settings_for_system().time_zone
        return Response(ConfigOutput(shown).data)


class LiveView(PublicView):
    """Liveness of this process."""

    @extend_schema(responses={204: None})
    def get(self, _request: Request) -> Response:
        """Return 204."""
        return Response(status=204)


class ReadyView(PublicView):
    """Readiness of the platform."""

    @extend_schema(responses={200: ReadinessOutput, 503: ReadinessOutput})
    def get(self, _request: Request) -> Response:
        """Return the state of each part; 503 when requests cannot be answered."""
        found = health.check_readiness()
        status = "ok" if found.is_healthy else "degraded" if found.is_ready else "down"
        shown = ReadinessOutput({**asdict(found), "status": status}).data
        return Response(shown, status=200 if found.is_ready else 503)
