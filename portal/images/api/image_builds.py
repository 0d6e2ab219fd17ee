"""Endpoints of building images from a list of requirements or a Dockerfile."""

from collections.abc import Mapping
from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from typing_extensions import override

from portal.catalog.models import NOTE_MAX
from portal.common.actions import Action
from portal.common.rest.idempotency import idempotent
from portal.common.rest.serializers import (
    FieldFault,
    InputSerializer,
    PatternField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.common.rest.throttling import RequestThrottle, SubmissionThrottle
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import get_site_config
from portal.common.work_kinds import JOB
from portal.images import image_builds
from portal.images.api.image_saves import NAME, SaveBlockerShape
from portal.images.image_builds import BuildRequest
from portal.images.models import SAVED_NAME_MAX
from portal.images.save_rules import MIB, find_build_blocker
from portal.inventory.cuts import TIME_LIMIT_S
from portal.quotas.priority_field import PriorityField
from portal.workloads.responses import http
from portal.workloads.responses.shapes import WorkloadDetail
from portal.workloads.submission.inputs import (
    CPU_MILLI,
    MEMORY_MIB,
    ReferenceField,
    parse_submission,
)

TEXT_BYTES_MAX: Final = 32 * 1024
"""Bytes of a list of requirements, and of a Dockerfile."""
PACKAGES_MAX: Final = 100
"""Packages of the distribution that one build installs."""
PACKAGE: Final = r"^[a-z0-9][a-z0-9+.-]*(=[A-Za-z0-9][A-Za-z0-9.+:~-]*)?$"
"""A Debian package, and a version of it."""


class BuildTextField(StrictCharField):
    """A text of several lines, kept as it is."""

    def __init__(self, **options: Any) -> None:
        """Keep blanks; a text that is left out is empty."""
        super().__init__(trim_whitespace=False, allow_blank=True, default="", **options)

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the text; refuse it if it is too long."""
        text = super().to_internal_value(data).replace("\r\n", "\n")
        if len(text.encode()) > TEXT_BYTES_MAX:
            raise ValidationError([FieldFault("too_large", max=TEXT_BYTES_MAX)])
        return text


class ImageBuildInput(InputSerializer):
    """What to build, as which image, and with what."""

    name = PatternField(NAME, fault="path_name_not_allowed", max_length=SAVED_NAME_MAX)
    note = StrictCharField(max_length=NOTE_MAX, allow_blank=True, default="")
    is_shared = StrictBooleanField(default=False, help_text="Whether its group may use it.")
    image = ReferenceField(
        required=False, help_text="What it is built on; a Dockerfile names it in `FROM`."
    )
    requirements = BuildTextField(help_text="What `pip install -r` gets.")
    packages = serializers.ListField(
        child=PatternField(PACKAGE, fault="package_not_allowed", max_length=100),
        max_length=PACKAGES_MAX,
        default=list,
        help_text="What `apt-get install` gets, before the requirements.",
    )
    dockerfile = BuildTextField(help_text="Instead of image, requirements and packages.")
    group = ReferenceField()
    pool = ReferenceField(required=False)
    cpu_milli = StrictIntegerField(min_value=CPU_MILLI[0], max_value=CPU_MILLI[1])
    memory_mib = StrictIntegerField(min_value=MEMORY_MIB[0], max_value=MEMORY_MIB[1])
    time_limit_s = StrictIntegerField(min_value=TIME_LIMIT_S[0], required=False)
    priority = PriorityField(default="normal")

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require either a Dockerfile or an image with what is installed on it."""
        installs = bool(attrs["requirements"].strip() or attrs["packages"])
        if bool(attrs["dockerfile"].strip()) == installs:
            raise ValidationError({"requirements": [FieldFault("requirements_or_dockerfile")]})
        if installs != ("image" in attrs):
            raise ValidationError({"image": [FieldFault("image_of_requirements")]})
        return attrs


class ImageBuildingShape(serializers.Serializer[Any]):
    """Whether the caller can build images."""

    blocker = SaveBlockerShape(allow_null=True)
    size_mib_max = serializers.IntegerField(help_text="How large an image may be, unpacked.")


class ImageBuildListView(ApiView):
    """Builds of images: each is a job."""

    required_actions = {"GET": Action.IMAGE_VIEW, "POST": Action.WORKLOAD_SUBMIT}
    throttle_classes = [RequestThrottle, SubmissionThrottle]
    is_paged = False

    @extend_schema(responses=ImageBuildingShape)
    def get(self, request: ApiRequest) -> Response:
        """Return whether the caller can build images on any node, and why not."""
        found = image_builds.circumstances_of(request.actor, get_site_config())
        shown = {
            "blocker": find_build_blocker(found),
            "size_mib_max": found.room.bytes_max // MIB,
        }
        return Response(ImageBuildingShape(shown).data)

    @extend_schema(request=ImageBuildInput, responses={202: WorkloadDetail})
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        """Submit a job that builds an image of the caller; its log is the log of the build."""
        asked = ImageBuildInput.parse(request)
        job = {**asked, "name": f"build-{asked['name']}"}
        build = BuildRequest(
            **{
                name: asked[name]
                for name in ("note", "is_shared", "requirements", "packages", "name")
            },
            dockerfile=asked["dockerfile"] if asked["dockerfile"].strip() else "",
        )
        built = image_builds.submit_build(
            actor=request.actor,
            submission=parse_submission(JOB.kind, job, {}),
            build=build,
            site=get_site_config(),
        )
        return http.respond_submitted(built)
