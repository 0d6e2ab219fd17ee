"""Which partition a pool is, and the attempts that were submitted there."""

from typing import Any

from django.db import models
from django.db.models import Q

from portal.common.models import Entity
from portal.foreign.models import ForeignCluster


class SlurmPartition(ForeignCluster):
    """How a pool reaches its partition of a Slurm cluster, and what its GPUs are."""

    partition = models.CharField(max_length=100)
    host = models.CharField(max_length=200, blank=True)
    """Where the commands are run over ssh; empty is the host of the workers."""
    conf = models.CharField(max_length=200, blank=True)
    """Path of the configuration file there; empty is Slurm's own."""
    work_dir = models.CharField(max_length=200)
    """A folder that all nodes of the partition and that host share."""
    account = models.CharField(max_length=100, blank=True)
    qos = models.CharField(max_length=100, blank=True)


class SlurmJob(Entity):
    """One attempt of a workload that was submitted, or was about to be; its ranks are one job."""

    partition = models.ForeignKey(
        SlurmPartition, models.CASCADE, related_name="jobs", db_index=False
    )
    workload_id = models.UUIDField()
    """Not a key: after a restore of the database it may name what is unknown."""
    epoch = models.PositiveIntegerField()
    nodes: "models.JSONField[Any, Any]" = models.JSONField()
    """Of each rank, as Slurm names them."""
    submitted_at = models.BigIntegerField()
    """When `sbatch` was run last, in s since 1970 by the portal's clock."""
    job_id = models.BigIntegerField(null=True)
    """Null while it is not known whether it was taken."""
    state = models.CharField(max_length=32, blank=True)
    """Last state that the controller named."""
    reason = models.CharField(max_length=32, blank=True)
    """Why it waits there, as a word of `portal.slurm.words`."""
    started_at = models.BigIntegerField(null=True)
    missing_since = models.BigIntegerField(null=True)
    stop_at = models.BigIntegerField(null=True)
    end: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    """As `portal.slurm.values.JobEnd`; null before it is known."""
    settled_at = models.DateTimeField(null=True)
    """When its end was acknowledged for all ranks, and its logs were complete."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["partition", "workload_id", "epoch"], name="slurm_job_once_per_attempt"
            ),
            models.CheckConstraint(
                condition=Q(settled_at=None) | Q(end__isnull=False), name="slurm_job_settled_by_end"
            ),
        ]
        indexes = [
            models.Index(
                fields=["partition"], condition=Q(settled_at=None), name="slurm_job_unsettled"
            )
        ]
