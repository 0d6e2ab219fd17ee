"""Launchers of frameworks: what starts the processes of a rank as Accelerate or DeepSpeed would; pure.

Both are started as modules, so that no script need be on the search path, and read where the ranks
meet from the variables of the rank. `exec` leaves the signals of the agent to them.
"""

import base64
import json
from typing import Final

from nodeagent.ports import ContainerOrder

_ACCELERATE: Final = (
    "exec python3 -m accelerate.commands.launch --multi_gpu --same_network"
    ' --num_machines "$NNODES" --machine_rank "$NODE_RANK" --num_processes {processes}'
    ' --main_process_ip "$MASTER_ADDR" --main_process_port "$MASTER_PORT" --no_python "$@"'
)
_ON_CPU: Final = "ACCELERATE_USE_CPU"
_DEEPSPEED: Final = (
    "exec python3 -m deepspeed.launcher.launch --world_info={world} --node_rank $NODE_RANK"
    ' --master_addr "$MASTER_ADDR" --master_port "$MASTER_PORT"'
    ' --no_python --no_local_rank "$@"'
)


def framework_environment(order: ContainerOrder) -> dict[str, str]:
    """Return the variables that a framework needs; empty for other launchers.

    Where Accelerate finds no card and is not configured so, each process takes itself for the only one, and
    a job ends in success that has trained its model several times alone.
    """
    if order.spec.framework != "accelerate" or order.visible_devices:
        return {}
    return {_ON_CPU: order.spec.env.get(_ON_CPU, "true")}


def framework_argv(
    order: ContainerOrder, workers: int, argv: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Return the command line that starts `workers` processes of this rank by its framework.

    None where `torchrun` does it as well or better: without cards, and for Accelerate where there is
    one process in all, which its launcher would start without passing signals on.
    """
    spec, ranks = order.spec, order.spec.ranks
    if not order.visible_devices or not spec.framework:
        return None
    if spec.framework == "deepspeed":
        return ("sh", "-c", _DEEPSPEED.format(world=_world(order)), "deepspeed", *argv)
    processes = ranks * workers
    if processes == 1:
        return None
    return ("sh", "-c", _ACCELERATE.format(processes=processes), "accelerate", *argv)


def _world(order: ContainerOrder) -> str:
    """Return which cards each rank has, as DeepSpeed's launcher takes it.

    It makes those of its own rank visible, by the names that the agent has made visible; of others
    it counts them only.
    """
    own = list(order.visible_devices)
    world = {
        f"rank-{rank}": own if rank == order.spec.rank else list(range(len(own)))
        for rank in range(order.spec.ranks)
    }
    return base64.urlsafe_b64encode(json.dumps(world).encode()).decode()
