"""Endpoints of quotas."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.files import CsvRenderer
from portal.common.rest.refs import TitledRef
from portal.common.rest.serializers import (
    AMOUNT_MAX,
    IdField,
    InputSerializer,
    OneOfField,
    StrictIntegerField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.inventory.gpu_model_field import GpuModelField
from portal.quotas import changes as quotas
from portal.quotas import selectors
from portal.quotas.csv_files import write_quotas
from portal.quotas.edits import QuotaSubject
from portal.quotas.models import Quota
from portal.quotas.quota_query import QuotaQuery
from scheduler.core.model.resources import Resource


class QuotaShape(serializers.Serializer[Any]):
    """Limits of a group for one resource, with what the group and the caller use of it."""

    id = serializers.UUIDField()
    group = TitledRef()
    pool = TitledRef(allow_null=True)
    resource = serializers.CharField()
    model = serializers.CharField(help_text="Only GPUs of this model count; empty is all.")
    guarantee = serializers.IntegerField()
    deserved = serializers.IntegerField()
    ceiling = serializers.IntegerField(allow_null=True)
    user_ceiling = serializers.IntegerField(allow_null=True)
    weight = serializers.ChoiceField(Quota.Weight.values)
    used = serializers.IntegerField()
    my_used = serializers.IntegerField()


class QuotaInput(InputSerializer):
    """New limits; what is left out stays, null is unlimited."""

    guarantee = StrictIntegerField(max_value=AMOUNT_MAX, required=False)
    deserved = StrictIntegerField(max_value=AMOUNT_MAX, required=False)
    ceiling = StrictIntegerField(max_value=AMOUNT_MAX, required=False, allow_null=True)
    user_ceiling = StrictIntegerField(max_value=AMOUNT_MAX, required=False, allow_null=True)
    weight = OneOfField(Quota.Weight.values, required=False)


class NewQuotaInput(QuotaInput):
    """A quota that the group does not have yet; a limit that is left out has its default."""

    group = IdField()
    pool = IdField(allow_null=True, default=None)
    resource = OneOfField([item.value for item in Resource])
    model = GpuModelField(default="", allow_blank=True)
    """Only GPUs of this model count, by its name in the catalogue or of its driver; then there are
    ceilings only.
    """


class QuotaListView(ApiView):
    """The quotas of the caller's groups."""

    required_actions = {"GET": Action.QUOTA_VIEW, "POST": Action.QUOTA_EDIT}
    is_paged = False

    @extend_schema(parameters=[QuotaQuery], responses=QuotaShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List quotas with their use, without pages: a group has only a few."""
        group_id = QuotaQuery.parse(request).get("group")
        rows = selectors.quotas_visible_to(request.actor, group_id)[: selectors.ROWS_MAX]
        return Response(QuotaShape(rows, many=True).data)

    @extend_schema(request=NewQuotaInput, responses={201: QuotaShape})
    def post(self, request: ApiRequest) -> Response:
        """Limit a group for one more resource; what it holds counts from the start."""
        asked = NewQuotaInput.parse(request)
        row = quotas.add_quota(
            actor=request.actor,
            group_id=asked.pop("group"),
            what=QuotaSubject(asked.pop("pool"), asked.pop("resource"), asked.pop("model")),
            limits=asked,
        )
        return Response(_shown(request, row.pk), status=201)


class QuotaCsvRenderer(CsvRenderer):
    """Quotas as CSV."""

    build = staticmethod(lambda rows, _language: write_quotas(rows))


class QuotaFileView(ApiView):
    """The quotas of the caller's groups as a file."""

    required_actions = {"GET": Action.QUOTA_VIEW}
    renderer_classes = (QuotaCsvRenderer,)
    is_paged = False

    @extend_schema(parameters=[QuotaQuery], responses={(200, "text/csv"): bytes})
    def get(self, request: ApiRequest) -> Response:
        """Return quotas as CSV in GPUs, cores and GiB; the import reads it back."""
        group_id = QuotaQuery.parse(request).get("group")
        visible = selectors.quotas_visible_to(request.actor, group_id)
        rows = list(visible.prefetch_related("member_ceilings__user")[: selectors.ROWS_MAX])
        headers = {"Content-Disposition": 'attachment; filename="quotas.csv"'}
        return Response(rows, headers=headers)


class QuotaDetailView(ApiView):
    """One quota."""

    required_actions = {"PATCH": Action.QUOTA_EDIT, "DELETE": Action.QUOTA_EDIT}

    @extend_schema(request=QuotaInput, responses=QuotaShape)
    def patch(self, request: ApiRequest, quota_id: UUID) -> Response:
        """Change limits; running work is never stopped."""
        quotas.change_quota(
            actor=request.actor, quota_id=quota_id, changes=QuotaInput.parse(request)
        )
        return Response(_shown(request, quota_id))

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, quota_id: UUID) -> Response:
        """Remove the quota; those of the groups above remain."""
        quotas.remove_quota(actor=request.actor, quota_id=quota_id)
        return Response(status=204)


def _shown(request: ApiRequest, quota_id: UUID) -> Any:
    return QuotaShape(selectors.quota_visible_to(request.actor, quota_id)).data
