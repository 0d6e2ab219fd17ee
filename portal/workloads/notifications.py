"""Notifications after commit: browsers fetch a topic again, nodes send a heartbeat at once."""

import json
from collections.abc import Iterable
from uuid import UUID

from portal.common.poke import poke, poke_all

NODES_TOPIC = "nodes"
"""Topic of everything that the page of nodes shows."""


def invalidate_topics(topics: Iterable[str], seq: int = 0) -> None:
    """Make browsers fetch these topics again; `seq` is the number of the newest event, if any."""
    poke("bell", json.dumps({"topics": list(topics), "seq": seq}))


def wake_nodes(node_ids: Iterable[UUID]) -> None:
    """Make these nodes send a heartbeat: what they are to run has changed."""
    names = [f"node:{node_id}" for node_id in sorted(set(node_ids))]
    if names:
        poke_all(names)
