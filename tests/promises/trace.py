"""What decided a story, for who looks for the cause of a breach: cleared starts by pass, moves, cards, jobs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import Any, Final

import psycopg

_PASS: Final = (
    "SELECT extract(epoch FROM at)::float8, reservations, moved FROM workloads_schedulerpass"
)
_OUT: Final = """
SELECT n.name, n.state, c.index, c.state, c.fault
FROM inventory_node n JOIN inventory_accelerator c ON c.node_id = n.id
WHERE n.state <> 'ready' OR c.state <> 'ok' ORDER BY n.name, c.index
"""
_TABLES: Final[Mapping[str, str]] = {
    "jobs": """
SELECT w.id::text, p.name, w.gpus, w.slices, w.replicas, w.priority, w.preemptible, g.name, u.username,
    w.state, w.held_by, w.evictions, w.evicted_for::text, extract(epoch FROM w.submitted_at)::float8
FROM workloads_workload w JOIN inventory_pool p ON p.id = w.pool_id
JOIN tenancy_group g ON g.id = w.group_id JOIN identity_user u ON u.id = w.owner_id""",
    "cards": """
SELECT a.workload_id::text, a.epoch, n.name, c.index, d.slot, extract(epoch FROM a.created_at)::float8,
    extract(epoch FROM a.released_at)::float8
FROM workloads_allocationdevice d JOIN workloads_allocation a ON a.id = d.allocation_id
JOIN inventory_node n ON n.id = a.node_id JOIN inventory_accelerator c ON c.id = d.accelerator_id""",
    "events": """
SELECT workload_id::text, epoch, from_state, to_state, cause, params, extract(epoch FROM at)::float8
FROM workloads_workloadevent ORDER BY id""",
}


@dataclass
class Trace:
    """What is read besides what the rules need."""

    passes: list[tuple[float, float, Any, Any]] = field(default_factory=list)
    """When it was read and made; its cleared starts; what it moved."""
    cards: list[tuple[float, list[Any]]] = field(default_factory=list)
    """Cards and nodes that take no work, each time others are seen than before."""
    tables: dict[str, list[Any]] = field(default_factory=dict)

    def look(self, database: psycopg.Connection[Any]) -> None:
        """Note the last pass, unless it is noted already."""
        found = database.execute(_PASS).fetchone()
        if found is not None and (not self.passes or self.passes[-1][1] != found[0]):
            cleared = [row for row in found[1] if row["is_cleared"]]
            self.passes.append((time(), found[0], cleared, found[2]))
        out = database.execute(_OUT).fetchall()
        if not self.cards or self.cards[-1][1] != out:
            self.cards.append((time(), out))

    def finish(self, database: psycopg.Connection[Any]) -> None:
        """Read what the database has at the end."""
        for name, query in _TABLES.items():
            self.tables[name] = database.execute(query).fetchall()

    def write(self, path: Path) -> None:
        """Write all of it as JSON."""
        path.write_text(
            json.dumps({"passes": self.passes, "out": self.cards, **self.tables}), encoding="utf-8"
        )
