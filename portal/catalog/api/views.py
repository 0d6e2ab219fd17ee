"""Endpoints of images: every user sees those in use, administrators manage them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.forms.models import model_to_dict
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.audit.versions import IMAGE, UNCHANGED, read_versions
from portal.catalog import services
from portal.catalog.api.serializers import ImageChange, ImageInput, ImageOutput
from portal.catalog.models import Image
from portal.catalog.selectors import images_visible_to
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.tenancy import policies


class ImageListView(ApiView):
    """Images that new work may use."""

    required_actions = {"GET": Action.IMAGE_VIEW, "POST": Action.IMAGE_MANAGE}

    @extend_schema(responses=ImageOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of images; administrators see withdrawn ones too."""
        NoFilters.parse(request)
        rows = images_visible_to(request.actor)
        return paginate(request, rows, lambda page: _present(request.actor, page))

    @extend_schema(request=ImageInput, responses={201: ImageOutput})
    def post(self, request: ApiRequest) -> Response:
        """Add an image to the allow-list; nodes pull it ahead of use."""
        given = ImageInput.parse(request)
        image = services.add_image(actor=request.actor, image=Image(**given))
        return Response(_present(request.actor, [image])[0], status=201)


class ImageDetailView(ApiView):
    """One image, for administrators."""

    required_actions = {"PATCH": Action.IMAGE_MANAGE}
    versioned = ("PATCH",)

    @extend_schema(request=ImageChange, responses=ImageOutput)
    def patch(self, request: ApiRequest, image_id: UUID) -> Response:
        """Change an image, or withdraw it from new work."""
        changes = ImageChange.parse(request)
        version = changes.pop("version", None)
        image = services.change_image(
            actor=request.actor, image_id=image_id, changes=changes, version=version
        )
        return Response(_present(request.actor, [image])[0])


def _present(actor: Actor, page: Sequence[Image]) -> list[Any]:
    """Return the images as the actor sees them: references are for administrators."""
    is_manager = policies.can(actor, Action.IMAGE_MANAGE, None)
    versions = read_versions(IMAGE, [image.pk for image in page])
    rows = [
        {
            **model_to_dict(image),
            "id": image.pk,
            "reference": image.reference if is_manager else None,
            "version": versions.get(str(image.pk), UNCHANGED),
        }
        for image in page
    ]
    return list(ImageOutput(rows, many=True).data)
