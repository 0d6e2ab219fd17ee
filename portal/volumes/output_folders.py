"""Where a job leaves its files; pure."""

from pathlib import Path
from uuid import UUID


def outputs_folder(storage_dir: Path, workload_id: UUID) -> Path:
    """Return the folder of a job's outputs."""
    return storage_dir / "outputs" / str(workload_id)
