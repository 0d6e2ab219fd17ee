"""One round of a pool whose work Kubernetes runs: list, judge, report, plan, act."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import structlog

from portal.common.clock import now
from portal.execution.backends import KUBERNETES
from portal.execution.desired import DesiredState
from portal.execution.report import EndedContainer
from portal.foreign.attempts import RefuseAttempt
from portal.foreign.nodes import DETAIL_MAX, ensure_nodes, node_name
from portal.foreign.reporting import NodeWord, begin_recovery_if_restored, report_node
from portal.foreign.rounds import RETRY_S, RoundParts, run_alone
from portal.inventory.models import Node
from portal.kubernetes import judging, nodes, planning, records
from portal.kubernetes.client import KubernetesClient, PodRefusedError
from portal.kubernetes.log_shipping import PodLogShipper
from portal.kubernetes.models import KubernetesCluster
from portal.kubernetes.transport import Api, HttpApi, KubeError
from portal.kubernetes.values import (
    CreatePods,
    KubeView,
    Order,
    ReleasePod,
    StopPod,
)
from scheduler.core.model.states import NodeState
from wire.words import ExitCause

logger = structlog.get_logger(__name__)

OTHER_CLUSTER: Final = "the namespace is another one than the pool was joined to"


@dataclass(frozen=True, slots=True)
class KubernetesRounds:
    """Runs rounds, as composed."""

    parts: RoundParts
    retry_s: int = RETRY_S

    def run_all(self) -> None:
        """Run a round of each pool, one after the other."""
        rows = KubernetesCluster.objects.select_related("pool").filter(pool__backend=KUBERNETES)
        for cluster in rows.order_by("id"):
            self.run(cluster)

    def run(self, cluster: KubernetesCluster, api: Api | None = None) -> bool:
        """Run one round, unless another worker is at it; return whether the cluster answered."""
        return run_alone(
            cluster.pool.name,
            records.ClusterClaims(cluster),
            lambda: self._round(cluster, api),
            retry_s=self.retry_s,
        )

    def _round(self, cluster: KubernetesCluster, api: Api | None) -> None:
        reached = api or HttpApi(records.access_of(cluster))
        terms = records.terms_of(cluster, cluster.pool)
        client = KubernetesClient(reached, terms, cluster.node_selector)
        _ClusterRound(self.parts, cluster, client).run()


@dataclass(slots=True)
class _ClusterRound:
    parts: RoundParts
    cluster: KubernetesCluster
    client: KubernetesClient
    rows: Mapping[str, Node] = field(default_factory=dict)
    refused: dict[str, list[EndedContainer]] = field(default_factory=lambda: defaultdict(list))
    """What cannot be created, by node: it has ended before it began."""

    def run(self) -> None:
        view = self._read()
        self.rows = self._load_rows(view)
        if self._is_older_than(view):
            begin_recovery_if_restored(self.rows.values(), self.cluster.pool.name)
        replies = {name: self._report(name, view) for name in self.rows}
        held = self._ship_logs(view)
        for order in planning.plan(replies, view):
            self._do(order, held)
        for name, ended in self.refused.items():
            # In this round: there is no pod that would say so in the next.
            self._report(name, view, tuple(ended))

    def _read(self) -> KubeView:
        if self.client.namespace_uid() != self.cluster.namespace_uid:
            raise KubeError(OTHER_CLUSTER)
        # Pods first: a node that is not there afterwards was gone when they were listed, or has gone since.
        pods, found = self.client.pods(), self.client.nodes()
        return KubeView(int(now().timestamp()), found, pods)

    def _load_rows(self, view: KubeView) -> Mapping[str, Node]:
        """Return the row of each node of the pool, by its name in the cluster."""
        pool = self.cluster.pool
        has_selector = bool(self.cluster.node_selector)
        chosen = [
            node.name
            for node in view.nodes.values()
            if node.is_selected and (node.gpus or has_selector)
        ]
        held = [pod.node for pod in view.pods]
        found = ensure_nodes(pool, KUBERNETES, dict.fromkeys((*chosen, *held)))
        known = {node_name(name): name for name in view.nodes}
        rows = Node.objects.select_related("pool").filter(pool=pool, runtime=KUBERNETES)
        others = rows.exclude(state=NodeState.RETIRED).exclude(
            pk__in=[row.pk for row in found.values()]
        )
        # Of those that the cluster does not know any more, the portal's name is all there is.
        return {**{known.get(row.name, row.name): row for row in others.order_by("name")}, **found}

    def _is_older_than(self, view: KubeView) -> bool:
        """Return whether a pod was started by a reply that this database has never given."""
        return any(
            judging.newest_reply(name, view.pods) > row.last_seq >= 0
            for name, row in self.rows.items()
        )

    def _report(
        self, name: str, view: KubeView, refused: tuple[EndedContainer, ...] = ()
    ) -> DesiredState:
        seen, memory_mib = view.nodes.get(name), self.cluster.gpu_memory_mib
        row = self.rows[name]
        word = NodeWord(
            KUBERNETES,
            nodes.columns_of(seen),
            nodes.cards_of(self.cluster.site, seen, memory_mib),
            judging.seen_on(name, view),
            (*judging.ended_on(name, view), *refused),
            seq_min=judging.newest_reply(name, view.pods),
        )
        reply = report_node(self.parts, row, word)
        row.refresh_from_db(fields=["last_seq"])
        return reply

    def _ship_logs(self, view: KubeView) -> Iterable[str]:
        """Send what is new of logs; return the pods that have more, which are kept for it."""
        shipper = PodLogShipper(
            self.client, self.parts.store_log, records.load_cursors(self.cluster)
        )
        try:
            return shipper.ship(view.pods, self.rows, view.at)
        finally:
            records.save_cursors(self.cluster, shipper.moved)
            records.forget_logs(self.cluster, map(records.log_key, view.pods))

    def _do(self, order: Order, held: Iterable[str]) -> None:
        match order:
            case CreatePods():
                self._create(order)
            case RefuseAttempt():
                self._refuse(order)
            case StopPod():
                self.client.stop(order)
            case ReleasePod(pod):
                if pod.name not in held:
                    self.client.release(pod)

    def _create(self, order: CreatePods) -> None:
        for rank in order.missing:
            row = self.rows[order.nodes[rank]]
            try:
                if not self.client.create(order, rank, row.last_seq):
                    return
            except PodRefusedError as error:
                detail = f"{judging.REFUSED}: {error}"[:DETAIL_MAX]
                self._refuse(RefuseAttempt(order.key, order.nodes, detail), rank)
                return

    def _refuse(self, order: RefuseAttempt, rank: int | None = None) -> None:
        """Note the end of an attempt, or of one rank: what there is of the others is stopped for it."""
        cause = ExitCause.START_FAILED.value
        for number, node in enumerate(order.nodes):
            if rank in (None, number):
                ended = EndedContainer(*order.key.rank(number), cause, detail=order.detail)
                self.refused[node].append(ended)
