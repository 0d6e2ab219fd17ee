"""Requests that wait for a decision, and what was decided."""

from typing import Any, Final

from django.db import models
from django.db.models import Q

from portal.common.models import Entity
from portal.identity.models import User
from portal.quotas.models import Quota
from portal.tenancy.models import Group
from portal.workloads.models import Workload

COMMENT_MAX: Final = 500
"""Characters of the reason of a request, and of the comment of its decision."""


class ApprovalKind(models.TextChoices):
    """What is requested."""

    TIME_LIMIT = "time_limit"
    MEMBER_LIMIT = "member_limit"
    QUOTA = "quota"
    RESERVATION = "reservation"


class ApprovalRequest(Entity):
    """One request: who asks for what, until when, and how it was decided."""

    class State(models.TextChoices):
        """How far it is; every state but the first is final."""

        PENDING = "pending"
        APPROVED = "approved"
        DECLINED = "declined"
        WITHDRAWN = "withdrawn"
        EXPIRED = "expired"

    class Decider(models.TextChoices):
        """Whose decision it needs, as far as was known when it was made."""

        GROUP_ADMIN = "group_admin"
        PARENT_ADMIN = "parent_admin"
        PLATFORM_ADMIN = "platform_admin"

    kind = models.CharField(max_length=16, choices=ApprovalKind.choices)
    state = models.CharField(max_length=16, choices=State.choices, default=State.PENDING)
    decider = models.CharField(max_length=16, choices=Decider.choices)
    requester = models.ForeignKey(User, models.PROTECT, related_name="+", db_index=False)
    group = models.ForeignKey(Group, models.PROTECT, related_name="+")
    workload = models.ForeignKey(Workload, models.CASCADE, null=True, related_name="+")
    quota = models.ForeignKey(Quota, models.CASCADE, null=True, related_name="+")
    asked: "models.JSONField[Any, Any]" = models.JSONField()
    """New values by name, such as `{"time_limit_s": 172800}`; of a reservation its whole body."""
    before: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """The same names with their values when the request was made."""
    comment = models.CharField(max_length=COMMENT_MAX, blank=True)
    expires_at = models.DateTimeField()
    decided_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decision_comment = models.CharField(max_length=COMMENT_MAX, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "kind", "group", "workload", "quota"],
                condition=Q(state="pending"),
                nulls_distinct=False,
                name="approval_one_pending",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["pending", "approved", "declined", "withdrawn", "expired"]),
                name="approval_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state="pending", decided_at=None)
                | (~Q(state="pending") & Q(decided_at__isnull=False)),
                name="approval_decided_once",
            ),
            models.CheckConstraint(
                condition=Q(kind="time_limit", workload__isnull=False, quota=None)
                | Q(kind="quota", workload=None, quota__isnull=False)
                | Q(kind__in=["member_limit", "reservation"], workload=None, quota=None),
                name="approval_has_its_subject",
            ),
        ]
        indexes = [
            models.Index(
                fields=["group", "-id"], condition=Q(state="pending"), name="approval_waiting"
            ),
            models.Index(fields=["requester", "-id"], name="approval_by_requester"),
        ]
