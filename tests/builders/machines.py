"""Pools, nodes, cards and images."""

from itertools import count

from portal.catalog.models import Image
from portal.inventory.models import Accelerator, Node, Pool

_numbers = count(1)
CARD_MIB = 32768


def a_pool(
    name: str = "",
    *,
    slices: int = 1,
    slice_mib: int = 4096,
    is_open: bool = True,
    is_divided: bool = False,
    silence: str = "keep",
) -> Pool:
    """Save a pool: exclusive, or shared when a card is cut into slices or divided into shares."""
    is_shared = slices > 1 or is_divided
    chosen = name or f"pool-{next(_numbers)}"
    return Pool.objects.create(
        name=chosen,
        title_en=chosen.title(),
        title_zh=f"资源池 {chosen}",
        purpose=Pool.Purpose.DEVELOPMENT if is_shared else Pool.Purpose.TRAINING,
        mode=Pool.Mode.SHARED if is_shared else Pool.Mode.EXCLUSIVE,
        slices_per_card=slices,
        slice_mib=slice_mib if slices > 1 else 0,
        default_time_limit_s=8 * 3600,
        time_limit_s_max=7 * 24 * 3600,
        is_open=is_open,
        policy={} if silence == "keep" else {"silence": silence},
    )


def a_node(
    pool: Pool,
    name: str = "",
    *,
    cards: int = 8,
    cpu_milli: int = 96_000,
    memory_mib: int = 512 * 1024,
    state: str = "ready",
) -> Node:
    """Save a node with simulated cards, cut as its pool says."""
    chosen = name or f"node-{next(_numbers)}"
    node = Node.objects.create(
        name=chosen,
        pool=pool,
        state=state,
        address="127.0.0.1",
        runtime="process",
        agent_version="test",
        cpu_milli=cpu_milli,
        memory_mib=memory_mib,
    )
    Accelerator.objects.bulk_create(_a_card(node, pool, index) for index in range(cards))
    return node


def _a_card(node: Node, pool: Pool, index: int) -> Accelerator:
    return Accelerator(
        uuid=f"SIM-{node.name}-{index}",
        node=node,
        pool=pool,
        index=index,
        vendor="simulated",
        model="Simulated 32GB",
        memory_mib=CARD_MIB,
        mode=pool.mode,
        slices=pool.slices_per_card,
        slice_mib=pool.slice_mib or CARD_MIB,
        is_simulated=True,
    )


def an_image(name: str = "", *, environments: bool = True, training: bool = True) -> Image:
    """Save an image."""
    chosen = name or f"image-{next(_numbers)}"
    return Image.objects.create(
        name=chosen,
        title_en=chosen.title(),
        title_zh=f"镜像 {chosen}",
        reference=f"berth/{chosen}:1",
        for_environments=environments,
        for_training=training,
    )
