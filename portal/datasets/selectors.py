"""Reads of data sets. A group may read those of itself and of every group above it."""

from collections.abc import Collection, Iterable, Mapping
from uuid import UUID

from django.db.models import Q, QuerySet

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.datasets.models import Dataset
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to, paths_for_system


def datasets_visible_to(actor: Actor, group_id: UUID | None = None) -> QuerySet[Dataset]:
    """Return the data sets that the actor may read, or those of one group that it may see."""
    rows = Dataset.objects.prefetch_related("groups")
    if group_id is not None:
        return _readable_by(rows, [group_visible_to(actor, group_id).pk])
    if policies.can(actor, Action.DATASET_MANAGE, None):
        return rows
    return _readable_by(rows, actor.roles)


def dataset_for_manager(actor: Actor, dataset_id: UUID) -> Dataset:
    """Return one data set; raises `DeniedError` for other actors than administrators."""
    policies.require(actor, Action.DATASET_MANAGE, None)
    dataset = Dataset.objects.filter(pk=dataset_id).first()
    if dataset is None:
        raise NotFoundError("dataset")
    return dataset


def dataset_paths_for_system() -> Mapping[str, str]:
    """Return the path of every data set, by name."""
    return dict(Dataset.objects.values_list("name", "path"))


def paths_readable_for_system(wanted: Iterable[tuple[UUID, str]]) -> Mapping[tuple[UUID, str], str]:
    """Return the paths of those data sets, by (group, name), that the group may read now."""
    asked = set(wanted)
    if not asked:
        return {}
    above = paths_for_system({group for group, _ in asked})
    rows = Dataset.objects.filter(name__in={name for _, name in asked}).prefetch_related("groups")
    by_name = {row.name: row for row in rows}
    return {
        (group, name): by_name[name].path
        for group, name in asked
        if name in by_name and _is_readable(by_name[name], above.get(group, ()))
    }


def _is_readable(dataset: Dataset, path: Collection[UUID]) -> bool:
    return dataset.is_for_everybody or any(group.pk in path for group in dataset.groups.all())


def _readable_by(rows: QuerySet[Dataset], group_ids: Collection[UUID]) -> QuerySet[Dataset]:
    above = {group for path in paths_for_system(group_ids).values() for group in path}
    return rows.filter(Q(is_for_everybody=True) | Q(groups__in=above)).distinct()
