"""Who answers the questions of apps to those above them (`portal.common.uses.ports`)."""

from portal.approvals.services import lock_requests_about, remove_requests
from portal.common.uses.work import work_uses
from portal.datasets.publishing.requests import job_outputs
from portal.jobs.outputs import outputs_to_publish
from portal.quotas.selectors import count_of_group_for_system as count_limits
from portal.quotas.ties import QuotaTies, quota_ties
from portal.tenancy.groups import GroupTies, group_ties
from portal.volumes.selectors import quotas_by_group_for_system
from portal.workloads import uses
from portal.workloads.snapshot.fair_share import load_fair_share
from portal.workloads.state.budget_check import load_budget_statuses


def install_answers() -> None:
    """Let apps below know what apps above have."""
    work_uses.install(uses)
    job_outputs.install(outputs_to_publish)
    quota_ties.install(
        QuotaTies(
            read_uses=uses.uses_for_system,
            load_budget_statuses=load_budget_statuses,
            load_fair_share=load_fair_share,
            volumes_mib_by_group=quotas_by_group_for_system,
            lock_requests=lock_requests_about,
        )
    )
    group_ties.install(
        GroupTies(
            count_work=uses.count_of_group_for_system,
            count_unfinished=uses.count_unfinished_of_group_for_system,
            count_limits=count_limits,
            remove_requests=remove_requests,
        )
    )
