"""Rows of partitions and of their jobs: the only writer of both."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

from django.db.models import Q

from portal.common.clock import now
from portal.inventory.models import Pool
from portal.slurm.models import SlurmJob, SlurmPartition
from portal.slurm.values import JobEnd, JobKey, JobRecord, PartitionTerms

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


@contextmanager
def one_round(partition: SlurmPartition) -> Iterator[bool]:
    """Provide for the block whether this worker is the only one that runs a round of a partition."""
    moment = now()
    is_free = Q(round_until=None) | Q(round_until__lte=moment)
    mine = moment + timedelta(seconds=ROUND_S)
    own = SlurmPartition.objects.filter(pk=partition.pk)
    if not own.filter(is_free).update(round_until=mine):
        yield False
        return
    try:
        yield True
    finally:
        own.filter(round_until=mine).update(round_until=None)


def record_heard(partition: SlurmPartition) -> None:
    """Note that the cluster answered."""
    SlurmPartition.objects.filter(pk=partition.pk).update(fault="", heard_at=now())


def record_fault(partition: SlurmPartition, words: str) -> None:
    """Note why a round has failed."""
    SlurmPartition.objects.filter(pk=partition.pk).update(fault=words[:500])


def load_unsettled(partition: SlurmPartition) -> Mapping[JobKey, JobRecord]:
    """Return what has not ended, or whose end is not acknowledged, and the last attempt of that work."""
    rows = SlurmJob.objects.filter(partition=partition, settled_at=None).order_by("created_at")
    return {record.key: record for record in map(_record, rows)}


def highest_epochs(partition: SlurmPartition, keys: Iterable[JobKey]) -> Mapping[JobKey, JobRecord]:
    """Return what was ever recorded of the work of these attempts, unless it was long ago."""
    works = {key.workload for key in keys}
    rows = SlurmJob.objects.filter(partition=partition, workload_id__in=works)
    return {record.key: record for record in map(_record, rows.order_by("epoch"))}


def save(
    partition: SlurmPartition, records: Iterable[JobRecord], before: Mapping[JobKey, JobRecord]
) -> None:
    """Save what has changed, and what is new."""
    for record in records:
        if record != before.get(record.key):
            SlurmJob.objects.update_or_create(
                partition=partition,
                workload_id=record.key.workload,
                epoch=record.key.epoch,
                defaults=_columns(record),
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


def _columns(record: JobRecord) -> dict[str, Any]:
    columns = {name: getattr(record, name) for name in _STORED}
    return columns | {
        "nodes": list(record.nodes),
        "end": None if record.end is None else asdict(record.end),
    }


def _record(row: SlurmJob) -> JobRecord:
    columns = {name: getattr(row, name) for name in _STORED}
    return JobRecord(
        key=JobKey(row.workload_id, row.epoch),
        **columns
        | {"nodes": tuple(row.nodes), "end": None if row.end is None else JobEnd(**row.end)},
    )
