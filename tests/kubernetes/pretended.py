"""A cluster that is only pretended: it answers the requests that the portal sends, as an API server does.

Pods run nothing: they write the first line of the
program of `tests.kubernetes.site`, and end when its files say so.
"""

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from portal.common.clock import now
from portal.kubernetes.reading import read_quantity
from portal.kubernetes.transport import KubeAnswer, KubeError, KubeRequest
from tests.kubernetes.site import CLAIM, GPUS_PER_NODE, MEMORY_MAX_MIB, NAMESPACE, PODS, RESOURCE

NODES: Final = ("n1", "n2")
_NAMESPACE: Final = {"metadata": {"name": NAMESPACE, "uid": f"uid-of-{NAMESPACE}"}}
_DEADLINE: Final = "activeDeadlineSeconds"


@dataclass
class PretendedKubernetes:
    """Two nodes and an API server, each of which may be away."""

    folder: Path
    away: set[str] = field(default_factory=set)
    """Of `n1`, `n2`, `apiserver`."""
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    pods: dict[str, dict[str, Any]] = field(default_factory=dict)
    logs: dict[str, list[str]] = field(default_factory=dict)
    rights: Callable[[dict[str, str]], bool] = lambda _: True
    """Which rights the account has."""
    expired_pages: int = 0
    """How many lists break off because their rest is forgotten."""
    version: int = 0

    def __post_init__(self) -> None:
        """Start with two nodes."""
        for name in NODES:
            self.bring_back(name)

    @property
    def outputs(self) -> Path:
        """Return the folder of the claim for outputs."""
        return self.folder / "claim"

    def send(self, request: KubeRequest) -> KubeAnswer:
        """Answer a request as an API server would."""
        if "apiserver" in self.away:
            raise KubeError("connection refused")
        self._go_on()
        status, answer = self._answer(request)
        return KubeAnswer(
            status, answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        )

    # --- What a test does to it ------------------------------------------------------------------

    def kill(self, part: str) -> None:
        """Take a part away."""
        self.away.add(part)

    def start(self, part: str) -> None:
        """Bring a part back."""
        self.away.discard(part)

    def lose(self, node: str) -> None:
        """Remove a node from the cluster."""
        del self.nodes[node]

    def bring_back(self, node: str) -> None:
        """Add a node to the cluster."""
        self.nodes[node] = {
            "metadata": {"name": node, "labels": {}},
            "spec": {},
            "status": {
                "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                "allocatable": {"cpu": "8", "memory": "16000Mi", RESOURCE: str(GPUS_PER_NODE)},
                "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
            },
        }

    # --- What it does by itself ------------------------------------------------------------------

    def _go_on(self) -> None:
        for name, pod in list(self.pods.items()):
            node = pod["spec"]["nodeName"]
            if node in self.nodes and node not in self.away:
                self._look_at(pod)
            elif node not in self.nodes:  # as the garbage collector of pods does
                pod["metadata"] |= {"deletionTimestamp": _text(now())}
                pod["metadata"]["deletionGracePeriodSeconds"] = 0
            if _is_due_for_removal(pod, is_orphan=node not in self.nodes):
                del self.pods[name]

    def _look_at(self, pod: dict[str, Any]) -> None:
        """Do what the kubelet of its node would do."""
        state = _state(pod)
        deleted = pod["metadata"].get("deletionTimestamp")
        if "terminated" in state or pod["status"]["phase"] == "Failed":
            pass
        elif "running" in state:
            self._let_run(pod)
        elif not deleted:
            self._admit(pod)
        else:
            pod["metadata"]["deletionGracePeriodSeconds"] = 0
        if deleted and "running" not in _state(pod):
            pod["metadata"]["deletionGracePeriodSeconds"] = 0

    def _admit(self, pod: dict[str, Any]) -> None:
        used = sum(
            _gpus(other)
            for other in self.pods.values()
            if other["spec"]["nodeName"] == pod["spec"]["nodeName"] and "running" in _state(other)
        )
        if used + _gpus(pod) > GPUS_PER_NODE:
            said = f"Node didn't have enough resource: {RESOURCE}, used: {used}"
            pod["status"] |= {"phase": "Failed", "reason": f"OutOf{RESOURCE}", "message": said}
        elif "nowhere" in _main(pod)["image"]:
            _set_state(pod, "waiting", reason="ErrImagePull", message="no such image")
        else:
            _set_state(pod, "running", startedAt=_text(now()))
            environment = _environment(pod)
            self._print(pod, f"rank {environment.get('NODE_RANK')} of {environment.get('NNODES')}")

    def _print(self, pod: dict[str, Any], line: str) -> None:
        stamp = now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        self.logs.setdefault(pod["metadata"]["name"], []).append(f"{stamp} {line}\n")

    def _let_run(self, pod: dict[str, Any]) -> None:
        environment = _environment(pod)
        folder = self.outputs / "outputs" / environment.get("BERTH_WORKLOAD", "")
        end = folder / f"end.{environment.get('NODE_RANK')}"
        deleted = pod["metadata"].get("deletionTimestamp")
        if end.exists():
            self._end(pod, int(end.read_text()))
        elif deleted and "exit 3" in " ".join(_main(pod).get("command", ())):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "told").write_text("notified\n")
            self._end(pod, 3)
        elif deleted and now() >= _moment(deleted):
            self._end(pod, 137)
        elif now() >= _moment(_state(pod)["running"]["startedAt"]) + timedelta(
            seconds=pod["spec"][_DEADLINE]
        ):
            self._end(pod, 137)
            pod["status"] |= {"phase": "Failed", "reason": "DeadlineExceeded"}

    def _end(self, pod: dict[str, Any], code: int) -> None:
        began = _state(pod)["running"]["startedAt"]
        reason = "Error" if code else "Completed"
        told = {"exitCode": code, "reason": reason, "startedAt": began}
        _set_state(pod, "terminated", **told, finishedAt=_text(now()))
        pod["status"]["phase"] = "Failed" if code else "Succeeded"

    # --- Requests --------------------------------------------------------------------------------

    def _answer(self, request: KubeRequest) -> tuple[int, Any]:
        path, method = request.path, request.method
        if method == "GET":
            return self._read(path, request)
        if path.endswith("selfsubjectaccessreviews"):
            body = request.body or {}
            return 201, {"status": {"allowed": self.rights(body["spec"]["resourceAttributes"])}}
        if method == "POST" and path == PODS:
            return self._create(request)
        name = path.rpartition("/")[2]
        if name not in self.pods:
            return _refusal(404, f'pods "{name}" not found')
        return self._patch(name, request) if method == "PATCH" else self._delete(name, request)

    def _read(self, path: str, request: KubeRequest) -> tuple[int, Any]:
        known: dict[str, Callable[[], tuple[int, Any]]] = {
            "/version": lambda: (200, {"major": "1", "minor": "20+"}),
            "/api/v1/nodes": lambda: self._list(list(self.nodes.values()), request),
            f"/api/v1/namespaces/{NAMESPACE}": lambda: (200, _NAMESPACE),
            PODS: lambda: self._list(self._labelled(request), request),
        }
        if path in known:
            return known[path]()
        if path.endswith("/log"):
            return self._log(path.split("/")[-2], request)
        if path.endswith(f"/persistentvolumeclaims/{CLAIM}"):
            return 200, {"status": {"phase": "Bound"}}
        return _refusal(404, f"{path} not found")

    def _labelled(self, request: KubeRequest) -> list[dict[str, Any]]:
        label, _, value = request.query.get("labelSelector", "").partition("=")
        return [
            pod
            for pod in self.pods.values()
            if not label or pod["metadata"].get("labels", {}).get(label) == value
        ]

    def _list(self, items: list[dict[str, Any]], request: KubeRequest) -> tuple[int, Any]:
        begin = int(request.query.get("continue", "0"))
        if begin and self.expired_pages:
            self.expired_pages -= 1
            return _refusal(410, "The provided continue parameter is too old")
        end = begin + int(request.query["limit"])
        following = str(end) if end < len(items) else ""
        return 200, {"items": items[begin:end], "metadata": {"continue": following}}

    def _log(self, name: str, request: KubeRequest) -> tuple[int, Any]:
        if name not in self.pods:
            return _refusal(404, f'pods "{name}" not found')
        since = request.query.get("sinceTime", "").rstrip("Z")
        lines = [line for line in self.logs.get(name, ()) if line >= since]
        return 200, "".join(lines).encode()[: int(request.query["limitBytes"])]

    def _create(self, request: KubeRequest) -> tuple[int, Any]:
        pod = copy.deepcopy(dict(request.body or {}))
        name = pod["metadata"]["name"]
        if name in self.pods:
            return _refusal(409, f'pods "{name}" already exists')
        memory = _main(pod)["resources"]["limits"].get("memory", "0")
        if read_quantity(memory) > MEMORY_MAX_MIB * 1024 * 1024:
            return _refusal(403, f'pods "{name}" is forbidden: exceeded quota: {NAMESPACE}')
        pod["metadata"]["creationTimestamp"] = _text(now())
        pod["status"] = {"phase": "Pending"}
        if "dryRun" not in request.query:
            self.pods[name] = pod
        return 201, pod

    def _patch(self, name: str, request: KubeRequest) -> tuple[int, Any]:
        meta, changes = self.pods[name]["metadata"], (request.body or {})["metadata"]
        meta.setdefault("annotations", {}).update(changes.get("annotations", {}))
        if "finalizers" in changes:
            meta["finalizers"] = list(changes["finalizers"])
        self._go_on()
        return 200, {}

    def _delete(self, name: str, request: KubeRequest) -> tuple[int, Any]:
        pod = self.pods[name]
        usual = pod["spec"].get("terminationGracePeriodSeconds", 30)
        grace = int(request.query.get("gracePeriodSeconds", usual))
        if pod["status"]["phase"] in ("Failed", "Succeeded"):
            grace = 0
        meta = pod["metadata"]
        if grace < meta.get("deletionGracePeriodSeconds", grace + 1):
            meta["deletionTimestamp"] = _text(now() + timedelta(seconds=grace))
            meta["deletionGracePeriodSeconds"] = grace
        return 200, {}


def _is_due_for_removal(pod: dict[str, Any], *, is_orphan: bool) -> bool:
    meta = pod["metadata"]
    is_over = meta.get("deletionGracePeriodSeconds") == 0
    return is_over and not meta.get("finalizers") and (is_orphan or "running" not in _state(pod))


def _main(pod: dict[str, Any]) -> dict[str, Any]:
    return dict(pod["spec"]["containers"][0])


def _environment(pod: dict[str, Any]) -> dict[str, str]:
    return {item["name"]: item["value"] for item in _main(pod).get("env", ())}


def _gpus(pod: dict[str, Any]) -> int:
    return int(_main(pod)["resources"]["limits"].get(RESOURCE, "0"))


def _state(pod: dict[str, Any]) -> dict[str, Any]:
    statuses = pod["status"].get("containerStatuses") or [{"state": {}}]
    return dict(statuses[0]["state"])


def _set_state(pod: dict[str, Any], name: str, **told: Any) -> None:
    pod["status"]["containerStatuses"] = [{"name": _main(pod)["name"], "state": {name: told}}]
    if name == "running":
        pod["status"]["phase"] = "Running"


def _refusal(status: int, message: str) -> tuple[int, Any]:
    return status, {"kind": "Status", "code": status, "message": message}


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(re.sub("Z$", "+00:00", text))
