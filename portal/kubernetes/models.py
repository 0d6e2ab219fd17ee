"""Which namespace and nodes a pool is, and how far the logs of its pods were read."""

from django.db import models

from portal.common.models import Entity
from portal.foreign.models import ForeignCluster


class KubernetesCluster(ForeignCluster):
    """How a pool reaches its part of a Kubernetes cluster, and what its GPUs are."""

    encrypted_access = models.TextField()
    """As `portal.common.encryption` returns it: `portal.kubernetes.access.ClusterAccess`."""
    server = models.CharField(max_length=300)
    """Address of the API server, for people to read."""
    namespace = models.CharField(max_length=63)
    namespace_uid = models.CharField(max_length=64)
    """Identity of the namespace: behind the same address another cluster has another."""
    resource = models.CharField(max_length=200)
    """What its GPUs are counted as, such as `nvidia.com/gpu`."""
    node_selector = models.CharField(max_length=500, blank=True)
    """Labels of its nodes, `a=b,c=d`; empty are all nodes that count such GPUs."""
    outputs_claim = models.CharField(max_length=253, blank=True)
    """A claim of a volume for outputs; without one they are gone with their pod."""
    pull_secret = models.CharField(max_length=253, blank=True)
    """A secret of the namespace by which images are pulled."""


class KubernetesLog(Entity):
    """How far the log of a pod was read: `portal.kubernetes.logs.LogCursor`."""

    cluster = models.ForeignKey(
        KubernetesCluster, models.CASCADE, related_name="logs", db_index=False
    )
    workload_id = models.UUIDField()
    """Not a key: after a restore of the database it may name what is unknown."""
    rank = models.PositiveIntegerField()
    epoch = models.PositiveIntegerField()
    offset = models.BigIntegerField()
    since = models.CharField(max_length=32, blank=True)
    lines = models.PositiveIntegerField()
    last = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "workload_id", "rank", "epoch"], name="kubernetes_log_once"
            )
        ]
