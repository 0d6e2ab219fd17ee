"""Rows of partitions and of their jobs: the only writer of both."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Q

from portal.common.clock import now
from portal.inventory.models import Pool
from portal.slurm.models import SlurmJob, SlurmPartition
from portal.slurm.values import AttemptRecord, JobEnd, JobKey, PartitionTerms

ROUND_S: Final = 150
"""After this a round whose worker has died no longer keeps others out: above a task's own limit."""
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


def claim_round(partition: SlurmPartition) -> datetime | None:
    """Claim the next round of a partition, and return until when; None while another worker is at it."""
    moment = now()
    is_free = Q(round_until=None) | Q(round_until__lte=moment)
    until = moment + timedelta(seconds=ROUND_S)
    own = SlurmPartition.objects.filter(is_free, pk=partition.pk)
    return until if own.update(round_until=until) else None


def end_round(
    partition: SlurmPartition, claim: datetime, *, fault: str = "", retry_s: int = 0
) -> None:
    """Let the next round begin, after a fault a while later."""
    columns: dict[str, Any] = {"fault": fault[:500], "round_until": None}
    if fault:
        columns["round_until"] = now() + timedelta(seconds=retry_s)
    else:
        columns["heard_at"] = now()
    SlurmPartition.objects.filter(pk=partition.pk, round_until=claim).update(**columns)


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
