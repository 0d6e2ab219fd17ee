"""Tickets, grants and shares, by which a browser opens a notebook; schedules; saves as images."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from portal.catalog.models import NOTE_MAX, SAVED_NAME_MAX, Image
from portal.common.clock import now
from portal.common.models import Entity
from portal.environments.save_rules import ImageSaveState
from portal.identity.models import ApiToken, User
from portal.inventory.models import Node
from portal.workloads.models import Workload


class Ticket(Entity):
    """A one-time code in a URL, exchanged within seconds for a cookie of the apps origin."""

    digest = models.CharField(max_length=64, unique=True)
    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    session_key = models.CharField(max_length=40, blank=True)
    """Portal session of the caller; the grant is valid only as long as it."""
    token = models.ForeignKey(ApiToken, models.CASCADE, null=True, related_name="+", db_index=False)
    """Or its token, for which the same holds."""
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


class Grant(Entity):
    """Access of one user to one workload by a cookie, until it expires or is revoked."""

    digest = models.CharField(max_length=64, unique=True)
    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    session_key = models.CharField(max_length=40, blank=True)
    token = models.ForeignKey(ApiToken, models.CASCADE, null=True, related_name="+", db_index=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)


class AccessShare(Entity):
    """Leave for a colleague of the owner to open a notebook or web app, until an end."""

    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+", db_index=False)
    recipient = models.ForeignKey(User, models.CASCADE, related_name="+")
    is_full = models.BooleanField()
    """Whether more than reading goes through the gateway."""
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workload", "recipient"], name="access_share_once"),
        ]

    @property
    def access(self) -> str:
        """Return what it allows, in a word."""
        return "full" if self.is_full else "view"


class NotebookSchedule(models.Model):
    """On which days a notebook starts and stops by itself, in minutes of the day on the site's clock."""

    workload = models.OneToOneField(
        Workload, models.CASCADE, primary_key=True, related_name="schedule"
    )
    days = ArrayField(models.PositiveSmallIntegerField())
    """0 is Monday."""
    start_minute = models.PositiveSmallIntegerField(null=True)
    stop_minute = models.PositiveSmallIntegerField(null=True)
    next_start_at = models.DateTimeField(null=True, db_index=True)
    next_stop_at = models.DateTimeField(null=True, db_index=True)
    warned_of = models.DateTimeField(null=True)
    """The stop that was last announced."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(start_minute__isnull=False) | Q(stop_minute__isnull=False),
                name="schedule_starts_or_stops",
            ),
        ]


_UNFINISHED = [state.value for state in ImageSaveState if not state.has_ended]


class ImageSave(Entity):
    """One running notebook that is being saved as an image, or was: an order to its node."""

    State = ImageSaveState

    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+", db_index=False)
    epoch = models.PositiveIntegerField()
    """The attempt that is saved; a later one has other files."""
    node = models.ForeignKey(Node, models.CASCADE, related_name="+")
    requester = models.ForeignKey(User, models.PROTECT, related_name="+")
    name = models.CharField(max_length=SAVED_NAME_MAX)
    note = models.CharField(max_length=NOTE_MAX, blank=True)
    is_shared = models.BooleanField(default=False)
    """Whether the notebook's group may use the image."""
    base = models.ForeignKey(Image, models.PROTECT, related_name="+")
    reference = models.CharField(max_length=200)
    """Registry, repository and tag that the node pushes to."""
    bytes_max = models.PositiveBigIntegerField()
    state = models.CharField(
        max_length=16,
        choices=[(state.value, state.value) for state in ImageSaveState],
        default=ImageSaveState.ORDERED.value,
    )
    done_bytes = models.PositiveBigIntegerField(default=0)
    total_bytes = models.PositiveBigIntegerField(default=0)
    size_bytes = models.PositiveBigIntegerField(default=0)
    code = models.CharField(max_length=64, blank=True)
    """Why it failed."""
    detail = models.CharField(max_length=200, blank=True)
    """What the node said about that."""
    image = models.ForeignKey(Image, models.PROTECT, null=True, related_name="+")
    """What became of it."""
    heard_at = models.DateTimeField(default=now)
    """When its node reported of it last, or the order was made."""
    ended_at = models.DateTimeField(null=True)
    cleaned_at = models.DateTimeField(null=True)
    """When it was certain that the registry has nothing of a save that failed."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=[state.value for state in ImageSaveState]),
                name="image_save_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state__in=_UNFINISHED, ended_at=None)
                | (~Q(state__in=_UNFINISHED) & Q(ended_at__isnull=False)),
                name="image_save_ends_once",
            ),
            models.CheckConstraint(
                condition=Q(state="saved", image__isnull=False)
                | (~Q(state="saved") & Q(image=None)),
                name="image_save_has_an_image_when_saved",
            ),
            models.UniqueConstraint(
                fields=["workload"],
                condition=Q(state__in=_UNFINISHED),
                name="image_save_one_at_a_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["node"], condition=Q(state__in=_UNFINISHED), name="image_save_of_node"
            ),
            models.Index(fields=["workload", "-id"], name="image_save_by_workload"),
        ]


class ImagePullState(models.TextChoices):
    """How far a pull has come."""

    ORDERED = "ordered"
    PULLING = "pulling"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


_PULL_UNFINISHED = [ImagePullState.ORDERED.value, ImagePullState.PULLING.value]


class ImagePullOrder(Entity):
    """An order to one node to pull an image now."""

    State = ImagePullState

    image = models.ForeignKey(Image, models.CASCADE, related_name="+", db_index=False)
    node = models.ForeignKey(Node, models.CASCADE, related_name="+", db_index=False)
    requester = models.ForeignKey(User, models.PROTECT, related_name="+")
    state = models.CharField(
        max_length=16, choices=State.choices, default=ImagePullState.ORDERED.value
    )
    progress_pct = models.PositiveSmallIntegerField(default=0)
    detail = models.CharField(max_length=200, blank=True)
    """Why it failed; begins with a code."""
    heard_at = models.DateTimeField(default=now)
    """When its node reported of it last, or the order was made."""
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=ImagePullState.values), name="image_pull_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=_PULL_UNFINISHED, ended_at=None)
                | (~Q(state__in=_PULL_UNFINISHED) & Q(ended_at__isnull=False)),
                name="image_pull_ends_once",
            ),
            models.UniqueConstraint(
                fields=["node", "image"],
                condition=Q(state__in=_PULL_UNFINISHED),
                name="image_pull_one_at_a_time",
            ),
        ]
        indexes = [models.Index(fields=["image", "node", "-id"], name="image_pull_by_image")]


class ImageScanState(models.TextChoices):
    """How far a scan has come."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class ImageScan(models.Model):
    """What the site's scanner has last found in an image, and the scan that is under way."""

    State = ImageScanState

    image = models.OneToOneField(Image, models.CASCADE, primary_key=True, related_name="scan")
    state = models.CharField(
        max_length=16, choices=State.choices, default=ImageScanState.WAITING.value
    )
    asked_at = models.DateTimeField(default=now)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    """When the last scan ended, well or not."""
    detail = models.CharField(max_length=200, blank=True)
    """Why the last one failed."""
    reference = models.CharField(max_length=300, blank=True)
    """What is being scanned, or was last."""
    scanned_reference = models.CharField(max_length=300, blank=True)
    """What the findings are of; empty where there are none yet."""
    scanned_at = models.DateTimeField(null=True)
    counts: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """Vulnerabilities by severity."""
    findings: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """The worst of them, each as `portal.environments.images.scan_reports.Vulnerability`."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=ImageScanState.values), name="image_scan_state_known"
            ),
        ]
        indexes = [
            models.Index(
                fields=["asked_at"],
                condition=Q(state__in=["waiting", "running"]),
                name="image_scan_to_do",
            )
        ]
