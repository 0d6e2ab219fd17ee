"""Endpoint of the web apps that administrators can offer as they are."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.apps.commands import ServedAt
from portal.apps.models import WebApp
from portal.apps.presets import APP_PRESETS, AppPreset
from portal.common.actions import Action
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.tenancy import policies


class WebAppPresetOutput(serializers.Serializer[Any]):
    """A web app without its image: what `POST /apps` takes besides."""

    name = serializers.CharField()
    title_en = serializers.CharField(source="title")
    title_zh = serializers.CharField(source="title")
    description_en = serializers.CharField()
    description_zh = serializers.CharField()
    icon = serializers.ChoiceField(choices=WebApp.Icon.values)
    command = serializers.ListField(child=serializers.CharField())
    served_at = serializers.ChoiceField(choices=list(ServedAt))
    writes = serializers.BooleanField()
    cpu_milli = serializers.IntegerField()
    memory_mib = serializers.IntegerField()
    idle_s = serializers.IntegerField()
    time_limit_s = serializers.IntegerField()


class WebAppPresetsOutput(serializers.Serializer[Any]):
    """All presets; they are part of the release."""

    presets = WebAppPresetOutput(many=True)


class WebAppPresetsView(ApiView):
    """Web apps that are known to work, for administrators."""

    required_actions = {"GET": Action.IMAGE_MANAGE}

    @extend_schema(responses=WebAppPresetsOutput)
    def get(self, request: ApiRequest) -> Response:
        """Return the web apps that can be added once an image has their program."""
        NoFilters.parse(request)
        policies.require(request.actor, Action.IMAGE_MANAGE, None)
        found: list[AppPreset] = list(APP_PRESETS)
        return Response(WebAppPresetsOutput({"presets": found}).data)
