"""A pool becomes nodes of a Kubernetes cluster, once checks of the cluster have found nothing against it."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.encryption import encrypt
from portal.common.errors import ConflictError
from portal.execution.backends import KUBERNETES
from portal.execution.desired import WantedContainer, WorkSpec
from portal.foreign.attempts import JobKey
from portal.foreign.joining import JoinFinding, claim_pool, examine
from portal.inventory.models import Pool
from portal.kubernetes.access import ClusterAccess
from portal.kubernetes.client import KubernetesClient, PodRefusedError
from portal.kubernetes.models import KubernetesCluster
from portal.kubernetes.values import CreatePods, KubeNode
from portal.workloads.models import Allocation

VERSION_MIN: Final = (1, 20)
"""Oldest Kubernetes whose API has all that is used."""
_PODS: Final = (("create", ""), ("list", ""), ("patch", ""), ("delete", ""), ("get", "log"))


def examine_cluster(client: KubernetesClient) -> tuple[JoinFinding, ...]:
    """Look at a cluster without changing anything there."""
    looks = {
        "version": _version,
        "rights": _rights,
        "namespace": _namespace,
        "nodes": _nodes,
        "outputs": _outputs,
        "pod": _trial,
    }
    return tuple(examine({what: partial(look, client) for what, look in looks.items()}))


def _version(client: KubernetesClient) -> tuple[bool, str]:
    version = client.version()
    return version >= VERSION_MIN, ".".join(map(str, version))


def _rights(client: KubernetesClient) -> tuple[bool, str]:
    """Ask for each right by itself, so that all that are missing are named."""
    missing = [name for name, right in _needed(client) if not client.may(right)]
    return not missing, f"lacks: {', '.join(missing)}" if missing else "all that are needed"


def _needed(client: KubernetesClient) -> Iterator[tuple[str, dict[str, str]]]:
    namespace = client.terms.namespace
    yield "list nodes", {"verb": "list", "resource": "nodes"}
    named = {"verb": "get", "resource": "namespaces", "name": namespace}
    yield "get the namespace", {**named, "namespace": namespace}
    for verb, part in _PODS:
        right = {"verb": verb, "resource": "pods", "namespace": namespace}
        yield (
            f"{verb} pods{f'/{part}' if part else ''}",
            {**right, **({"subresource": part} if part else {})},
        )
    if client.terms.outputs_claim:
        claims = {"verb": "get", "resource": "persistentvolumeclaims", "namespace": namespace}
        yield "get persistentvolumeclaims", claims


def _namespace(client: KubernetesClient) -> tuple[bool, str]:
    client.namespace_uid()
    return True, client.terms.namespace


def _nodes(client: KubernetesClient) -> tuple[bool, str]:
    nodes = _of_pool(client)
    away = [f"{node.name} ({node.away})" for node in nodes if node.away]
    gpus = sum(node.gpus for node in nodes)
    found = f"{len(nodes)} nodes, {gpus} x {client.terms.resource}"
    return gpus > 0, found + (f", away: {', '.join(away)}" if away else "")


def _of_pool(client: KubernetesClient) -> list[KubeNode]:
    return [node for node in client.nodes().values() if node.is_selected and node.gpus]


def _outputs(client: KubernetesClient) -> tuple[bool, str]:
    if not client.terms.outputs_claim:
        return True, "none are kept: no claim was named"
    phase = client.claim_phase()
    return phase == "Bound", f"{client.terms.outputs_claim}: {phase}"


def _trial(client: KubernetesClient) -> tuple[bool, str]:
    """Ask whether a small pod would be taken, by quotas and admission as well; none is created."""
    nodes = _of_pool(client)
    if not nodes:
        return False, "no node to name"
    key = JobKey(UUID(int=0), 1)
    spec = WorkSpec("training", str(key.workload), "check", "check", 100, 64, command=("true",))
    order = CreatePods(key, (WantedContainer(*key.rank(0), spec),), (nodes[0].name,), (0,))
    try:
        client.create(order, 0, 0, is_trial=True)
    except PodRefusedError as error:
        return False, str(error)
    return True, f"would be taken on {nodes[0].name}"


@transaction.atomic
def join(
    actor: Actor, pool: Pool, access: ClusterAccess, namespace_uid: str, columns: dict[str, Any]
) -> KubernetesCluster:
    """Let Kubernetes run the work of a pool from now on, or change how it is reached.

    Raises:
        ConflictError: the pool shares its cards, has nodes of its own, or has work in another namespace.
    """
    pool = claim_pool(pool, KUBERNETES)
    before = KubernetesCluster.objects.filter(pool=pool).first()
    if before is not None and before.namespace_uid != namespace_uid and _has_work(pool):
        raise ConflictError("cluster_pool_has_work", pool=pool.name)
    named = {**columns, **_where(access, namespace_uid)}
    KubernetesCluster.objects.bulk_create(
        [KubernetesCluster(pool=pool, **named)],
        update_conflicts=True,
        unique_fields=["pool"],
        update_fields=list(named),
    )
    cluster = KubernetesCluster.objects.get(pool=pool)
    audit.record_event(
        actor=actor,
        action="pool.join_kubernetes",
        object_type="pool",
        object_id=pool.pk,
        params={"name": pool.name, "server": cluster.server, "namespace": cluster.namespace},
    )
    return cluster


def _where(access: ClusterAccess, namespace_uid: str) -> dict[str, str]:
    """Return the columns by which the namespace is reached and known again."""
    return {
        "encrypted_access": encrypt(access.to_text()),
        "server": access.server,
        "namespace_uid": namespace_uid,
    }


def _has_work(pool: Pool) -> bool:
    return Allocation.objects.filter(node__pool=pool, released_at=None).exists()
