"""A pool becomes a partition of a Slurm cluster, once checks of the cluster have found nothing against it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.errors import ConflictError
from portal.execution.backends import SLURM
from portal.execution.desired import WantedContainer, WorkSpec
from portal.inventory.models import Node, Pool
from portal.slurm.client import SlurmClient
from portal.slurm.commands import CommandError
from portal.slurm.models import SlurmPartition
from portal.slurm.names import node_name
from portal.slurm.reading import UnreadableError
from portal.slurm.script import sbatch_options
from portal.slurm.values import JobKey, SubmitJob
from scheduler.core.model.states import NodeState

VERSION_MIN: Final = (22, 5)
"""Oldest Slurm whose output is read: what the tests run."""


@dataclass(frozen=True, slots=True)
class JoinFinding:
    """One thing that was looked at, and what was found."""

    what: str
    is_good: bool
    found: str


def examine(client: SlurmClient) -> tuple[JoinFinding, ...]:
    """Look at a partition without changing anything there, other than one file that is removed again."""
    return tuple(_examine(client))


def _examine(client: SlurmClient) -> Iterator[JoinFinding]:
    looks: dict[str, Callable[[SlurmClient], tuple[bool, str]]] = {
        "version": _version,
        "nodes": _nodes,
        "queue": _queue,
        "accounting": _accounting,
        "work folder": _folder,
        "submission": _submission,
    }
    for what, look in looks.items():
        try:
            is_good, found = look(client)
        except (CommandError, UnreadableError) as error:
            is_good, found = False, str(error)
        yield JoinFinding(what, is_good, found)


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
    pool = Pool.objects.select_for_update(no_key=True).get(pk=pool.pk)
    if pool.mode != Pool.Mode.EXCLUSIVE:
        raise ConflictError("slurm_pool_is_shared", pool=pool.name)
    own = Node.objects.filter(pool=pool).exclude(state=NodeState.RETIRED).exclude(runtime=SLURM)
    if own.exists():
        raise ConflictError("slurm_pool_has_nodes", pool=pool.name)
    SlurmPartition.objects.bulk_create(
        [SlurmPartition(pool=pool, **columns)],
        update_conflicts=True,
        unique_fields=["pool"],
        update_fields=list(columns),
    )
    partition = SlurmPartition.objects.get(pool=pool)
    Pool.objects.filter(pk=pool.pk).update(backend=SLURM)
    audit.record_event(
        actor=actor,
        action="pool.join_slurm",
        object_type="pool",
        object_id=pool.pk,
        params={"name": pool.name, "partition": partition.partition},
    )
    return partition


def unjoined_names(client: SlurmClient, pool: Pool) -> list[str]:
    """Return the nodes of a partition whose names nodes of other pools have: they are left out."""
    names = [node_name(node.name) for node in client.nodes()]
    rows = Node.objects.filter(name__in=names).exclude(pool=pool)
    return sorted(rows.values_list("name", flat=True))
