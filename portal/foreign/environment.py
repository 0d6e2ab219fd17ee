"""Variables of a rank that every back end sets: pure."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from portal.execution.desired import WantedContainer, WorkSpec

_PORT_MIN: Final = 20_000
_PORTS: Final = 10_000


def rank_environment(
    item: WantedContainer, *, nodes: Sequence[str], hosts: Sequence[str], outputs: str
) -> Mapping[str, str]:
    """Return the variables of a rank: the user's, and above them those that every back end sets.

    `nodes` are those of each rank, `hosts` what each is reached by, `outputs` the folder of what it leaves.
    """
    return {**item.spec.env, **dict(_variables(item, nodes, hosts, outputs))}


def _variables(
    item: WantedContainer, nodes: Sequence[str], hosts: Sequence[str], outputs: str
) -> Iterator[tuple[str, str]]:
    spec = item.spec
    yield from {
        "BERTH_WORKLOAD": spec.workload,
        "BERTH_NAME": spec.name,
        "BERTH_KIND": spec.kind,
        "BERTH_EPOCH": str(item.epoch),
        "BERTH_NODE": nodes[spec.rank],
        "BERTH_CPU_MILLI": str(spec.cpu_milli),
        "BERTH_MEMORY_MIB": str(spec.memory_mib),
        "BERTH_OUTPUT_DIR": outputs,
        "BERTH_RESTART": str(spec.restart),
    }.items()
    if spec.array is not None:
        yield "BERTH_ARRAY_ID", spec.array.id
        yield "BERTH_ARRAY_INDEX", str(spec.array.index)
        yield "BERTH_ARRAY_SIZE", str(spec.array.size)
    yield from _rendezvous(spec, item.epoch, hosts).items()


def _rendezvous(spec: WorkSpec, epoch: int, hosts: Sequence[str]) -> Mapping[str, str]:
    """Return how a rank finds the others."""
    allocation = spec.workload.replace("-", "")
    port = str(_PORT_MIN + zlib.crc32(f"{allocation}.{epoch}".encode()) % _PORTS)
    return {
        "NNODES": str(spec.ranks),
        "NODE_RANK": str(spec.rank),
        "GROUP_RANK": str(spec.rank),
        "GROUP_WORLD_SIZE": str(spec.ranks),
        "MASTER_ADDR": hosts[0],
        "MASTER_PORT": port,
        "BERTH_HOSTS": ",".join(hosts),
        "BERTH_RANKS_HERE": str(spec.ranks_here),
        "BERTH_RANK_HERE": str(spec.local_rank),
    }
