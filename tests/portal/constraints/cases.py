"""The table: each rule that has a name, and the least that it refuses.

`copy` saves a second row like a sound one, `change` updates the sound row. Both are refused only by
the rule of the case: everything else about the row is as it must be.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import connection
from django.db.models import JSONField, Model, Value

from portal.alarms.models import Alarm, AlarmRule
from portal.approvals.models import ApprovalRequest
from portal.apps.models import WebApp
from portal.audit.models import AuditEvent, AuditSeal
from portal.catalog.models import Image
from portal.common.clock import now
from portal.common.models import IdempotencyRecord
from portal.datasets.models import Dataset, DatasetPublication, DatasetVersion
from portal.demo.models import DemoState
from portal.directory.models import Directory, ExternalAccount, ExternalGroup
from portal.endpoints.models import AccessShare
from portal.identity.models import User
from portal.images.models import ImagePullOrder, ImageRetention, ImageSave, ImageScan, SavedImage
from portal.inventory.models import Accelerator, Node, Pool
from portal.kubernetes.models import KubernetesLog
from portal.metering.models import CapacityDay, MeterProgress, UsageDay, UsageGroupDay, UsageWeek
from portal.notebooks.models import NotebookSchedule
from portal.quotas.models import Budget, GpuPrice, MemberCeiling, MemberLimit, Quota, UserUse
from portal.reservations.models import AdvanceReservation, ReservationWindow, ReservedDevice
from portal.saved_views.models import OpeningView, SavedView
from portal.secrets.models import Secret
from portal.serving.models import Revision, Service
from portal.serving_usage.models import KeyUsage, ServiceHour, ServiceLoad
from portal.site.models import SiteSettings
from portal.slurm.models import SlurmJob
from portal.studies.models import Study
from portal.submission_rules.models import SubmissionRules
from portal.templates.models import SubmissionTemplate
from portal.tenancy.models import Group, Membership
from portal.training_metrics.models import MetricBlock, MetricSeries, MetricStream
from portal.volumes.models import Volume
from portal.workloads.models import (
    Allocation,
    AllocationDevice,
    DailyGpuUse,
    DecayedGpuUse,
    Dependency,
    ExpectedStart,
    ForgottenContainer,
    JobArray,
    NoticedEvents,
    Recovery,
    SchedulerPass,
    Workload,
    WorkloadEvent,
)
from tests.portal.constraints.rows import MORNING, Rows

Values = Mapping[str, Any]
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
LATER: Final = datetime(2100, 1, 1, tzinfo=UTC)
"""After every row was made."""
JSON_NULL: Final = Value(None, JSONField())
"""`null` as a JSON value, which is not SQL's NULL."""


@dataclass(frozen=True, slots=True)
class Case:
    """One attempt that one rule refuses."""

    rule: str
    model: type[Model]
    event: str
    attempt: Callable[[Rows], object]
    row: Values = field(default_factory=dict)
    """What the sound row is besides; a model stands for a row of it."""
    beside: Mapping[type[Model], Values] = field(default_factory=dict)
    """What sound rows of other tables are."""
    below: str = ""
    """A rule that would refuse it first, and is taken away for that."""
    is_trigger: bool = False

    @property
    def key(self) -> tuple[str, str, str]:
        """Return by which key of the catalog it goes."""
        return self.model._meta.db_table, self.rule, self.event if self.is_trigger else ""

    def prepare(self) -> Callable[[], object]:
        """Save the sound rows and return the attempt."""
        rows = Rows()
        for model, values in self.beside.items():
            rows.one(model, **values)
        own = {name: _row_of(rows, value) for name, value in self.row.items()}
        rows.one(self.model, **own)
        return lambda: self.attempt(rows)


def _row_of(rows: Rows, value: object) -> object:
    return rows.one(value) if isinstance(value, type) else value


def copy(rule: str, model: type[Model], changes: Values | None = None, **more: Any) -> Case:
    """A second row like the first."""
    return Case(
        rule,
        model,
        "insert",
        lambda rows: rows.another(model, rows.one(model), **(changes or {})),
        **more,
    )


def change(rule: str, model: type[Model], changes: Values, **more: Any) -> Case:
    """The row with other values."""
    return Case(
        rule,
        model,
        "update",
        lambda rows: model._default_manager.filter(pk=rows.one(model).pk).update(**changes),
        **more,
    )


def delete(rule: str, model: type[Model], **more: Any) -> Case:
    """The row away."""
    return Case(
        rule,
        model,
        "delete",
        lambda rows: model._default_manager.filter(pk=rows.one(model).pk).delete(),
        **more,
    )


def truncate(rule: str, model: type[Model], **more: Any) -> Case:
    """All rows away at once."""
    return Case(rule, model, "truncate", lambda _: _truncate(model), **more)


def _truncate(model: type[Model]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {model._meta.db_table}")


def _recut(rows: Rows, **changes: object) -> None:
    """Cut the card of a live device otherwise."""
    Accelerator.objects.filter(pk=rows.one(Accelerator).pk).update(**changes)


def _same_card(rows: Rows) -> None:
    card = rows.one(Accelerator)
    rows.another(Accelerator, card, id=card.pk)


def _owned_by_a_group_too(rows: Rows) -> None:
    template = rows.one(SubmissionTemplate)
    SubmissionTemplate.objects.filter(pk=template.pk).update(group=rows.one(Group))


def _same_person(**changes: object) -> Callable[[Rows], object]:
    """A second account that a directory says is the same person's."""

    def attempt(rows: Rows) -> None:
        user = rows.another(User, rows.one(User))
        rows.another(ExternalAccount, rows.one(ExternalAccount), user_id=user.pk, **changes)

    return attempt


def _own_parent(rows: Rows) -> None:
    group = rows.one(Group)
    Group.objects.filter(pk=group.pk).update(parent=group)


TRIGGER: Final = {"is_trigger": True}
SHARED_CARD: Final[Mapping[type[Model], Values]] = {
    Pool: {"mode": "shared"},
    Accelerator: {"mode": "shared", "memory_mib": 200, "slice_mib": 100},
}
SHARE: Final = {"claim_mode": "shared", "gpu_milli": 600, "memory_mib": 60}
A_SESSION: Final = {"kind": "app", "app": WebApp, "app_folder": "input:x"}
A_TASK: Final = {"array": JobArray, "array_index": 1}
A_SHARE_OF_WORK: Final = {"gpu_milli": 500, "gpu_memory_mib": 10}

CASES: Final = (
    # Two live copies of one rank, and two attempts in one epoch.
    copy("allocation_one_live_per_rank", Allocation, {"epoch": 2}),
    copy("allocation_one_live_per_rank", Allocation, {"epoch": 2, "state": "lost"}),
    copy("allocation_once_per_epoch", Allocation, {"state": "released", "released_at": LATER}),
    change("allocation_state_known", Allocation, {"state": "kept"}, below="allocation_guard"),
    copy("allocation_released_once", Allocation, {"epoch": 2, "state": "released"}),
    copy("allocation_released_once", Allocation, {"rank": 7, "released_at": LATER}),
    change("allocation_legal_transition", Allocation, {"state": "bound", "released_at": None},
        row={"state": "released", "released_at": LATER}, **TRIGGER),
    change("allocation_identity_fixed", Allocation, {"epoch": 2}, **TRIGGER),
    # Nothing ends before it began.
    change("workload_ends_after_start", Workload, {"started_at": LATER, "finished_at": NOW}),
    change("allocation_ends_after_start", Allocation, {"started_at": LATER, "finished_at": NOW}),
    copy("allocation_released_after_made", Allocation,
        {"epoch": 2, "state": "released", "released_at": NOW}),
    change("device_released_after_held", AllocationDevice,
        {"claim_mode": None, "released_at": NOW}),
    # A restored database: one recovery at a time, one row for what a node reports.
    copy("recovery_one_open", Recovery),
    copy("forgotten_once_per_attempt", ForgottenContainer),
    # One card: one live holder of a slot, the cut that was promised, shares that fit.
    copy("device_one_live_holder", AllocationDevice),
    change("device_claim_while_live", AllocationDevice, {"released_at": LATER}),
    change("device_claim_while_live", AllocationDevice, {"claim_mode": None}),
    change("device_slot_exists", AllocationDevice, {"slot": 1}),
    change("device_slot_exists", AllocationDevice, {"gpu_milli": 1000},
        row=SHARE, beside=SHARED_CARD),
    change("device_share_of_a_shared_card", AllocationDevice, {"gpu_milli": 1}),
    Case("device_pins_card", AllocationDevice, "update", lambda rows: _recut(rows, slices=2),
        row={"claim_mode": "shared"}, beside=SHARED_CARD),
    Case("device_pins_card", AllocationDevice, "update", lambda rows: _recut(rows, mode="exclusive"),
        row={"claim_mode": "shared"}, beside=SHARED_CARD),
    change("device_pins_card", AllocationDevice, {"claim_mode": "mig"}),
    copy("device_shares_fit", AllocationDevice, {"slot": 1, "memory_mib": 40},
        row=SHARE, beside=SHARED_CARD, **TRIGGER),
    copy("device_shares_fit", AllocationDevice, {"slot": 1, "gpu_milli": 400},
        row=SHARE, beside=SHARED_CARD, **TRIGGER),
    copy("device_shares_fit", AllocationDevice, {"slot": 1, "gpu_milli": 1, "memory_mib": 1},
        row={"claim_mode": "shared"}, beside=SHARED_CARD, **TRIGGER),
    # Cards, nodes, pools.
    Case("accelerator_claim_target", Accelerator, "insert", _same_card,
        below="inventory_accelerator_pkey"),
    change("accelerator_slices_match_mode", Accelerator, {"slices": 2}, row={"memory_mib": 2}),
    change("accelerator_slices_match_mode", Accelerator, {"mode": "mig"}),
    change("accelerator_slices_match_mode", Accelerator, {"mode": "lent"}),
    change("accelerator_slices_fit_memory", Accelerator, {"reserve_mib": 1}),
    change("accelerator_state_known", Accelerator, {"state": "fine"}, below="accelerator_guard"),
    change("accelerator_legal_transition", Accelerator, {"state": "suspect"},
        row={"state": "gone"}, **TRIGGER),
    change("node_state_known", Node, {"state": "asleep"}, below="node_guard"),
    change("node_hold_known", Node, {"hold": "maybe"}),
    change("node_retired_has_no_lease", Node, {"lease_until": NOW}, row={"state": "retired"}),
    change("node_legal_transition", Node, {"state": "ready"}, row={"state": "retired"}, **TRIGGER),
    change("pool_slices_match_mode", Pool, {"slices_per_card": 2}),
    change("pool_slices_match_mode", Pool, {"mode": "shared", "slices_per_card": 3, "slice_mib": 1}),
    change("pool_slices_match_mode", Pool, {"mode": "shared", "slices_per_card": 2}),
    change("pool_slices_match_mode", Pool, {"mode": "mig", "slices_per_card": 2, "slice_mib": 1}),
    change("pool_overcommit_at_least_whole", Pool, {"cpu_overcommit_pct": 99}),
    # Work.
    change("workload_state_known", Workload, {"state": "asleep"}, below="workload_guard"),
    change("workload_gpus_or_slices", Workload, {"gpus": 1, "slices": 1}),
    change("workload_share_is_less_than_a_gpu", Workload, {"gpu_milli": 1000},
        row=A_SHARE_OF_WORK),
    change("workload_share_is_less_than_a_gpu", Workload, {"gpu_memory_mib": 0}, row=A_SHARE_OF_WORK),
    change("workload_share_is_less_than_a_gpu", Workload, {"gpus": 1}, row=A_SHARE_OF_WORK),
    change("workload_share_is_less_than_a_gpu", Workload, {"slices": 1}, row=A_SHARE_OF_WORK),
    change("workload_ceiling_above_guarantee", Workload, {"gpu_memory_ceiling_mib": 9},
        row=A_SHARE_OF_WORK),
    change("workload_profile_has_slices", Workload, {"mig_profile": "1g.10gb"}),
    change("workload_chooses_only_gpus_it_has", Workload, {"gpu_models": ["A100"]}),
    change("workload_chooses_only_gpus_it_has", Workload, {"gpu_bandwidth_min_gbps": 1}),
    change("workload_has_a_replica", Workload, {"replicas": 0}),
    # Holds, tasks of arrays, dependencies.
    change("workload_hold_known", Workload, {"held_by": "somebody"}),
    change("workload_task_has_an_index", Workload, {"array_index": 1}),
    change("workload_task_has_an_index", Workload, {"array_index": None}, row=A_TASK),
    change("workload_task_has_an_index", Workload, {"heads_array": True}),
    copy("workload_one_per_index", Workload, row=A_TASK),
    change("workload_app_is_named", Workload, {"app": None}, row=A_SESSION),
    change("workload_app_is_named", Workload, {"kind": "training"}, row=A_SESSION),
    copy("workload_one_session_per_folder", Workload, row=A_SESSION),
    change("array_has_a_task", JobArray, {"size": 0}),
    change("array_runs_a_task", JobArray, {"running_max": 0}),
    change("dependency_of_one", Dependency, {"workload": None}),
    change("dependency_on_one", Dependency, {"on_array": None}),
    change("dependency_type_known", Dependency, {"type": "before"}),
    change("workload_legal_transition", Workload, {"state": "running"}, **TRIGGER),
    change("workload_epoch_rises", Workload, {"epoch": 0}, row={"epoch": 1}, **TRIGGER),
    change("append_only", WorkloadEvent, {"cause": "other"}, **TRIGGER),
    delete("append_only", WorkloadEvent, **TRIGGER),
    truncate("append_only", WorkloadEvent, **TRIGGER),
    copy("scheduler_pass_one_row", SchedulerPass, {"id": 2}),
    copy("noticed_events_one_row", NoticedEvents, {"id": 2}),
    change("expected_start_basis", ExpectedStart, {"basis": "hope"}),
    copy("access_share_once", AccessShare),
    copy("key_usage_once", KeyUsage),
    copy("service_load_once", ServiceLoad),
    copy("service_hour_once", ServiceHour),
    copy("slurm_job_once_per_attempt", SlurmJob),
    copy("kubernetes_log_once", KubernetesLog),
    change("slurm_job_settled_by_end", SlurmJob, {"settled_at": NOW}),
    # One account for each person of a directory, and one group for each of its groups.
    copy("directory_token_once", Directory, row={"scim_digest": "f" * 64}),
    copy("external_account_once", ExternalAccount, {"user_name": "b", "external_id": "b"}),
    Case("external_user_name_once", ExternalAccount, "insert", _same_person(user_name="A"),
        row={"user_name": "a"}),
    Case("external_id_once", ExternalAccount, "insert", _same_person(user_name="b"),
        row={"user_name": "a", "external_id": "x"}),
    copy("external_group_name_once", ExternalGroup, {"display_name": "A"},
        row={"display_name": "a"}),
    copy("external_group_id_once", ExternalGroup, {"display_name": "b"}, row={"external_id": "x"}),
    change("schedule_starts_or_stops", NotebookSchedule, {"start_minute": None}),
    change("image_shared_by_its_owner", Image, {"owner": None}, row={"owner": User, "group": Group}),
    change("saved_image_removed_before_deleted", SavedImage, {"deleted_at": NOW}),
    change("image_pull_state_known", ImagePullOrder, {"state": "lost", "ended_at": NOW}),
    change("image_pull_ends_once", ImagePullOrder, {"ended_at": NOW}),
    copy("image_pull_one_at_a_time", ImagePullOrder),
    change("image_scan_state_known", ImageScan, {"state": "lost"}),
    copy("image_retention_once", ImageRetention),
    change("image_save_state_known", ImageSave, {"state": "lost", "ended_at": NOW}),
    change("image_save_ends_once", ImageSave, {"ended_at": NOW}),
    change("image_save_has_an_image_when_saved", ImageSave, {"state": "saved", "ended_at": NOW}),
    copy("image_save_one_at_a_time", ImageSave),
    change("reservation_gpus_or_slices", AdvanceReservation, {"gpus": 0}),
    change("reservation_gpus_or_slices", AdvanceReservation, {"slices": 1}),
    change("reservation_missing_since", AdvanceReservation, {"missing": 1}),
    change("reservation_missing_since", AdvanceReservation, {"missing_since": MORNING}),
    change("reservation_window_has_a_length", ReservationWindow, {"ends_at": MORNING}),
    copy("reservation_window_once", ReservationWindow),
    change("reserved_device_has_a_time", ReservedDevice, {"during": (MORNING, MORNING)}),
    copy("reserved_device_once_at_a_time", ReservedDevice, None, **TRIGGER),
    copy("daily_gpu_use_once", DailyGpuUse),
    copy("decayed_gpu_use_once", DecayedGpuUse),
    copy("usage_day_once", UsageDay),
    copy("usage_group_day_once", UsageGroupDay),
    copy("usage_week_once", UsageWeek),
    copy("capacity_day_once", CapacityDay),
    copy("meter_progress_one_row", MeterProgress, {"id": 2}),
    copy("gpu_price_once", GpuPrice),
    copy("metric_stream_once", MetricStream),
    copy("metric_series_once", MetricSeries),
    change("metric_source_known", MetricSeries, {"source": "bad"}),
    change("metric_word_known", MetricSeries, {"last_word": "bad"}),
    change("metric_value_or_word", MetricSeries, {"last_word": "nan", "last_value": 1.0}),
    copy("metric_block_once", MetricBlock),
    # Alarms: one open for each subject, one shipped rule of each kind.
    copy("alarm_one_open_per_subject", Alarm),
    change("alarm_resolved_at_a_time", Alarm, {"state": "resolved"}),
    change("alarm_resolved_at_a_time", Alarm, {"resolved_at": NOW}),
    copy("alarm_rule_shipped_once", AlarmRule, row={"is_shipped": True}),
    change("alarm_rule_quiet_hours_in_a_day", AlarmRule, {"quiet_from": 60}),
    change("alarm_rule_quiet_hours_in_a_day", AlarmRule, {"quiet_from": 60, "quiet_until": 1440}),
    change("alarm_rule_of_a_group_has_one", AlarmRule, {"by_group": True}),
    change("alarm_rule_of_a_group_has_one", AlarmRule, {"by_group": True, "is_shipped": True}, row={"group": Group}),
    # Limits.
    copy("quota_once", Quota),
    copy("quota_once", Quota, row={"pool": Pool}),
    copy("quota_once", Quota, row={"model": "A100", "resource": "gpu", "guarantee": 0, "deserved": 0}),
    change("quota_of_a_model_is_a_ceiling_of_gpus", Quota, {"model": "A100", "resource": "cpu"}),
    change("quota_of_a_model_is_a_ceiling_of_gpus", Quota, {"deserved": 1}, row={"model": "A100", "resource": "gpu", "guarantee": 0, "deserved": 0}),
    change("quota_use_not_negative", Quota, {"used": -1}),
    change("quota_limits_in_order", Quota, {"guarantee": -1}),
    change("quota_limits_in_order", Quota, {"guarantee": 1}),
    change("quota_limits_in_order", Quota, {"deserved": 2, "ceiling": 1}),
    change("quota_user_ceiling_not_negative", Quota, {"user_ceiling": -1}),
    change("quota_resource_known", Quota, {"resource": "luck"}),
    copy("user_use_once", UserUse),
    change("user_use_not_negative", UserUse, {"used": -1}),
    copy("member_limit_once", MemberLimit),
    copy("member_ceiling_once", MemberCeiling),
    change("member_ceiling_not_negative", MemberCeiling, {"ceiling": -1}),
    copy("approval_one_pending", ApprovalRequest),
    change("approval_state_known", ApprovalRequest, {"state": "lost", "decided_at": now()}),
    change("approval_decided_once", ApprovalRequest, {"state": "approved"}),
    change("approval_has_its_subject", ApprovalRequest, {"kind": "quota"}),
    copy("budget_once", Budget),
    copy("budget_once", Budget, row={"pool": Pool}),
    change("budget_in_one_unit", Budget, {"money_micros": 1}),
    change("budget_in_one_unit", Budget, {"gpu_hours": None}),
    change("budget_in_one_unit", Budget, {"gpu_hours": None, "money_micros": 1}),
    # Groups, people, the rest.
    copy("group_one_root", Group),
    Case("group_not_own_parent", Group, "update", _own_parent),
    copy("membership_once", Membership),
    change("user_name_is_plain", User, {"username": "Ada"}),
    change("user_name_is_plain", User, {"username": "-ada"}),
    change("user_name_is_plain", User, {"username": "a" * 33}),
    change("dataset_name_is_a_folder", Dataset, {"name": ".."}),
    change("dataset_name_is_a_folder", Dataset, {"name": "a/b"}),
    copy("dataset_version_once", DatasetVersion, {"alias": "b", "path": "b"}),
    copy("dataset_alias_once", DatasetVersion, {"number": 2, "path": "b"}),
    copy("dataset_path_once", DatasetVersion, {"number": 2, "alias": "b"}),
    change("dataset_version_counts_from_1", DatasetVersion, {"number": 0}),
    copy("publication_one_at_a_time", DatasetPublication, row={"dataset": Dataset}),
    change("publication_has_one_source", DatasetPublication, {"store": "lab"}),
    copy("idempotency_one_answer", IdempotencyRecord),
    change("append_only", AuditEvent, {"action": "other"}, **TRIGGER),
    delete("append_only", AuditEvent, **TRIGGER),
    truncate("append_only", AuditEvent, **TRIGGER),
    change("append_only", AuditSeal, {"count": 2}, **TRIGGER),
    delete("append_only", AuditSeal, **TRIGGER),
    truncate("append_only", AuditSeal, **TRIGGER),
    copy("seal_covers_events", AuditSeal, {"first_id": 9, "last_id": 8}),
    copy("secret_once_per_user", Secret),
    copy("secret_once_per_group", Secret, {"name": "a"}, row={"user": None, "group": Group, "name": "a"}),
    change("secret_has_one_owner", Secret, {"user": None}),
    copy("saved_view_once_per_owner", SavedView),
    copy("opening_view_once_per_list", OpeningView),
    copy("service_one_name", Service),
    change("service_size_inside_bounds", Service, {"replicas_wanted": 2}),
    change("service_target_of_its_quality", Service, {"target_ms": None}),
    change("service_target_of_its_quality", Service, {"quality": "throughput"}),
    change("service_canary_has_a_part", Service, {"canary_revision": 2}),
    change("service_canary_has_a_part", Service, {"canary_pct": 5}),
    copy("revision_one_number", Revision),
    copy("template_once_per_owner", SubmissionTemplate),
    copy("template_once_per_owner", SubmissionTemplate, row={"user": None}),
    copy("submission_rules_once_per_owner", SubmissionRules),
    change("submission_rules_have_one_owner", SubmissionRules, {"group": None}),
    Case("template_has_one_owner", SubmissionTemplate, "update", _owned_by_a_group_too),
    copy("volume_one_home", Volume),
    copy("volume_once_per_group", Volume, {"name": "a"},
        row={"kind": "group", "owner": None, "group": Group, "name": "a"}),
    change("volume_has_one_owner", Volume, {"owner": None}),
    change("volume_name_is_a_folder", Volume, {"name": ".."}),
    change("volume_trashed_at_a_time", Volume, {"state": "trashed"}),
    change("volume_trashed_at_a_time", Volume, {"trashed_at": NOW}),
    change("volume_lies_on_its_node", Volume, {"location": "shared"}, row={"location": "node", "node": Node}),
    copy("demo_state_one_row", DemoState, {"id": 2}),
    change("site_settings_one_row", SiteSettings, {"id": 2}),
    change("site_settings_half_life_positive", SiteSettings, {"half_life_s": 0}),
    copy("study_one_at_a_time", Study, row={"phase": "running"}),
    change("study_phase_known", Study, {"phase": "asked"}),
    change("study_of_the_past_or_a_story", Study, {"days": 0}),
    change("study_of_the_past_or_a_story", Study, {"scenario": "aistation"}),
    change("study_of_the_past_or_a_story", Study, {"scenario": "fairy tale", "days": 0}),
    change("study_of_a_story_has_no_group", Study, {"scenario": "aistation", "days": 0}, row={"group": Group}),
    change("study_done_has_findings", Study, {"phase": "done"}),
    change("study_done_has_findings", Study, {"phase": "done", "findings": JSON_NULL}),
    change("study_done_has_findings", Study, {"findings": JSON_NULL}),
    change("study_done_has_findings", Study, {"findings": {"jobs": 1}}),
    change("study_ends_after_it_starts", Study, {"ended_at": NOW - timedelta(seconds=1)},
        row={"started_at": NOW}),
    change("study_ends_after_it_starts", Study, {"ended_at": NOW}),
)  # fmt: skip
"""One line each where it can be; the first that a reader should know come first."""
