"""Retention of saved images: what would go when, who is notified before, and what is due and goes."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from portal.apps.selectors import app_image_ids_for_system
from portal.common.actor import Actor
from portal.common.clock import now
from portal.images import saved_images
from portal.images.group_retention import may_set_retention, retentions_for_system
from portal.images.models import ImageRetention, SavedImage
from portal.images.retention_rules import (
    GRACE,
    ImageUse,
    RetentionRule,
    Verdict,
    judge,
    nearest_rule,
    source_of,
)
from portal.images.selectors import saved_images_visible_to
from portal.notices.inbox import notify_people
from portal.submission_rules.selectors import ruled_images_for_system
from portal.templates.selectors import template_images_for_system
from portal.tenancy.selectors import group_visible_to, paths_for_system
from portal.workloads.models import Workload
from portal.workloads.selectors import unfinished_for_system

RETENTION_ACTOR: Final = Actor.system("image-retention")
EXPIRED_MAX: Final = 100
"""Images that one turn removes; the next one continues."""
NOTICE: Final = GRACE
"""So long before their images go, people are notified; a rule that changes lets nothing go earlier."""
NAMED_MAX: Final = 10
"""Images that a notice names, those that go first."""
LISTED_MAX: Final = 200
"""Images that an answer lists, those that go first before all others."""

Rules = Mapping[UUID | None, RetentionRule]


@dataclass(frozen=True, slots=True)
class LeavingImage:
    """A saved image that goes."""

    saved: SavedImage
    leaves_at: datetime


@dataclass(frozen=True, slots=True)
class RetentionOutlook:
    """The rule of the platform or a group, and what it lets go."""

    rule: ImageRetention
    """What is in force; one that was never saved where nothing is."""
    is_own: bool
    """Whether it is this one's own, not one from above."""
    may_change: bool
    leaving: tuple[LeavingImage, ...]
    """Those that the actor may see."""
    leaving_count: int
    """All; where the actor may not change the rule, those that it may see."""
    leaving_bytes: int
    due_count: int
    """Of these, the ones that the next turn removes."""


def outlook_of(
    actor: Actor, group_id: UUID | None, proposed: ImageRetention | None = None
) -> RetentionOutlook:
    """Return what the rule of a group, or of the platform, lets go, or what a proposed one would.

    Raises:
        NotFoundError: the actor may not see the group.
    """
    if group_id is not None:
        group_visible_to(actor, group_id)
    rows = dict(retentions_for_system())
    if proposed is not None:
        rows[group_id] = proposed
    rules, paths = _rules(rows), paths_for_system()
    source = source_of(paths[group_id], rules) if group_id is not None else None
    covered = [key for key in paths if _is_covered(paths[key], group_id, rules)]
    may_change = may_set_retention(actor, group_id)
    leaving = _leaving(covered, rules, paths)
    seen = saved_images_visible_to(actor).in_bulk(leaving)
    counted = leaving.keys() if may_change else seen.keys()
    listed = [LeavingImage(seen[key], leaving[key]) for key in leaving if key in seen]
    sizes = SavedImage.objects.filter(pk__in=list(counted)).values_list("size_bytes", flat=True)
    return RetentionOutlook(
        rule=rows.get(source) or ImageRetention(newest=0, used_days=None),
        is_own=source == group_id and source in rows,
        may_change=may_change,
        leaving=tuple(listed[:LISTED_MAX]),
        leaving_count=len(counted),
        leaving_bytes=sum(sizes),
        due_count=sum(leaving[key] <= now() for key in counted),
    )


def verdicts_for_system(saved: Iterable[SavedImage]) -> Mapping[UUID, tuple[ImageUse, Verdict]]:
    """Return when each of these images was last used, and what the rule in force says (six queries)."""
    owners = {row.image.owner_id for row in saved}
    rules, paths = _rules(retentions_for_system()), paths_for_system()
    rows = SavedImage.objects.filter(image__owner__in=owners)
    return {
        use.image_id: (use, judge(use, nearest_rule(paths[use.group_id], rules)))
        for use in _uses(rows)
    }


def announce_expiry() -> int:
    """Notify the owners of images that go soon, once of each; return how many images they are.

    One that is used meanwhile, and is about to go again later, is announced again.
    """
    rules, paths = _rules(retentions_for_system()), paths_for_system()
    if not rules:
        return 0
    begin, end = now(), now() + NOTICE
    soon = {key: at for key, at in _leaving(paths, rules, paths).items() if begin < at <= end}
    images = SavedImage.objects.filter(pk__in=list(soon), image__owner__isnull=False)
    new: dict[UUID, list[UUID]] = defaultdict(list)
    for key, owner, noticed_at in images.values_list("pk", "image__owner", "expiry_noticed_at"):
        if noticed_at is None or noticed_at < soon[key] - NOTICE:
            new[owner].append(key)
    return sum(_announce(owner, {key: soon[key] for key in new[owner]}) for owner in sorted(new))


@transaction.atomic
def _announce(owner: UUID, soon: Mapping[UUID, datetime]) -> int:
    """Send one notice about all of these images of a person."""
    images = saved_images.lock_present(soon)
    if not images:
        return 0
    saved_images.note_expiry_noticed([saved.pk for saved in images])
    images.sort(key=lambda saved: (soon[saved.pk], saved.pk))
    left = soon[images[0].pk] - now()
    notify_people(
        users=[owner],
        code="images_expire",
        params={
            "count": len(images),
            "images": ", ".join(saved.image.name for saved in images[:NAMED_MAX]),
            "within": max(left // timedelta(hours=1), 1) * 3600,
        },
        path="/images",
    )
    return len(images)


def expire_images() -> int:
    """Remove the saved images that are due; return how many. Their manifests are deleted later."""
    rules, paths = _rules(retentions_for_system()), paths_for_system()
    if not rules:
        return 0
    due = [key for key, at in _leaving(paths, rules, paths).items() if at <= now()]
    return sum(_expire(image_id) for image_id in due[:EXPIRED_MAX])


@transaction.atomic
def _expire(image_id: UUID) -> bool:
    """Decide once more, with the row locked, and take the image away."""
    saved = saved_images.lock_saved_image(image_id)
    if saved is None:
        return False
    use, verdict = verdicts_for_system([saved])[image_id]
    if verdict.leaves_at is None or verdict.leaves_at > now():
        return False
    saved_images.expire_saved_image(actor=RETENTION_ACTOR, saved=saved, last_used=use.last_used)
    return True


def _leaving(
    groups: Collection[UUID], rules: Rules, paths: Mapping[UUID, tuple[UUID, ...]]
) -> dict[UUID, datetime]:
    """Return when images of these groups go that do, the first of them first."""
    found = {}
    for use in _uses(SavedImage.objects.filter(workload_group__in=groups)):
        verdict = judge(use, nearest_rule(paths[use.group_id], rules))
        if verdict.leaves_at is not None:
            found[use.image_id] = verdict.leaves_at
    return dict(sorted(found.items(), key=lambda item: (item[1], item[0])))


def _is_covered(path: tuple[UUID, ...], group_id: UUID | None, rules: Rules) -> bool:
    """Return whether a group is under the rule that is in force for another, or the platform."""
    below: Rules = {group: rule for group, rule in rules.items() if group is not None}
    if group_id is None:
        return source_of(path, below) is None
    return group_id in path and source_of(path[path.index(group_id) + 1 :], below) is None


def _rules(rows: Mapping[UUID | None, ImageRetention]) -> Rules:
    return {
        key: RetentionRule(row.newest, row.used_days, row.changed_at) for key, row in rows.items()
    }


def _uses(saved: "QuerySet[SavedImage]") -> Iterator[ImageUse]:
    """Yield what decides about images; no filter may hide a newer one of the same owner and group."""
    named = {*template_images_for_system(), *ruled_images_for_system()}
    of_apps = app_image_ids_for_system()
    works = Workload.objects.filter(image=OuterRef("pk")).order_by().values("image")
    ended = works.annotate(at=Max(Coalesce("finished_at", "submitted_at"))).values("at")
    newest_first = Window(
        RowNumber(),
        partition_by=[F("image__owner"), F("workload_group")],
        order_by=[F("image__created_at").desc(), F("image").desc()],
    )
    in_use = Exists(unfinished_for_system().filter(image=OuterRef("pk")))
    rows = saved.filter(removed_at=None).select_related("image")
    for row in rows.annotate(rank=newest_first, is_in_use=in_use, work_at=Subquery(ended)):
        made = row.image.created_at
        yield ImageUse(
            image_id=row.pk,
            group_id=row.workload_group_id,
            rank=row.rank,
            last_used=max(made, row.work_at or made),
            is_pinned=row.is_pinned,
            is_in_use=row.is_in_use,
            is_named=row.pk in of_apps or not named.isdisjoint({row.image.name, str(row.pk)}),
        )
