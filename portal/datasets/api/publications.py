"""Endpoints of publications: folders, outputs of jobs and objects on their way to become versions."""

from collections.abc import Sequence
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from typing_extensions import override

from portal.common.actions import Action
from portal.common.errors import NotFoundError
from portal.common.rest.idempotency import idempotent
from portal.common.rest.pagination import paginate
from portal.common.rest.problems import current_language
from portal.common.rest.refs import UserRef
from portal.common.rest.serializers import (
    FieldFault,
    IdField,
    InputSerializer,
    NoFilters,
    PatternField,
    QuerySerializer,
    StrictCharField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import STORE_NAME, get_site_config
from portal.common.translations import translate
from portal.datasets.api.shapes import NOTE_MAX, AliasField
from portal.datasets.models import DatasetPublication, PublicationSource
from portal.datasets.publishing.object_stores import stores_for
from portal.datasets.publishing.records import PublishedFolder, cancel_publication
from portal.datasets.publishing.requests import TargetDataset, publish
from portal.datasets.references import DATASET_NAME
from portal.datasets.selectors import publications_visible_to
from portal.volumes.tree.paths import PATH_MAX


class PublicationInput(InputSerializer):
    """Files, and the data set of which they shall become the next version."""

    dataset = PatternField(DATASET_NAME, fault="path_name_not_allowed", max_length=63)
    """Its name; if there is none of it, it is made for the group."""
    group = IdField(required=False)
    """Whose a new data set becomes."""
    description = StrictCharField(max_length=300, allow_blank=True, default="")
    """Of a new data set."""
    volume = IdField(required=False)
    job = IdField(required=False)
    store = PatternField(STORE_NAME, fault="short_name_not_allowed", max_length=32, required=False)
    """One of the volume, the job whose outputs are meant, and the name of an object store."""
    path = StrictCharField(max_length=PATH_MAX, trim_whitespace=False, allow_blank=True, default="")
    """The folder in it, of a store the part of the keys before a slash; the top without one."""
    alias = AliasField(default="")
    note = StrictCharField(max_length=NOTE_MAX, allow_blank=True, default="")

    @override
    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse several sources, and none."""
        if sum(name in attrs for name in PublicationSource.values) != 1:
            raise ValidationError({"volume": [FieldFault("publish_one_source")]})
        return attrs


class PublicationQuery(QuerySerializer):
    """Of one data set, or all."""

    paging: ClassVar[frozenset[str]] = frozenset({"cursor", "page_size", "format"})

    dataset = IdField(required=False)


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
    source_id = serializers.UUIDField(allow_null=True, help_text="The volume or job.")
    store = serializers.CharField(help_text="The object store; empty is none.")
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
        """Let files become the next version of a data set; it is copied in the background."""
        given = PublicationInput.parse(request)
        source = next(name for name in PublicationSource.values if name in given)
        made = publish(
            actor=request.actor,
            target=TargetDataset(given["dataset"], given.get("group"), given["description"]),
            folder=PublishedFolder(
                source,
                given.get("volume", given.get("job")),
                given["path"],
                given["alias"],
                given["note"],
                given.get("store", ""),
            ),
            site=get_site_config(),
        )
        return Response(_present([made])[0], status=202)


class ObjectStoreOutput(serializers.Serializer[Any]):
    """An object store from which the caller may publish; its address and keys are never shown."""

    name = serializers.CharField()
    bucket = serializers.CharField()
    prefix = serializers.CharField(help_text="What is published is below it; empty is all.")


class ObjectStoreListView(ApiView):
    """Object stores."""

    required_actions = {"GET": Action.DATASET_VIEW}
    is_paged = False

    @extend_schema(responses=ObjectStoreOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return the object stores from which the caller may publish versions of data sets."""
        NoFilters.parse(request)
        found = stores_for(request.actor, get_site_config())
        return Response(ObjectStoreOutput(found, many=True).data)


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
