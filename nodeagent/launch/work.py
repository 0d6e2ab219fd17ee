"""What every runtime does alike with the work itself: its folder on the host, its script."""

from pathlib import Path
from typing import Final

from wire.messages import ContainerSpec

DEFAULT_SHELL: Final = "/bin/sh"


def work_dir(storage_dir: Path, spec: ContainerSpec) -> Path:
    """Return the folder on the host: workspace of an environment, output folder of a training."""
    folder = "workspaces" if spec.kind == "environment" else "outputs"
    return storage_dir / folder / spec.workload


def script_argv(path: str, script: str) -> tuple[str, ...]:
    """Return how to run a script that lies at `path`; without `#!` it is for the shell."""
    return (path,) if script.startswith("#!") else (DEFAULT_SHELL, path)
