"""Names by which jobs are found again: they hold all that identifies an attempt."""

import re
from typing import Final
from uuid import UUID

from portal.foreign.attempts import JobKey

_NAME: Final = re.compile(r"berth-(?P<site>[0-9a-f]{8})-(?P<workload>[0-9a-f]{32})-(?P<epoch>\d+)")


def job_name(site: str, key: JobKey) -> str:
    """Return the name of a job; `site` are eight hexadecimal digits."""
    return f"berth-{site}-{key.workload.hex}-{key.epoch}"


def parse_job_name(site: str, name: str) -> JobKey | None:
    """Return which attempt a job is; None if it is none of this pool."""
    found = _NAME.fullmatch(name)
    if found is None or found["site"] != site:
        return None
    return JobKey(UUID(found["workload"]), int(found["epoch"]))


def job_folder(work_dir: str, site: str, key: JobKey) -> str:
    """Return the folder of one attempt."""
    return f"{work_dir}/jobs/{job_name(site, key)}"


def log_path(work_dir: str, site: str, key: JobKey, rank: int) -> str:
    """Return the file into which a rank writes."""
    return f"{job_folder(work_dir, site, key)}/{rank}.log"
