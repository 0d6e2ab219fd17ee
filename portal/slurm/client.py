"""A partition of a Slurm cluster: what is read of it and what it is instructed, by its commands."""

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from portal.foreign.attempts import JobKey
from portal.slurm import reading
from portal.slurm.commands import CommandError, Commands
from portal.slurm.names import job_folder, job_name, log_path
from portal.slurm.reading import TIME_VARIABLE
from portal.slurm.script import batch_script, sbatch_options
from portal.slurm.values import (
    AccountedJob,
    AttemptRecord,
    ClusterNode,
    PartitionTerms,
    QueuedJob,
    SubmitJob,
)

HISTORY_DAYS: Final = 30
"""How far back accounting is asked for a job of which only the name is known."""
CHUNK_BYTES: Final = 512 * 1024
_REFUSED: Final = re.compile(r"Batch job submission failed: (?P<why>.+)")
_PASSING: Final = re.compile(
    r"timed out|unable to contact|zero bytes|temporarily|connection|communication|"
    r"slurmctld|authentication|in standby",
    re.IGNORECASE,
)


class SlurmRefusedError(Exception):
    """Slurm will not take a job as it is, now or later; its words are the text."""


@dataclass(frozen=True, slots=True)
class SlurmClient:
    """Reads and instructs one partition; every method raises `CommandError`."""

    commands: Commands
    terms: PartitionTerms

    def nodes(self) -> tuple[ClusterNode, ...]:
        """Return the nodes of the partition."""
        where = f"--partition={self.terms.partition}"
        return reading.read_nodes(
            self._ask("sinfo", "--noheader", "--Node", where, f"--format={reading.NODE_FORMAT}")
        )

    def queue(self) -> tuple[QueuedJob, ...]:
        """Return the jobs of the pool that the controller knows, in any state."""
        what = ("--noheader", "--me", "--states=all", f"--format={reading.QUEUE_FORMAT}")
        return reading.read_queue(self._ask("squeue", *what), self.terms.site)

    def accounting(self, records: Collection[AttemptRecord]) -> tuple[AccountedJob, ...]:
        """Return what accounting knows of these attempts."""
        ids = [str(item.job_id) for item in records if item.job_id is not None]
        names = [job_name(self.terms.site, item.key) for item in records if item.job_id is None]
        found: tuple[AccountedJob, ...] = ()
        if ids:
            found += self._accounting(f"--jobs={','.join(ids)}")
        if names:
            since = f"--starttime=now-{HISTORY_DAYS}days"
            found += self._accounting(f"--name={','.join(names)}", since)
        return found

    def _accounting(self, *which: str) -> tuple[AccountedJob, ...]:
        what = ("--noheader", "--parsable2", "--allocations", "--duplicates")
        text = self._ask("sacct", *what, f"--format={reading.ACCOUNTING_FORMAT}", *which)
        return reading.read_accounting(text, self.terms.site)

    def submit(self, order: SubmitJob) -> int:
        """Submit a job and return its id; raises `SlurmRefusedError` when it will never be taken.

        Any other error leaves open whether the job was taken.
        """
        folder = job_folder(self.terms.work_dir, self.terms.site, order.key)
        self.commands.run(("mkdir", "-p", "-m", "755", folder))
        script = batch_script(order, self.terms).encode()
        try:
            told = self.commands.run(("sbatch", *sbatch_options(order, self.terms)), script)
        except CommandError as error:
            found = _REFUSED.search(str(error))
            if error.is_answered and found and not _PASSING.search(found["why"]):
                raise SlurmRefusedError(found["why"].strip()) from error
            raise
        return reading.read_submitted(told.decode())

    def signal(self, job_id: int, name: str) -> None:
        """Signal all processes of a job, its script's as well."""
        self._tell_job("scancel", "--full", f"--signal={name}", str(job_id))

    def cancel(self, job_id: int) -> None:
        """Let Slurm end a job."""
        self._tell_job("scancel", str(job_id))

    def read_log(self, key: JobKey, rank: int, offset: int) -> bytes:
        """Return what a rank has written from an offset on: at most a chunk; nothing before its start."""
        path = shlex.quote(log_path(self.terms.work_dir, self.terms.site, key, rank))
        script = f"[ ! -e {path} ] || tail -c +{offset + 1} {path} | head -c {CHUNK_BYTES}"
        return self.commands.run(("sh", "-c", script))

    def _ask(self, *argv: str) -> str:
        return self.commands.run(("env", TIME_VARIABLE, *argv)).decode(errors="replace")

    def _tell_job(self, *argv: str) -> None:
        """Tell something to a job that may have ended just now, which is no error."""
        try:
            self.commands.run(argv)
        except CommandError as error:
            if not error.is_answered:
                raise
