"""Locates data sets below the operator's data set folder, without following links."""

from collections.abc import Sequence
from pathlib import Path

from nodeagent.host.secure_paths import ResolvedPath, UnsafePathError, resolve_beneath
from nodeagent.ports import StartError
from wire.messages import DatasetMount
from wire.words import ExitCause


def resolve_dataset(datasets_dir: Path | None, item: DatasetMount) -> ResolvedPath:
    """Return the path of a data set; raises `StartError` if it is not on this node."""
    if datasets_dir is None:
        raise StartError(ExitCause.START_FAILED, f"dataset_missing: {item.name}: no datasets_dir")
    try:
        return resolve_beneath(datasets_dir, item.path)
    except (UnsafePathError, OSError) as error:
        raise StartError(
            ExitCause.START_FAILED, f"dataset_missing: {item.name}: {error}"
        ) from error


def link_datasets(datasets_dir: Path | None, items: Sequence[DatasetMount], folder: Path) -> Path:
    """Create a folder with a link to each data set, for work that runs without a container.

    Only file permissions keep such work from writing to them.
    """
    if items:
        folder.mkdir(exist_ok=True)
    for item in items:
        link = folder / item.name
        link.unlink(missing_ok=True)
        link.symlink_to(resolve_dataset(datasets_dir, item).path)
    return folder
