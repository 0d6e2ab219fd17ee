"""`python -m bench.slurm`: how many jobs Debian's Slurm takes a second here, with `sbatch`.

One controller and one node on this machine (packages slurmctld, slurmd, slurm-client and munge),
configured in a folder that is deleted afterwards. Each submission is an `sbatch` of its own, from one
client and from eight at a time, as scripts submit; the controller schedules and the node runs meanwhile.
"""

import getpass
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

from bench.figures import p95
from deploy.onebox.options import find_free_port
from tests.waiting import wait_until

PROGRAMS: Final = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo")
JOBS: Final = 400
CLIENTS: Final = 8
CPUS: Final = 64
"""That the node pretends to have, as many jobs as run at a time."""
START_S: Final = 30
STOP_S: Final = 20
_CONFIGURATION: Final = """
ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=bench Nodes=ALL Default=YES State=UP
"""


@dataclass(frozen=True, slots=True)
class SlurmFigures:
    """What `sbatch` did here."""

    one_client_per_s: float
    eight_clients_per_s: float
    alone_p95_ms: float
    """Of one submission by one client."""


def main() -> int:
    """Measure and print; 1 where Slurm is not installed."""
    figures = measure_sbatch()
    if figures is None:
        print(f"Slurm is not installed: one of {', '.join(PROGRAMS)} is missing")
        return 1
    print(
        f"sbatch     one client {figures.one_client_per_s:.0f}/s (p95 {figures.alone_p95_ms:.0f} ms),"
        f" eight {figures.eight_clients_per_s:.0f}/s"
    )
    return 0


def measure_sbatch() -> SlurmFigures | None:
    """Return the figures of Debian's Slurm, or None where it is not installed."""
    if not all(map(_find, PROGRAMS)):
        return None
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder, _cluster(Path(folder)) as env:
        one_s, took = _submit(env, clients=1)
        eight_s, _ = _submit(env, clients=CLIENTS)
        subprocess.run(["scancel", "--state=PENDING"], env=env, check=False, capture_output=True)
    return SlurmFigures(JOBS / one_s, JOBS / eight_s, p95(took))


def _submit(env: Mapping[str, str], clients: int) -> tuple[float, list[float]]:
    """Submit jobs from so many clients; return the seconds of all and the milliseconds of each."""

    def submit(number: int) -> float:
        began = monotonic()
        job = [
            "sbatch",
            "--quiet",
            "--output=/dev/null",
            f"--job-name=storm-{number}",
            "--wrap=true",
        ]
        subprocess.run(job, env=env, check=True, stdout=subprocess.DEVNULL)
        return (monotonic() - began) * 1000

    began = monotonic()
    with ThreadPoolExecutor(clients) as threads:
        took = list(threads.map(submit, range(JOBS)))
    return monotonic() - began, took


@contextmanager
def _cluster(folder: Path) -> Iterator[Mapping[str, str]]:
    """Run Slurm's servers in a folder; yield the environment of its clients."""
    host = socket.gethostname().partition(".")[0]
    configuration = folder / "slurm.conf"
    configuration.write_text(
        _CONFIGURATION.format(
            host=host,
            user=getpass.getuser(),
            folder=folder,
            cpus=CPUS,
            controller_port=find_free_port(),
            node_port=find_free_port(),
        )
    )
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(128))
    env = {**os.environ, "SLURM_CONF": str(configuration)}
    files = {"key-file": key, "socket": folder / "munge.socket", "pid-file": folder / "munge.pid"}
    files |= {"log-file": folder / "munge.log", "seed-file": folder / "munge.seed"}
    munge = [f"--{name}={path}" for name, path in files.items()]
    with ExitStack() as running:
        for program in (
            ("munged", "--foreground", "--force", *munge),
            ("slurmctld", "-D", "-f", str(configuration)),
            ("slurmd", "-D", "-f", str(configuration), "-N", host),
        ):
            running.enter_context(_running(program, env, folder / f"{program[0]}.out"))
            if program[0] == "munged":
                wait_until((folder / "munge.socket").exists, within_s=START_S)
        wait_until(lambda: _is_idle(env), within_s=START_S)
        yield env


@contextmanager
def _running(command: tuple[str, ...], env: Mapping[str, str], output: Path) -> Iterator[None]:
    program, *arguments = command
    with output.open("wb") as log:
        process = subprocess.Popen([_find(program), *arguments], env=env, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        process.wait(STOP_S)


def _is_idle(env: Mapping[str, str]) -> bool:
    found = subprocess.run(
        ["sinfo", "--noheader", "--format=%T"], env=env, check=False, capture_output=True, text=True
    )
    return found.stdout.strip() == "idle"


def _find(program: str) -> str:
    """Return where a program is, which for servers may be outside of the search path; else empty."""
    paths = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    return shutil.which(program, path=paths) or ""


if __name__ == "__main__":
    sys.exit(main())
