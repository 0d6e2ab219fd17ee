"""Rows of clusters, and how far the logs of their pods were read: the only writer of both."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from portal.common import encryption
from portal.foreign.rounds import free_rows
from portal.inventory.models import Pool
from portal.kubernetes.access import ClusterAccess
from portal.kubernetes.logs import LogCursor
from portal.kubernetes.models import KubernetesCluster, KubernetesLog
from portal.kubernetes.transport import KubeError
from portal.kubernetes.values import ClusterPod, PodTerms

LogKey = tuple[UUID, int, int]
"""Workload, rank and epoch."""


def terms_of(cluster: KubernetesCluster, pool: Pool) -> PodTerms:
    """Return how pods of a pool are made."""
    return PodTerms(
        site=cluster.site,
        namespace=cluster.namespace,
        resource=cluster.resource,
        time_limit_s=pool.time_limit_s_max,
        outputs_claim=cluster.outputs_claim,
        pull_secret=cluster.pull_secret,
    )


def access_of(cluster: KubernetesCluster) -> ClusterAccess:
    """Return how a cluster is reached; raises `KubeError` when that cannot be decrypted any more."""
    try:
        return ClusterAccess.from_text(encryption.decrypt(cluster.encrypted_access))
    except encryption.UndecryptableError as error:
        raise KubeError("the stored access cannot be decrypted") from error


@transaction.atomic
def encrypt_again() -> int:
    """Encrypt every access with the present key; return how many there are."""
    rows = list(KubernetesCluster.objects.select_for_update(no_key=True).order_by("id"))
    for row in rows:
        row.encrypted_access = encryption.rotate(row.encrypted_access)
        row.save(update_fields=["encrypted_access"])
    return len(rows)


@dataclass(frozen=True, slots=True)
class ClusterClaims:
    """Keeps rounds of one pool apart."""

    cluster: KubernetesCluster

    def claim(self, until: datetime) -> bool:
        """Claim the next round up to a moment; return whether no other worker is at it."""
        own = KubernetesCluster.objects.filter(free_rows(), pk=self.cluster.pk)
        return bool(own.update(round_until=until))

    def release(self, until: datetime, columns: Mapping[str, Any]) -> None:
        """Write how the round that has this claim went."""
        own = KubernetesCluster.objects.filter(pk=self.cluster.pk, round_until=until)
        own.update(**columns)


def log_key(pod: ClusterPod) -> LogKey:
    """Return whose log a pod writes."""
    return pod.key.workload, pod.rank, pod.key.epoch


def load_cursors(cluster: KubernetesCluster) -> Mapping[LogKey, LogCursor]:
    """Return how far each log was read."""
    rows = KubernetesLog.objects.filter(cluster=cluster)
    return {
        (row.workload_id, row.rank, row.epoch): LogCursor(
            row.offset, row.since, row.lines, row.last
        )
        for row in rows
    }


def save_cursors(cluster: KubernetesCluster, cursors: Mapping[LogKey, LogCursor]) -> None:
    """Save how far these logs were read."""
    rows = [
        KubernetesLog(cluster=cluster, workload_id=work, rank=rank, epoch=epoch, **asdict(cursor))
        for (work, rank, epoch), cursor in cursors.items()
    ]
    KubernetesLog.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["cluster", "workload_id", "rank", "epoch"],
        update_fields=["offset", "since", "lines", "last"],
    )


def forget_logs(cluster: KubernetesCluster, kept: Iterable[LogKey]) -> None:
    """Delete the cursors of pods that are not there any more."""
    there = set(kept)
    rows = KubernetesLog.objects.filter(cluster=cluster)
    gone = [row.pk for row in rows if (row.workload_id, row.rank, row.epoch) not in there]
    if gone:
        KubernetesLog.objects.filter(pk__in=gone).delete()
