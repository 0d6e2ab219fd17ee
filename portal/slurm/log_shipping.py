"""Logs of jobs on their way to the portal: read from their files on the cluster, while they run and after."""

from collections.abc import Iterable, Mapping

import structlog

from portal.execution.logs import GrownLog, LogStore
from portal.foreign.attempts import JobKey
from portal.foreign.bounds import CHUNKS_MAX
from portal.inventory.models import Node
from portal.slurm import words
from portal.slurm.client import CHUNK_BYTES, SlurmClient
from portal.slurm.commands import CommandError
from portal.slurm.values import AttemptRecord

logger = structlog.get_logger(__name__)


def ship_logs(
    client: SlurmClient,
    store: LogStore,
    records: Iterable[AttemptRecord],
    nodes: Mapping[str, Node],
) -> frozenset[JobKey]:
    """Send what is new of the logs of what runs and of what has just ended; return what has more."""
    begun = (it for it in records if it.job_id and (it.end or it.state not in words.WAITING))
    return frozenset(
        record.key
        for record in begun
        for rank, name in enumerate(record.nodes)
        if name in nodes and not _try_to_ship(client, store, record, rank, nodes[name])
    )


def _try_to_ship(
    client: SlurmClient, store: LogStore, record: AttemptRecord, rank: int, node: Node
) -> bool:
    try:
        return _ship(client, store, record, rank, node)
    except CommandError as error:
        logger.warning("slurm.log_unread", key=str(record.key), error=str(error))
        return False


def _ship(
    client: SlurmClient, store: LogStore, record: AttemptRecord, rank: int, node: Node
) -> bool:
    """Send what is new of one rank's log; return whether that is all there is."""
    name, epoch = record.key.rank(rank)
    offset = store(node.pk, GrownLog(name, epoch, offset=0, data=b""))
    for _ in range(CHUNKS_MAX):
        data = client.read_log(record.key, rank, offset)
        if not data:
            return True
        offset = store(node.pk, GrownLog(name, epoch, offset=offset, data=data))
        if len(data) < CHUNK_BYTES:
            return True
    return False
