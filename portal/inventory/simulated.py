"""A node of a demo that is off: no machine stands behind it, and nothing ever ran on it."""

from portal.inventory.models import Accelerator, Node


def write_node_that_is_off(name: str, like: Node) -> Node:
    """Write a node beside another one of its pool, with the same cards."""
    node = Node.objects.create(
        name=name,
        pool=like.pool,
        runtime=like.runtime,
        is_isolated=like.is_isolated,
        agent_version=like.agent_version,
        agent_protocol=like.agent_protocol,
        cpu_milli=like.cpu_milli,
        memory_mib=like.memory_mib,
    )
    for card in Accelerator.objects.filter(node=like).order_by("index"):
        Accelerator.objects.create(
            uuid=f"{name}-{card.index}",
            node=node,
            pool=like.pool,
            index=card.index,
            vendor=card.vendor,
            model=card.model,
            memory_mib=card.memory_mib,
            mode=card.mode,
            slices=card.slices,
            slice_mib=card.slice_mib,
            is_simulated=card.is_simulated,
        )
    return node


def delete_node_that_is_off(name: str) -> None:
    """Delete it with its cards, unless a machine has joined under its name."""
    Node.objects.filter(name=name, lease_until=None, boot_id="").delete()
