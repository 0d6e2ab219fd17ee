"""What the pods of a pool show, as reports of nodes: pure decisions.

A pod exists until its end has been processed, so what is not there has ended. Silence ends nothing: a node
that is not ready may still run what it ran.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from portal.execution.report import EndedContainer, SeenContainer
from portal.kubernetes.values import ClusterPod, ContainerState, KubeNode, KubeView, Why
from wire.words import ExitCause, Phase

STARTING: Final = "starting"
CREATING: Final = "creating"
NO_IMAGE_YET: Final = "foreign_queue: image"
NODE_AWAY: Final = "foreign_queue: node_away"
"""Why something does not run yet; pages have words for it."""
IMAGE: Final = "kubernetes_image"
NODE_GONE: Final = "kubernetes_node_gone"
DELETED: Final = "kubernetes_deleted"
REFUSED: Final = "kubernetes_refused"
PULLS: Final = frozenset(
    {
        *("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"),
        *("ImageInspectError", "RegistryUnavailable"),
    }
)
"""Reasons for which a container waits that cannot have its image."""
_NOT_STARTED: Final = frozenset({"ContainerCannotRun", "StartError", "RunContainerError"})
_DETAIL_MAX: Final = 200
_SIGKILL: Final = 9
_BY_SIGNAL: Final = 128


@dataclass(frozen=True, slots=True)
class PodEnd:
    """How a pod has ended, in the words of `portal.execution.report.EndedContainer`."""

    cause: ExitCause
    exit_code: int | None = None
    detail: str = ""


def find_end(pod: ClusterPod, view: KubeView) -> PodEnd | None:
    """Return how a pod has provably ended; None while it may run, or start."""
    container = pod.container
    if container is not None and container.name == "terminated":
        return _terminated(pod, container)
    if pod.phase == "Failed":
        return _failed(pod)
    if pod.phase == "Succeeded":
        return PodEnd(ExitCause.EXITED, 0)
    node = view.nodes.get(pod.node)
    if node is None or node.is_lost:
        return PodEnd(ExitCause.NODE_FAULT, detail=NODE_GONE)
    if pod.grace_s == 0 and (container is None or container.name == "waiting"):
        return _never_started(pod)
    return None


def _terminated(pod: ClusterPod, container: ContainerState) -> PodEnd:
    code = container.exit_code
    if container.reason == "OOMKilled":
        return PodEnd(ExitCause.OUT_OF_MEMORY, code)
    if container.reason in _NOT_STARTED:
        return PodEnd(ExitCause.START_FAILED, code, _words(REFUSED, container.message))
    if container.reason == "ContainerStatusUnknown":
        return PodEnd(ExitCause.VANISHED)
    if pod.reason:
        return _failed(pod, code)
    if pod.is_deleted and code != 0:
        return (
            PodEnd(ExitCause.STOPPED, code) if pod.why else PodEnd(ExitCause.KILLED, code, DELETED)
        )
    return _ended_itself(container)


def _ended_itself(container: ContainerState) -> PodEnd:
    """Return the end of a program that nobody stopped: 137 is how a runtime says KILL."""
    code, signal = container.exit_code, container.signal
    if signal or code == _BY_SIGNAL + _SIGKILL:
        return PodEnd(ExitCause.KILLED, -(signal or _SIGKILL))
    return PodEnd(ExitCause.EXITED, code)


def _failed(pod: ClusterPod, code: int | None = None) -> PodEnd:
    """Return the end of a pod that its kubelet would not run, or ended: `OutOfnvidia.com/gpu`, `Evicted`."""
    if pod.reason == "DeadlineExceeded":
        return PodEnd(ExitCause.TIME_LIMIT, code, "kubernetes_deadline")
    if pod.reason.startswith("OutOf"):
        return PodEnd(ExitCause.NODE_FAULT, detail=_words("kubernetes_out_of", pod.message))
    if pod.reason in _KUBELET:
        words = _words(f"kubernetes_{_KUBELET[pod.reason]}", pod.message)
        return PodEnd(ExitCause.NODE_FAULT, code, words)
    words = _words(REFUSED, f"{pod.reason} {pod.message}".strip())
    return PodEnd(ExitCause.START_FAILED, code, words)


_KUBELET: Final = {
    "Evicted": "evicted",
    "NodeLost": "node_gone",
    "NodeShutdown": "shutdown",
    "Shutdown": "shutdown",
    "Terminated": "shutdown",
    "Preempting": "preempted",
    "UnexpectedAdmissionError": "admission",
    "NodeAffinity": "admission",
}


def _never_started(pod: ClusterPod) -> PodEnd:
    if pod.why == Why.IMAGE:
        said = pod.container.message if pod.container else ""
        return PodEnd(ExitCause.IMAGE_UNAVAILABLE, detail=_words(IMAGE, said))
    if pod.why:
        return PodEnd(ExitCause.STOPPED)
    return PodEnd(ExitCause.KILLED, detail=DELETED)


def _words(code: str, said: str) -> str:
    return (f"{code}: {said}" if said else code)[:_DETAIL_MAX]


# --- Reports -------------------------------------------------------------------------------------


def seen_on(node: str, view: KubeView) -> tuple[SeenContainer, ...]:
    """Return what there is on a node: nothing of that has provably ended."""
    return tuple(
        _seen(pod, view) for pod in view.pods if pod.node == node and find_end(pod, view) is None
    )


def _seen(pod: ClusterPod, view: KubeView) -> SeenContainer:
    container = pod.container
    runs = container is not None and container.name == "running"
    phase = Phase.RUNNING if runs else Phase.STARTING
    name, epoch = pod.attempt
    return SeenContainer(
        name,
        epoch,
        (Phase.STOPPING if pod.is_deleted else phase).value,
        detail="" if runs else _waits_for(container, view.nodes[pod.node]),
        started_at=_millis(container.started_at, view.at) if container and runs else None,
    )


def _waits_for(container: ContainerState | None, node: KubeNode) -> str:
    """Return why something does not run yet; a node of which nothing is known has ended it."""
    if node.away:
        return NODE_AWAY
    if container is None:
        return STARTING
    if container.reason in PULLS:
        return _words(NO_IMAGE_YET, container.message or container.reason)
    return CREATING


def ended_on(node: str, view: KubeView) -> tuple[EndedContainer, ...]:
    """Return the ends of what there was on a node."""
    return tuple(
        _ended(pod, end, view.at)
        for pod in view.pods
        if pod.node == node and (end := find_end(pod, view)) is not None
    )


def _ended(pod: ClusterPod, end: PodEnd, at: int) -> EndedContainer:
    container = pod.container or ContainerState("waiting")
    return EndedContainer(
        *pod.attempt,
        end.cause.value,
        end.exit_code,
        _millis(container.started_at, at),
        _millis(container.ended_at, at),
        end.detail,
    )


def _millis(moment: int | None, at: int) -> int | None:
    """Return a moment in ms; the cluster's clock may be ahead, and nothing lies in the future."""
    return None if moment is None else min(moment, at) * 1000


def newest_reply(node: str, pods: Iterable[ClusterPod]) -> int:
    """Return the highest `seq` of a reply to a node that started something of what is there."""
    return max((pod.reply for pod in pods if pod.node == node), default=-1)
