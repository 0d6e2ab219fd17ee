"""Endpoints of saving a notebook as an image, and of the images that were saved."""

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.catalog.models import NOTE_MAX
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.idempotency import idempotent
from portal.common.rest.pagination import paginate
from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import (
    InputSerializer,
    NoFilters,
    PatternField,
    StrictBooleanField,
    StrictCharField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import get_site_config
from portal.images import image_saves, saved_images
from portal.images.image_retention import verdicts_for_system
from portal.images.image_scans import counts_for_system
from portal.images.models import SAVED_NAME_MAX, ImageSave, SavedImage
from portal.images.retention_rules import KeptBy
from portal.images.save_rules import MIB, ImageSaveState, find_blocker
from portal.images.selectors import may_manage, saved_images_visible_to

NAME: Final = rf"^[a-z0-9][a-z0-9._-]{{0,{SAVED_NAME_MAX - 1}}}$"
"""The name of a saved image, without that of its owner."""


class SavedImageChange(InputSerializer):
    """Changes of a saved image; absent fields stay as they are."""

    name = PatternField(
        NAME, fault="path_name_not_allowed", max_length=SAVED_NAME_MAX, required=False
    )
    note = StrictCharField(max_length=NOTE_MAX, allow_blank=True, required=False)
    is_shared = StrictBooleanField(
        required=False, help_text="Whether the group of the notebook may use it."
    )
    is_pinned = StrictBooleanField(
        required=False, help_text="Whether it stays, whatever the retention says."
    )


class ImageSaveInput(InputSerializer):
    """As what a running notebook is saved."""

    name = PatternField(NAME, fault="path_name_not_allowed", max_length=SAVED_NAME_MAX)
    note = StrictCharField(max_length=NOTE_MAX, allow_blank=True, default="")
    is_shared = StrictBooleanField(
        default=False, help_text="Whether the group of the notebook may use it."
    )


class SaveBlockerShape(serializers.Serializer[Any]):
    """Why no image can be saved or built now."""

    code = serializers.CharField()
    params = serializers.DictField()


class ImageNameRef(serializers.Serializer[Any]):
    """An image by its id and the name by which work asks for it."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class ImageSaveShape(serializers.Serializer[Any]):
    """One save of a notebook as an image."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    note = serializers.CharField()
    is_shared = serializers.BooleanField()
    state = serializers.ChoiceField(choices=[state.value for state in ImageSaveState])
    done_bytes = serializers.IntegerField(help_text="Pushed to the registry.")
    total_bytes = serializers.IntegerField(help_text="Of how much, as far as it is known.")
    size_bytes = serializers.IntegerField(help_text="The whole image, unpacked; 0 if unknown.")
    code = serializers.CharField(help_text="Why it failed.")
    detail = serializers.CharField()
    image = ImageNameRef(allow_null=True)
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class ImageSavingShape(serializers.Serializer[Any]):
    """Whether a notebook can be saved as an image, and what became of its last save."""

    blocker = SaveBlockerShape(allow_null=True)
    size_mib_max = serializers.IntegerField(help_text="How large the image may be, unpacked.")
    latest = ImageSaveShape(allow_null=True)


class SeverityCountsShape(serializers.Serializer[Any]):
    """How many vulnerabilities were found, by severity."""

    critical = serializers.IntegerField()
    high = serializers.IntegerField()
    medium = serializers.IntegerField()
    low = serializers.IntegerField()
    unknown = serializers.IntegerField()


class SavedImageShape(serializers.Serializer[Any]):
    """An image that a user saved from a notebook."""

    id = serializers.UUIDField()
    name = serializers.CharField(help_text="By which work asks for it: `<user>/<name>`.")
    note = serializers.CharField()
    owner = UserRef()
    is_shared = serializers.BooleanField()
    group = TitledRef(help_text="The group with which it is shared, or can be.")
    digest = serializers.CharField()
    size_bytes = serializers.IntegerField(help_text="Unpacked.")
    workload_id = serializers.UUIDField()
    workload_name = serializers.CharField()
    base = TitledRef()
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(help_text="When it was made, or work on it ended.")
    is_pinned = serializers.BooleanField()
    leaves_at = serializers.DateTimeField(
        allow_null=True, help_text="When the retention takes it away, unless it is used before."
    )
    kept_by = serializers.ChoiceField(
        choices=[reason.value for reason in KeptBy],
        allow_null=True,
        help_text="Why it stays for now, if it does.",
    )
    vulnerabilities = SeverityCountsShape(
        allow_null=True, help_text="Found by the last scan; null: it was not scanned."
    )
    may_manage = serializers.BooleanField(
        help_text="Whether the caller may rename, share and remove it."
    )


class ImageSaveView(ApiView):
    """The saving of a notebook as an image."""

    required_actions = {
        "GET": Action.WORKLOAD_VIEW,
        "POST": Action.WORKLOAD_OPEN,
        "DELETE": Action.WORKLOAD_OPEN,
    }
    is_paged = False

    @extend_schema(responses=ImageSavingShape)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return whether the notebook can be saved now, and its last save."""
        workload = image_saves.notebook_of(request.actor, workload_id)
        found = image_saves.circumstances_of(workload, get_site_config())
        shown = {
            "blocker": find_blocker(found),
            "size_mib_max": found.room.bytes_max // MIB,
            "latest": image_saves.latest_save_of(request.actor, workload_id),
        }
        return Response(ImageSavingShape(shown).data)

    @extend_schema(request=ImageSaveInput, responses={202: ImageSaveShape})
    @idempotent
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Save the running notebook as an image of its owner."""
        image_saves.notebook_of(request.actor, workload_id)  # unknown comes before malformed
        save = image_saves.order_save(
            actor=request.actor,
            workload_id=workload_id,
            site=get_site_config(),
            **ImageSaveInput.parse(request),
        )
        return Response(_present_save(save), status=202)

    @extend_schema(responses={202: ImageSaveShape})
    def delete(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Give up the save that is under way."""
        save = image_saves.cancel_save(actor=request.actor, workload_id=workload_id)
        return Response(_present_save(save), status=202)


class SavedImageListView(ApiView):
    """Images that users saved."""

    required_actions = {"GET": Action.IMAGE_VIEW}

    @extend_schema(responses=SavedImageShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of the caller's saved images and those of its groups, newest first.

        Platform administrators see those of everyone.
        """
        NoFilters.parse(request)
        rows = saved_images_visible_to(request.actor)
        return paginate(request, rows, lambda page: _present(request.actor, page))


class SavedImageDetailView(ApiView):
    """One saved image."""

    required_actions = {"PATCH": Action.IMAGE_SAVE, "DELETE": Action.IMAGE_SAVE}

    @extend_schema(request=SavedImageChange, responses=SavedImageShape)
    def patch(self, request: ApiRequest, image_id: UUID) -> Response:
        """Rename a saved image, change its note, pin it, or share it with its notebook's group."""
        saved = saved_images.change_saved_image(
            actor=request.actor, image_id=image_id, **SavedImageChange.parse(request)
        )
        return Response(_present(request.actor, [saved])[0])

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, image_id: UUID) -> Response:
        """Remove a saved image; refused while work that has not ended uses it."""
        saved_images.remove_saved_image(actor=request.actor, image_id=image_id)
        return Response(status=204)


def _present_save(save: ImageSave) -> Any:
    return ImageSaveShape(save).data


def _present(actor: Actor, page: Iterable[SavedImage]) -> list[Any]:
    shown = list(page)
    found = verdicts_for_system(shown)
    counts = counts_for_system([saved.pk for saved in shown])
    rows = [
        {
            "id": saved.pk,
            "name": saved.image.name,
            "note": saved.image.description_en,
            "owner": saved.image.owner,
            "is_shared": saved.image.group_id is not None,
            "group": saved.workload_group,
            "digest": saved.digest,
            "size_bytes": saved.size_bytes,
            "workload_id": saved.workload_id,
            "workload_name": saved.workload_name,
            "base": saved.base,
            "created_at": saved.image.created_at,
            "last_used_at": found[saved.pk][0].last_used,
            "is_pinned": saved.is_pinned,
            "leaves_at": found[saved.pk][1].leaves_at,
            "kept_by": found[saved.pk][1].kept_by,
            "vulnerabilities": counts.get(saved.pk),
            "may_manage": may_manage(actor, saved),
        }
        for saved in shown
        if saved.pk in found  # else it went meanwhile
    ]
    return list(SavedImageShape(rows, many=True).data)
