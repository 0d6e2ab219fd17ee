"""The node agents of a onebox: one configuration file each, joined by a one-time token."""

import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import Request, urlopen

from deploy.onebox.engine import Engine, can_filter
from deploy.onebox.options import Options
from deploy.onebox.supervisor import Part

CARDS: Final = 8
CARD_MODEL: Final = "Simulated 32GB"
CARD_MIB: Final = 32768
CPU_MILLI: Final = 96_000
MEMORY_MIB: Final = 512 * 1024
AGENT_STOP_S: Final = 15


@dataclass(frozen=True, slots=True)
class Node:
    """One agent with its files in `nodes/<name>/`."""

    name: str
    folder: Path

    @property
    def pool(self) -> str:
        """The seeded pool that this node joins."""
        return "development" if "-dev-" in self.name else "training"

    @property
    def config(self) -> Path:
        """The agent's settings."""
        return self.folder / "agent.toml"

    @property
    def identity(self) -> Path:
        """The key that a token has bought; without it the node joins anew."""
        return self.folder / "state" / "identity.json"

    @property
    def has_joined(self) -> bool:
        """Tell whether a token has been bought a key with already."""
        return self.identity.exists()

    @property
    def part(self) -> Part:
        """The agent's process; it starts its own watchdog."""
        command = [sys.executable, "-m", "nodeagent", "run", "--config", str(self.config)]
        return Part(self.name, command, stop_s=AGENT_STOP_S)

    @property
    def stop_work(self) -> list[str]:
        """The command that ends every container of this node."""
        return [sys.executable, "-m", "nodeagent", "stop-all", "--config", str(self.config)]


def nodes(options: Options) -> Sequence[Node]:
    """Return the nodes that run here."""
    return [Node(name, options.data_dir / "nodes" / name) for name in options.node_names]


def write_config(node: Node, options: Options, engine: Engine | None, join_token: str) -> None:
    """Write the agent's settings; ports and runtime may differ from the last start."""
    node.folder.mkdir(parents=True, exist_ok=True)
    storage = options.data_dir / "storage"
    storage.mkdir(parents=True, exist_ok=True)
    values = {
        "name": node.name,
        "portal_url": options.portal_url,
        "state_dir": str(node.folder / "state"),
        "storage_dir": str(storage),
        "join_token": join_token,
        "runtime": "process" if engine is None else "docker",
        "cpu_milli": CPU_MILLI,
        "memory_mib": MEMORY_MIB,
    }
    tables: dict[str, dict[str, str | int | bool]] = {
        "simulated": {"count": CARDS, "model": CARD_MODEL, "memory_mib": CARD_MIB},
        # Charts of a platform to try out shall not let anybody wait.
        "telemetry": {"sample_s": 2, "send_s": 5},
    }
    if engine is not None:
        has_bridge = engine.network() != "host"
        network = "berth" if has_bridge else "host"
        tables["docker"] = {"host": engine.url, "network": network, "gang_network": "engine"}
        # A platform to try out runs without root as well; real nodes never start work like that.
        tables["docker.egress"] = {"enforce": has_bridge and can_filter()}
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    for table, entries in tables.items():
        lines += ["", f"[{table}]", *(f"{key} = {json.dumps(at)}" for key, at in entries.items())]
    node.config.touch(mode=0o600)
    node.config.write_text("\n".join(lines) + "\n", encoding="utf-8")


PRESENT: Final = frozenset({"ready", "cordoned", "draining", "drained"})
"""States of a node whose agent reports: open, or closed by an operator."""


def is_there(node: Mapping[str, Any], since: float) -> bool:
    """Tell whether a node of the API's list has reported after a moment."""
    seen = node["last_seen_at"]
    is_fresh = bool(seen) and datetime.fromisoformat(seen).timestamp() > since
    return is_fresh and node["state"] in PRESENT


def all_ready(
    options: Options, names: Collection[str], robot_token: str, since: float
) -> Callable[[], bool]:
    """Return a check that asks the API, as a pipeline would, whether these nodes are there.

    Only what was heard from a node `since` then counts, not what the last run has left. A node that
    an operator has closed is there too: whoever cordons one starts the platform again all the same.
    """
    request = Request(  # noqa: S310 - our own address
        f"{options.portal_url}/api/v1/nodes", headers={"Authorization": f"Bearer {robot_token}"}
    )

    def is_ready() -> bool:
        try:
            with urlopen(request, timeout=5) as answer:  # noqa: S310 - as above
                found = json.load(answer)["results"]
        except (URLError, TimeoutError, ConnectionError):
            return False
        return set(names) <= {node["name"] for node in found if is_there(node, since)}

    return is_ready
