"""A pool becomes a partition of a Slurm cluster, once checks of the cluster have found nothing against it."""

from functools import partial
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.execution.backends import SLURM
from portal.execution.desired import WantedContainer, WorkSpec
from portal.foreign.attempts import JobKey
from portal.foreign.joining import JoinFinding, claim_pool, examine
from portal.inventory.models import Pool
from portal.slurm.client import SlurmClient
from portal.slurm.models import SlurmPartition
from portal.slurm.script import sbatch_options
from portal.slurm.values import SubmitJob

VERSION_MIN: Final = (22, 5)
"""Oldest Slurm whose output is read: what the tests run."""


def examine_partition(client: SlurmClient) -> tuple[JoinFinding, ...]:
    """Look at a partition without changing anything there, other than one file that is removed again."""
    looks = {
        "version": _version,
        "nodes": _nodes,
        "queue": _queue,
        "accounting": _accounting,
        "work folder": _folder,
        "submission": _submission,
    }
    return tuple(examine({what: partial(look, client) for what, look in looks.items()}))


def _version(client: SlurmClient) -> tuple[bool, str]:
    text = client.commands.run(("sinfo", "--version")).decode().strip()
    digits = [int(part) for part in text.rpartition(" ")[2].split(".")[:2] if part.isdigit()]
    return tuple(digits) >= VERSION_MIN, text


def _nodes(client: SlurmClient) -> tuple[bool, str]:
    nodes = client.nodes()
    gpus = sum(sum(node.gpus.values()) for node in nodes)
    away = sorted(node.name for node in nodes if node.state.startswith(("down", "inval")))
    found = f"{len(nodes)} nodes, {gpus} GPUs" + (f", away: {', '.join(away)}" if away else "")
    return bool(nodes) and gpus > 0, found


def _queue(client: SlurmClient) -> tuple[bool, str]:
    return True, f"{len(client.queue())} jobs of this pool"


def _accounting(client: SlurmClient) -> tuple[bool, str]:
    client.commands.run(("sacct", "--noheader", "--allocations", "--starttime=now"))
    return True, "answers"


def _folder(client: SlurmClient) -> tuple[bool, str]:
    folder = client.terms.work_dir
    client.commands.run(("mkdir", "-p", f"{folder}/jobs", f"{folder}/outputs"))
    client.commands.run(("test", "-w", f"{folder}/jobs"))
    return True, folder


def _submission(client: SlurmClient) -> tuple[bool, str]:
    """Ask whether a small job would be taken, with the account and the QoS; none is submitted."""
    nodes = client.nodes()
    if not nodes:
        return False, "no node to name"
    key = JobKey(UUID(int=0), 1)
    spec = WorkSpec("training", str(key.workload), "check", "", 1000, 64)
    item = WantedContainer(key.rank(0)[0], 1, spec)
    options = sbatch_options(SubmitJob(key, (item,), (nodes[0].name,)), client.terms)
    client.commands.run(("sbatch", "--test-only", *options), b"#!/bin/sh\ntrue\n")
    return True, f"would be taken on {nodes[0].name}"


@transaction.atomic
def join(actor: Actor, pool: Pool, columns: dict[str, Any]) -> SlurmPartition:
    """Let Slurm run the work of a pool from now on.

    Raises:
        ConflictError: the pool shares its cards, or has nodes of its own.
    """
    pool = claim_pool(pool, SLURM)
    SlurmPartition.objects.bulk_create(
        [SlurmPartition(pool=pool, **columns)],
        update_conflicts=True,
        unique_fields=["pool"],
        update_fields=list(columns),
    )
    partition = SlurmPartition.objects.get(pool=pool)
    audit.record_event(
        actor=actor,
        action="pool.join_slurm",
        object_type="pool",
        object_id=pool.pk,
        params={"name": pool.name, "partition": partition.partition},
    )
    return partition
