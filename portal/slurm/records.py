"""Rows of partitions and of their jobs: the only writer of both."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from portal.common.clock import now
from portal.foreign.attempts import JobKey
from portal.foreign.rounds import free_rows
from portal.inventory.models import Pool
from portal.slurm.models import SlurmJob, SlurmPartition
from portal.slurm.values import AttemptRecord, JobEnd, PartitionTerms

KEPT_DAYS: Final = 30
"""How long ends are remembered that were acknowledged."""
_STORED: Final = (
    *("nodes", "submitted_at", "job_id", "state", "reason", "started_at"),
    *("missing_since", "stop_at", "end"),
)


def terms_of(partition: SlurmPartition, pool: Pool) -> PartitionTerms:
    """Return how jobs of a pool are submitted."""
    return PartitionTerms(
        site=partition.site,
        partition=partition.partition,
        work_dir=partition.work_dir,
        time_limit_s=pool.time_limit_s_max,
        account=partition.account,
        qos=partition.qos,
    )


@dataclass(frozen=True, slots=True)
class PartitionClaims:
    """Keeps rounds of one partition apart."""

    partition: SlurmPartition

    def claim(self, until: datetime) -> bool:
        """Claim the next round up to a moment; return whether no other worker is at it."""
        own = SlurmPartition.objects.filter(free_rows(), pk=self.partition.pk)
        return bool(own.update(round_until=until))

    def release(self, until: datetime, columns: Mapping[str, Any]) -> None:
        """Write how the round that has this claim went."""
        own = SlurmPartition.objects.filter(pk=self.partition.pk, round_until=until)
        own.update(**columns)


def load_unsettled(partition: SlurmPartition) -> Mapping[JobKey, AttemptRecord]:
    """Return what has not ended, or whose end is not acknowledged."""
    rows = SlurmJob.objects.filter(partition=partition, settled_at=None).order_by("created_at")
    return {record.key: record for record in map(_record, rows)}


def load_attempts(
    partition: SlurmPartition, keys: Iterable[JobKey]
) -> Mapping[JobKey, AttemptRecord]:
    """Return all attempts of the work of these, also those that were settled."""
    works = {key.workload for key in keys}
    rows = SlurmJob.objects.filter(partition=partition, workload_id__in=works)
    return {record.key: record for record in map(_record, rows.order_by("epoch"))}


def save(
    partition: SlurmPartition,
    records: Iterable[AttemptRecord],
    before: Mapping[JobKey, AttemptRecord],
) -> None:
    """Save what has changed, and what is new."""
    rows = [
        SlurmJob(
            partition=partition,
            workload_id=record.key.workload,
            epoch=record.key.epoch,
            **_columns(record),
        )
        for record in records
        if record != before.get(record.key)
    ]
    SlurmJob.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["partition", "workload_id", "epoch"],
        update_fields=_STORED,
    )


def settle(partition: SlurmPartition, keys: Iterable[JobKey]) -> None:
    """Note that the portal has processed these ends, and has their logs."""
    for key in keys:
        rows = SlurmJob.objects.filter(
            partition=partition, workload_id=key.workload, epoch=key.epoch, settled_at=None
        )
        rows.exclude(end=None).update(settled_at=now())


def forget_old(partition: SlurmPartition) -> None:
    """Delete ends that were acknowledged long ago."""
    long_ago = now() - timedelta(days=KEPT_DAYS)
    SlurmJob.objects.filter(partition=partition, settled_at__lt=long_ago).delete()


def _columns(record: AttemptRecord) -> dict[str, Any]:
    columns = {name: getattr(record, name) for name in _STORED}
    return columns | {
        "nodes": list(record.nodes),
        "end": None if record.end is None else asdict(record.end),
    }


def _record(row: SlurmJob) -> AttemptRecord:
    columns = {name: getattr(row, name) for name in _STORED}
    return AttemptRecord(
        key=JobKey(row.workload_id, row.epoch),
        **columns
        | {"nodes": tuple(row.nodes), "end": None if row.end is None else JobEnd(**row.end)},
    )
