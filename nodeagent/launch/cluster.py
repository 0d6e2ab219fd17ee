"""Ray and Dask over the ranks of a training: what the agent gives a rank for them; pure.

The program that every rank runs is `nodeagent.launch.cluster_program`. It fills in what is known
only there: `{python}`, `{address}` (the rank's own), `{head}` (with the port), `{scratch}`, and in bytes
`{memory}`, of which Ray has `{store}` for its objects and `{heap}` for its workers.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wire.messages import ContainerSpec

SCRIPT_NAME: Final = "cluster.py"
SCRIPT: Final = Path(__file__).with_name("cluster_program.py").read_text(encoding="utf-8")
SETTINGS_NAME: Final = "cluster.json"
JOIN_S: Final = 600
"""How long the ranks wait for each other: nodes may have to pull the image first."""
DASHBOARD_PORTS: Final[Mapping[str, int]] = {"ray": 8265, "dask": 8787}
"""A dashboard runs when the job names its port among those that it serves."""
MIB: Final = 1024 * 1024
MODULES: Final[Mapping[str, str]] = {"ray": "ray", "dask": "distributed"}
"""What an image must have for them."""
RAY_PROBE: Final = """
import os, ray, time
while True:
    try:
        ray.init(logging_level="ERROR", log_to_driver=False)
        break
    except Exception:
        time.sleep(0.2)
while sum(node["Alive"] for node in ray.nodes()) < int(os.environ["NNODES"]):
    time.sleep(0.2)
"""
DASK_PROBE: Final = """
import os, distributed
distributed.Client(timeout=86400).wait_for_workers(int(os.environ["NNODES"]))
"""
PROBES: Final[Mapping[str, str]] = {"ray": RAY_PROBE, "dask": DASK_PROBE}


@dataclass(frozen=True, slots=True)
class ClusterPorts:
    """The ports of rank 0 that an attempt has for itself."""

    head: int
    join: int
    """Where the program of the other ranks connects."""


def cluster_argv(script: str, launcher: str, argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command line of a rank; only rank 0 runs the work's own command, once."""
    return ("python3", script, launcher, *argv)


def cluster_environment(spec: ContainerSpec, head: str, ports: ClusterPorts) -> dict[str, str]:
    """Return the variables of a rank: where the head is, and the secret of this attempt.

    Ray's usage statistics are off unless the work turns them on; its token keeps out all others
    that can reach its ports.
    """
    token = {"BERTH_CLUSTER_TOKEN": spec.cluster_token}
    if spec.launcher == "dask":
        return {**token, "DASK_SCHEDULER_ADDRESS": f"tcp://{head}:{ports.head}"}
    return {
        **token,
        "RAY_ADDRESS": f"{head}:{ports.head}",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": spec.cluster_token,
        "RAY_USAGE_STATS_ENABLED": spec.env.get("RAY_USAGE_STATS_ENABLED", "0"),
    }


def cluster_files(
    spec: ContainerSpec, hosts: tuple[str, ...], ports: ClusterPorts, gpus: int
) -> dict[str, str]:
    """Return the program of a rank and its settings, by file name."""
    render = _ray_commands if spec.launcher == "ray" else _dask_commands
    settings = {
        "number": spec.rank,
        "hosts": hosts,
        "port": ports.head,
        "join_port": ports.join,
        "join_s": JOIN_S,
        "commands": render(spec, ports.head, gpus),
        "probe": PROBES[spec.launcher],
        "granted": spec.memory_mib * MIB,
    }
    return {SCRIPT_NAME: SCRIPT, SETTINGS_NAME: json.dumps(settings, indent=1)}


def _ray_commands(spec: ContainerSpec, port: int, gpus: int) -> list[list[str]]:
    """Return one `ray start`: on rank 0 that of the head, which is a worker as well."""
    command = [
        *("{python}", "-m", "ray.scripts.scripts", "start", "--block"),
        "--node-ip-address={address}",
        f"--num-cpus={_whole_cpus(spec)}",
        f"--num-gpus={gpus}",
        "--memory={heap}",
        "--object-store-memory={store}",
        "--temp-dir={scratch}",
        "--dashboard-agent-listen-port=0",
    ]
    if spec.rank:
        return [[*command, "--address={head}"]]
    dashboard = ["--include-dashboard=false"]
    if _dashboard_port(spec):
        dashboard = ["--include-dashboard=true", "--dashboard-host=127.0.0.1"]
        dashboard.append(f"--dashboard-port={_dashboard_port(spec)}")
    return [[*command, "--head", f"--port={port}", *dashboard]]


def _dask_commands(spec: ContainerSpec, port: int, gpus: int) -> list[list[str]]:
    """Return the scheduler's command line on rank 0, and the worker's on every rank."""
    worker = [
        *("{python}", "-m", "distributed.cli.dask_worker", "tcp://{head}"),
        *("--host", "{address}", "--name", f"rank-{spec.rank}", "--nworkers", "1"),
        *("--nthreads", str(_whole_cpus(spec)), "--memory-limit", "{memory}"),
        *("--resources", f"GPU={gpus}", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"),
    ]
    if spec.rank:
        return [worker]
    dashboard = _dashboard_port(spec)
    scheduler = [
        *("{python}", "-m", "distributed.cli.dask_scheduler"),
        *("--host", "{address}", "--port", str(port)),
        "--dashboard" if dashboard else "--no-dashboard",
        *("--dashboard-address", f"127.0.0.1:{dashboard}"),
    ]
    return [scheduler, worker]


def _whole_cpus(spec: ContainerSpec) -> int:
    return max(1, spec.cpu_milli // 1000)


def _dashboard_port(spec: ContainerSpec) -> int:
    """Return the port of the dashboard on loopback; 0 when the job does not serve it."""
    port = DASHBOARD_PORTS[spec.launcher]
    return port if port in spec.ports else 0
