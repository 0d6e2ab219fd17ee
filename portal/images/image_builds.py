"""Images that users build from a list of requirements or a Dockerfile (docs/adr/0058).

A build is a job on one node. As long as that is to run there, its save stands in every reply to the
node: first as an order, which waits for the steps, then with the verdict that the job ends by.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, DeniedError, InvalidError
from portal.common.site_config import SiteConfig, get_site_config
from portal.execution.capabilities import PULLING
from portal.execution.desired import DesiredState, ImageSaveOrder
from portal.execution.report import Report
from portal.identity.models import User
from portal.images import image_saves
from portal.images.build_scripts import plan_requirements, write_script
from portal.images.dockerfiles import Dockerfile, parse_dockerfile
from portal.images.models import ImageSave
from portal.images.save_rules import (
    BuildCircumstances,
    ImageRoom,
    ImageSaveState,
    find_build_blocker,
    to_refusal,
)
from portal.images.saved_images import full_name
from portal.inventory.models import Node
from portal.workloads import services as workloads
from portal.workloads.models import Workload
from portal.workloads.submission.admission import Submission
from scheduler.core.model.states import NodeState
from wire.images import SAVES_MAX

SCRIPT_MAX: Final = 64 * 1024
"""Characters of the script that a build becomes: what the node protocol takes."""
PASSWORD: Final = re.compile(r"://[^/\s:@]*:[^/\s@]+@")
"""A password in an address."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What to build, and as which image of its owner."""

    name: str
    note: str = ""
    is_shared: bool = False
    requirements: str = ""
    packages: Sequence[str] = ()
    """Of the distribution of the image that is built on."""
    dockerfile: str = ""
    """Instead of both."""


def circumstances_of(actor: Actor, site: SiteConfig) -> BuildCircumstances:
    """Return what decides whether the actor can build an image on any node."""
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.WORKLOAD_SUBMIT)
    return _circumstances(site, Node.objects.all(), image_saves.room_of(actor.user_id, site))


@transaction.atomic
def submit_build(
    *, actor: Actor, submission: Submission, build: BuildRequest, site: SiteConfig
) -> Workload:
    """Queue a job that builds an image on the one that `submission`, or its Dockerfile, names.

    Raises:
        ConflictError: no node of the pool can build, or its owner has, or makes, an image of this name.
        ExhaustedError: the owner has as many images, or as much in them, as is allowed.
        InvalidError: the Dockerfile says what cannot be done here.
    """
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.WORKLOAD_SUBMIT)
    plan = _plan(submission.image, build)
    # The admission of the job locks its owner, after group and pool.
    owner = User.objects.get(pk=actor.user_id)
    script = write_script(plan, full_name(owner, build.name))
    if len(script) > SCRIPT_MAX:
        raise InvalidError("build_too_long", pointer=_pointer(build), max=SCRIPT_MAX)
    job = workloads.submit_workload(
        actor=actor,
        submission=replace(submission, image=plan.base, spec=_spec(plan, script, build)),
    )
    room = image_saves.room_of(owner.pk, site, but=job.pk)
    nodes = Node.objects.filter(pool=job.pool_id)
    if blocker := find_build_blocker(_circumstances(site, nodes, room)):
        raise to_refusal(blocker)
    if image_saves.is_name_used(owner, build.name, but=job.pk):
        raise ConflictError("image_name_taken", name=build.name, pointer="/name")
    _audit(actor, job, build)
    return job


def order_saves(node_id: UUID, report: Report, reply: DesiredState) -> DesiredState:
    """Order the saves of notebooks, and of the builds that a node is to run.

    A node that could not run a build would save it at once.
    """
    can = report.capabilities
    if not can.saves_images:
        return DesiredState()
    builds = {
        UUID(item.spec.workload): item.epoch
        for item in reply.containers
        if can.builds_images and item.spec.builds_image
    }
    return DesiredState(saves=_orders(node_id, builds, get_site_config()))


@transaction.atomic
def _orders(
    node_id: UUID, builds: Mapping[UUID, int], site: SiteConfig
) -> tuple[ImageSaveOrder, ...]:
    """Return the orders of a node; `builds` are the ids and epochs of those that it is to run.

    A build that is new there gets its save; the save of one that is no longer to run there ends.
    """
    orders, known = [], set()
    for save in image_saves.unfinished_saves_of(node_id):
        if save.workload.terms.is_kept:
            orders.append(image_saves.order_of(save))
        elif builds.get(save.workload_id) == save.epoch:
            known.add(save.workload_id)
            orders.append(_order(save, save.workload.spec))
        else:
            image_saves.cancel_build_saves(save.workload_id, save.epoch)
    others = {key: epoch for key, epoch in builds.items() if key not in known}
    return (*orders, *_others(node_id, others, site))[:SAVES_MAX]


def _others(node_id: UUID, builds: Mapping[UUID, int], site: SiteConfig) -> list[ImageSaveOrder]:
    """Return the verdicts of builds whose saves have ended, and orders for those that have none."""
    if not builds:
        return []
    rows = ImageSave.objects.filter(workload__in=builds).order_by("id")
    last = {row.workload_id: row for row in rows if row.epoch == builds[row.workload_id]}
    orders = []
    for work in Workload.objects.filter(pk__in=builds).order_by("id"):
        save = last.get(work.pk)
        if save is None:
            save = image_saves.add_build_save(work, builds[work.pk], node_id, site)
        orders.append(_order(save, work.spec))
    return orders


def _order(save: ImageSave, spec: Mapping[str, Any]) -> ImageSaveOrder:
    state = ImageSaveState(save.state)
    verdict = (save.code or state.value) if state.has_ended else ""
    env = tuple(spec["build"]["env"])
    return replace(image_saves.order_of(save), is_build=True, env=env, verdict=verdict)


def _circumstances(
    site: SiteConfig, nodes: "QuerySet[Node]", room: ImageRoom
) -> BuildCircumstances:
    engines = nodes.filter(runtime__in=PULLING).exclude(state=NodeState.RETIRED)
    return BuildCircumstances(
        has_registry=site.registry is not None,
        has_engine=engines.exists(),
        can_build=engines.filter(builds_images=True).exists(),
        room=room,
    )


def _plan(base: str, build: BuildRequest) -> Dockerfile:
    if PASSWORD.search(build.dockerfile) or PASSWORD.search(build.requirements):
        raise InvalidError("build_has_password", pointer=_pointer(build))
    if build.dockerfile:
        return parse_dockerfile(build.dockerfile)
    return plan_requirements(base, build.requirements, build.packages)


def _pointer(build: BuildRequest) -> str:
    return "/dockerfile" if build.dockerfile else "/requirements"


def _spec(plan: Dockerfile, script: str, build: BuildRequest) -> dict[str, Any]:
    asked = {"name": build.name, "note": build.note, "is_shared": build.is_shared}
    return {
        "command": [],
        "script": script,
        "env": {},
        "launcher": "plain",
        "notice_signal": "SIGTERM",
        "build": {**asked, "env": list(plan.env)},
    }


def _audit(actor: Actor, job: Workload, build: BuildRequest) -> None:
    audit.record_event(
        actor=actor,
        action="image.build",
        object_type=job.kind,
        object_id=job.pk,
        group_id=job.group_id,
        params={"name": job.name, "image": build.name, "is_shared": build.is_shared},
    )
