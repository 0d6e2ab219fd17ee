"""Endpoints of volumes: what exists, how large it is, who may write."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.pagination import paginate
from portal.common.rest.projection import project_all
from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import (
    IdField,
    InputSerializer,
    NoFilters,
    OneOfField,
    PathNameField,
    QuerySerializer,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import get_site_config
from portal.common.uses.work import work_uses
from portal.quotas.limits import QUOTA_MIB_MAX
from portal.volumes import services
from portal.volumes.models import Volume
from portal.volumes.policies import VolumeAccess
from portal.volumes.selectors import rights_of, volume_visible_to, volumes_visible_to

HOME_PATH: Final = "/home/berth"
"""Where every container has the home of its owner; the agents' `nodeagent.launch.volumes.HOME`."""


class VolumeChange(InputSerializer):
    """Changes of a volume; absent fields stay as they are."""

    description = StrictCharField(max_length=300, allow_blank=True, required=False)
    quota_mib = StrictIntegerField(max_value=QUOTA_MIB_MAX, required=False)
    """How large it may become; 0 is no limit, which only platform admins give."""
    writers = OneOfField(choices=Volume.Writers.values, required=False)
    """The weakest role that may write."""
    is_writable_below = StrictBooleanField(required=False)
    """Whether that role in a group below suffices."""


class VolumeInput(VolumeChange):
    """A new volume of a group."""

    group = IdField()
    name = PathNameField()
    quota_mib = StrictIntegerField(max_value=QUOTA_MIB_MAX)


class VolumeQuery(QuerySerializer):
    """Filters of the list of volumes."""

    paging: ClassVar[frozenset[str]] = frozenset({"cursor", "page_size", "format"})

    group = IdField(required=False, help_text="Only volumes of this very group.")
    state = OneOfField(choices=Volume.State.values, required=False)


class VolumeOutput(serializers.Serializer[Any]):
    """A volume, and what the caller may do with it."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Volume.Kind.values)
    name = serializers.CharField()
    description = serializers.CharField()
    owner = UserRef(allow_null=True, help_text="Of a home.")
    group = TitledRef(allow_null=True, help_text="Of a group volume.")
    mount_path = serializers.CharField(help_text="Where containers have it.")
    folder_name = serializers.CharField(help_text="Its folder over SFTP.")
    quota_mib = serializers.IntegerField(help_text="0 is no limit.")
    used_mib = serializers.IntegerField(allow_null=True, help_text="Null before it was measured.")
    measured_at = serializers.DateTimeField(allow_null=True)
    is_full = serializers.BooleanField()
    writers = serializers.ChoiceField(choices=Volume.Writers.values)
    is_writable_below = serializers.BooleanField()
    state = serializers.ChoiceField(choices=Volume.State.values)
    removed_at = serializers.DateTimeField(
        allow_null=True, help_text="When its files are removed, if it stays in the trash."
    )
    location = serializers.ChoiceField(choices=Volume.Location.values)
    node = serializers.CharField(allow_null=True, help_text="Name of the node that has its files.")
    access = serializers.ChoiceField(choices=["none", "read", "write"])
    may_manage = serializers.BooleanField()
    uses = serializers.IntegerField(help_text="Notebooks and jobs, not ended, that mount it.")
    created_at = serializers.DateTimeField()


class VolumeListView(ApiView):
    """The caller's home, and the volumes of the caller's groups and of those above."""

    required_actions = {"GET": Action.VOLUME_VIEW, "POST": Action.VOLUME_MANAGE}

    @extend_schema(parameters=[VolumeQuery], responses=VolumeOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of volumes, newest first."""
        asked = VolumeQuery.parse(request)
        rows = volumes_visible_to(request.actor).filter(
            **{name: asked[name] for name in ("group", "state") if name in asked}
        )
        return paginate(request, rows, lambda page: _present(request.actor, page))

    @extend_schema(request=VolumeInput, responses={201: VolumeOutput})
    def post(self, request: ApiRequest) -> Response:
        """Make a volume of a group."""
        given = VolumeInput.parse(request)
        group_id = given.pop("group")
        volume = services.create_volume(
            actor=request.actor, group_id=group_id, columns=given, site=get_site_config()
        )
        return Response(_present_one(request.actor, volume.pk), status=201)


class HomeView(ApiView):
    """The caller's home."""

    required_actions = {"POST": Action.VOLUME_WRITE}

    @extend_schema(request=None, responses=VolumeOutput)
    def post(self, request: ApiRequest) -> Response:
        """Return the caller's home; the first call makes it."""
        home = services.ensure_home(actor=request.actor, site=get_site_config())
        return Response(_present_one(request.actor, home.pk))


class VolumeDetailView(ApiView):
    """One volume."""

    required_actions = {"GET": Action.VOLUME_VIEW, "PATCH": Action.VOLUME_MANAGE}

    @extend_schema(responses=VolumeOutput)
    def get(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Return one volume."""
        NoFilters.parse(request)
        return Response(_present_one(request.actor, volume_id))

    @extend_schema(request=VolumeChange, responses=VolumeOutput)
    def patch(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Change quota, description or who may write; running work keeps its mounts."""
        given = VolumeChange.parse(request)
        services.change_volume(
            actor=request.actor, volume_id=volume_id, columns=given, site=get_site_config()
        )
        return Response(_present_one(request.actor, volume_id))


class VolumeTrashView(ApiView):
    """Put a volume into the trash."""

    required_actions = {"POST": Action.VOLUME_MANAGE}

    @extend_schema(request=None, responses=VolumeOutput)
    def post(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Take a volume out of use; its files are removed some days later."""
        services.trash_volume(actor=request.actor, volume_id=volume_id)
        return Response(_present_one(request.actor, volume_id))


class VolumeRestoreView(ApiView):
    """Take a volume out of the trash."""

    required_actions = {"POST": Action.VOLUME_MANAGE}

    @extend_schema(request=None, responses=VolumeOutput)
    def post(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Put a volume back into use, with its files."""
        services.restore_volume(actor=request.actor, volume_id=volume_id)
        return Response(_present_one(request.actor, volume_id))


def _present_one(actor: Actor, volume_id: UUID) -> Any:
    return _present(actor, [volume_visible_to(actor, volume_id)])[0]


def _present(actor: Actor, page: Iterable[Volume]) -> list[dict[str, Any]]:
    rows = list(page)
    rights = rights_of(actor)
    uses = work_uses.get().uses_of_files_for_system([row.reference for row in rows])
    shown = [
        {
            **_columns(row),
            "access": (
                rights.access_to(row) if row.state == Volume.State.ACTIVE else VolumeAccess.NONE
            ).name.lower(),
            "may_manage": rights.may_manage(row),
            "uses": uses.get(row.reference, 0) if row.state == Volume.State.ACTIVE else 0,
        }
        for row in rows
    ]
    return project_all(VolumeOutput, shown)


def _columns(row: Volume) -> Mapping[str, Any]:
    """Return what a volume is, whoever asks."""
    same = (
        *("id", "kind", "name", "description", "owner", "group", "quota_mib", "used_mib"),
        *("measured_at", "is_full", "writers", "is_writable_below", "state", "location"),
        *("created_at", "folder_name"),
    )
    is_home = row.kind == Volume.Kind.HOME
    return {
        **{name: getattr(row, name) for name in same},
        "mount_path": HOME_PATH if is_home else f"/volumes/{row.name}",
        "removed_at": row.trashed_at and row.trashed_at + services.TRASH_KEPT,
        "node": row.node.name if row.node else None,
    }
