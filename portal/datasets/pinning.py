"""Which version of a data set a submission gets: it keeps that one permanently."""

from collections.abc import Sequence
from uuid import UUID

from portal.common.errors import InvalidError
from portal.datasets.choosing import find_version, newest_version
from portal.datasets.models import Dataset, DatasetVersion
from portal.datasets.references import parse_reference, pinned
from portal.datasets.selectors import readable_for_system


def pin_versions(group_id: UUID, references: Sequence[str]) -> list[str]:
    """Return each reference with the number of the version that it means now, once, in order of names.

    Raises:
        InvalidError: the group may not read it, there is no such version, it is retired, or two
            versions of one data set are named, which would be mounted at one place.
    """
    wanted = {text: parse_reference(text) for text in references}
    readable = readable_for_system((group_id, item.name) for item in wanted.values())
    found: dict[str, int] = {}
    for text, item in wanted.items():
        dataset = readable.get((group_id, item.name))
        if dataset is None:
            raise InvalidError("unknown_dataset", pointer="/datasets", dataset=item.name[:63])
        version = find_version(dataset.versions.all(), item)
        if version is None or version.state != DatasetVersion.State.READY:
            raise _refusal(dataset, text, version)
        if found.setdefault(item.name, version.number) != version.number:
            raise InvalidError("dataset_named_twice", pointer="/datasets", dataset=item.name)
    return [pinned(name, number) for name, number in sorted(found.items())]


def _refusal(dataset: Dataset, text: str, version: DatasetVersion | None) -> InvalidError:
    """Return why there is no such version to use, and which one there is instead."""
    newest = newest_version(dataset.versions.all())
    if newest is None:
        return InvalidError("dataset_without_version", pointer="/datasets", dataset=dataset.name)
    code = "unknown_dataset_version" if version is None else "dataset_version_retired"
    return InvalidError(code, pointer="/datasets", dataset=text, newest=newest.number)
