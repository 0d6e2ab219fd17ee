"""One writer per table: everything else reads. `docs/dev/testing.md` says how writes are found."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from django.apps import apps

from tests.architecture.sources import sources
from tests.architecture.writers.everything import everything_written
from tests.architecture.writers.found import ANY, Unclear, Write

WRITERS: Final[dict[str, set[str]]] = {
    "alarms_alarm": {
        "portal.alarms.acts",  # what became of the rule's act
        "portal.alarms.evaluation",  # where it stands
        "portal.alarms.services",  # that it was acknowledged
        "portal.alarms.simulated",  # those of a demo's past
    },
    "alarms_alarmchannel": {
        "portal.alarms.channels",
        "portal.alarms.delivery",  # whether its last message was taken
    },
    "alarms_alarmdelivery": {"portal.alarms.delivery", "portal.alarms.outbox"},
    "alarms_alarmrule": {"portal.alarms.services", "portal.alarms.shipped"},
    "alarms_alarmrule_channels": {"portal.alarms.services"},
    "alarms_alarmsilence": {"portal.alarms.evaluation", "portal.alarms.services"},
    "approvals_approvalrequest": {"portal.approvals.services"},
    "apps_webapp": {"portal.apps.services"},
    "audit_auditevent": {"portal.audit.services"},
    "audit_auditseal": {"portal.audit.chain"},
    "audit_denialcount": {"portal.audit.denials"},
    "catalog_image": {
        "portal.catalog.services",  # those of the platform
        "portal.images.saved_images",  # those that people saved
    },
    "common_cache": {"portal.common.database_cache"},
    "common_idempotencyrecord": {"portal.common.rest.idempotency"},
    "common_ratecount": {"portal.common.rest.throttling"},
    "datasets_dataset": {"portal.datasets.services"},
    "datasets_dataset_groups": {"portal.datasets.services"},
    "datasets_datasetpublication": {"portal.datasets.publishing.records"},
    "datasets_datasetversion": {"portal.datasets.services"},
    "demo_demostate": {"portal.demo.state"},
    "directory_directory": {
        "portal.directory.application",  # when its people were compared with it
        "portal.directory.ldap.sync",  # how a reading went
        "portal.directory.services",
    },
    "directory_externalaccount": {
        "portal.directory.accounts",
        "portal.directory.application",  # what of its word was carried out
    },
    "directory_externalgroup": {
        "portal.directory.accounts",  # that who was removed is in none
        "portal.directory.external_groups",
    },
    "directory_externalgroup_members": {"portal.directory.external_groups"},
    "django_session": {"portal.common.tasks"},  # ended ones; the others are Django's to write
    "endpoints_accessshare": {"portal.endpoints.access_shares"},
    "environments_nodeimagelist": {"portal.images.node_images"},
    "environments_notebookschedule": {"portal.notebooks.schedules"},
    "endpoints_grant": {"portal.endpoints.services"},
    "endpoints_ticket": {"portal.endpoints.services"},
    "inventory_nodechecks": {"portal.inventory.node_checks"},
    "inventory_nodedatasetcache": {"portal.datasets.caches"},
    "identity_apitoken": {"portal.identity.services"},
    "identity_notice": {
        "portal.notices.inbox",
        "portal.notices.simulated",  # those of a demo's past
    },
    "identity_noticechannel": {
        "portal.notices.channels",
        "portal.notices.delivery",
    },
    "identity_outgoingmail": {"portal.notices.mail"},
    "identity_outgoingnotice": {
        "portal.notices.channels",
        "portal.notices.delivery",
    },
    "identity_sshkey": {"portal.identity.ssh_keys"},
    "identity_user": {
        "portal.demo.services",
        "portal.notices.inbox",  # which notices it shows
        "portal.notices.mail",  # which notices come by no mail
        "portal.identity.reading_clock",  # the clock of pages and mails
        "portal.identity.services",
        "portal.tenancy.services",  # robots, which are people of one group
    },
    "images_imagepullorder": {"portal.images.node_images"},
    "images_imageretention": {"portal.images.group_retention"},
    "images_imagesave": {"portal.images.image_saves"},
    "images_imagescan": {"portal.images.image_scans"},
    "images_registrycredential": {"portal.images.registries"},
    "images_savedimage": {"portal.images.saved_images"},
    "inventory_accelerator": {
        "portal.agentlink.facts",  # as the node reports them
        "portal.inventory.simulated",  # those of a demo's node that is off
        "portal.workloads.operations.nodes",  # orders to test a card again
        "portal.workloads.operations.pools",  # which pool they belong to, and their cut
    },
    "inventory_fenceattempt": {"portal.workloads.operations.fencing"},
    "inventory_jointoken": {
        "portal.agentlink.enrolment",  # used up
        "portal.inventory.services",
        "portal.workloads.operations.pools",  # of a pool that is removed
    },
    "inventory_node": {
        "portal.agentlink.enrolment",  # its identity
        "portal.inventory.simulated",  # one of a demo that is off
        "portal.foreign.nodes",  # one of a cluster
        "portal.workloads.operations.fencing",  # when its fence command is due
        "portal.workloads.operations.node_loss",  # that its work was given up
        "portal.workloads.operations.node_state",  # what its silence and word mean
        "portal.workloads.operations.nodes",  # what operators want of it
        "portal.workloads.operations.pools",  # which pool it belongs to
        "portal.workloads.operations.recovery",  # that a restored portal awaits its report
    },
    "inventory_nodekey": {"portal.agentlink.enrolment", "portal.workloads.operations.node_state"},
    "inventory_policychange": {"portal.inventory.services"},
    "inventory_pool": {
        "portal.inventory.services",
        "portal.foreign.joining",  # what runs its work
        "portal.workloads.operations.pools",
    },
    "kubernetes_kubernetescluster": {"portal.kubernetes.joining", "portal.kubernetes.records"},
    "kubernetes_kuberneteslog": {"portal.kubernetes.records"},
    "metering_capacityday": {"portal.metering.ledger"},
    "metering_meterprogress": {"portal.metering.services"},
    "metering_usageday": {"portal.metering.ledger"},
    "metering_usagegroupday": {"portal.metering.ledger"},
    "metering_usageweek": {"portal.metering.ledger"},
    "metering_workstart": {"portal.metering.ledger"},
    "mfa_authenticator": {"portal.identity.second_factors"},  # and by django-allauth
    "quotas_budget": {"portal.quotas.budgets"},
    "quotas_budgetspending": {"portal.quotas.budgets"},
    "quotas_gpuprice": {"portal.metering.prices"},
    "quotas_grouplimit": {"portal.quotas.limits"},
    "quotas_memberceiling": {"portal.quotas.limits"},
    "quotas_memberceilingchange": {"portal.quotas.limits"},
    "quotas_memberlimit": {"portal.quotas.limits"},
    "quotas_quota": {
        "portal.demo.services",
        "portal.quotas.counters",  # what is used
        "portal.quotas.changes",  # the limits
    },
    "quotas_quotachange": {"portal.quotas.changes"},
    "quotas_quotachangeitem": {"portal.quotas.changes"},
    "quotas_useruse": {"portal.quotas.counters"},
    "reservations_advancereservation": {"portal.reservations.services"},
    "reservations_reservationwindow": {"portal.reservations.services"},
    "reservations_reserveddevice": {"portal.reservations.services"},
    "secrets_secret": {"portal.secrets.services"},
    "serving_usage_keyusage": {"portal.serving_usage.services"},
    "serving_usage_serviceload": {"portal.serving_usage.services"},
    "serving_usage_servicehour": {"portal.serving_usage.services"},
    "serving_serviceforecast": {"portal.serving.forecasts"},
    "serving_usage_countedreport": {"portal.serving_usage.services"},
    "serving_replica": {"portal.serving.reconcile", "portal.serving.replicas"},
    "serving_revision": {
        "portal.serving.reconcile",  # whether it has proved itself
        "portal.serving.services",
    },
    "serving_scalingstep": {"portal.serving.services"},
    "serving_service": {
        "portal.serving.reconcile",  # what became of its replicas
        "portal.serving.scaling",  # how many it shall have by its load
        "portal.serving.services",
        "portal.serving.shares",  # what it claims
    },
    "serving_servicekey": {"portal.serving.keys"},
    "site_carbonchange": {"portal.site.services"},
    "site_sitesettings": {"portal.site.services"},
    "site_zonechange": {"portal.site.services"},
    "studies_study": {"portal.studies.services"},
    "telemetry_*": {
        "portal.telemetry.past_samples",  # of a simulated past
        "portal.telemetry.tables",
    },
    "telemetry_summed": {
        "portal.telemetry.past_samples",  # of a simulated past
        "portal.telemetry.services",
    },
    "submission_rules_submissionrules": {"portal.submission_rules.services"},
    "templates_submissiontemplate": {"portal.templates.services"},
    "saved_views_openingview": {"portal.saved_views.services"},
    "saved_views_savedview": {"portal.saved_views.services"},
    "tenancy_group": {"portal.tenancy.groups"},
    "tenancy_membership": {
        "portal.tenancy.groups",  # of a group that is removed
        "portal.tenancy.members",
        "portal.tenancy.services",
    },
    "slurm_slurmjob": {"portal.slurm.records"},
    "slurm_slurmpartition": {"portal.slurm.joining", "portal.slurm.records"},
    "training_metrics_metricblock": {"portal.training_metrics.services"},
    "training_metrics_metricseries": {"portal.training_metrics.services"},
    "training_metrics_metricstream": {"portal.training_metrics.services"},
    "volumes_volume": {"portal.volumes.services"},
    "workloads_allocation": {
        "portal.workloads.gpu_accounting",  # up to when it is metered
        "portal.workloads.idle.gpu_release",  # what a parked notebook released
        "portal.workloads.simulated.past",  # what has ended
        "portal.workloads.state.allocations",
    },
    "workloads_allocationdevice": {
        "portal.workloads.idle.gpu_release",
        "portal.workloads.simulated.past",  # what has ended
        "portal.workloads.state.allocations",
    },
    "workloads_dailygpuuse": {"portal.workloads.gpu_accounting"},
    "workloads_decayedgpuuse": {"portal.workloads.gpu_accounting"},
    "workloads_dependency": {"portal.workloads.dependencies"},
    "workloads_expectedstart": {"portal.workloads.start_accuracy"},
    "workloads_forgottencontainer": {
        "portal.workloads.operations.recovery",
        "portal.workloads.state.adoption",
    },
    "workloads_idleness": {"portal.workloads.idle.activity", "portal.workloads.idle.parking"},
    "workloads_jobarray": {
        "portal.workloads.services",
        "portal.workloads.simulated.removal",
        "portal.workloads.state.changes",  # its name, how many tasks run at once
        "portal.workloads.state.owners",  # whose it is
    },
    "workloads_measureduse": {"portal.workloads.measured_use"},
    "workloads_noticedevents": {"portal.workloads.owner_notices"},
    "workloads_poolqueue": {"scheduler.runtime.board"},
    "workloads_recovery": {"portal.workloads.operations.recovery"},
    "workloads_schedulerpass": {"scheduler.runtime.board"},
    "workloads_starthistory": {"portal.workloads.start_accuracy"},
    "workloads_workload": {
        "portal.workloads.gpu_accounting",  # GPU-seconds of ended attempts
        "portal.workloads.departures.leavers",  # that its owner may not submit any more
        "portal.workloads.operations.removal",  # that it was deleted after its end
        "portal.workloads.services",  # submitted, and named anew
        "portal.workloads.simulated.past",  # what has ended
        "portal.workloads.simulated.removal",
        "portal.workloads.state.checkpoints",  # when work was last saved
        "portal.workloads.state.changes",  # what it asks for, after it was submitted
        "portal.workloads.state.eviction_brake",  # evictions without progress
        "portal.workloads.state.lifecycle",  # the outcome of a stop under way
        "portal.workloads.state.owners",  # whose it is
        "portal.workloads.state.queued_work",  # tasks of arrays, holds
        "portal.workloads.state.transitions",
        "portal.workloads.tags",  # by which lists find it
    },
    "workloads_workloadevent": {
        "portal.workloads.simulated.past",  # of what has ended
        "portal.workloads.state.queued_work",
        "portal.workloads.state.transitions",
    },
}
"""Who may write a table; `telemetry_*` are those that an app names by a rule.

A row that Django deletes with what it belongs to (`on_delete=CASCADE`) counts as its owner's.
"""

COLUMNS: Final[dict[tuple[str, str], set[str]]] = {
    ("approvals_approvalrequest", "state"): {"portal.approvals.services"},
    ("datasets_datasetpublication", "state"): {"portal.datasets.publishing.records"},
    ("datasets_datasetversion", "state"): {"portal.datasets.services"},
    ("images_imagepullorder", "state"): {"portal.images.node_images"},
    ("serving_service", "state"): {"portal.serving.services"},
    ("images_imagesave", "state"): {"portal.images.image_saves"},
    ("slurm_slurmjob", "state"): {"portal.slurm.records"},
    ("images_imagescan", "state"): {"portal.images.image_scans"},
    ("inventory_accelerator", "state"): {"portal.agentlink.facts"},
    ("inventory_node", "hold"): {
        "portal.agentlink.enrolment",  # joining ends a quarantine
        "portal.workloads.operations.node_loss",  # cordons a node that returns
        "portal.workloads.operations.node_state",
        "portal.workloads.operations.nodes",
    },
    ("alarms_alarm", "state"): {
        "portal.alarms.evaluation",
        "portal.alarms.simulated",  # over when they are written
    },
    ("inventory_node", "state"): {
        "portal.agentlink.enrolment",
        "portal.workloads.operations.node_state",
    },
    ("quotas_quota", "used"): {
        "portal.quotas.counters",
        "portal.quotas.changes",  # sets limits by name, of which `used` is none
    },
    ("quotas_useruse", "used"): {"portal.quotas.counters"},
    ("studies_study", "phase"): {"portal.studies.services"},
    ("volumes_volume", "state"): {"portal.volumes.services"},
    ("workloads_allocation", "epoch"): {
        "portal.demo.past_rows",  # of what has ended
        "portal.workloads.state.allocations",
    },
    ("workloads_allocation", "state"): {
        "portal.demo.past_rows",  # of what has ended
        "portal.workloads.state.allocations",
    },
    ("workloads_allocationdevice", "released_at"): {
        "portal.demo.past_rows",  # of what has ended
        "portal.workloads.idle.gpu_release",
        "portal.workloads.state.allocations",
    },
    ("workloads_idleness", "gpu_state"): {"portal.workloads.idle.parking"},
    ("workloads_workload", "epoch"): {
        "portal.demo.past_rows",  # of what has ended
        "portal.workloads.services",  # creates rows from `Admitted.columns`, of which `epoch` is none
        "portal.workloads.state.queued_work",  # tasks, as copies of the head of their array
        "portal.workloads.state.changes",  # sets columns by name, of which `epoch` is none
        "portal.workloads.state.transitions",
    },
    ("workloads_workload", "state"): {
        "portal.demo.past_rows",  # of what has ended
        "portal.workloads.services",  # creates rows from `Admitted.columns`, of which `state` is none
        "portal.workloads.state.queued_work",  # tasks, and the end of queued ones
        "portal.workloads.state.changes",  # sets columns by name, of which `state` is none
        "portal.workloads.state.transitions",
    },
}
"""Columns that decide who holds what, and what may follow; in memory counts, too."""


def _writes() -> list[Write]:
    return [found for found in everything_written() if isinstance(found, Write)]


def _by_table(writes: Iterable[Write]) -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for write in writes:
        found[write.table].add(write.module)
    return dict(found)


def test_each_table_is_written_by_its_writers_only() -> None:
    found = _by_table(write for write in _writes() if write.is_saved)

    assert found == WRITERS


def test_columns_that_decide_are_written_by_fewer() -> None:
    found = {
        (table, column): _by_table(
            write for write in _writes() if write.table == table and write.columns & {column, ANY}
        )[table]
        for table, column in COLUMNS
    }

    assert found == COLUMNS


def test_every_state_is_such_a_column() -> None:
    states = {
        (model._meta.db_table, column.name)
        for model in apps.get_models()
        if model.__module__.startswith("portal.")
        for column in model._meta.concrete_fields
        if column.name in ("state", "phase", "used", "epoch")
    }

    assert states - COLUMNS.keys() == COPIES


COPIES: Final = {
    ("images_imagesave", "epoch"),  # of the attempt that is saved
    ("kubernetes_kuberneteslog", "epoch"),  # of which attempt the log was read
    ("slurm_slurmjob", "epoch"),  # of the attempt that was submitted
    ("training_metrics_metricseries", "epoch"),  # of which attempt the last points are
    ("training_metrics_metricstream", "epoch"),  # of which attempt the log was read
    ("workloads_allocation", "phase"),  # the last word of the node
    ("workloads_forgottencontainer", "epoch"),  # what the database does not hold, and
    ("workloads_forgottencontainer", "phase"),  # what the node reports of it
    ("workloads_idleness", "epoch"),  # of which attempt it tells
    ("workloads_workloadevent", "epoch"),
}
"""What repeats another column or report, and decides nothing."""


def test_it_is_clear_of_every_write_what_it_writes() -> None:
    assert [found for found in everything_written() if isinstance(found, Unclear)] == []


def test_no_model_hides_a_write() -> None:
    """No `save()` override, no signal: what happens is what is called."""
    found = [
        f"{source.path}:{function.lineno} {function.name}"
        for source in sources(("portal", "scheduler"))
        if source.path.endswith("models.py") or "/models/" in source.path
        for function in source.functions()
        if function.name in {"save", "delete", "bulk_create"}
    ]
    found += [
        source.path
        for source in sources(("portal", "scheduler"))
        if "django.dispatch" in source.text or "db.models.signals" in source.text
    ]

    assert found == []
