"""Endpoints of alarms, rules and silences."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.alarms import selectors, services
from portal.alarms.api.inputs import (
    AcknowledgeInput,
    AlarmQuery,
    AlarmRuleChange,
    AlarmRuleInput,
    AlarmSilenceInput,
)
from portal.alarms.api.shapes import (
    AlarmCounts,
    AlarmRuleShape,
    AlarmRulesShape,
    AlarmShape,
    AlarmSilenceShape,
    AlarmTrialShape,
    context_of,
)
from portal.alarms.kinds import KINDS
from portal.alarms.models import AlarmRule
from portal.common.actions import Action
from portal.common.rest.idempotency import idempotent
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView


class AlarmListView(ApiView):
    """Alarms that concern the caller."""

    required_actions = {"GET": Action.ALARM_VIEW}

    @extend_schema(parameters=[AlarmQuery], responses=AlarmShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List alarms that fire or have fired, newest first."""
        rows = selectors.alarms_visible_to(request.actor, AlarmQuery.parse(request))
        return paginate(request, rows, lambda page: AlarmShape(page, many=True).data)


class AlarmCountView(ApiView):
    """How many alarms fire."""

    required_actions = {"GET": Action.ALARM_VIEW}

    @extend_schema(responses=AlarmCounts)
    def get(self, request: ApiRequest) -> Response:
        """Return how many alarms concern the caller, fire, and are not acknowledged."""
        NoFilters.parse(request)
        return Response({"firing": selectors.count_firing(request.actor)})


class AlarmAcknowledgeView(ApiView):
    """Acknowledgement of an alarm."""

    required_actions = {"POST": Action.ALARM_ACKNOWLEDGE}

    @extend_schema(request=AcknowledgeInput, responses=AlarmShape)
    def post(self, request: ApiRequest, alarm_id: UUID) -> Response:
        """Record that the caller takes care of an alarm."""
        comment = AcknowledgeInput.parse(request)["comment"]
        services.acknowledge_alarm(actor=request.actor, alarm_id=alarm_id, comment=comment)
        return Response(AlarmShape(selectors.alarm_visible_to(request.actor, alarm_id)).data)


class AlarmRuleListView(ApiView):
    """Rules of the site and of groups."""

    required_actions = {"GET": Action.ALARM_VIEW, "POST": Action.ALARM_MANAGE}
    is_paged = False

    @extend_schema(responses=AlarmRulesShape)
    def get(self, request: ApiRequest) -> Response:
        """List the rules, all to staff and to group admins those of their groups, and what new ones may be."""
        NoFilters.parse(request)
        kinds = [
            {"kind": kind.value, **{name: getattr(terms, name) for name in terms.__slots__}}
            for kind, terms in KINDS.items()
        ]
        rules = selectors.rules_visible_to(request.actor)
        shown = AlarmRulesShape({"rules": rules, "kinds": kinds}, context=context_of(rules))
        return Response(shown.data)

    @extend_schema(request=AlarmRuleInput, responses={201: AlarmRuleShape})
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        """Add a rule; admins of a group add rules about it."""
        rule = services.create_rule(actor=request.actor, given=AlarmRuleInput.parse(request))
        return Response(_present_rule(rule), status=201)


class AlarmRuleView(ApiView):
    """One rule."""

    required_actions = {"PATCH": Action.ALARM_MANAGE, "DELETE": Action.ALARM_MANAGE}
    versioned = ("PATCH",)

    @extend_schema(request=AlarmRuleChange, responses=AlarmRuleShape)
    def patch(self, request: ApiRequest, rule_id: UUID) -> Response:
        """Change a rule; one that is disabled resolves its alarms."""
        changes = AlarmRuleChange.parse(request)
        version = changes.pop("version", None)
        rule = services.change_rule(
            actor=request.actor, rule_id=rule_id, changes=changes, version=version
        )
        return Response(_present_rule(rule))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, rule_id: UUID) -> Response:
        """Remove a rule with its alarms; shipped rules can only be disabled."""
        services.remove_rule(actor=request.actor, rule_id=rule_id)
        return Response(status=204)


def _present_rule(rule: AlarmRule) -> Any:
    return AlarmRuleShape(rule, context=context_of([rule])).data


class AlarmTrialView(ApiView):
    """Trial of a rule."""

    required_actions = {"POST": Action.ALARM_MANAGE}

    @extend_schema(request=AlarmRuleInput, responses=AlarmTrialShape)
    def post(self, request: ApiRequest) -> Response:
        """Return what a rule would find now, and how often it would have fired; nothing is saved."""
        trial = services.try_rule(actor=request.actor, given=AlarmRuleInput.parse(request))
        return Response(AlarmTrialShape(trial).data)


class AlarmSilenceListView(ApiView):
    """Silences in force."""

    required_actions = {"GET": Action.ALARM_VIEW, "POST": Action.ALARM_SILENCE}
    is_paged = False

    @extend_schema(responses=AlarmSilenceShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the silences in force, for the platform's staff."""
        NoFilters.parse(request)
        rows = selectors.silences_visible_to(request.actor)
        return Response(AlarmSilenceShape(rows, many=True).data)

    @extend_schema(request=AlarmSilenceInput, responses={201: AlarmSilenceShape})
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        """Silence a rule, a pool or the subject of an alarm until a time."""
        row = services.create_silence(actor=request.actor, **AlarmSilenceInput.parse(request))
        return Response(AlarmSilenceShape(row).data, status=201)


class AlarmSilenceView(ApiView):
    """One silence."""

    required_actions = {"DELETE": Action.ALARM_SILENCE}

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, silence_id: UUID) -> Response:
        """End a silence now."""
        services.end_silence(actor=request.actor, silence_id=silence_id)
        return Response(status=204)
