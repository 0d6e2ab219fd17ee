"""Logs of pods on their way to the portal: while they run, and after their end until they are whole."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import structlog

from portal.execution.logs import GrownLog, LogStore
from portal.foreign.bounds import CHUNKS_MAX
from portal.inventory.models import Node
from portal.kubernetes.client import KubernetesClient
from portal.kubernetes.logs import LogCursor, TakenLog
from portal.kubernetes.records import LogKey, log_key
from portal.kubernetes.transport import KubeError
from portal.kubernetes.values import ClusterPod
from wire.log_marks import thin_out

GIVEN_UP_S: Final = 3600
"""How long after its end the log of a pod is waited for whose kubelet does not answer."""

logger = structlog.get_logger(__name__)


@dataclass(slots=True)
class PodLogShipper:
    """Sends what is new of logs, and keeps how far it came."""

    client: KubernetesClient
    store: LogStore
    known: Mapping[LogKey, LogCursor]
    moved: dict[LogKey, LogCursor] = field(default_factory=dict)

    def ship(self, pods: Iterable[ClusterPod], nodes: Mapping[str, Node], at: int) -> set[str]:
        """Send what is new of the logs of what has begun; return the names of pods that have more."""
        begun = [pod for pod in pods if pod.container and pod.container.name != "waiting"]
        return {
            pod.name
            for pod in begun
            if pod.node in nodes
            and not self._try_to_ship(pod, nodes[pod.node])
            and not _is_given_up(pod, at)
        }

    def _try_to_ship(self, pod: ClusterPod, node: Node) -> bool:
        try:
            return self._ship(pod, node)
        except KubeError as error:
            logger.warning("kubernetes.log_unread", pod=pod.name, error=str(error))
            return False

    def _ship(self, pod: ClusterPod, node: Node) -> bool:
        """Send what is new of one log; return whether that is all there is."""
        key = log_key(pod)
        cursor = self.known.get(key, LogCursor())
        for _ in range(CHUNKS_MAX):
            part = self.client.read_log(pod, cursor)
            if part is None:
                return True
            self._send(pod, node, part)
            cursor = self.moved[key] = part.cursor
        return False

    def _send(self, pod: ClusterPod, node: Node, part: TakenLog) -> None:
        """Store what is new; what an earlier round stored without noting it is left out."""
        name, epoch = pod.attempt
        begin = part.cursor.offset - len(part.data)
        had = self.store(node.pk, GrownLog(name, epoch, offset=begin, data=b""))
        data = part.data[max(0, had - begin) :]
        if data:
            begin = part.cursor.offset - len(data)
            self.store(
                node.pk, GrownLog(name, epoch, offset=begin, data=data, marks=thin_out(part.marks))
            )


def _is_given_up(pod: ClusterPod, at: int) -> bool:
    ended = pod.container.ended_at if pod.container else None
    return ended is not None and at - ended >= GIVEN_UP_S
