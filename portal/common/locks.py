"""In which order transactions lock rows, so that no two of them wait for each other."""

from typing import Final

LOCK_ORDER: Final = (
    "demo_demostate",
    "alarms_alarmrule",
    "alarms_alarmchannel",
    "approvals_approvalrequest",
    "site_sitesettings",
    "endpoints_ticket",
    "serving_service",
    "catalog_image",
    "apps_webapp",
    "tenancy_group",
    "images_registrycredential",
    "tenancy_membership",
    "inventory_jointoken",
    "inventory_pool",
    "workloads_recovery",
    "workloads_workload",
    "workloads_forgottencontainer",
    "workloads_jobarray",
    "identity_user",
    "images_imagesave",
    "environments_nodeimagelist",
    "images_imagepullorder",
    "inventory_nodedatasetcache",
    "images_imagescan",
    "mfa_authenticator",
    "secrets_secret",
    "identity_noticechannel",
    "templates_submissiontemplate",
    "volumes_volume",
    "quotas_grouplimit",
    "quotas_memberlimit",
    "quotas_quota",
    "quotas_budget",
    "images_imageretention",
    "datasets_dataset",
    "alarms_alarm",
    "inventory_node",
    "inventory_accelerator",
    "reservations_advancereservation",
    "workloads_schedulerpass",
    "workloads_expectedstart",
    "workloads_starthistory",
    "telemetry_summed",
    "training_metrics_metricstream",
    "metering_meterprogress",
    "saved_views_savedview",
)
"""Tables, first to last; rows of one table by id, all in one statement.

A transaction may leave out any, and lock again what it has locked. While tests run every transaction
is held to it (`tests/lock_order.py`).
"""
COVERED_BY: Final = {
    "images_savedimage": "catalog_image",
    "datasets_dataset_groups": "datasets_dataset",
    "datasets_datasetpublication": "datasets_dataset",
    "datasets_datasetversion": "datasets_dataset",
    "environments_notebookschedule": "workloads_workload",
    "workloads_allocation": "workloads_workload",
    "workloads_allocationdevice": "workloads_workload",
    "workloads_idleness": "workloads_workload",
    "quotas_memberceiling": "quotas_quota",
    "quotas_useruse": "quotas_quota",
    "reservations_reservationwindow": "reservations_advancereservation",
    "reservations_reserveddevice": "reservations_advancereservation",
    "training_metrics_metricblock": "training_metrics_metricstream",
    "training_metrics_metricseries": "training_metrics_metricstream",
}
"""Tables whose rows are written under the lock of the row that they belong to, in any order."""
