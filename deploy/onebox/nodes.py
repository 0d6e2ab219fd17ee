"""The node agents of a onebox: one configuration file each, enrolled by one-time tokens."""

import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import Request, urlopen

from deploy.onebox.engine import EngineEndpoint, can_filter_network
from deploy.onebox.options import Options
from deploy.onebox.supervisor import PRIVATE, ManagedProcess

CARDS: Final = 8
CARD_MODEL: Final = "Simulated 32GB"
CARD_MIB: Final = 32768
CPU_MILLI: Final = 96_000
MEMORY_MIB: Final = 512 * 1024
CACHE_MIB: Final = 1024
"""Of published data sets on each node."""
EXAMPLE_DATASET: Final = "example"
"""The folder of the seeded data set of that name."""
EXAMPLE_ROWS: Final = 150
EXAMPLE_TRAINING: Final = Path(__file__).with_name("example_training.py")
AGENT_STOP_S: Final = 15


@dataclass(frozen=True, slots=True)
class OneboxNode:
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
        """The node's key; without it the node joins again."""
        return self.folder / "state" / "identity.json"

    @property
    def has_joined(self) -> bool:
        """Whether the node has a key already."""
        return self.identity.exists()

    @property
    def process(self) -> ManagedProcess:
        """The agent's process, which starts a watchdog of its own."""
        command = [sys.executable, "-m", "nodeagent", "run", "--config", str(self.config)]
        return ManagedProcess(self.name, command, stop_s=AGENT_STOP_S)

    @property
    def stop_command(self) -> list[str]:
        """The command that ends every container of this node."""
        return [sys.executable, "-m", "nodeagent", "stop-all", "--config", str(self.config)]


def list_nodes(options: Options) -> Sequence[OneboxNode]:
    """Return the nodes that run here."""
    return [OneboxNode(name, options.data_dir / "nodes" / name) for name in options.node_names]


def write_config(
    node: OneboxNode, options: Options, engine: EngineEndpoint | None, join_token: str
) -> None:
    """Write the agent's settings; ports and runtime may differ from the previous start."""
    node.folder.mkdir(parents=True, exist_ok=True)
    storage = options.data_dir / "storage"
    storage.mkdir(parents=True, exist_ok=True)
    storage.chmod(PRIVATE)
    datasets = options.data_dir / "datasets"
    write_example(datasets / EXAMPLE_DATASET)
    values = {
        "name": node.name,
        "portal_url": options.portal_url,
        "state_dir": str(node.folder / "state"),
        "storage_dir": str(storage),
        "datasets_dir": str(datasets),
        "join_token": join_token,
        "runtime": "process" if engine is None else "docker",
        "cpu_milli": CPU_MILLI,
        "memory_mib": MEMORY_MIB,
    }
    tables: dict[str, dict[str, str | int | bool]] = {
        "simulated": {"count": CARDS, "model": CARD_MODEL, "memory_mib": CARD_MIB},
        "dataset_cache": {"dir": str(node.folder / "datasets"), "size_mib": CACHE_MIB},
    }
    if engine is not None:
        has_bridge = engine.network() != "host"
        network = "berth" if has_bridge else "host"
        tables["docker"] = {"host": engine.url, "network": network, "gang_network": "engine"}
        # A onebox also runs without root; real nodes never start work unfiltered.
        tables["docker.egress"] = {"enforce": has_bridge and can_filter_network()}
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    for table, entries in tables.items():
        lines += ["", f"[{table}]", *(f"{key} = {json.dumps(at)}" for key, at in entries.items())]
    node.config.touch(mode=0o600)
    node.config.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_example(folder: Path) -> None:
    """Write the example data set, the same at every start: a table, and a training that reads it."""
    lines = ["kind,length_cm,weight_g"]
    for number in range(EXAMPLE_ROWS):
        kind = number % 3
        length = 8 + 4 * kind + number * 37 % 50 / 10
        weight = 2.5 * length + number * 53 % 40 / 10
        lines.append(f"{'abc'[kind]},{length:.1f},{weight:.1f}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plants.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "train.py").write_text(EXAMPLE_TRAINING.read_text(encoding="utf-8"), encoding="utf-8")


PRESENT: Final = frozenset({"ready", "cordoned", "draining", "drained"})
"""States of a node whose agent reports, whether it takes work or not."""


def has_reported_since(node: Mapping[str, Any], since: float) -> bool:
    """Return whether a node, as the API lists it, has reported after a moment."""
    seen = node["last_seen_at"]
    is_fresh = bool(seen) and datetime.fromisoformat(seen).timestamp() > since
    return is_fresh and node["state"] in PRESENT


def build_readiness_check(
    options: Options, names: Collection[str], robot_token: str, since: float
) -> Callable[[], bool]:
    """Return a check that asks the API, as a pipeline would, whether these nodes have reported.

    Only reports after `since` count, not those of the previous run. A cordoned node counts too, or
    the platform could not start again while one is cordoned.
    """

    def is_ready() -> bool:
        try:
            found = _ask(options, "nodes", robot_token)["results"]
        except (URLError, TimeoutError, ConnectionError):
            return False
        return set(names) <= {node["name"] for node in found if has_reported_since(node, since)}

    return is_ready


def lacks_past(options: Options, robot_token: str) -> bool:
    """Return whether no past was ever simulated here."""
    found = _ask(options, "demo", robot_token)
    return found["past_from"] is None and found["removed_at"] is None


def _ask(options: Options, path: str, robot_token: str) -> Any:
    """Return what the API answers to a pipeline."""
    request = Request(  # noqa: S310 - our own address
        f"{options.portal_url}/api/v1/{path}", headers={"Authorization": f"Bearer {robot_token}"}
    )
    with urlopen(request, timeout=5) as answer:  # noqa: S310 - as above
        return json.load(answer)
