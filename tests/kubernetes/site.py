"""A pool whose work a Kubernetes cluster runs, and pods that end when a test says so."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

from portal.catalog.models import Image
from portal.common.encryption import encrypt
from portal.config.cluster_rounds import KUBERNETES_ROUNDS
from portal.execution.backends import KUBERNETES
from portal.foreign.attempts import JobKey
from portal.inventory.models import Node, Pool
from portal.kubernetes.access import ClusterAccess
from portal.kubernetes.client import KubernetesClient
from portal.kubernetes.models import KubernetesCluster
from portal.kubernetes.names import pod_name
from portal.kubernetes.records import terms_of
from portal.kubernetes.transport import Api, KubeAnswer, KubeError, KubeRequest
from portal.workloads.models import Allocation, Workload
from tests.builders.machines import a_pool, an_image
from tests.builders.people import a_group, a_member
from tests.builders.scenes import Scene
from tests.waiting import wait_until

NAMESPACE: Final = "berth-test"
PODS: Final = f"/api/v1/namespaces/{NAMESPACE}/pods"
RESOURCE: Final = "example.com/gpu"
CLAIM: Final = "outputs"
GPUS_PER_NODE: Final = 4
MEMORY_MAX_MIB: Final = 16_000
"""Of one pod, by a quota of the namespace."""
IMAGE: Final = "busybox:1"
HELD: Final = """trap 'echo notified >> told' TERM
echo "rank $NODE_RANK of $NNODES"
while [ ! -e "end.$NODE_RANK" ]; do sleep 0.1; done
exit "$(cat "end.$NODE_RANK")"
"""
"""Ends when a file says with which code, and not by TERM alone."""
POLITE: Final = HELD.replace("told'", "told; exit 3'")
"""Ends itself when it is notified."""


class Parts(Protocol):
    """What a test does to a cluster."""

    @property
    def outputs(self) -> Path:
        """Return the folder of the claim for outputs."""

    def kill(self, part: str) -> None:
        """Kill `apiserver`."""

    def start(self, part: str) -> None:
        """Start it again."""


@dataclass
class ClusterUnderTest:
    """A cluster, and a line to it that may be cut: before or behind its ears."""

    line: Api
    parts: Parts
    unheard: set[str] = field(default_factory=set)
    """Methods that do not reach it."""
    unanswered: set[str] = field(default_factory=set)
    """Methods that reach it, and whose answer is lost."""

    def send(self, request: KubeRequest) -> KubeAnswer:
        """Send a request, unless it is cut off."""
        if request.method in self.unheard:
            raise KubeError("cut")
        answer = self.line.send(request)
        if request.method in self.unanswered:
            raise KubeError("cut")
        return answer

    def occupy(self, node: str) -> None:
        """Let somebody else's pod take all GPUs of a node."""
        amounts = {RESOURCE: str(GPUS_PER_NODE), "memory": "16Mi"}
        container = {
            "name": "main",
            "image": IMAGE,
            "command": ["sleep", "600"],
            "resources": {"limits": amounts, "requests": amounts},
        }
        body = {
            "metadata": {"name": "others"},
            "spec": {
                "nodeName": node,
                "containers": [container],
                "activeDeadlineSeconds": 600,
                "terminationGracePeriodSeconds": 1,
            },
        }
        assert self.line.send(KubeRequest("POST", PODS, {}, body)).status == 201


@dataclass
class KubernetesSite:
    """One pool, its namespace, and a group with a member."""

    scene: Scene
    cluster_row: KubernetesCluster
    cluster: ClusterUnderTest

    @property
    def client(self) -> KubernetesClient:
        """Return what speaks to its cluster."""
        return KubernetesClient(self.cluster, terms_of(self.cluster_row, self.scene.pool))

    def round(self) -> bool:
        """Run one round, and look at what it made of the nodes."""
        heard = replace(KUBERNETES_ROUNDS, retry_s=0).run(self.cluster_row, self.cluster)
        nodes = Node.objects.filter(pool=self.scene.pool).exclude(state="retired")
        self.scene.nodes[:] = list(nodes.order_by("name"))
        return heard

    def work(self, script: str = HELD, **asked: Any) -> Workload:
        """Save queued work that runs a script."""
        small = {"cpu_milli": 100, "memory_mib": 64, "spec": {"script": script}}
        image = asked.pop("image", None) or an_image_at(IMAGE)
        return self.scene.work(**{**small, "image": image, **asked})

    def start(self, work: Workload, *nodes: int) -> list[Allocation]:
        """Place work, a rank on each named node, and run rounds until it runs."""
        held = self.place(work, *nodes)
        self.until(work, "running")
        return held

    def place(self, work: Workload, *nodes: int) -> list[Allocation]:
        """Place work, a rank on each named node, with the next free cards there."""
        where = nodes or (0,) * work.replicas
        cards = [
            tuple(range(number * work.gpus, (number + 1) * work.gpus))
            for number in (where[:at].count(node) for at, node in enumerate(where))
        ]
        ranks = zip(where, cards, strict=True)
        return self.scene.place(work, *(self.scene.placement(at, cards=it) for at, it in ranks))

    def until(self, work: Workload, state: str) -> None:
        """Run rounds until work is in a state."""
        wait_until(lambda: self.round() and self.state_of(work) == state, every_s=0.2)

    def state_of(self, work: Workload) -> str:
        """Return the state of work."""
        work.refresh_from_db()
        return work.state

    def end(self, work: Workload, code: int = 0, rank: int = 0) -> None:
        """Let the program of a rank end."""
        self.outputs(work).mkdir(parents=True, exist_ok=True)
        (self.outputs(work) / f"end.{rank}").write_text(f"{code}\n")

    def outputs(self, work: Workload) -> Path:
        """Return the folder in which work runs."""
        return self.cluster.parts.outputs / "outputs" / str(work.pk)

    def name(self, work: Workload, rank: int = 0) -> str:
        """Return the name of the present attempt on the cluster."""
        return pod_name(self.cluster_row.site, JobKey(work.pk, work.epoch), rank)

    def live(self) -> list[str]:
        """Return the names of this pool's pods."""
        return sorted(pod.name for pod in self.client.pods())


def an_image_at(reference: str) -> Image:
    """Save an image that is pulled from there."""
    image = an_image()
    Image.objects.filter(pk=image.pk).update(reference=reference)
    return image


def a_kubernetes_site(cluster: ClusterUnderTest) -> KubernetesSite:
    """Save a pool that is the test cluster's namespace."""
    pool = a_pool()
    Pool.objects.filter(pk=pool.pk).update(backend=KUBERNETES)
    pool.refresh_from_db()
    chosen = KubernetesCluster(pool=pool, namespace=NAMESPACE, resource=RESOURCE)
    uid = KubernetesClient(cluster, terms_of(chosen, pool)).namespace_uid()
    row = KubernetesCluster.objects.create(
        pool=pool,
        encrypted_access=encrypt(ClusterAccess("https://nowhere", token="x").to_text()),
        server="https://nowhere",
        namespace=NAMESPACE,
        namespace_uid=uid,
        resource=RESOURCE,
        outputs_claim=CLAIM,
        gpu_memory_mib=81920,
    )
    group = a_group()
    site = KubernetesSite(Scene(pool, [], group, a_member(group)), row, cluster)
    assert site.round()
    return site
