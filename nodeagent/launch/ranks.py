"""Where the ranks of a training meet and who each of them is, as environment variables; pure.

One container per rank. Its cards are the only ones it sees, so that it is a machine of its own to
the frameworks: `LOCAL_RANK` counts from 0 inside a container, whoever else is on the same node.
"""

from dataclasses import dataclass
from typing import Final
from zlib import crc32

from nodeagent.core.state import ContainerKey
from nodeagent.disk.notices import HOSTFILE_NAME
from nodeagent.launch.mpi import SCRIPT, SCRIPT_NAME, mpi_argv, mpi_hosts
from nodeagent.ports import ContainerOrder
from wire.messages import ContainerSpec

PORT_FIRST: Final = 20_000
PORTS: Final = 10_000
LOCALHOST: Final = "127.0.0.1"
INTERFACE_VARIABLES: Final = (
    *("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"),
    # Open MPI tries every interface that it finds, and hangs where two hosts have a bridge of the
    # same address, such as Docker's own.
    *("OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_oob_tcp_if_include"),
)


@dataclass(frozen=True, slots=True)
class RankRendezvous:
    """How the ranks of one attempt reach each other, as one of them sees it."""

    hosts: tuple[str, ...]
    """Names or addresses in the order of the ranks."""
    interface: str = ""
    """Network interface that leads to the others; empty leaves the choice to the frameworks."""
    hostfile: str = ""
    """Path of the list of hosts with slots."""


def rendezvous_on_nodes(
    spec: ContainerSpec, *, interface: str = "", hostfile: str = ""
) -> RankRendezvous:
    """Return the meeting of ranks that reach each other at the addresses of their nodes."""
    first = spec.master_address or LOCALHOST
    hosts = spec.hosts or (first,) * spec.ranks
    return RankRendezvous(tuple(host or first for host in hosts), interface, hostfile)


def rank_environment(order: ContainerOrder, rendezvous: RankRendezvous) -> dict[str, str]:
    """Return the variables of a training's rank; none for other work.

    `PET_*` are what `torchrun` takes for options that it was not given, so that a plain `torchrun
    train.py` of the user's own meets the others as well.
    """
    spec = order.spec
    if spec.kind != "training":
        return {}
    workers = count_workers(order)
    return {
        **_numbers(spec),
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
        **_interface(spec, rendezvous),
    }


def rank_argv(order: ContainerOrder, argv: tuple[str, ...], notice_dir: str) -> tuple[str, ...]:
    """Return the command line of a rank: the work's own, or a launcher around it.

    Ranks keep their numbers (`static`), and nothing is restarted inside: a gang restarts whole, by
    the rule of its job. `torchrun` is started as a module, so that no script of it need be on the
    search path. `told` is the folder of the agent's files as the work sees it.
    """
    if order.spec.kind != "training" or order.spec.launcher == "plain":
        return argv
    if order.spec.launcher == "mpi":
        return mpi_argv(f"{notice_dir}/{SCRIPT_NAME}", argv)
    return ("python3", "-m", "torch.distributed.run", "--no-python", *argv)


def rank_files(order: ContainerOrder, rendezvous: RankRendezvous) -> dict[str, str]:
    """Return what the agent leaves for a rank to read, by name; nothing for other work."""
    if order.spec.kind != "training":
        return {}
    files = {HOSTFILE_NAME: render_hostfile(order, rendezvous)}
    return {**files, SCRIPT_NAME: SCRIPT} if order.spec.launcher == "mpi" else files


def count_workers(order: ContainerOrder) -> int:
    """Return how many processes a launcher starts in this container: one for each card."""
    return max(1, len({item.uuid for item in order.devices}))


def rendezvous_port(key: ContainerKey) -> int:
    """Return where rank 0 listens: the same for all ranks of an attempt, another for the next."""
    workload = key.allocation.rpartition(".")[0]
    return PORT_FIRST + crc32(f"{workload}.{key.epoch}".encode()) % PORTS


def render_hostfile(order: ContainerOrder, rendezvous: RankRendezvous) -> str:
    """Return the list of hosts as Open MPI reads it: one rank a line, with a slot for each card."""
    slots = count_workers(order)
    hosts = mpi_hosts(order.spec.ranks) if order.spec.launcher == "mpi" else rendezvous.hosts
    return "".join(f"{host} slots={slots}\n" for host in hosts)


def _numbers(spec: ContainerSpec) -> dict[str, str]:
    """Return who this one process is; under `mpirun` there are several, and it tells them."""
    if spec.launcher == "mpi":
        return {}
    return {
        "RANK": str(spec.rank),
        "WORLD_SIZE": str(spec.ranks),
        "LOCAL_RANK": "0",
        "LOCAL_WORLD_SIZE": "1",
    }


def _interface(spec: ContainerSpec, rendezvous: RankRendezvous) -> dict[str, str]:
    """Name the interface, unless there is none to name or the work names its own."""
    if not rendezvous.interface:
        return {}
    return {name: rendezvous.interface for name in INTERFACE_VARIABLES if name not in spec.env}
