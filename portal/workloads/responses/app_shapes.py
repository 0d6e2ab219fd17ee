"""Response shapes of sessions of web apps."""

from typing import Any

from rest_framework import serializers

from portal.apps.models import WebApp
from portal.common.rest.refs import TitledRef
from portal.workloads.app_folders import APP_FOLDER_KINDS


class AppRef(TitledRef):
    """The web app that a session runs."""

    icon = serializers.ChoiceField(choices=WebApp.Icon.values)
    writes = serializers.BooleanField(
        help_text="Whether it may write to a home or volume, as far as its owner may."
    )


class AppFolderShape(serializers.Serializer[Any]):
    """The folder that a session shows: outputs of a job (`input`), a home, or a volume."""

    kind = serializers.ChoiceField(choices=APP_FOLDER_KINDS)
    id = serializers.UUIDField(help_text="Of the job, of the owner of the home, or of the volume.")
    path = serializers.CharField(help_text="Below it; empty is all of it.")
