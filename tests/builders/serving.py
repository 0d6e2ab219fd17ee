"""Services on nodes that keep the protocol: created through the API, reconciled, placed and run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from portal.common.clock import now, to_millis
from portal.common.ids import new_id
from portal.inventory.models import Pool
from portal.serving.models import Replica, Service
from portal.serving.reconcile import reconcile_services
from portal.serving_usage.loads import LoadReport, SecondOfLoad
from portal.serving_usage.services import record_report
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state.commit import commit_placements
from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import Millis
from scheduler.core.model.states import TERMINAL
from scheduler.runtime.plan_applier import commit_rest
from tests.builders.honest_node import HonestNode
from tests.builders.machines import an_image
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, json_of
from wire.messages import ContainerReport, FinishedReport
from wire.words import ExitCause

SERVICES = f"{API}/services"


@dataclass
class ServingSite:
    """A pool for services with nodes, and a group with a developer who has services."""

    scene: Scene
    nodes: list[HonestNode] = field(default_factory=list)

    @property
    def client(self) -> Any:
        return browser(self.scene.owner)

    def body(self, **more: Any) -> dict[str, Any]:
        """Return the body of a service; a field that is None is left out."""
        given = {
            "name": "chat",
            "group": self.scene.group.name,
            "image": "server",
            "command": ["serve", "--port={port}"],
            "quality": "latency",
            "target_ms": 1000,
            "gpus": 1,
            "cpu_milli": 1000,
            "memory_mib": 1024,
            **more,
        }
        return {name: value for name, value in given.items() if value is not None}

    def create(self, **more: Any) -> Service:
        answer = self.client.post(SERVICES, self.body(**more), format="json")
        return Service.objects.get(pk=json_of(answer, 202)["id"])

    def change(self, service: Service, status: int = 202, **change: Any) -> Any:
        answer = self.client.patch(f"{SERVICES}/{service.pk}", change, format="json")
        return json_of(answer, status)

    def act(self, service: Service, action: str, status: int = 202, **body: Any) -> Any:
        answer = self.client.post(f"{SERVICES}/{service.pk}/{action}", body or None, format="json")
        return json_of(answer, status)

    def show(self, service: Service) -> Any:
        return json_of(self.client.get(f"{SERVICES}/{service.pk}"))

    def settle(self, times: int = 1, *, comes_up: bool = True) -> None:
        """Reconcile, schedule and exchange with the nodes, so often; what starts comes up at once, or never."""
        for _ in range(times):
            self.schedule()
            for node in self.nodes:
                node.exchange()
                if comes_up:
                    for report in list(node.running.values()):
                        node.advance(report)
                node.exchange()

    def schedule(self) -> None:
        """Reconcile, and place what waits."""
        reconcile_services()
        commit_placements(run_cycle(load_snapshot(), Millis(to_millis(now()))).starts)

    def contend(self, times: int = 1) -> None:
        """Settle so often, with all that a pass of the queue does: evictions, and the reasons of waits."""
        for _ in range(times):
            self.settle()
            snapshot = load_snapshot()
            plan = run_cycle(snapshot, Millis(to_millis(now())))
            commit_rest(plan, snapshot, undecided=())
            for node in self.nodes:
                node.exchange()

    def live(self, service: Service) -> list[Replica]:
        rows = Replica.objects.filter(service=service).exclude(
            workload__state__in=[state.value for state in TERMINAL]
        )
        return list(rows.select_related("workload", "revision").order_by("workload"))

    def stages(self, service: Service) -> list[tuple[int, str, bool]]:
        """Return revision, state and whether it drains of each replica, oldest first."""
        return [
            (row.revision.number, row.workload.state, row.draining_since is not None)
            for row in self.live(service)
        ]

    def crash(
        self, service: Service, cause: ExitCause = ExitCause.EXITED, detail: str = ""
    ) -> None:
        """Let every container of the service end by itself, and its node report it."""
        names = {f"{row.pk.hex}.0" for row in self.live(service)}
        for node in self.nodes:
            for report in list(node.running.values()):
                if report.allocation in names:
                    del node.running[report.allocation]
                    node.ended.append(ended(report, cause, detail))
            node.exchange()

    def report(self, service: Service, opened: Mapping[UUID, int]) -> None:
        """Let the gateway report the second that has just passed, with open requests by replica."""
        second = now().replace(microsecond=0)
        load = SecondOfLoad(service.pk, second, sum(opened.values()), 0, open_by_replica=opened)
        record_report(LoadReport(new_id(), "gateway-1", (load,)))


def ended(report: ContainerReport, cause: ExitCause, detail: str = "") -> FinishedReport:
    """Return the report that a container has ended by itself now."""
    return FinishedReport(
        allocation=report.allocation,
        epoch=report.epoch,
        cause=cause,
        exit_code=1 if cause is ExitCause.EXITED else None,
        finished_at=to_millis(now()),
        detail=detail,
    )


def a_serving_site(
    *, nodes: int = 1, cards: int = 8, policy: Mapping[str, Any] | None = None
) -> ServingSite:
    """Save a pool for services with ready nodes, an image and a group with a developer."""
    an_image("server")
    scene = a_scene(nodes=nodes, cards=cards)
    Pool.objects.filter(pk=scene.pool.pk).update(
        purpose=Pool.Purpose.INFERENCE, policy=dict(policy or {})
    )
    return ServingSite(scene, [HonestNode(link) for link in scene.links])
