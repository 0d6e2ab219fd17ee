"""A cluster that is only pretended: it answers the commands that the portal runs, as the real one does.

The suite in `test_conformance.py` holds both to the same. Jobs run nothing: they write the first line of
the program of `tests.slurm.site`, and end when its files say so.
"""

import base64
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import UUID

from portal.common.clock import now
from portal.slurm.commands import CommandError
from tests.slurm.cluster import GPUS_PER_NODE, MEMORY_MIB

_DONE: Final = ("COMPLETED", "FAILED", "CANCELLED", "NODE_FAIL", "TIMEOUT")
_PROGRAM: Final = re.compile(r"printf %s (\S+) \| base64 -d > \"\$folder/program\"")


@dataclass
class _Job:
    id: int
    name: str
    nodes: tuple[str, ...]
    """Of each rank."""
    gpus: int
    """Of each node."""
    output: str
    program: str = ""
    comment: str = ""
    state: str = "PENDING"
    reason: str = "None"
    code: int = 0
    signal: int = 0
    started: int | None = None
    ended: int | None = None

    @property
    def work(self) -> str:
        """Return the id of the workload, from the name."""
        return str(UUID(self.name.split("-")[2])) if self.name.startswith("berth-") else ""


@dataclass
class PretendedSlurm:
    """Two nodes, a controller and an accounting, each of which may be away."""

    folder: Path
    away: set[str] = field(default_factory=set)
    """Of `n1`, `n2`, `slurmctld`, `slurmdbd`."""
    jobs: dict[int, _Job] = field(default_factory=dict)
    """What the controller knows."""
    accounted: dict[int, _Job] = field(default_factory=dict)
    last_id: int = 0

    @property
    def work_dir(self) -> Path:
        """Return the folder that all its nodes share."""
        return self.folder / "work"

    def run(self, argv: Sequence[str], stdin: bytes = b"") -> bytes:
        """Answer a command as Slurm would; others are run."""
        program, *options = [item for item in argv if item != "env" and "FORMAT=%s" not in item]
        answer = _ANSWERS.get(program)
        if answer is None:
            return subprocess.run(argv, capture_output=True, check=True).stdout
        part = "slurmdbd" if program == "sacct" else "slurmctld"
        if part in self.away:
            raise CommandError(f"{program}: error: Unable to contact {part}", is_answered=True)
        self._go_on()
        return answer(self, options, stdin).encode()

    # --- What a test does to it ------------------------------------------------------------------

    def kill(self, part: str) -> None:
        """Take a part away."""
        self.away.add(part)

    def start(self, part: str) -> None:
        """Bring a part back."""
        self.away.discard(part)

    def lose(self, node: str) -> None:
        """Take a node away, with the jobs on it."""
        self.away.add(node)
        for job in self.jobs.values():
            if job.state == "RUNNING" and node in job.nodes:
                self._end(job, "NODE_FAIL")

    def bring_back(self, node: str) -> None:
        """Bring a node back."""
        self.away.discard(node)

    def forget_everything(self) -> None:
        """Lose all that the controller knows of jobs."""
        self.jobs.clear()

    def clear(self) -> None:
        """End all jobs."""
        self.jobs.clear()

    # --- What it does by itself ------------------------------------------------------------------

    def _go_on(self) -> None:
        for job in list(self.jobs.values()):
            if job.state in _DONE:
                del self.jobs[job.id]  # at once: nobody may count on the queue
            elif job.state == "PENDING":
                self._try_to_start(job)
            else:
                self._look_at(job)

    def _try_to_start(self, job: _Job) -> None:
        used: Counter[str] = Counter()
        for other in self.jobs.values():
            if other.state == "RUNNING":
                used.update(dict.fromkeys(set(other.nodes), other.gpus))
        if any(it.name == job.name and it.id < job.id for it in self.jobs.values()):
            job.reason = "Dependency"
        elif gone := [node for node in job.nodes if node in self.away]:
            job.reason = f"ReqNodeNotAvail, UnavailableNodes:{gone[0]}"
        elif any(used[node] + job.gpus > GPUS_PER_NODE for node in job.nodes):
            job.reason = "Resources"
        else:
            job.state, job.reason, job.started = "RUNNING", "None", _now()
            self._begin(job)

    def _begin(self, job: _Job) -> None:
        if not job.work:
            return
        (self.work_dir / "outputs" / job.work).mkdir(parents=True, exist_ok=True)
        for rank in range(len(job.nodes)):
            log = Path(job.output).parent / f"{rank}.log"
            log.write_text(f"rank {rank} of {len(job.nodes)}\n")

    def _look_at(self, job: _Job) -> None:
        outputs = self.work_dir / "outputs" / job.work
        ends = [outputs / f"end.{rank}" for rank in range(len(job.nodes))]
        codes = [int(path.read_text()) for path in ends if job.work and path.exists()]
        if any(codes):
            self._end(job, "FAILED", code=max(codes))
        elif len(codes) == len(ends):
            self._end(job, "COMPLETED")

    def _end(self, job: _Job, state: str, *, code: int = 0, signal: int = 0) -> None:
        job.state, job.code, job.signal, job.ended = state, code, signal, _now()

    # --- Commands --------------------------------------------------------------------------------

    def _sbatch(self, options: Sequence[str], stdin: bytes) -> str:
        given = _options(options)
        if "test-only" in given:
            return ""
        if int(given.get("mem", "0M").removesuffix("M")) > MEMORY_MIB:
            why = "Requested node configuration is not available"
            failure = f"sbatch: error: Batch job submission failed: {why}"
            raise CommandError(failure, is_answered=True)
        self.last_id += 1
        gres = given.get("gres", "gpu:0")
        comment = given.get("comment", "")
        found = _PROGRAM.search(stdin.decode())
        job = _Job(
            id=self.last_id,
            name=given["job-name"],
            nodes=tuple((comment or given["nodelist"]).split(",")),
            gpus=int(gres.rpartition(":")[2]),
            output=given["output"],
            program=base64.b64decode(found[1]).decode() if found else "",
            comment=comment,
        )
        self.jobs[job.id] = self.accounted[job.id] = job
        return f"{job.id}\n"

    def _squeue(self, options: Sequence[str], stdin: bytes) -> str:
        given = _options(options)
        if given["format"] == "%j":
            live = [job.name for job in self.jobs.values() if job.state not in _DONE]
            return "".join(f"{name}\n" for name in live)
        return "".join(
            f"{it.id}|{it.name}|{it.state}|{it.started or 'N/A'}|{it.comment or '(null)'}|{it.reason}\n"
            for it in self.jobs.values()
        )

    def _sacct(self, options: Sequence[str], stdin: bytes) -> str:
        given = _options(options)
        ids = set(filter(None, given.get("jobs", "").split(",")))
        names = set(given.get("name", "").split(","))
        return "".join(
            f"{it.id}|{it.name}|{_by(it.state)}|{it.code}:{it.signal}"
            f"|{it.started or 'Unknown'}|{it.ended or 'Unknown'}\n"
            for it in self.accounted.values()
            if str(it.id) in ids or it.name in names
        )

    def _sinfo(self, options: Sequence[str], stdin: bytes) -> str:
        if "version" in _options(options):
            return "slurm-wlm 22.05.8\n"
        rows = []
        for name in ("n1", "n2"):
            state, why = ("down*", "lost") if name in self.away else ("idle", "none")
            rows.append(f"{name}|127.0.0.1|{state}|8|{MEMORY_MIB}|gpu:a100:{GPUS_PER_NODE}|{why}\n")
        return "".join(rows)

    def _scancel(self, options: Sequence[str], stdin: bytes) -> str:
        given, chosen = _options(options), options[-1]
        job = self.jobs.get(int(chosen))
        if job is None or job.state in _DONE:
            raise CommandError(
                f"scancel: error: Kill job error on job id {chosen}: Invalid job id specified",
                is_answered=True,
            )
        if given.get("signal") is None:
            self._end(job, "CANCELLED", signal=15 if job.state == "RUNNING" else 0)
        elif "exit 3" in job.program:
            (self.work_dir / "outputs" / job.work / "told").write_text("notified\n")
            self._end(job, "FAILED", code=3)
        else:
            (self.work_dir / "outputs" / job.work / "told").write_text("notified\n")
        return ""


_ANSWERS: Final[Mapping[str, Callable[[PretendedSlurm, Sequence[str], bytes], str]]] = {
    "sbatch": PretendedSlurm._sbatch,
    "squeue": PretendedSlurm._squeue,
    "sacct": PretendedSlurm._sacct,
    "sinfo": PretendedSlurm._sinfo,
    "scancel": PretendedSlurm._scancel,
}


def _options(options: Sequence[str]) -> dict[str, str]:
    pairs = (item.removeprefix("--").partition("=") for item in options if item.startswith("--"))
    return {name: value for name, _, value in pairs}


def _by(state: str) -> str:
    return f"{state} by 0" if state == "CANCELLED" else state


def _now() -> int:
    return int(now().timestamp())
