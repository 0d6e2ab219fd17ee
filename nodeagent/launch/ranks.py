"""The environment variables through which the ranks of a training find each other; pure.

Each rank has a container of its own and sees only its own cards, so that frameworks treat it as a
machine: `LOCAL_RANK` starts at 0 in every container, even when several ranks are on one node.
"""

from dataclasses import dataclass
from typing import Final
from zlib import crc32

from nodeagent.core.state import ContainerKey
from nodeagent.disk.notices import HOSTFILE_NAME
from nodeagent.launch import cluster, launcher_start
from nodeagent.launch.cluster import (
    MODULES,
    ClusterPorts,
    cluster_argv,
    cluster_environment,
    cluster_files,
)
from nodeagent.launch.frameworks import framework_argv, framework_environment
from nodeagent.launch.launcher_start import launcher_argv
from nodeagent.launch.mpi import ENVIRONMENT, SCRIPT, SCRIPT_NAME, mpi_argv, mpi_hosts
from nodeagent.ports import ContainerOrder
from wire.messages import CLUSTER_LAUNCHERS, ContainerSpec

PORT_FIRST: Final = 20_000
PORTS: Final = 10_000
LOCALHOST: Final = "127.0.0.1"
INTERFACE_VARIABLES: Final = (
    *("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"),
    # Open MPI tries all interfaces, and hangs if two hosts have a bridge with the same address,
    # such as Docker's default one.
    *("OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_oob_tcp_if_include"),
)


@dataclass(frozen=True, slots=True)
class RankRendezvous:
    """How the ranks of one attempt reach each other, from the view of one rank."""

    hosts: tuple[str, ...]
    """Names or addresses, in rank order."""
    interface: str = ""
    """The network interface to the other ranks; empty leaves the choice to the frameworks."""
    hostfile: str = ""
    """Path of the host list with slots."""


def rendezvous_on_nodes(
    spec: ContainerSpec, *, interface: str = "", hostfile: str = ""
) -> RankRendezvous:
    """Return the rendezvous of ranks that reach each other at their nodes' addresses."""
    first = spec.master_address or LOCALHOST
    hosts = spec.hosts or (first,) * spec.ranks
    return RankRendezvous(tuple(host or first for host in hosts), interface, hostfile)


def rank_environment(order: ContainerOrder, rendezvous: RankRendezvous) -> dict[str, str]:
    """Return the variables of a rank; empty for work that is not a training.

    `PET_*` are the defaults of `torchrun`'s options, so that a user's plain `torchrun train.py`
    finds the other ranks as well.
    """
    spec = order.spec
    if spec.kind != "training":
        return {}
    workers = count_workers(order)
    return {
        **_rank_numbers(spec),
        "GROUP_RANK": str(spec.rank),
        "GROUP_WORLD_SIZE": str(spec.ranks),
        "NODE_RANK": str(spec.rank),
        "NNODES": str(spec.ranks),
        "MASTER_ADDR": rendezvous.hosts[0],
        "MASTER_PORT": str(rendezvous_port(order.key)),
        "TORCHELASTIC_RESTART_COUNT": str(spec.restart),
        "PET_NNODES": str(spec.ranks),
        "PET_NODE_RANK": str(spec.rank),
        "PET_NPROC_PER_NODE": str(workers),
        "PET_MASTER_ADDR": rendezvous.hosts[0],
        "PET_MASTER_PORT": str(rendezvous_port(order.key)),
        "PET_RDZV_BACKEND": "static",
        "PET_MAX_RESTARTS": "0",
        "BERTH_RESTART": str(spec.restart),
        "BERTH_HOSTS": ",".join(rendezvous.hosts),
        "BERTH_RANKS_HERE": str(spec.ranks_here),
        "BERTH_RANK_HERE": str(spec.local_rank),
        **({"BERTH_HOSTFILE": rendezvous.hostfile} if rendezvous.hostfile else {}),
        **_interface_variables(spec, rendezvous),
        **_launcher_variables(order, rendezvous),
    }


def rank_argv(order: ContainerOrder, argv: tuple[str, ...], notice_dir: str) -> tuple[str, ...]:
    """Return the command line of a rank: the work's own, or a launcher around it.

    Ranks keep their numbers (`static`) and are not restarted individually: a gang restarts as a
    whole, by the rule of its job. `torchrun` is started as a module, so that its script need not be
    on the search path. `notice_dir` is the folder of the agent's files as seen by the work.
    """
    launcher = order.spec.launcher
    if order.spec.kind != "training" or launcher == "plain":
        return argv
    if launcher == "mpi":
        command = mpi_argv(f"{notice_dir}/{SCRIPT_NAME}", argv)
        return launcher_argv(notice_dir, command, program="mpirun")
    if launcher in CLUSTER_LAUNCHERS:
        command = cluster_argv(f"{notice_dir}/{cluster.SCRIPT_NAME}", launcher, argv)
        return launcher_argv(notice_dir, command, module=MODULES[launcher])
    if framework := framework_argv(order, count_workers(order), argv):
        return launcher_argv(notice_dir, framework, module=order.spec.framework)
    torchrun = ("python3", "-m", "torch.distributed.run", "--no-python", *argv)
    return launcher_argv(notice_dir, torchrun, module="torch")


def rank_files(order: ContainerOrder, rendezvous: RankRendezvous) -> dict[str, str]:
    """Return the files that the agent provides for a rank, by name; empty for other work."""
    if order.spec.kind != "training":
        return {}
    files = {HOSTFILE_NAME: render_hostfile(order, rendezvous)}
    if order.spec.launcher != "plain":
        files[launcher_start.SCRIPT_NAME] = launcher_start.SCRIPT
    if order.spec.launcher == "mpi":
        return {**files, SCRIPT_NAME: SCRIPT}
    if order.spec.launcher in CLUSTER_LAUNCHERS:
        gpus = len(set(order.visible_devices))
        given = cluster_files(order.spec, rendezvous.hosts, cluster_ports(order.key), gpus)
        return {**files, **given}
    return files


def count_workers(order: ContainerOrder) -> int:
    """Return how many processes a launcher starts in this container: one per card."""
    return max(1, len({item.uuid for item in order.devices}))


def rendezvous_port(key: ContainerKey) -> int:
    """Return the port of rank 0: the same for all ranks of an attempt, another for the next."""
    workload = key.allocation.rpartition(".")[0]
    return PORT_FIRST + crc32(f"{workload}.{key.epoch}".encode()) % PORTS


def cluster_ports(key: ContainerKey) -> ClusterPorts:
    """Return the ports of rank 0 that a Ray or Dask cluster needs: the rendezvous, and another."""
    head = rendezvous_port(key)
    return ClusterPorts(head, PORT_FIRST + (head - PORT_FIRST + PORTS // 2) % PORTS)


def render_hostfile(order: ContainerOrder, rendezvous: RankRendezvous) -> str:
    """Return Open MPI's host list: one rank per line, with a slot per card."""
    slots = count_workers(order)
    hosts = mpi_hosts(order.spec.ranks) if order.spec.launcher == "mpi" else rendezvous.hosts
    return "".join(f"{host} slots={slots}\n" for host in hosts)


def _rank_numbers(spec: ContainerSpec) -> dict[str, str]:
    """Return rank and world size for work with one process per rank.

    `mpirun` sets its own, and the command of a Ray or Dask job runs once only.
    """
    if spec.launcher == "mpi" or spec.launcher in CLUSTER_LAUNCHERS:
        return {}
    return {
        "RANK": str(spec.rank),
        "WORLD_SIZE": str(spec.ranks),
        "LOCAL_RANK": "0",
        "LOCAL_WORLD_SIZE": "1",
    }


def _launcher_variables(order: ContainerOrder, rendezvous: RankRendezvous) -> dict[str, str]:
    """Return what a launcher needs besides; empty for most."""
    if order.spec.launcher == "mpi":
        return ENVIRONMENT
    if order.spec.launcher in CLUSTER_LAUNCHERS:
        return cluster_environment(order.spec, rendezvous.hosts[0], cluster_ports(order.key))
    return framework_environment(order)


def _interface_variables(spec: ContainerSpec, rendezvous: RankRendezvous) -> dict[str, str]:
    """Return the network interface variables, unless it is unknown or the work sets its own."""
    if not rendezvous.interface:
        return {}
    return {name: rendezvous.interface for name in INTERFACE_VARIABLES if name not in spec.env}
