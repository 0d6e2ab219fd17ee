"""The node agents of a onebox: one configuration file each, enrolled by one-time tokens."""

import json
import shlex
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import Request, urlopen

from deploy.onebox import model_server
from deploy.onebox.engine import EngineEndpoint, can_filter_network
from deploy.onebox.options import Options
from deploy.onebox.supervisor import PRIVATE, ManagedProcess

CARDS: Final[Mapping[str, str | int]] = {"count": 8, "model": "Simulated 32GB", "memory_mib": 32768}
SHARED_CARDS: Final[Mapping[str, str | int]] = {
    "count": 4,
    "model": "NVIDIA L40S",
    "memory_mib": 46068,
}
"""Simulated as well, under the name by which the catalogue of models knows them."""
CPU_MILLI: Final = 96_000
MEMORY_MIB: Final = 512 * 1024
CACHE_MIB: Final = 1024
"""Of published data sets on each node."""
EXAMPLE_DATASET: Final = "example"
"""The folder of the seeded data set of that name."""
EXAMPLE_ROWS: Final = 150
EXAMPLE_TRAINING: Final = Path(__file__).with_name("example_training.py")
AGENT_STOP_S: Final = 15
SERVING_CARDS: Final[Mapping[str, str | int]] = {**CARDS, "count": 4}
POOL_CARDS: Final[Mapping[str, Mapping[str, str | int]]] = {
    "shares": SHARED_CARDS,
    "services": SERVING_CARDS,
}
"""The cards of a node by its pool, where they are not `CARDS`."""
POOLS: Final = {
    "dev": "development",
    "train": "training",
    "share": "shares",
    "serve": "services",
}
"""The seeded pool by the second word of a node's name."""
SIMULATED_NOTEBOOK: Final = "berth/simulated-notebook:1"
SIMULATED_MODEL: Final = "berth/simulated-model:1"
_IMAGES: Final = Path(__file__).resolve().parents[1] / "images"
NOTEBOOK_PROGRAM: Final = _IMAGES / "simulated-notebook" / "notebook.py"
MODEL_PROGRAM: Final = _IMAGES / "simulated-model" / "server.py"


@dataclass(frozen=True, slots=True)
class OneboxNode:
    """One agent with its files in `nodes/<name>/`."""

    name: str
    folder: Path

    @property
    def pool(self) -> str:
        """The seeded pool that this node joins."""
        return POOLS[self.name.split("-")[1]]

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
    simulated_notebook = write_program(
        options.data_dir / "simulated-notebook", "jupyter-lab", NOTEBOOK_PROGRAM
    )
    simulated_model = write_program(
        options.data_dir / "simulated-model", "simulated-model", MODEL_PROGRAM
    )
    tables: dict[str, Mapping[str, str | int | bool]] = {
        "simulated": POOL_CARDS.get(node.pool, CARDS),
        "process_images": {
            SIMULATED_NOTEBOOK: str(simulated_notebook),
            SIMULATED_MODEL: str(simulated_model),
            **({model_server.IMAGE: str(model_server.PREFIX)} if options.with_model_server else {}),
        },
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
        named = {json.dumps(key): json.dumps(value) for key, value in entries.items()}
        lines += ["", f"[{table}]", *(f"{key} = {value}" for key, value in named.items())]
    node.config.touch(mode=0o600)
    node.config.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_program(prefix: Path, name: str, source: Path) -> Path:
    """Write the environment that stands for the image of one simulated program; return its prefix."""
    programs = prefix / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    python, program = programs / "python", programs / name
    python.unlink(missing_ok=True)
    python.symlink_to(sys.executable)
    # -I -S: it needs the standard library only, and is small without the rest.
    run = shlex.join([sys.executable, "-I", "-S", str(source)])
    program.write_text(f'#!/bin/sh\nexec {run} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return prefix


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
