"""REST endpoints of templates, for each kind of work by the body that submits it."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from typing_extensions import override

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.pagination import paginate
from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import (
    FieldFault,
    IdField,
    InputSerializer,
    NameField,
    NoFilters,
    OneOfField,
    StrictCharField,
    StrictIntegerField,
    VersionField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.work_kinds import SUBMITTED_KINDS
from portal.templates import selectors, services
from portal.templates.models import SubmissionTemplate
from portal.templates.services import TemplateContent, TemplateOwner, TemplateScope
from portal.workloads.submission.template_inputs import require_sound_terms, validate_settings

DESCRIPTION_MAX = 300
"""Characters of the description of a template."""
FIELDS_MAX = 100
"""Fields that a template may lock or bound; more than any submission has."""


class TemplateRange(InputSerializer):
    """Bounds of a number; at least one of them."""

    min = StrictIntegerField(required=False)
    max = StrictIntegerField(required=False)


class RangesField(serializers.DictField):
    """Bounds by the name of the field."""

    def __init__(self, **options: Any) -> None:
        """Take bounds only."""
        super().__init__(child=TemplateRange(), **options)


class _TemplateTerms(InputSerializer):
    """What a template says."""

    name = NameField()
    description = StrictCharField(max_length=DESCRIPTION_MAX, allow_blank=True, default="")
    settings = serializers.DictField()
    """Fields of the body that submits such work, each with its value."""
    locked = serializers.ListField(
        child=StrictCharField(max_length=63), max_length=FIELDS_MAX, default=list
    )
    """Fields that must have this value; all others are defaults."""
    ranges = RangesField(default=dict)
    """Bounds of numbers."""


class TemplateChange(_TemplateTerms):
    """What a template says; it replaces what it said before."""

    version = VersionField()


class TemplateInput(_TemplateTerms):
    """A new template of the caller, of a group or of the platform."""

    scope = OneOfField(
        choices=[scope.value for scope in TemplateScope], default=TemplateScope.USER.value
    )
    group = IdField(allow_null=True, default=None)
    """Of `scope: group` only."""

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require a group exactly where one is meant."""
        if (attrs["scope"] == TemplateScope.GROUP) != (attrs["group"] is not None):
            raise ValidationError({"group": [FieldFault("required")]})
        return attrs


class TemplateShape(serializers.Serializer[Any]):
    """A template."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=SUBMITTED_KINDS)
    scope = serializers.ChoiceField(choices=[scope.value for scope in TemplateScope])
    group = TitledRef(allow_null=True)
    name = serializers.CharField()
    description = serializers.CharField()
    settings = serializers.DictField()
    locked = serializers.ListField(child=serializers.CharField())
    ranges = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()),
        help_text="By field: `min`, `max` or both.",
    )
    version = serializers.IntegerField()
    changed_at = serializers.DateTimeField()
    changed_by = UserRef(allow_null=True)
    may_change = serializers.BooleanField()


class TemplateListView(ApiView):
    """Templates of one kind of work: those of the caller, of its groups and of the platform."""

    required_actions = {"GET": Action.TEMPLATE_VIEW, "POST": Action.TEMPLATE_MANAGE}
    kind: ClassVar[str]
    body: ClassVar[type[InputSerializer]]

    @extend_schema(responses=TemplateShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the templates that the caller may use, newest first."""
        NoFilters.parse(request)
        rows = selectors.templates_visible_to(request.actor, self.kind)
        return paginate(request, rows, lambda page: _present(request.actor, page))

    @extend_schema(request=TemplateInput, responses={201: TemplateShape})
    def post(self, request: ApiRequest) -> Response:
        """Store a template."""
        given = TemplateInput.parse(request)
        row = services.create_template(
            actor=request.actor,
            kind=self.kind,
            owner=TemplateOwner(TemplateScope(given["scope"]), given["group"]),
            content=_content_of(self.body, given),
        )
        return Response(_present(request.actor, [row])[0], status=201)


class TemplateDetailView(ApiView):
    """One template."""

    required_actions = {
        "GET": Action.TEMPLATE_VIEW,
        "PUT": Action.TEMPLATE_MANAGE,
        "DELETE": Action.TEMPLATE_MANAGE,
    }
    versioned = ("PUT",)
    kind: ClassVar[str]
    body: ClassVar[type[InputSerializer]]

    @extend_schema(responses=TemplateShape)
    def get(self, request: ApiRequest, template_id: UUID) -> Response:
        """Return one template."""
        row = selectors.template_visible_to(request.actor, template_id, self.kind)
        return Response(_present(request.actor, [row])[0])

    @extend_schema(request=TemplateChange, responses=TemplateShape)
    def put(self, request: ApiRequest, template_id: UUID) -> Response:
        """Replace what it says; work that exists keeps what it was submitted with."""
        selectors.template_for_owner(request.actor, template_id, self.kind)
        given = TemplateChange.parse(request)
        row = services.change_template(
            actor=request.actor,
            kind=self.kind,
            template_id=template_id,
            content=_content_of(self.body, given),
            version=given.get("version"),
        )
        return Response(_present(request.actor, [row])[0])

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, template_id: UUID) -> Response:
        """Remove it; work that was submitted with it is not touched."""
        services.delete_template(actor=request.actor, kind=self.kind, template_id=template_id)
        return Response(status=204)


def _content_of(body: type[InputSerializer], given: Mapping[str, Any]) -> TemplateContent:
    """Return what a validated template says, once its settings would be accepted."""
    validate_settings(body, given["settings"])
    require_sound_terms(body, given["settings"], given["locked"], given["ranges"])
    locked = sorted(set(given["locked"]))
    return TemplateContent(
        given["name"], given["description"], given["settings"], locked, given["ranges"]
    )


def _present(actor: Actor, page: Iterable[SubmissionTemplate]) -> list[Any]:
    rows = [
        {
            **{name: getattr(row, name) for name in _COLUMNS},
            "scope": _scope_of(row),
            "may_change": selectors.may_change(actor, row),
        }
        for row in page
    ]
    return list(TemplateShape(rows, many=True).data)


_COLUMNS = tuple(map(str, TemplateShape().fields.keys() - {"scope", "may_change"}))


def _scope_of(row: SubmissionTemplate) -> TemplateScope:
    if row.user_id is not None:
        return TemplateScope.USER
    return TemplateScope.PLATFORM if row.group_id is None else TemplateScope.GROUP
