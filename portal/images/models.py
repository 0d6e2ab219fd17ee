"""Images that were saved or built, how they are scanned, pulled and kept; logins of other registries."""

from typing import Any, Final

from django.db import models
from django.db.models import Q

from portal.catalog.models import NOTE_MAX, Image
from portal.common.clock import now
from portal.common.models import Entity
from portal.identity.models import User
from portal.images.save_rules import ImageSaveState
from portal.inventory.models import Node
from portal.tenancy.models import Group
from portal.workloads.models import Workload

SAVED_NAME_MAX: Final = 30
"""Characters of the name of a saved image, after the name of its owner."""
REGISTRY_HOST_MAX: Final = 200
"""Characters of the host of a registry, with its port."""


class SavedImage(models.Model):
    """What an image was saved from, and what of it is in the registry of the platform."""

    image = models.OneToOneField(Image, models.PROTECT, primary_key=True, related_name="saved")
    workload_id = models.UUIDField()
    workload_name = models.CharField(max_length=63)
    workload_group = models.ForeignKey(Group, models.PROTECT, related_name="+")
    """The group with which it can be shared."""
    base = models.ForeignKey(Image, models.PROTECT, related_name="+")
    """The image that the notebook ran."""
    digest = models.CharField(max_length=71)
    """Of its manifest."""
    size_bytes = models.PositiveBigIntegerField()
    """The whole image, unpacked."""
    removed_at = models.DateTimeField(null=True)
    """No new work may use it; its manifest is deleted when no work does."""
    deleted_at = models.DateTimeField(null=True)
    """When the registry had deleted its manifest."""
    is_pinned = models.BooleanField(default=False, db_default=False)
    """Whether it stays, whatever the retention says."""
    expiry_noticed_at = models.DateTimeField(null=True)
    """When its owner was last notified that it is about to go."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(deleted_at=None) | Q(removed_at__isnull=False),
                name="saved_image_removed_before_deleted",
            ),
        ]


class ImageRetention(Entity):
    """How long unused saved images are kept: those of one group and the groups below, or of all."""

    group = models.ForeignKey(Group, models.CASCADE, null=True, related_name="+", db_index=False)
    """None is the rule of the platform, for groups that no other rule is for."""
    newest = models.PositiveSmallIntegerField()
    """So many of each person and group stay, whenever they were used."""
    used_days = models.PositiveSmallIntegerField(null=True)
    """All others stay for so long after their last use; None is permanent."""
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["group"],
                nulls_distinct=False,
                name="image_retention_once",
            ),
        ]


class RegistryCredential(Entity):
    """The login of a registry that is not the platform's, for nodes that pull images from there."""

    host = models.CharField(max_length=REGISTRY_HOST_MAX, unique=True)
    """As references name it, with its port; `docker.io` is what they mean without a host."""
    username = models.CharField(max_length=200)
    encrypted_password = models.TextField()
    """As `portal.common.encryption` returns it; the password leaves the portal for nodes only."""
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    last_used_at = models.DateTimeField(null=True)
    """When a node last got it."""


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
    """The worst of them, each as `portal.images.scan_reports.Vulnerability`."""

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
