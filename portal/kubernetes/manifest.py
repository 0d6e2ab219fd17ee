"""One rank of an attempt as a pod, bound to its node: pure."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from portal.execution.desired import WantedContainer, WorkSpec
from portal.foreign.bounds import BACKSTOP_S
from portal.foreign.environment import rank_environment
from portal.kubernetes.names import (
    CONTAINER,
    FINALIZER,
    OURS,
    RANKS_SERVICE,
    REPLY,
    SITE_LABEL,
    WORKLOAD_LABEL,
    host_name,
    pod_name,
)
from portal.kubernetes.values import CreatePods, PodTerms
from wire.versions import STOP_GRACE_S

OUTPUTS: Final = "/outputs"
_DEVICES: Final = "/dev"
SCRATCH: Final = "/berth"
_PROGRAM: Final = f"{SCRATCH}/program"
_MARKED: Final = (
    f'printf %s "$BERTH_SCRIPT" > {_PROGRAM} && chmod 700 {_PROGRAM} && unset BERTH_SCRIPT '
    f'&& exec {_PROGRAM} "$@"'
)
"""Runs a script that names its own interpreter: it has to be a file."""


def pod_manifest(order: CreatePods, rank: int, terms: PodTerms, reply: int) -> dict[str, Any]:
    """Return the pod of a rank; `reply` is the `seq` of the reply that names it."""
    item = order.ranks[rank]
    name = pod_name(terms.site, order.key, rank)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": terms.namespace,
            "labels": {**OURS, SITE_LABEL: terms.site, WORKLOAD_LABEL: order.key.workload.hex},
            "annotations": {REPLY: str(reply)},
            "finalizers": [FINALIZER],
        },
        "spec": {
            "nodeName": order.nodes[rank],
            "hostname": name,
            "subdomain": RANKS_SERVICE,
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": STOP_GRACE_S,
            "activeDeadlineSeconds": _deadline_s(item, terms),
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            # Otherwise the program is process 1, which TERM does not end by itself.
            "shareProcessNamespace": True,
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            # Nothing but the portal takes work away from a node that is not heard.
            "tolerations": [{"operator": "Exists"}],
            "containers": [_container(order, rank, terms)],
            "volumes": list(_volumes(terms)),
            **({"imagePullSecrets": [{"name": terms.pull_secret}]} if terms.pull_secret else {}),
        },
    }


def _deadline_s(item: WantedContainer, terms: PodTerms) -> int:
    if item.limit is None:
        return max(1, terms.time_limit_s)
    return item.limit.remaining_s + item.limit.grace_s + BACKSTOP_S


def _container(order: CreatePods, rank: int, terms: PodTerms) -> dict[str, Any]:
    item = order.ranks[rank]
    amounts = {
        "cpu": f"{item.spec.cpu_milli}m",
        "memory": f"{item.spec.memory_mib}Mi",
        **({terms.resource: str(len(item.devices))} if item.devices else {}),
    }
    environment = _environment(order, rank, terms)
    return {
        "name": CONTAINER,
        "image": item.spec.image,
        "imagePullPolicy": "IfNotPresent",
        "env": [{"name": name, "value": value} for name, value in environment.items()],
        **_program(item.spec),
        "workingDir": OUTPUTS,
        "resources": {"requests": amounts, "limits": amounts},
        "securityContext": {"allowPrivilegeEscalation": False},
        "volumeMounts": [
            {"name": "scratch", "mountPath": SCRATCH},
            {"name": "shm", "mountPath": f"{_DEVICES}/shm"},
            _outputs_mount(item.spec, terms),
        ],
    }


def _program(spec: WorkSpec) -> dict[str, Any]:
    """Return what is run: a script and its arguments, a command, or what the image has."""
    if spec.script.startswith("#!"):
        return {"command": ["/bin/sh", "-c", _MARKED, _PROGRAM, *map(_plain, spec.command)]}
    if spec.script:
        script = _plain(spec.script)
        return {"command": ["/bin/sh", "-c", script, _PROGRAM, *map(_plain, spec.command)]}
    return {"command": list(map(_plain, spec.command))} if spec.command else {}


def _plain(text: str) -> str:
    """Return a text in which Kubernetes replaces nothing: it takes `$(NAME)` for a variable."""
    return text.replace("$", "$$")


def _environment(order: CreatePods, rank: int, terms: PodTerms) -> Mapping[str, str]:
    ranks = range(len(order.ranks))
    hosts = [host_name(terms.namespace, terms.site, order.key, number) for number in ranks]
    item = order.ranks[rank]
    found = rank_environment(item, nodes=order.nodes, hosts=hosts, outputs=OUTPUTS)
    if item.spec.script.startswith("#!"):
        found = {**found, "BERTH_SCRIPT": item.spec.script}
    return {name: _plain(value) for name, value in found.items()}


def _outputs_mount(spec: WorkSpec, terms: PodTerms) -> dict[str, Any]:
    path = {"subPath": f"outputs/{spec.workload}"} if terms.outputs_claim else {}
    return {"name": "outputs", "mountPath": OUTPUTS, **path}


def _volumes(terms: PodTerms) -> Iterator[dict[str, Any]]:
    claim = {"persistentVolumeClaim": {"claimName": terms.outputs_claim}}
    yield {"name": "outputs", **(claim if terms.outputs_claim else {"emptyDir": {}})}
    yield {"name": "scratch", "emptyDir": {}}
    yield {"name": "shm", "emptyDir": {"medium": "Memory"}}
