"""A notebook on a node that can save images, a registry, and images that were saved."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid1

from portal.catalog.models import Image
from portal.common.actor import Actor
from portal.common.site_config import RegistryConfig
from portal.config.node_reports import receive_heartbeat
from portal.identity.models import User
from portal.images.models import SavedImage
from portal.images.saved_images import NewSavedImage, add_saved_image
from portal.tenancy.models import Group
from portal.workloads.models import Allocation, Workload
from tests.builders.machines import an_image
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running
from wire.images import ImageSaveReport
from wire.messages import Desired
from wire.words import ExitCause, SavePhase

REGISTRY: Final = RegistryConfig(
    "registry.example.org:5000", "https://registry.example.org:5000", "berth", "canary-registry"
)
DIGEST: Final = f"sha256:{64 * 'a'}"
MIB: Final = 1024 * 1024


@dataclass
class SavingScene:
    """One running notebook, and the node that it is on."""

    scene: Scene
    notebook: Workload
    held: Allocation
    runtime: str = "docker"
    saves_images: bool = True

    @property
    def path(self) -> str:
        """Where the notebook is saved."""
        return f"/api/v1/environments/{self.notebook.pk}/image-save"

    def beat(self, *reports: ImageSaveReport) -> Desired:
        """Send a heartbeat of the node with the notebook."""
        link = self.scene.links[0]
        link.seq += 1
        message = link.message(link.seq, containers=[running(self.held, port=8899)])
        facts = message.facts.model_copy(
            update={"runtime": self.runtime, "saves_images": self.saves_images}
        )
        whole = message.model_copy(update={"facts": facts, "image_saves": reports})
        reply = receive_heartbeat(link.node.pk, whole)
        assert isinstance(reply, Desired), reply
        link.applied = reply.seq
        return reply


def a_saving_scene(*, runtime: str = "docker", saves_images: bool = True) -> SavingScene:
    """Return a notebook that runs."""
    scene = a_scene(slices=8)
    notebook = scene.work(kind="environment", slices=1, name="lab")
    (held,) = scene.place(notebook, scene.placement(cards=(0,), slots=(0,)))
    found = SavingScene(scene, notebook, held, runtime, saves_images)
    scene.links[0].beat()
    found.beat()
    notebook.refresh_from_db()
    assert notebook.state == "running"
    return found


def a_report(save: object, phase: SavePhase = SavePhase.SAVED, **more: object) -> ImageSaveReport:
    """Return what a node reports of a save; by default that it is saved."""
    fields = {"size_bytes": 7 * MIB, "digest": DIGEST} if phase is SavePhase.SAVED else {}
    return ImageSaveReport.model_validate({"save": str(save), "phase": phase, **fields, **more})


def a_saved_image(
    owner: User, group: Group, name: str = "fixed", *, is_shared: bool = False, mib: int = 7
) -> SavedImage:
    """Save an image in the catalogue as a node would have pushed it."""
    return add_saved_image(
        actor=Actor.system("test"),
        new=NewSavedImage(
            owner=owner,
            name=name,
            note="with what I need",
            is_shared=is_shared,
            reference=f"{REGISTRY.host}/berth/{uuid1()}@{DIGEST}",
            digest=DIGEST,
            size_bytes=mib * MIB,
            workload_id=uuid1(),
            workload_name="lab",
            workload_group=group,
            base=an_image(),
        ),
    )


@dataclass
class BuildingScene:
    """A group whose pool has a node that builds images."""

    scene: Scene
    base: Image
    builds_images: bool = True

    def body(self, **changes: object) -> dict[str, object]:
        """Return a request to build; None leaves a field out."""
        whole = {
            "name": "made",
            "image": self.base.name,
            "requirements": "numpy",
            "group": self.scene.group.name,
            "pool": self.scene.pool.name,
            "cpu_milli": 1000,
            "memory_mib": 1024,
            **changes,
        }
        return {name: value for name, value in whole.items() if value is not None}

    def place(self, job: Workload) -> Allocation:
        """Place a build on the node."""
        (held,) = self.scene.place(job)
        return held

    def beat(self, job: Workload, *reports: ImageSaveReport) -> Desired:
        """Send a heartbeat of the node, which runs the build once it was told to."""
        held = self.scene.held(job)
        seen = [running(item) for item in held if item.state != "reserved"]
        return self._send(containers=seen, image_saves=reports)

    def finish(self, job: Workload) -> None:
        """Report that the build has ended well."""
        (held,) = self.scene.held(job)
        self._send(finished=[finished(held)])
        job.refresh_from_db()

    def lose(self, job: Workload) -> None:
        """Report that the node has failed the build: it is queued again."""
        (held,) = self.scene.held(job)
        self._send(finished=[finished(held, None, ExitCause.NODE_FAULT)])
        job.refresh_from_db()
        assert job.state == "queued"

    def _send(self, **more: Any) -> Desired:
        link = self.scene.links[0]
        link.seq += 1
        reports = more.pop("image_saves", ())
        message = link.message(link.seq, **more)
        told = {"runtime": "docker", "saves_images": True, "builds_images": self.builds_images}
        facts = message.facts.model_copy(update=told)
        whole = message.model_copy(update={"facts": facts, "image_saves": reports})
        reply = receive_heartbeat(link.node.pk, whole)
        assert isinstance(reply, Desired), reply
        link.applied = reply.seq
        return reply


def a_building_scene() -> BuildingScene:
    """Return a pool whose node has reported that it builds images."""
    found = BuildingScene(a_scene(), an_image())
    found._send()
    return found
