"""Endpoints of the rules for notebooks that are submitted."""

from portal.notebooks import services
from portal.notebooks.api.inputs import EnvironmentInput
from portal.workloads.responses.submission_rules import (
    GroupRulesView,
    PoolRulesView,
    RulesInForceView,
)


class EnvironmentRulesInForceView(RulesInForceView):
    """What notebooks of a group in a pool are held to."""

    kind = services.KIND


class GroupEnvironmentRulesView(GroupRulesView):
    """The rules of a group for notebooks, which hold in the groups below it, too."""

    kind = services.KIND
    body = EnvironmentInput


class PoolEnvironmentRulesView(PoolRulesView):
    """The rules of a pool for notebooks."""

    kind = services.KIND
    body = EnvironmentInput
