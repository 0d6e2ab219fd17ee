"""Which nodes have an image, and orders to pull one now: what nodes report, and what they are sent.

A node asks every few seconds (`wire.node_images`); an order stands in each answer until it has ended.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from portal.audit import services as audit
from portal.catalog.models import Image
from portal.catalog.selectors import images_visible_to, references_to_prefetch_for_system
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, DeniedError, InvalidError, NotFoundError
from portal.common.site_config import SiteConfig
from portal.execution.capabilities import PULLING
from portal.execution.desired import DesiredState
from portal.images.models import ImagePullOrder, ImagePullState
from portal.images.registries import hosts_with_login_for_system
from portal.images.selectors import saved_images_visible_to
from portal.inventory.models import Node, NodeImageList
from portal.inventory.selectors import nodes_visible_to
from portal.tenancy import policies
from portal.workloads.state.exchange import Exchange
from wire.images import IMAGES_MAX, registry_host
from wire.node_images import (
    PULLS_MAX,
    NodeImagesReport,
    OrderedPull,
    OrderedPulls,
    PullReport,
)
from wire.values import TEXT_MAX
from wire.words import PullPhase

UNFINISHED: Final = (ImagePullState.ORDERED.value, ImagePullState.PULLING.value)
WRITTEN_EVERY: Final = timedelta(minutes=5)
"""How often a list without news is written down, so that its age says something."""
SILENT_MAX: Final = timedelta(hours=1)
"""How long nothing may be heard of a pull: a node may restart, and come back to it."""
ORDERS_KEPT: Final = timedelta(days=30)
"""How long orders that have ended are kept."""
_STATES: Final = {
    PullPhase.WAITING: ImagePullState.ORDERED,
    PullPhase.PULLING: ImagePullState.PULLING,
    PullPhase.DONE: ImagePullState.DONE,
    PullPhase.FAILED: ImagePullState.FAILED,
}


@dataclass(frozen=True, slots=True)
class NodeCopy:
    """An image on one node, as far as that has reported, and the last order to pull it there."""

    node: Node
    cached: Mapping[str, Any] | None
    """As `wire.node_images.CachedImage`; None where the node does not have it."""
    reported_at: Any
    """When the node last listed its images; None for one that cannot."""
    pull: ImagePullOrder | None


def image_for_nodes(actor: Actor, image_id: UUID) -> Image:
    """Return an image that the actor may use, or that it manages.

    Raises:
        NotFoundError: there is none, or the actor may not see it.
    """
    saved = saved_images_visible_to(actor).values("image")
    rows = Image.objects.filter(Q(pk__in=images_visible_to(actor).values("pk")) | Q(pk__in=saved))
    image = rows.filter(pk=image_id).first()
    if image is None:
        raise NotFoundError("image")
    return image


def copies_of(actor: Actor, image: Image) -> list[NodeCopy]:
    """Return every node with a container engine, by its name, with its copy of an image (four queries)."""
    nodes = list(nodes_visible_to(actor).filter(runtime__in=PULLING).order_by("name"))
    lists = NodeImageList.objects.in_bulk([node.pk for node in nodes])
    latest = ImagePullOrder.objects.filter(image=image).order_by("node", "-id").distinct("node")
    pulls = {row.node_id: row for row in latest}
    return [
        NodeCopy(
            node=node,
            cached=_find(lists[node.pk], image.reference) if node.pk in lists else None,
            reported_at=lists[node.pk].reported_at if node.pk in lists else None,
            pull=pulls.get(node.pk),
        )
        for node in nodes
    ]


@transaction.atomic
def order_pulls(
    *, actor: Actor, image_id: UUID, node_ids: Collection[UUID], pool_id: UUID | None
) -> int:
    """Order nodes, or all of a pool, to pull an image now; return how many do that do not have it.

    Raises:
        NotFoundError: the actor may not see the image.
        DeniedError: the actor does not operate nodes.
        ConflictError: new work may not use the image any more.
        InvalidError: none of these nodes can pull.
    """
    policies.require(actor, Action.NODE_MANAGE, None)
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.NODE_MANAGE)
    image = image_for_nodes(actor, image_id)
    if not image.is_active:
        raise ConflictError("image_withdrawn", name=image.name)
    copies = [
        copy
        for copy in copies_of(actor, image)
        if copy.node.pk in node_ids or copy.node.pool_id == pool_id
    ]
    able = [copy for copy in copies if copy.reported_at is not None]
    if not able:
        raise InvalidError("no_node_can_pull", pointer="/nodes")
    orders = [
        ImagePullOrder(image=image, node=copy.node, requester_id=actor.user_id)
        for copy in able
        if copy.cached is None
    ]
    before = ImagePullOrder.objects.filter(image=image, state__in=UNFINISHED).count()
    ImagePullOrder.objects.bulk_create(orders, ignore_conflicts=True)
    made = ImagePullOrder.objects.filter(image=image, state__in=UNFINISHED).count() - before
    if made:
        _audit(actor, "image.pull", image, nodes=sorted(order.node.name for order in orders))
    return made


@transaction.atomic
def cancel_pulls(*, actor: Actor, image_id: UUID) -> int:
    """Give up all pulls of an image that have not ended; return how many.

    Raises:
        NotFoundError: the actor may not see the image.
        DeniedError: the actor does not operate nodes.
    """
    policies.require(actor, Action.NODE_MANAGE, None)
    image = image_for_nodes(actor, image_id)
    rows = ImagePullOrder.objects.filter(image=image, state__in=UNFINISHED)
    given_up = rows.update(state=ImagePullState.CANCELLED.value, ended_at=now())
    if given_up:
        _audit(actor, "image.pull_cancel", image)
    return given_up


def receive_report(node_id: UUID, report: NodeImagesReport, site: SiteConfig) -> OrderedPulls:
    """Take over what a node says of its images and pulls; return what it is to pull."""
    _save_list(node_id, [item.model_dump() for item in report.images])
    _record_pulls(node_id, report.pulls)
    return OrderedPulls(pulls=_orders_for(node_id, site))


def pull_ahead(exchange: Exchange) -> DesiredState | None:
    """Name the images that a node pulls ahead of use, and the registries for which it needs a login."""
    if not exchange.report.capabilities.pulls_images:
        return None
    ahead = references_to_prefetch_for_system(IMAGES_MAX, TEXT_MAX)
    of_work = (item.spec.image for item in exchange.reply.containers)
    return DesiredState(images=ahead, login_hosts=hosts_with_login_for_system((*ahead, *of_work)))


def pulled_references_for_system(node_id: UUID) -> list[str]:
    """Return what a node is ordered to pull."""
    rows = ImagePullOrder.objects.filter(node=node_id, state__in=UNFINISHED)
    return list(rows.values_list("image__reference", flat=True))


def tend_pulls() -> None:
    """End pulls of which nothing is heard, and forget those that ended long ago."""
    silent = ImagePullOrder.objects.filter(state__in=UNFINISHED, heard_at__lt=now() - SILENT_MAX)
    silent.update(state=ImagePullState.FAILED.value, ended_at=now(), detail="pull_timed_out")
    ImagePullOrder.objects.filter(ended_at__lt=now() - ORDERS_KEPT).delete()


def _find(listed: NodeImageList, reference: str) -> Mapping[str, Any] | None:
    return next((item for item in listed.images if item["reference"] == reference), None)


def _save_list(node_id: UUID, images: list[dict[str, Any]]) -> None:
    row = NodeImageList.objects.filter(node=node_id).first()
    if row and row.images == images and now() - row.reported_at < WRITTEN_EVERY:
        return
    NodeImageList.objects.update_or_create(
        node_id=node_id, defaults={"images": images, "reported_at": now()}
    )


@transaction.atomic
def _record_pulls(node_id: UUID, reports: Iterable[PullReport]) -> None:
    """Write down how far pulls are; a late or repeated report changes nothing."""
    told = {report.pull: report for report in reports}
    if not told:
        return
    rows = ImagePullOrder.objects.select_for_update(no_key=True).order_by("id")
    for row in rows.filter(node=node_id, state__in=UNFINISHED):
        if report := told.get(str(row.pk)):
            row.state, row.progress_pct = _STATES[report.phase].value, report.progress_pct
            row.detail, row.heard_at = report.detail, now()
            if row.state not in UNFINISHED:
                row.ended_at = now()
            row.save(update_fields=["state", "progress_pct", "detail", "heard_at", "ended_at"])


def _orders_for(node_id: UUID, site: SiteConfig) -> tuple[OrderedPull, ...]:
    rows = ImagePullOrder.objects.filter(node=node_id, state__in=UNFINISHED)
    orders = list(rows.select_related("image").order_by("id")[:PULLS_MAX])
    hosts = set(hosts_with_login_for_system(order.image.reference for order in orders))
    if site.registry is not None:
        hosts.add(site.registry.host)
    return tuple(
        OrderedPull(
            pull=str(order.pk),
            reference=order.image.reference,
            login_host=host if (host := registry_host(order.image.reference)) in hosts else "",
        )
        for order in orders
    )


def _audit(actor: Actor, action: str, image: Image, **params: Any) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="image",
        object_id=image.pk,
        group_id=image.group_id,
        params={"name": image.name, **params},
    )
