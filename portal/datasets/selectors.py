"""Reads of data sets. A group may read those shared with, or owned by, itself and every group above it."""

from collections.abc import Collection, Iterable, Mapping
from uuid import UUID

from django.db.models import Prefetch, Q, QuerySet, Sum

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, NotFoundError
from portal.datasets.choosing import find_version
from portal.datasets.models import Dataset, DatasetPublication, DatasetVersion
from portal.datasets.places import VersionFolder
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
    """Return one data set that the actor may change: of its group, or as an administrator.

    Raises:
        NotFoundError: the actor may not read it.
        DeniedError: the actor may only read it.
    """
    dataset = dataset_visible_to(actor, dataset_id)
    policies.require(actor, Action.DATASET_MANAGE, dataset.owner_id, what="dataset")
    return dataset


def dataset_to_publish(actor: Actor, name: str) -> Dataset | None:
    """Return the data set of a name to which the actor may add versions; None if there is none yet.

    Raises:
        ConflictError: there is one, which the actor may not read.
        DeniedError: the actor may only read it.
    """
    found = Dataset.objects.filter(name=name).first()
    if found is None:
        return None
    try:
        return dataset_for_manager(actor, found.pk)
    except NotFoundError as error:
        raise ConflictError("dataset_name_taken", name=name, pointer="/dataset") from error


def publications_visible_to(actor: Actor) -> QuerySet[DatasetPublication]:
    """Return what the actor has published or may cancel, newest first, also what failed."""
    rows = DatasetPublication.objects.select_related("made_by").order_by("-pk")
    if policies.can(actor, Action.DATASET_MANAGE, None):
        return rows
    managed = [group for group in actor.roles if policies.can(actor, Action.DATASET_MANAGE, group)]
    return rows.filter(Q(made_by=actor.user_id) | Q(dataset__owner__in=managed))


def published_mib_for_system(group_id: UUID) -> int:
    """Return how much the published versions of a group's own data sets hold together."""
    rows = DatasetVersion.objects.filter(
        dataset__owner=group_id, place=DatasetVersion.Place.STORAGE
    )
    return (rows.aggregate(size=Sum("size_bytes"))["size"] or 0) // 2**20


def version_folders_for_system() -> Mapping[str, VersionFolder]:
    """Return where every version lies, by the references of work (one query)."""
    rows = DatasetVersion.objects.values_list("dataset__name", "number", "path", "place")
    return {
        pinned(name, number): VersionFolder(path, place == DatasetVersion.Place.STORAGE)
        for name, number, path, place in rows
    }


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


def folders_readable_for_system(
    wanted: Iterable[tuple[UUID, str]],
) -> Mapping[tuple[UUID, str], VersionFolder]:
    """Return where those versions lie, by (group, reference), that the group may read now."""
    asked = {(group, text): parse_reference(text) for group, text in wanted}
    readable = readable_for_system((group, item.name) for (group, _), item in asked.items())
    found = {}
    for (group, text), item in asked.items():
        dataset = readable.get((group, item.name))
        version = dataset and find_version(dataset.versions.all(), item)
        if version:
            found[group, text] = version.folder
    return found


def _with_versions(rows: QuerySet[Dataset]) -> QuerySet[Dataset]:
    versions = DatasetVersion.objects.select_related("made_by").order_by("-number")
    rows = rows.select_related("owner")
    return rows.prefetch_related("groups", Prefetch("versions", versions))


def _is_readable(dataset: Dataset, path: Collection[UUID]) -> bool:
    groups: Iterable[Group] = dataset.groups.all()
    if dataset.is_for_everybody or dataset.owner_id in path:
        return True
    return any(group.pk in path for group in groups)


def _readable_by(rows: QuerySet[Dataset], group_ids: Collection[UUID]) -> QuerySet[Dataset]:
    above = {group for path in paths_for_system(group_ids).values() for group in path}
    readable = Q(is_for_everybody=True) | Q(groups__in=above) | Q(owner__in=above)
    return rows.filter(readable).distinct()
