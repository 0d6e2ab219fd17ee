"""Reads of data sets. A group may read those of itself and of every group above it."""

from collections.abc import Collection, Iterable, Mapping
from uuid import UUID

from django.db.models import Prefetch, Q, QuerySet

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.datasets.choosing import find_version
from portal.datasets.models import Dataset, DatasetVersion
from portal.datasets.references import parse_reference, pinned
from portal.tenancy import policies
from portal.tenancy.models import Group
from portal.tenancy.selectors import group_visible_to, paths_for_system


def datasets_visible_to(actor: Actor, group_id: UUID | None = None) -> QuerySet[Dataset]:
    """Return the data sets that the actor may read, or those of one group that it may see.

    Their versions come with them, newest first.
    """
    rows = _with_versions(Dataset.objects.all())
    if group_id is not None:
        return _readable_by(rows, [group_visible_to(actor, group_id).pk])
    if policies.can(actor, Action.DATASET_MANAGE, None):
        return rows
    return _readable_by(rows, actor.roles)


def dataset_visible_to(actor: Actor, dataset_id: UUID) -> Dataset:
    """Return one data set that the actor may read, with its versions, newest first."""
    dataset = datasets_visible_to(actor).filter(pk=dataset_id).first()
    if dataset is None:
        raise NotFoundError("dataset")
    return dataset


def dataset_for_manager(actor: Actor, dataset_id: UUID) -> Dataset:
    """Return one data set; raises `DeniedError` for other actors than administrators."""
    policies.require(actor, Action.DATASET_MANAGE, None)
    dataset = Dataset.objects.filter(pk=dataset_id).first()
    if dataset is None:
        raise NotFoundError("dataset")
    return dataset


def version_paths_for_system() -> Mapping[str, str]:
    """Return the path of every version, by the references of work (one query)."""
    rows = DatasetVersion.objects.values_list("dataset__name", "number", "path")
    return {pinned(name, number): path for name, number, path in rows}


def readable_for_system(wanted: Iterable[tuple[UUID, str]]) -> Mapping[tuple[UUID, str], Dataset]:
    """Return those data sets, by (group, name), that the group may read now, with their versions."""
    asked = set(wanted)
    if not asked:
        return {}
    above = paths_for_system({group for group, _ in asked})
    rows = _with_versions(Dataset.objects.filter(name__in={name for _, name in asked}))
    by_name = {row.name: row for row in rows}
    return {
        (group, name): by_name[name]
        for group, name in asked
        if name in by_name and _is_readable(by_name[name], above.get(group, ()))
    }


def paths_readable_for_system(wanted: Iterable[tuple[UUID, str]]) -> Mapping[tuple[UUID, str], str]:
    """Return the paths of those versions, by (group, reference), that the group may read now."""
    asked = {(group, text): parse_reference(text) for group, text in wanted}
    readable = readable_for_system((group, item.name) for (group, _), item in asked.items())
    found = {}
    for (group, text), item in asked.items():
        dataset = readable.get((group, item.name))
        version = dataset and find_version(dataset.versions.all(), item)
        if version:
            found[group, text] = version.path
    return found


def _with_versions(rows: QuerySet[Dataset]) -> QuerySet[Dataset]:
    versions = DatasetVersion.objects.select_related("made_by").order_by("-number")
    return rows.prefetch_related("groups", Prefetch("versions", versions))


def _is_readable(dataset: Dataset, path: Collection[UUID]) -> bool:
    groups: Iterable[Group] = dataset.groups.all()
    return dataset.is_for_everybody or any(group.pk in path for group in groups)


def _readable_by(rows: QuerySet[Dataset], group_ids: Collection[UUID]) -> QuerySet[Dataset]:
    above = {group for path in paths_for_system(group_ids).values() for group in path}
    return rows.filter(Q(is_for_everybody=True) | Q(groups__in=above)).distinct()
