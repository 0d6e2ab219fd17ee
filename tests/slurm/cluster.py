"""A real Slurm cluster on this host: controller, two nodes, accounting on MariaDB; of Debian's packages.

Its GPUs are counted, with no device behind them. Everything lies in one folder and is ended with it.
"""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.waiting import wait_until

PARTITION: Final = "gpu"
GPUS_PER_NODE: Final = 4
MEMORY_MIB: Final = 16_000
START_S: Final = 60
PROGRAMS: Final = ("munged", "mariadbd", "slurmdbd", "slurmctld", "slurmd", "sbatch", "sacct")
"""What `apt install munge mariadb-server slurmctld slurmd slurmdbd slurm-client` brings."""

_SLURM_CONF: Final = """
ClusterName=berth
SlurmctldHost=localhost
SlurmUser=root
SlurmdUser=root
SlurmctldPort={ports[slurmctld]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout={slurmd_timeout_s}
MinJobAge=2
FirstJobId=70001
KillWait=5
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,sched_min_interval=10000
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
GresTypes=gpu
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort={ports[slurmdbd]}
AccountingStoragePass={folder}/munge.socket
AccountingStorageTRES=gres/gpu
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
NodeName=n[1-2] NodeHostName=localhost NodeAddr=127.0.0.1 Port=[{ports[n1]}-{ports[n2]}] \
CPUs=8 RealMemory={memory_mib} Gres=gpu:a100:{gpus} State=UNKNOWN
PartitionName={partition} Nodes=n[1-2] Default=YES MaxTime=1-00:00:00 State=UP
"""
_GRES_CONF: Final = "NodeName=n[1-2] Name=gpu Type=a100 File={folder}/gpu[0-{last}]\n"
_SLURMDBD_CONF: Final = """
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost=localhost
DbdPort={ports[slurmdbd]}
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={ports[mariadb]}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct_db
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
"""
_GRANT: Final = """
CREATE DATABASE slurm_acct_db;
CREATE USER 'slurm'@'127.0.0.1' IDENTIFIED BY 'slurm';
GRANT ALL ON slurm_acct_db.* TO 'slurm'@'127.0.0.1';
"""


@dataclass
class Cluster:
    """A running cluster; its parts are named `n1`, `n2`, `slurmctld`, `slurmdbd`, `mariadb`, `munge`."""

    folder: Path
    ports: Mapping[str, int]
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        """Return the environment by which commands find this cluster."""
        return {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    @property
    def work_dir(self) -> Path:
        """Return the folder that all its nodes share."""
        return self.folder / "work"

    def run(self, *command: str) -> str:
        """Run a command of Slurm's, and return what it prints."""
        done = subprocess.run(
            command, env=self.env, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    def start(self, part: str) -> None:
        """Start a part, or start it again."""
        self.processes[part] = self._popen(_COMMANDS[part](self))

    def kill(self, part: str) -> None:
        """Kill a part, and of a node all that runs there would go on: as `kill -9` of its daemon."""
        if part == "slurmctld":
            self.wait_for(self._is_saved)
        self._signal(part, signal.SIGKILL)

    def _is_saved(self) -> bool:
        """Return whether the controller has written down all jobs: it does so some seconds later."""
        names = self.run("squeue", "--noheader", "--format=%j").split()
        path = self.folder / "state" / "job_state"
        saved = path.read_bytes() if path.exists() else b""
        return all(name.encode() in saved for name in names)

    def wait_for(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        wait_until(holds, within_s=START_S, every_s=0.1)

    def wait_idle(self) -> None:
        """Wait until both nodes can take work."""
        self.wait_for(lambda: self._states() == ["idle", "idle"])

    def _states(self) -> list[str]:
        ask = ("sinfo", "-h", "-N", "-o", "%t")
        done = subprocess.run(ask, env=self.env, capture_output=True, text=True, check=False)
        return done.stdout.split()

    def _popen(self, command: Sequence[str]) -> "subprocess.Popen[bytes]":
        with (self.folder / "parts.log").open("ab") as log:
            return subprocess.Popen(
                command, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def _signal(self, part: str, number: signal.Signals) -> None:
        process = self.processes.pop(part)
        process.send_signal(number)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def lose(self, node: str) -> None:
        """Kill the daemon of a node, and let the controller know that it is gone."""
        self.kill(node)
        self.run("scontrol", "update", f"nodename={node}", "state=down", "reason=lost")

    def bring_back(self, node: str) -> None:
        """Start the daemon of a node again."""
        self.start(node)
        self.run("scontrol", "update", f"nodename={node}", "state=resume")
        ask = ("sinfo", "-h", "-N", "-n", node, "-o", "%t")
        self.wait_for(lambda: self.run(*ask).strip() in ("idle", "mix"))

    def forget_everything(self) -> None:
        """Lose all that the controller knows of jobs, as with the disk of its host."""
        self.kill("slurmctld")
        command = (*_COMMANDS["slurmctld"](self), "-c")
        self.processes["slurmctld"] = self._popen(command)
        self.wait_idle()

    def clear(self) -> None:
        """End all jobs, and wait until nothing of them is left."""
        self.run("scancel", "--me")
        self.wait_for(lambda: not self.run("squeue", "-h", "-o", "%i").strip())
        self.wait_idle()

    def close(self) -> None:
        """End all jobs and all parts."""
        if "slurmctld" in self.processes:
            end_all = ("scancel", "--me", "--signal=KILL", "--full")
            subprocess.run(end_all, env=self.env, timeout=30, check=False)
        for part in reversed(tuple(self.processes)):
            self._signal(part, signal.SIGTERM)


_COMMANDS: Final[Mapping[str, Callable[[Cluster], Sequence[str]]]] = {
    "munge": lambda it: (
        "munged",
        "--foreground",
        "--force",
        f"--key-file={it.folder}/munge.key",
        f"--socket={it.folder}/munge.socket",
        f"--pid-file={it.folder}/munge.pid",
        f"--seed-file={it.folder}/munge.seed",
        f"--log-file={it.folder}/munge.log",
    ),
    "mariadb": lambda it: (
        "mariadbd",
        "--no-defaults",
        "--user=root",
        f"--datadir={it.folder}/mysql",
        f"--socket={it.folder}/mysql.socket",
        f"--pid-file={it.folder}/mysql.pid",
        f"--port={it.ports['mariadb']}",
        "--bind-address=127.0.0.1",
        "--innodb-buffer-pool-size=32M",
        "--innodb-lock-wait-timeout=900",
    ),
    "slurmdbd": lambda _: ("slurmdbd", "-D"),
    "slurmctld": lambda it: ("slurmctld", "-D", "-f", f"{it.folder}/slurm.conf"),
    "n1": lambda it: ("slurmd", "-D", "-N", "n1", "-f", f"{it.folder}/slurm.conf"),
    "n2": lambda it: ("slurmd", "-D", "-N", "n2", "-f", f"{it.folder}/slurm.conf"),
}


def _free_ports() -> dict[str, int]:
    """Return free ports: those of the two nodes are neighbours."""
    names = ("mariadb", "slurmdbd", "slurmctld")
    sockets = [socket.socket() for _ in names]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        found = {name: int(one.getsockname()[1]) for name, one in zip(names, sockets, strict=True)}
        pairs = range(17001, 17999, 2)
        first = next(port for port in pairs if _is_free(port) and _is_free(port + 1))
        return {**found, "n1": first, "n2": first + 1}
    finally:
        for one in sockets:
            one.close()


def _is_free(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) != 0


@contextmanager
def run_cluster(folder: Path, *, slurmd_timeout_s: int = 30) -> Iterator[Cluster]:
    """Provide a cluster for the block, with both nodes up."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    assert not missing, f"not installed: {', '.join(missing)}"
    cluster = Cluster(folder, _free_ports())
    _write_files(cluster, slurmd_timeout_s)
    try:
        _start_accounting(cluster)
        cluster.start("slurmctld")
        for node in ("n1", "n2"):
            cluster.start(node)
        cluster.wait_idle()
        yield cluster
    finally:
        cluster.close()


def _write_files(cluster: Cluster, slurmd_timeout_s: int) -> None:
    folder = cluster.folder
    for name in ("state", "spool-n1", "spool-n2", "work"):
        (folder / name).mkdir(parents=True)
    for number in range(GPUS_PER_NODE):
        (folder / f"gpu{number}").symlink_to("/dev/null")
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    values: dict[str, Any] = {
        "folder": folder,
        "ports": cluster.ports,
        "gpus": GPUS_PER_NODE,
        "memory_mib": MEMORY_MIB,
        "last": GPUS_PER_NODE - 1,
        "partition": PARTITION,
        "slurmd_timeout_s": slurmd_timeout_s,
    }
    (folder / "slurm.conf").write_text(_SLURM_CONF.format(**values))
    (folder / "gres.conf").write_text(_GRES_CONF.format(**values))
    account = folder / "slurmdbd.conf"
    account.write_text(_SLURMDBD_CONF.format(**values))
    account.chmod(0o600)


def _start_accounting(cluster: Cluster) -> None:
    folder = cluster.folder
    cluster.run(
        "mariadb-install-db",
        "--no-defaults",
        "--user=root",
        f"--datadir={folder}/mysql",
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
    )
    cluster.start("munge")
    cluster.start("mariadb")
    cluster.wait_for((folder / "munge.socket").exists)
    client = ("mariadb", "--no-defaults", f"--socket={folder}/mysql.socket", "--user=root", "-e")
    cluster.wait_for(lambda: _succeeds(cluster, (*client, "SELECT 1")))
    cluster.run(*client, _GRANT)
    cluster.start("slurmdbd")
    asked = ("sacctmgr", "-n", "show", "cluster")
    cluster.wait_for(lambda: _succeeds(cluster, asked))
    cluster.run("sacctmgr", "-i", "add", "cluster", "berth")


def _succeeds(cluster: Cluster, command: Sequence[str]) -> bool:
    done = subprocess.run(command, env=cluster.env, capture_output=True, timeout=30, check=False)
    return done.returncode == 0
