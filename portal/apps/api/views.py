"""Endpoints of web apps: every user sees those that can be started, administrators manage them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from typing_extensions import override

from portal.apps import services
from portal.apps.commands import PORT, ServedAt
from portal.apps.models import WebApp
from portal.apps.selectors import apps_visible_to
from portal.audit.versions import UNCHANGED, WEB_APP, read_versions
from portal.catalog.selectors import active_images_for_system
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import InvalidError
from portal.common.rest.pagination import paginate
from portal.common.rest.projection import Extended, project
from portal.common.rest.refs import TitledRef
from portal.common.rest.serializers import (
    TITLE_MAX,
    FieldFault,
    IdField,
    InputSerializer,
    NoFilters,
    OneOfField,
    PathNameField,
    PatternField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    VersionField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.tenancy import policies

_PROGRAM: Final = r"^[A-Za-z0-9._/-]{1,200}$"
APP_ARGUMENTS_MAX: Final = 64
"""Arguments of the command of a web app, its program included."""
APP_ARGUMENT_MAX: Final = 500
"""Characters of one of them."""
APP_CPU_MILLI: Final = (100, 64_000)
"""Least and most processors of a web app, in thousandths."""
APP_MEMORY_MIB: Final = (64, 262_144)
"""Least and most memory of a web app."""
APP_IDLE_S: Final = (60, 7 * 24 * 3600)
"""After how long without use a web app may end."""
APP_TIME_LIMIT_S: Final = (300, 30 * 24 * 3600)
"""How long a session of a web app may last at most, whoever uses it."""


class AppCommandField(serializers.ListField):
    """A program and its arguments; one of them must have the placeholder of the port."""

    def __init__(self, **options: Any) -> None:
        """Bound their number and lengths."""
        child = StrictCharField(
            max_length=APP_ARGUMENT_MAX, allow_blank=True, trim_whitespace=False
        )
        super().__init__(child=child, min_length=1, max_length=APP_ARGUMENTS_MAX, **options)

    @override
    def to_internal_value(self, data: Any) -> list[str]:
        """Return the command, or the fault."""
        found: list[str] = super().to_internal_value(data)
        if found:
            PatternField(_PROGRAM, fault="program_not_allowed").run_validation(found[0])
        if not any(PORT in item for item in found[1:]):
            raise ValidationError([FieldFault("app_without_port")])
        return found


class _WebAppFields(InputSerializer):
    """What a web app is, and may become."""

    title_en = StrictCharField(max_length=TITLE_MAX, required=False)
    title_zh = StrictCharField(max_length=TITLE_MAX, required=False)
    description_en = StrictCharField(max_length=500, allow_blank=True, required=False)
    description_zh = StrictCharField(max_length=500, allow_blank=True, required=False)
    icon = OneOfField(choices=WebApp.Icon.values, required=False)
    image = IdField(required=False)
    command = AppCommandField(required=False)
    """Such as `["tensorboard", "--logdir={folder}", "--port={port}"]`; it listens at 127.0.0.1."""
    served_at = OneOfField(choices=list(ServedAt), required=False)
    """`path`: below a path that the gateway removes; `base_path`: below `{base_path}`, which the app keeps;
    `host`: at the root of a host name of its own."""
    writes = StrictBooleanField(required=False)
    """Whether it may write to a home or volume that it shows, as far as its user may."""
    cpu_milli = StrictIntegerField(
        min_value=APP_CPU_MILLI[0], max_value=APP_CPU_MILLI[1], required=False
    )
    memory_mib = StrictIntegerField(
        min_value=APP_MEMORY_MIB[0], max_value=APP_MEMORY_MIB[1], required=False
    )
    idle_s = StrictIntegerField(min_value=APP_IDLE_S[0], max_value=APP_IDLE_S[1], required=False)
    """A session that nobody has used for so long ends."""
    time_limit_s = StrictIntegerField(
        min_value=APP_TIME_LIMIT_S[0], max_value=APP_TIME_LIMIT_S[1], required=False
    )
    """A session ends after so long, whoever uses it."""
    is_active = StrictBooleanField(required=False)


class WebAppChange(_WebAppFields):
    """Changes of a web app; absent fields stay as they are."""

    version = VersionField()


class WebAppInput(_WebAppFields):
    """A new web app; its `name`, by which sessions are started, can never change."""

    name = PathNameField()
    title_en = StrictCharField(max_length=TITLE_MAX)
    title_zh = StrictCharField(max_length=TITLE_MAX)
    image = IdField()
    command = AppCommandField()
    cpu_milli = StrictIntegerField(
        min_value=APP_CPU_MILLI[0], max_value=APP_CPU_MILLI[1], default=1000
    )
    memory_mib = StrictIntegerField(
        min_value=APP_MEMORY_MIB[0], max_value=APP_MEMORY_MIB[1], default=1024
    )
    idle_s = StrictIntegerField(min_value=APP_IDLE_S[0], max_value=APP_IDLE_S[1], default=1800)
    time_limit_s = StrictIntegerField(
        min_value=APP_TIME_LIMIT_S[0], max_value=APP_TIME_LIMIT_S[1], default=8 * 3600
    )


class WebAppOutput(TitledRef):
    """A web app that people may start on a folder; its command is shown to administrators only."""

    description_en = serializers.CharField()
    description_zh = serializers.CharField()
    icon = serializers.ChoiceField(choices=WebApp.Icon.values)
    image = TitledRef()
    command = serializers.ListField(child=serializers.CharField())
    served_at = serializers.ChoiceField(choices=list(ServedAt))
    writes = serializers.BooleanField()
    cpu_milli = serializers.IntegerField()
    memory_mib = serializers.IntegerField()
    idle_s = serializers.IntegerField()
    time_limit_s = serializers.IntegerField()
    is_active = serializers.BooleanField()
    version = serializers.IntegerField(help_text="Grows with each change of its settings.")


@dataclass(frozen=True, slots=True)
class _AppVersion:
    """What of an app is no column."""

    version: int


class WebAppListView(ApiView):
    """Web apps that people may start."""

    required_actions = {"GET": Action.IMAGE_VIEW, "POST": Action.IMAGE_MANAGE}

    @extend_schema(responses=WebAppOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of web apps; administrators see withdrawn ones too."""
        NoFilters.parse(request)
        rows = apps_visible_to(request.actor)
        return paginate(request, rows, lambda page: _present(request.actor, page))

    @extend_schema(request=WebAppInput, responses={201: WebAppOutput})
    def post(self, request: ApiRequest) -> Response:
        """Add a web app."""
        given = _with_image(WebAppInput.parse(request))
        app = services.add_app(actor=request.actor, app=WebApp(**given))
        return Response(_present(request.actor, [app])[0], status=201)


class WebAppDetailView(ApiView):
    """One web app, for administrators."""

    required_actions = {"PATCH": Action.IMAGE_MANAGE}
    versioned = ("PATCH",)

    @extend_schema(request=WebAppChange, responses=WebAppOutput)
    def patch(self, request: ApiRequest, app_id: UUID) -> Response:
        """Change a web app, or withdraw it."""
        changes = _with_image(WebAppChange.parse(request))
        version = changes.pop("version", None)
        app = services.change_app(
            actor=request.actor, app_id=app_id, changes=changes, version=version
        )
        return Response(_present(request.actor, [app])[0])


def _with_image(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the input with its image, which must be one of the platform: everyone starts the app."""
    if "image" not in given:
        return dict(given)
    image = active_images_for_system().filter(pk=given["image"]).first()
    if image is None:
        raise InvalidError("unknown_image", pointer="/image", image=str(given["image"]))
    return {**given, "image": image}


def _present(actor: Actor, page: Sequence[WebApp]) -> list[dict[str, Any]]:
    """Return web apps as the actor sees them: commands are for administrators."""
    is_manager = policies.can(actor, Action.IMAGE_MANAGE, None)
    hidden: dict[str, Any] = {} if is_manager else {"command": []}
    versions = read_versions(WEB_APP, [app.pk for app in page])
    return [
        project(WebAppOutput, Extended(app, _AppVersion(versions.get(str(app.pk), UNCHANGED))))
        | hidden
        for app in page
    ]
