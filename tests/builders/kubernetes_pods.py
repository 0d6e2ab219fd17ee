"""Plain values and objects of a Kubernetes cluster: nodes, pods, and what replies name."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from portal.execution.desired import WantedContainer, WorkSpec
from portal.foreign.attempts import JobKey
from portal.kubernetes.names import pod_name
from portal.kubernetes.values import (
    ClusterPod,
    ContainerState,
    CreatePods,
    KubeNode,
    KubeView,
    PodTerms,
)

AT = 1_800_000_000
KEY = JobKey(UUID(int=7), 2)
SITE = "0000abcd"
GPU = "nvidia.com/gpu"
TERMS = PodTerms(SITE, "berth-a100", GPU, time_limit_s=3600)
RUNNING = ContainerState("running", started_at=AT - 50)


def a_container(name: str = "terminated", **chosen: Any) -> ContainerState:
    """Return the state of a container that has ended well; only times of one that has."""
    usual: dict[str, Any] = {"exit_code": 0, "started_at": AT - 50, "ended_at": AT - 10}
    return ContainerState(name, **({**usual, **chosen} if name == "terminated" else chosen))


def a_pod(key: JobKey = KEY, rank: int = 0, **chosen: Any) -> ClusterPod:
    """Return a pod that runs on `n1` since a minute."""
    usual: dict[str, Any] = {"node": "n1", "phase": "Running", "container": RUNNING}
    fields = {"name": pod_name(SITE, key, rank), "created_at": AT - 60, **usual, **chosen}
    return ClusterPod(key=key, rank=rank, **fields)


def a_cluster_node(name: str = "n1", **chosen: Any) -> KubeNode:
    """Return a node with four GPUs that takes work."""
    usual = {"address": "127.0.0.1", "cpu_milli": 8000, "memory_mib": 16000, "gpus": 4}
    return KubeNode(name, **{**usual, **chosen})


def a_cluster_view(*pods: ClusterPod, nodes: tuple[KubeNode, ...] = ()) -> KubeView:
    """Return a look at a cluster of `n1` and `n2`."""
    known = nodes or (a_cluster_node("n1"), a_cluster_node("n2"))
    return KubeView(AT, {node.name: node for node in known}, pods)


def a_wanted_rank(
    key: JobKey = KEY, rank: int = 0, ranks: int = 1, **chosen: Any
) -> WantedContainer:
    """Return what a reply names of one rank; the rest are fields of its spec."""
    usual: dict[str, Any] = {"command": ("true",), "rank": rank, "ranks": ranks}
    spec = {"kind": "training", "workload": str(key.workload), "name": "work", "image": "python:3"}
    fields = {**spec, "cpu_milli": 1500, "memory_mib": 512, **usual, **chosen}
    return WantedContainer(*key.rank(rank), WorkSpec(**fields))


def a_creation(*ranks: WantedContainer, nodes: tuple[str, ...] = ("n1",)) -> CreatePods:
    """Return the creation of all pods of these ranks."""
    chosen = ranks or (a_wanted_rank(),)
    return CreatePods(KEY, chosen, nodes, tuple(range(len(chosen))))


def a_pod_object(key: JobKey = KEY, rank: int = 0, **status: Any) -> dict[str, Any]:
    """Return a pod as the API gives it, bound to `n1`."""
    return {
        "metadata": {
            "name": pod_name(SITE, key, rank),
            "creationTimestamp": "2027-01-15T08:00:00Z",
            "annotations": {"berth/reply": "12"},
            "finalizers": ["berth/end-reported"],
        },
        "spec": {"nodeName": "n1"},
        "status": {"phase": "Pending", **status},
    }


def a_node_object(
    labels: Mapping[str, str] | None = None, ready: str = "True", **spec: Any
) -> dict[str, Any]:
    """Return a node as the API gives it, with four GPUs."""
    return {
        "metadata": {"name": "n1", "labels": labels},
        "spec": spec,
        "status": {
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
            "allocatable": {"cpu": "7910m", "memory": "16384000Ki", GPU: "4"},
            "conditions": [{"type": "Ready", "status": ready, "reason": "KubeletNotReady"}],
        },
    }
