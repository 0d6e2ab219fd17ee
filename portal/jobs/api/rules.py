"""Endpoints of the rules for jobs that are submitted."""

from portal.jobs import services
from portal.jobs.api.inputs import JobInput
from portal.workloads.responses.submission_rules import (
    GroupRulesView,
    PoolRulesView,
    RulesInForceView,
)


class JobRulesInForceView(RulesInForceView):
    """What jobs of a group in a pool are held to."""

    kind = services.KIND


class GroupJobRulesView(GroupRulesView):
    """The rules of a group for jobs, which hold in the groups below it, too."""

    kind = services.KIND
    body = JobInput


class PoolJobRulesView(PoolRulesView):
    """The rules of a pool for jobs."""

    kind = services.KIND
    body = JobInput
