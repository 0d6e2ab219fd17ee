"""Output files of a job: who may read them, and what is in which folder.

The job itself writes there, so nothing in it is trusted: files are reached as those of volumes are
(`portal.volumes.tree`). Links that stay inside are shown as what they lead to, folders too, since programs
mark their newest checkpoint by them; everything else that is neither file nor folder is named, never opened.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from portal.common.actor import Actor
from portal.common.errors import ConflictError
from portal.jobs.services import KIND
from portal.volumes.output_folders import outputs_folder
from portal.volumes.tree.links import resolve
from portal.volumes.tree.listing import FolderPage, list_folder
from portal.volumes.tree.paths import Parts, parse_path, refused_clearly
from portal.workloads.selectors import workload_visible_to
from scheduler.core.model.states import TERMINAL


@dataclass(frozen=True, slots=True)
class OpenedOutputs:
    """The name of a job, and the folder of its outputs."""

    job: str
    top: Path


def open_outputs(actor: Actor, job_id: UUID, storage_dir: Path) -> OpenedOutputs:
    """Return the outputs of a job that the actor may see.

    Raises:
        NotFoundError: there is no such job, or it is another tenant's.
        DeniedError: the actor's credential lacks the scope.
    """
    job = workload_visible_to(actor, job_id, KIND)
    return OpenedOutputs(job.name, outputs_folder(storage_dir, job.pk))


def outputs_to_publish(actor: Actor, job_id: UUID, storage_dir: Path) -> Path:
    """Return where a job that the actor may see has left its files.

    Raises:
        NotFoundError: there is no such job, or it is another tenant's.
        ConflictError: it has not ended.
    """
    job = workload_visible_to(actor, job_id, KIND)
    if job.state not in TERMINAL:
        raise ConflictError("job_has_not_ended", name=job.name)
    return outputs_folder(storage_dir, job.pk)


def find_output(top: Path, path: str) -> Parts:
    """Return the path without links of an output; raises `NotFoundError`."""
    with refused_clearly(path):
        return resolve(top, parse_path(path))


def list_outputs(top: Path, path: str, *, offset: int, limit: int) -> FolderPage:
    """Return a part of a folder by name; a job that has not started has an empty one."""
    if not path and not top.exists():
        return FolderPage([], 0, is_cut=False)
    page = list_folder(top, find_output(top, path), offset=offset, limit=limit)
    return replace(page, entries=[replace(it, kind=it.target or it.kind) for it in page.entries])
