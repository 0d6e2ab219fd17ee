"""Data sets as rows."""

from collections.abc import Sequence

from portal.datasets.models import Dataset, DatasetVersion
from portal.tenancy.models import Group


def a_dataset(
    name: str, *paths: str, groups: Sequence[Group] = (), everybody: bool = False
) -> Dataset:
    """Save a data set with a version for each path, or with one in `sets/<name>`."""
    folders = paths or (f"sets/{name}",)
    dataset = Dataset.objects.create(
        name=name, is_for_everybody=everybody, last_number=len(folders)
    )
    dataset.groups.set(groups)
    for number, path in enumerate(folders, start=1):
        DatasetVersion.objects.create(dataset=dataset, number=number, path=path)
    return dataset
