"""REST endpoints of submission rules, for each kind of work by the body that submits it."""

from dataclasses import asdict
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import (
    InputSerializer,
    QuerySerializer,
    StrictCharField,
    VersionField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.work_kinds import KINDS
from portal.submission_rules import selectors, services
from portal.submission_rules.owners import RulesOwner
from portal.submission_rules.terms import RuleScope, RulesInForce, RuleTerms
from portal.tenancy.models import Group
from portal.workloads.responses.templates import FIELDS_MAX, RangesField
from portal.workloads.submission.inputs import ReferenceField
from portal.workloads.submission.rule_checks import RULE_FIELDS
from portal.workloads.submission.rule_inputs import fields_of, parse_terms

CHOICES_MAX = 50
"""Allowed values that rules may list for one field."""


class ChoicesField(serializers.DictField):
    """Allowed values by the name of the field."""

    def __init__(self, **options: Any) -> None:
        """Take bounded lists of words only."""
        word = StrictCharField(max_length=63, allow_blank=True)
        super().__init__(child=serializers.ListField(child=word, max_length=CHOICES_MAX), **options)


class SubmissionRulesInput(InputSerializer):
    """What a group or pool says; it replaces what it said before, and an empty body removes it."""

    defaults = serializers.DictField(default=dict)
    """Values of fields that a submission leaves out, as its body would have them."""
    locked = serializers.ListField(
        child=StrictCharField(max_length=63), max_length=FIELDS_MAX, default=list
    )
    """Defaults that cannot be replaced."""
    required: Any = serializers.ListField(
        child=StrictCharField(max_length=63), max_length=FIELDS_MAX, default=list
    )
    """Fields that a submission must fill in."""
    ranges = RangesField(default=dict)
    """Bounds of numbers."""
    choices = ChoicesField(default=dict)
    """What a field may be."""
    version = VersionField()
    """0 where there were no rules."""


class RuleSourceShape(TitledRef):
    """The group or pool whose rule it is."""

    scope = serializers.ChoiceField(choices=[scope.value for scope in RuleScope])


class FieldRuleShape(serializers.Serializer[Any]):
    """What all rules together say about one field."""

    field = serializers.CharField()
    default = extend_schema_field(OpenApiTypes.ANY)(serializers.JSONField)(
        allow_null=True, help_text="What a submission has that leaves it out; null without one."
    )
    is_locked = serializers.BooleanField(help_text="Whether it must have its default.")
    is_required = serializers.BooleanField()
    min = serializers.IntegerField(allow_null=True)
    max = serializers.IntegerField(allow_null=True)
    choices = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="Null is any value."
    )
    sources = RuleSourceShape(many=True)


class SubmissionRulesShape(serializers.Serializer[Any]):
    """What a group or pool says about one kind of work, and what it is under itself."""

    defaults = serializers.DictField()
    locked = serializers.ListField(child=serializers.CharField())
    required: Any = serializers.ListField(child=serializers.CharField())
    ranges = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()),
        help_text="By field: `min`, `max` or both.",
    )
    choices = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))
    version = serializers.IntegerField(help_text="0 without rules.")
    changed_at = serializers.DateTimeField(allow_null=True)
    changed_by = UserRef(allow_null=True)
    may_change = serializers.BooleanField()
    rule_fields = serializers.ListField(
        child=serializers.CharField(), help_text="Fields that may have a default."
    )
    above = FieldRuleShape(many=True, help_text="What the groups above say, which holds as well.")


class RulesQuery(QuerySerializer):
    """For which group and pool, by name or id."""

    group = ReferenceField()
    pool = ReferenceField(required=False)
    """Left out, the pool that serves this kind of work."""


class RulesInForceView(ApiView):
    """What submissions of one kind of work are held to."""

    required_actions = {"GET": Action.GROUP_VIEW}
    is_paged = False
    kind: ClassVar[str]

    @extend_schema(parameters=[RulesQuery], responses=FieldRuleShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the fields about which the group, those above it or the pool say something."""
        asked = RulesQuery.parse(request)
        rules = selectors.rules_in_force_visible_to(
            request.actor,
            self.kind,
            group=asked["group"],
            pool=asked.get("pool", ""),
            purpose=KINDS[self.kind].purpose,
        )
        return Response(_present_fields(rules))


class OwnRulesView(ApiView):
    """The rules of one group or pool for one kind of work."""

    versioned = ("PUT",)
    scope: ClassVar[RuleScope]
    kind: ClassVar[str]
    body: ClassVar[type[InputSerializer]]

    @extend_schema(responses=SubmissionRulesShape)
    def get(self, request: ApiRequest, owner_id: UUID) -> Response:
        """Return what it says."""
        return Response(self._present(request.actor, owner_id))

    @extend_schema(request=SubmissionRulesInput, responses=SubmissionRulesShape)
    def put(self, request: ApiRequest, owner_id: UUID) -> Response:
        """Replace what it says; work that was submitted is not touched."""
        selectors.owner_visible_to(request.actor, self.scope, owner_id)
        given = SubmissionRulesInput.parse(request)
        services.set_rules(
            actor=request.actor,
            kind=self.kind,
            scope=self.scope,
            owner_id=owner_id,
            terms=parse_terms(self.body, given),
            version=given.get("version"),
        )
        return Response(self._present(request.actor, owner_id))

    def _present(self, actor: Actor, owner_id: UUID) -> Any:
        owner, row = selectors.rules_visible_to(actor, self.scope, owner_id, self.kind)
        shown = {
            **asdict(RuleTerms.of(row) if row else RuleTerms()),
            **{name: getattr(row, name, None) for name in ("changed_at", "changed_by")},
            "version": row.version if row else 0,
            "may_change": selectors.may_change(actor, owner),
            "rule_fields": fields_of(self.body, RULE_FIELDS),
            "above": self._above(owner),
        }
        return SubmissionRulesShape(shown).data

    def _above(self, owner: RulesOwner) -> Any:
        if not isinstance(owner, Group) or owner.parent_id is None:
            return []
        parent = str(owner.parent_id)
        return _present_fields(
            selectors.rules_in_force_for_system(self.kind, group=parent, pool="")
        )


class GroupRulesView(OwnRulesView):
    """The rules of a group, which hold in the groups below it, too."""

    required_actions = {"GET": Action.GROUP_VIEW, "PUT": Action.SUBMISSION_RULES_EDIT}
    scope = RuleScope.GROUP


class PoolRulesView(OwnRulesView):
    """The rules of a pool."""

    required_actions = {"GET": Action.POOL_VIEW, "PUT": Action.POOL_MANAGE}
    scope = RuleScope.POOL


def _present_fields(rules: RulesInForce) -> Any:
    return FieldRuleShape(list(rules.fields.values()), many=True).data
