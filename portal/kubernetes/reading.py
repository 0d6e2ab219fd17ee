"""Objects of the Kubernetes API as values: nodes with their GPUs, and the portal's pods."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from portal.foreign.errors import RoundFailedError
from portal.kubernetes.names import CONTAINER, REPLY, WHY, parse_pod_name
from portal.kubernetes.values import ClusterPod, ContainerState, KubeNode

Object = Mapping[str, Any]

_POWERS: Final[Mapping[str, Decimal]] = {
    "m": Decimal("0.001"),
    "": Decimal(1),
    **{unit: Decimal(1000) ** power for power, unit in enumerate("kMGTPE", 1)},
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}
_MIB: Final = 1024 * 1024
_MODEL: Final = "nvidia.com/gpu.product"
_MEMORY: Final = "nvidia.com/gpu.memory"
"""Labels that the feature discovery of NVIDIA's device plugin sets."""
_OUT_OF_SERVICE: Final = "node.kubernetes.io/out-of-service"
_MESSAGE_MAX: Final = 300


class UnreadableObjectError(RoundFailedError):
    """An object of the API has not what every one of its kind has."""


def read_quantity(text: str) -> Decimal:
    """Return an amount such as `7910m`, `32Gi`, `16e9` or `8`."""
    number = text.rstrip("kKMGTPEim")
    try:
        return Decimal(number) * _POWERS[text[len(number) :]]
    except (InvalidOperation, KeyError) as error:
        raise UnreadableObjectError(f"quantity {text[:40]}") from error


def read_nodes(items: Iterable[Object], resource: str, selector: str) -> Mapping[str, KubeNode]:
    """Return all nodes by name; `selector` names labels as `a=b,c=d`, or is empty."""
    wanted = dict(pair.split("=", 1) for pair in selector.split(",") if pair)
    nodes = (_read_node(item, resource, wanted) for item in items)
    return {node.name: node for node in nodes}


def _read_node(item: Object, resource: str, wanted: Mapping[str, str]) -> KubeNode:
    labels: Mapping[str, str] = item["metadata"].get("labels") or {}
    status = item.get("status") or {}
    amounts: Mapping[str, str] = status.get("allocatable") or {}
    taints = (item.get("spec") or {}).get("taints") or ()
    memory = labels.get(_MEMORY, "")
    return KubeNode(
        name=item["metadata"]["name"],
        address=_address(status),
        cpu_milli=int(read_quantity(amounts.get("cpu", "0")) * 1000),
        memory_mib=int(read_quantity(amounts.get("memory", "0")) / _MIB),
        gpus=int(read_quantity(amounts.get(resource, "0"))),
        model=labels.get(_MODEL, ""),
        gpu_memory_mib=int(memory) if memory.isdigit() else None,
        is_selected=all(labels.get(name) == value for name, value in wanted.items()),
        away=", ".join(_reasons_away(item)),
        is_lost=any(taint.get("key") == _OUT_OF_SERVICE for taint in taints),
    )


def _address(status: Object) -> str:
    found = {item["type"]: item["address"] for item in status.get("addresses") or ()}
    return str(found.get("InternalIP") or found.get("Hostname") or "")


def _reasons_away(item: Object) -> Iterator[str]:
    conditions = {it["type"]: it for it in (item.get("status") or {}).get("conditions") or ()}
    ready = conditions.get("Ready") or {}
    if ready.get("status") != "True":
        yield str(ready.get("reason") or "NotReady")
    if (item.get("spec") or {}).get("unschedulable"):
        yield "SchedulingDisabled"


def read_pods(items: Iterable[Object], site: str) -> tuple[ClusterPod, ...]:
    """Return the pods of a pool; what has another name is left out."""
    found = ((parse_pod_name(site, item["metadata"]["name"]), item) for item in items)
    return tuple(_read_pod(*key, item) for key, item in found if key is not None)


def _read_pod(key: Any, rank: int, item: Object) -> ClusterPod:
    meta, status = item["metadata"], item.get("status") or {}
    notes: Mapping[str, str] = meta.get("annotations") or {}
    reply = notes.get(REPLY, "")
    is_deleted = bool(meta.get("deletionTimestamp"))
    return ClusterPod(
        name=meta["name"],
        key=key,
        rank=rank,
        node=(item.get("spec") or {}).get("nodeName") or "",
        phase=status.get("phase") or "Pending",
        created_at=_moment(meta.get("creationTimestamp")) or 0,
        reply=int(reply) if reply.isdigit() else 0,
        reason=status.get("reason") or "",
        message=(status.get("message") or "")[:_MESSAGE_MAX],
        container=_read_container(status.get("containerStatuses") or ()),
        grace_s=int(meta.get("deletionGracePeriodSeconds") or 0) if is_deleted else None,
        why=notes.get(WHY, ""),
        finalizers=tuple(meta.get("finalizers") or ()),
    )


def _read_container(statuses: Iterable[Object]) -> ContainerState | None:
    for status in statuses:
        for name, told in (status.get("state") or {}).items():
            if status.get("name") == CONTAINER and told is not None:
                return ContainerState(
                    name=name,
                    reason=told.get("reason") or "",
                    message=(told.get("message") or "")[:_MESSAGE_MAX],
                    exit_code=told.get("exitCode"),
                    signal=int(told.get("signal") or 0),
                    started_at=_moment(told.get("startedAt")),
                    ended_at=_moment(told.get("finishedAt")),
                )
    return None


def _moment(text: str | None) -> int | None:
    """Return a time; none, and the year 1 of what was never set, are None."""
    if not text or text.startswith("0001"):
        return None
    return int(datetime.fromisoformat(text).astimezone(UTC).timestamp())
