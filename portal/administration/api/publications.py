"""Endpoints of publications: folders of volumes and outputs of jobs on their way to become versions."""

from collections.abc import Sequence
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from typing_extensions import override

from portal.administration.api.dataset_shapes import NOTE_MAX, AliasField
from portal.administration.publishing import TargetDataset, publish
from portal.common.actions import Action
from portal.common.errors import NotFoundError
from portal.common.rest.idempotency import idempotent
from portal.common.rest.pagination import paginate
from portal.common.rest.problems import current_language
from portal.common.rest.refs import UserRef
from portal.common.rest.serializers import (
    FieldFault,
    InputSerializer,
    PatternField,
    QuerySerializer,
    StrictCharField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import get_site_config
from portal.common.translations import translate
from portal.datasets.models import DatasetPublication, PublicationSource
from portal.datasets.publications import PublishedFolder, cancel_publication
from portal.datasets.references import DATASET_NAME
from portal.datasets.selectors import publications_visible_to
from portal.volumes.tree.paths import PATH_MAX


class PublicationInput(InputSerializer):
    """A folder, and the data set of which it shall become the next version."""

    dataset = PatternField(DATASET_NAME, max_length=63)
    """Its name; if there is none of it, it is made for the group."""
    group = serializers.UUIDField(required=False)
    """Whose a new data set becomes."""
    description = StrictCharField(max_length=300, allow_blank=True, default="")
    """Of a new data set."""
    volume = serializers.UUIDField(required=False)
    job = serializers.UUIDField(required=False)
    """Either the volume or the job whose outputs are meant."""
    path = StrictCharField(max_length=PATH_MAX, trim_whitespace=False, allow_blank=True, default="")
    """The folder in it; the top without one."""
    alias = AliasField(default="")
    note = StrictCharField(max_length=NOTE_MAX, allow_blank=True, default="")

    @override
    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse both sources, and none."""
        if ("volume" in attrs) == ("job" in attrs):
            raise ValidationError({"volume": [FieldFault("publish_one_source")]})
        return attrs


class PublicationQuery(QuerySerializer):
    """Of one data set, or all."""

    paging: ClassVar[frozenset[str]] = frozenset({"cursor", "page_size", "format"})

    dataset = serializers.UUIDField(required=False)


class PublicationFailure(serializers.Serializer[Any]):
    """What went wrong."""

    code = serializers.CharField()
    detail = serializers.CharField(help_text="In the language of the request.")


class PublicationOutput(serializers.Serializer[Any]):
    """A publication, and how far it is."""

    id = serializers.UUIDField()
    dataset = serializers.UUIDField(source="dataset_id", allow_null=True)
    name = serializers.CharField(help_text="Of the data set.")
    source_kind = serializers.ChoiceField(choices=PublicationSource.values, source="source")
    source_id = serializers.UUIDField(help_text="The volume or job.")
    source_path = serializers.CharField()
    alias = serializers.CharField()
    note = serializers.CharField()
    state = serializers.ChoiceField(choices=DatasetPublication.State.values)
    number = serializers.IntegerField(allow_null=True, help_text="Of the version that it became.")
    failure = PublicationFailure(allow_null=True)
    bytes_total = serializers.IntegerField(allow_null=True, help_text="Null before it is counted.")
    files_total = serializers.IntegerField(allow_null=True)
    bytes_done = serializers.IntegerField()
    files_done = serializers.IntegerField()
    left_out = serializers.IntegerField(
        help_text="Links, devices and names that are no text; they are not published."
    )
    made_by = UserRef(allow_null=True)
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class PublicationListView(ApiView):
    """What was published, and new publications."""

    required_actions = {"GET": Action.DATASET_VIEW, "POST": Action.DATASET_MANAGE}

    @extend_schema(parameters=[PublicationQuery], responses=PublicationOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return what the caller has published or may cancel, newest first."""
        rows = publications_visible_to(request.actor)
        if (dataset := PublicationQuery.parse(request).get("dataset")) is not None:
            rows = rows.filter(dataset=dataset)
        return paginate(request, rows, _present)

    @extend_schema(request=PublicationInput, responses={202: PublicationOutput})
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        """Let a folder become the next version of a data set; it is copied in the background."""
        given = PublicationInput.parse(request)
        source = "volume" if "volume" in given else "job"
        made = publish(
            actor=request.actor,
            target=TargetDataset(given["dataset"], given.get("group"), given["description"]),
            folder=PublishedFolder(
                source, given[source], given["path"], given["alias"], given["note"]
            ),
            storage_dir=get_site_config().storage_dir,
        )
        return Response(_present([made])[0], status=202)


class PublicationDetailView(ApiView):
    """One publication."""

    required_actions = {"GET": Action.DATASET_VIEW, "DELETE": Action.DATASET_MANAGE}

    @extend_schema(responses=PublicationOutput)
    def get(self, request: ApiRequest, publication_id: UUID) -> Response:
        """Return one publication: how far it is, the version that it became, or what went wrong."""
        found = publications_visible_to(request.actor).filter(pk=publication_id).first()
        if found is None:
            raise NotFoundError("dataset_publication")
        return Response(_present([found])[0])

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, publication_id: UUID) -> Response:
        """Cancel one that is not finished; what was copied is removed."""
        cancel_publication(actor=request.actor, publication_id=publication_id)
        return Response(status=204)


def _present(page: Sequence[DatasetPublication]) -> list[Any]:
    for row in page:
        if row.failure:
            code, params = row.failure["code"], row.failure["params"]
            row.failure = {"code": code, "detail": translate(current_language(), code, params)}
    return list(PublicationOutput(page, many=True).data)
