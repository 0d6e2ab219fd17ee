"""One pool's part of a Kubernetes cluster: what is read of it and what it is instructed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from portal.foreign.bounds import IN_DOUBT_S
from portal.kubernetes import reading
from portal.kubernetes.logs import LogCursor, TakenLog, take_new
from portal.kubernetes.manifest import pod_manifest
from portal.kubernetes.names import CONTAINER, FINALIZER, SITE_LABEL, WHY
from portal.kubernetes.transport import MERGE, Api, KubeAnswer, KubeError, KubeRequest
from portal.kubernetes.values import (
    ClusterPod,
    CreatePods,
    KubeNode,
    PodTerms,
    StopPod,
)

PAGE: Final = 500
"""Objects that one answer lists."""
SERVER_TIMEOUT_S: Final = 20
"""How long the API server may work at a change: less than is waited for its answer."""
CHUNK_BYTES: Final = 512 * 1024
LOG_BYTES_MAX: Final = 64 * 1024 * 1024
"""Of one log within the few seconds that are asked for again."""
_GONE: Final = 410
_NOT_FOUND: Final = 404
_CONFLICT: Final = 409
_FORBIDDEN: Final = 403
_TOO_MANY: Final = 429
_REFUSALS: Final = frozenset({400, 413, 422})
_NO_RIGHT: Final = "cannot create resource"


class PodRefusedError(Exception):
    """The API server will not take a pod as it is; its words are the text."""


@dataclass(frozen=True, slots=True)
class KubernetesClient:
    """Reads and instructs one namespace and the nodes; every method raises `KubeError`."""

    api: Api
    terms: PodTerms
    selector: str = ""

    @property
    def _pods(self) -> str:
        return f"/api/v1/namespaces/{self.terms.namespace}/pods"

    def namespace_uid(self) -> str:
        """Return the identity of the namespace: another cluster has another."""
        found = self._ask(f"/api/v1/namespaces/{self.terms.namespace}").json()
        return str(found["metadata"]["uid"])

    def version(self) -> tuple[int, int]:
        """Return the version of the API server; of a managed one `20+` is 20."""
        found = self._ask("/version").json()
        major, minor = str(found["major"]), str(found["minor"]).rstrip("+")
        return int(major), int(minor)

    def nodes(self) -> Mapping[str, KubeNode]:
        """Return all nodes of the cluster."""
        items = self._list("/api/v1/nodes", {})
        return reading.read_nodes(items, self.terms.resource, self.selector)

    def pods(self) -> tuple[ClusterPod, ...]:
        """Return the pods of the pool."""
        query = {"labelSelector": f"{SITE_LABEL}={self.terms.site}"}
        return reading.read_pods(self._list(self._pods, query), self.terms.site)

    def _list(self, path: str, query: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return all objects; what the server has forgotten between two pages is listed once more."""
        try:
            return list(self._pages(path, query))
        except KubeError as error:
            if error.status != _GONE:
                raise
            return list(self._pages(path, query))

    def _pages(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        following = ""
        while True:
            page = {"continue": following} if following else {}
            found = self._ask(path, {**query, "limit": str(PAGE), **page}).json()
            yield from found.get("items") or ()
            following = (found.get("metadata") or {}).get("continue") or ""
            if not following:
                return

    def create(self, order: CreatePods, rank: int, reply: int, *, is_trial: bool = False) -> bool:
        """Create the pod of a rank, or find it; return False if the server takes none at the moment.

        Raises:
            PodRefusedError: it will never be taken as it is.
            KubeError: it is not known whether it was taken, or nothing can be created there.
        """
        query = {"timeout": f"{SERVER_TIMEOUT_S}s"} | ({"dryRun": "All"} if is_trial else {})
        body = pod_manifest(order, rank, self.terms, reply)
        try:
            self._change(KubeRequest("POST", self._pods, query, body))
        except KubeError as error:
            if error.status == _CONFLICT:
                return True
            if error.status == _TOO_MANY:
                return False
            is_quota = error.status == _FORBIDDEN and _NO_RIGHT not in str(error)
            if is_quota or error.status in _REFUSALS:
                raise PodRefusedError(str(error)) from error
            if error.status not in (_FORBIDDEN, _NOT_FOUND, 401):
                error.quiet_s = IN_DOUBT_S
            raise
        return True

    def stop(self, order: StopPod) -> None:
        """Let a pod end within its grace, after noting on it why."""
        note = {"metadata": {"annotations": {WHY: order.why.value}}}
        self._change_if_there(KubeRequest("PATCH", self._path(order.name), {}, note, MERGE))
        grace = {"gracePeriodSeconds": str(order.grace_s)}
        self._change_if_there(KubeRequest("DELETE", self._path(order.name), grace))

    def release(self, pod: ClusterPod) -> None:
        """Let a pod go whose end has been processed."""
        self._change_if_there(KubeRequest("DELETE", self._path(pod.name)))
        left = [name for name in pod.finalizers if name != FINALIZER]
        note = {"metadata": {"finalizers": left}}
        self._change_if_there(KubeRequest("PATCH", self._path(pod.name), {}, note, MERGE))

    def read_log(self, pod: ClusterPod, cursor: LogCursor) -> TakenLog | None:
        """Return what a pod has written since; None once there is no more of it than was taken."""
        limit = CHUNK_BYTES
        while True:
            query = {"container": CONTAINER, "timestamps": "true", "limitBytes": str(limit)}
            if cursor.since:
                query["sinceTime"] = cursor.since
            try:
                answer = self._ask(f"{self._path(pod.name)}/log", query).data
            except KubeError as error:
                if error.status in (400, _NOT_FOUND):
                    return None
                raise
            part = take_new(answer, cursor, is_cut=len(answer) >= limit)
            if part.data or len(answer) < limit or limit >= LOG_BYTES_MAX:
                return part if part.data else None
            limit *= 8

    def may(self, attributes: Mapping[str, str]) -> bool:
        """Return whether the account has a right, as `SelfSubjectAccessReview` names it."""
        body = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": attributes},
        }
        path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        found = self._change(KubeRequest("POST", path, {}, body)).json()
        return bool(found["status"]["allowed"])

    def claim_phase(self) -> str:
        """Return the phase of the claim for outputs, such as `Bound`."""
        claims = f"/api/v1/namespaces/{self.terms.namespace}/persistentvolumeclaims"
        found = self._ask(f"{claims}/{self.terms.outputs_claim}").json()
        return str((found.get("status") or {}).get("phase") or "")

    def _path(self, name: str) -> str:
        return f"{self._pods}/{name}"

    def _ask(self, path: str, query: Mapping[str, str] | None = None) -> KubeAnswer:
        return self._change(KubeRequest("GET", path, query or {}))

    def _change_if_there(self, request: KubeRequest) -> None:
        """Change what may have gone just now, which is no error."""
        try:
            self._change(request)
        except KubeError as error:
            if error.status != _NOT_FOUND:
                raise

    def _change(self, request: KubeRequest) -> KubeAnswer:
        answer = self.api.send(request)
        if answer.status >= 300:
            raise KubeError(_said(answer), answer.status)
        return answer


def _said(answer: KubeAnswer) -> str:
    """Return what a refusing answer says: a `Status`, or whatever stands before the server."""
    try:
        text = str(answer.json().get("message") or "")
    except KubeError:
        text = answer.data[:200].decode(errors="replace")
    return text or f"status {answer.status}"
