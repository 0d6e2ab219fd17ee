"""The folder and the script of the work, the same in all runtimes."""

from pathlib import Path
from typing import Final

from nodeagent.disk.container_dir import OUTPUTS
from wire.messages import ContainerSpec

DEFAULT_SHELL: Final = "/bin/sh"


def work_dir(storage_dir: Path, spec: ContainerSpec) -> Path:
    """Return the folder on the host: workspace of a notebook, output folder of a training."""
    folder = "workspaces" if spec.kind == "environment" else OUTPUTS
    return storage_dir / folder / spec.workload


def script_argv(path: str, script: str) -> tuple[str, ...]:
    """Return the command line that runs the script at `path`; without `#!` it is run by the shell."""
    return (path,) if script.startswith("#!") else (DEFAULT_SHELL, path)
