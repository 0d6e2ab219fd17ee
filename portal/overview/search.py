"""Finding people, nodes, data sets, images and work by a part of their names, for one who may see them.

One bounded query for each kind, besides that of the groups above the reader's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db.models import Q

from portal.catalog.selectors import images_visible_to
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.datasets.selectors import datasets_visible_to
from portal.identity.models import User, UserKind
from portal.inventory.selectors import nodes_visible_to
from portal.tenancy import policies
from portal.workloads.selectors import workloads_visible_to

HITS_MAX: Final = 8
"""Things of one kind in one answer."""
TEXT_MIN: Final = 2
"""Letters of what is looked for: one is in nearly every name."""
TEXT_MAX: Final = 63
"""The same, at most."""


class HitKind(StrEnum):
    """What was found, if it is no work: that goes by its kind."""

    PERSON = "person"
    NODE = "node"
    DATASET = "dataset"
    IMAGE = "image"


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found."""

    kind: str
    """One of `HitKind` and of the kinds of work."""
    id: UUID
    name: str
    detail: str = ""
    """A person's display name, a node's pool, an image's reference, the owner of work."""
    state: str = ""
    """Of work and nodes."""
    array: UUID | None = None
    """The job array for which a job stands."""


def hits_visible_to(actor: Actor, text: str) -> list[Hit]:
    """Return what has this text in its name: work newest first, else by name."""
    return [
        *_work(actor, text),
        *_nodes(actor, text),
        *_people(actor, text),
        *_datasets(actor, text),
        *_images(actor, text),
    ]


def _work(actor: Actor, text: str) -> Iterator[Hit]:
    if not actor.has_scope(Action.WORKLOAD_VIEW):
        return
    rows = workloads_visible_to(actor, {"search": text, "collapsed": True})
    columns = ("kind", "pk", "name", "owner__display_name", "state", "array")
    newest = rows.prefetch_related(None).order_by("-pk").values_list(*columns)
    for row in newest[:HITS_MAX]:
        yield Hit(*row)


def _nodes(actor: Actor, text: str) -> Iterator[Hit]:
    if not actor.has_scope(Action.NODE_VIEW):
        return
    rows = nodes_visible_to(actor).filter(name__icontains=text)
    columns = ("pk", "name", "pool__name", "state")
    for row in rows.order_by("name").values_list(*columns)[:HITS_MAX]:
        yield Hit(HitKind.NODE, *row)


def _people(actor: Actor, text: str) -> Iterator[Hit]:
    """Find people: those of the reader's groups, or all, for those who see every group."""
    if not actor.has_scope(Action.GROUP_VIEW):
        return
    rows = User.objects.filter(kind=UserKind.PERSON, is_active=True)
    rows = rows.filter(Q(username__icontains=text) | Q(display_name__icontains=text))
    groups = policies.visible_group_ids(actor)
    if groups is not None:
        rows = rows.filter(memberships__group__in=groups).distinct()
    for row in rows.order_by("username").values_list("pk", "username", "display_name")[:HITS_MAX]:
        yield Hit(HitKind.PERSON, *row)


def _datasets(actor: Actor, text: str) -> Iterator[Hit]:
    if not actor.has_scope(Action.DATASET_VIEW):
        return
    rows = datasets_visible_to(actor).prefetch_related(None).filter(name__icontains=text)
    for row in rows.order_by("name").values_list("pk", "name", "description")[:HITS_MAX]:
        yield Hit(HitKind.DATASET, *row)


def _images(actor: Actor, text: str) -> Iterator[Hit]:
    if not actor.has_scope(Action.IMAGE_VIEW):
        return
    named = [f"{column}__icontains" for column in ("name", "title_en", "title_zh", "reference")]
    rows = images_visible_to(actor)
    rows = rows.filter(Q(*((column, text) for column in named), _connector=Q.OR))
    for row in rows.order_by("name").values_list("pk", "name", "reference")[:HITS_MAX]:
        yield Hit(HitKind.IMAGE, *row)
