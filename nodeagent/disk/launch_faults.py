"""Why a launcher could not start the work, as it noted beside the checkpoint file.

The note is the name of an empty file, from a closed list: nothing that the work wrote is read.
Standard library only: shims import this.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from nodeagent.core.state import Finished
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.notices import NoticeFiles
from wire.words import ExitCause

PROGRAMS: Final = ("python3", "mpirun", "torch", "accelerate", "deepspeed", "ray", "distributed")
SUBJECTS: Final[Mapping[str, tuple[str, ...]]] = {
    "program_missing": PROGRAMS,
    "cluster_incomplete": ("ray", "dask"),
}
"""Which program or launcher each code may be about."""


def name_launch_fault(end: Finished, directory: ContainerDir) -> Finished:
    """Return the end as a failed start when the launcher noted why; otherwise as it was."""
    if end.cause is not ExitCause.EXITED or not end.exit_code:
        return end
    folder = NoticeFiles(directory).checkpoint_dir
    for code, subjects in SUBJECTS.items():
        for subject in subjects:
            try:
                facts = os.lstat(folder / f"fault.{code}.{subject}")
            except OSError:
                continue
            if stat.S_ISREG(facts.st_mode):
                detail = f"{code}: {subject}"
                # The exit code is the launcher's: the work itself never ran.
                return replace(end, cause=ExitCause.START_FAILED, exit_code=None, detail=detail)
    return end
