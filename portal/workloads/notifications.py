"""Doorbells: which topics have news. What the news is, the listener asks for itself."""

import json
from collections.abc import Iterable
from uuid import UUID

from portal.common.poke import poke, poke_all

NODES_TOPIC = "nodes"
"""Topic of everything that the page of nodes shows."""


def invalidate_topics(topics: Iterable[str], seq: int = 0) -> None:
    """Ring for these topics after commit; `seq` is the newest event's number, if there is one."""
    poke("bell", json.dumps({"topics": list(topics), "seq": seq}))


def wake_nodes(node_ids: Iterable[UUID]) -> None:
    """Ask these nodes for a heartbeat after commit: what they shall run has changed."""
    names = [f"node:{node_id}" for node_id in sorted(set(node_ids))]
    if names:
        poke_all(names)
