"""A node of a demo that is off: no machine stands behind it, and nothing ever ran on it."""

from portal.inventory.models import Accelerator, Node

_COPIED_OF_NODE = (
    "runtime",
    "is_isolated",
    "agent_version",
    "agent_protocol",
    "cpu_milli",
    "memory_mib",
)
_COPIED_OF_CARD = ("vendor", "model", "memory_mib", "mode", "slices", "slice_mib", "is_simulated")


def write_node_that_is_off(name: str, like: Node) -> Node:
    """Write a node beside another one of its pool, with the same cards."""
    node = Node.objects.create(
        name=name,
        pool=like.pool,
        **{column: getattr(like, column) for column in _COPIED_OF_NODE},
    )
    cards = Accelerator.objects.filter(node=like).order_by("index")
    Accelerator.objects.bulk_create(
        Accelerator(
            uuid=f"{name}-{card.index}",
            node=node,
            pool=like.pool,
            index=card.index,
            **{column: getattr(card, column) for column in _COPIED_OF_CARD},
        )
        for card in cards
    )
    return node


def delete_node_that_is_off(name: str) -> None:
    """Delete it with its cards, unless a machine has joined under its name."""
    Node.objects.filter(name=name, lease_until=None, boot_id="").delete()
