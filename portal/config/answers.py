"""Who answers the questions of apps to those above them (`portal.common.uses.ports`)."""

from portal.approvals.services import remove_requests
from portal.common.uses.work import work_uses
from portal.datasets.publishing.requests import job_outputs
from portal.jobs.outputs import outputs_to_publish
from portal.quotas.selectors import count_of_group_for_system as count_limits
from portal.tenancy.groups import GroupTies, group_ties
from portal.workloads import uses


def install_answers() -> None:
    """Let apps below know what apps above have."""
    work_uses.install(uses)
    job_outputs.install(outputs_to_publish)
    group_ties.install(
        GroupTies(
            count_work=uses.count_of_group_for_system,
            count_unfinished=uses.count_unfinished_of_group_for_system,
            count_limits=count_limits,
            remove_requests=remove_requests,
        )
    )
