"""The options of `make run`, from arguments or `BERTH_*` variables."""

import argparse
import os
import socket
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from nodeagent.host import free_ports

Runtime = Literal["auto", "docker", "process"]

REPOSITORY: Final = Path(__file__).resolve().parents[2]
SEEDED_NODES: Final = ("gpu-dev-1", "gpu-train-1", "gpu-dev-2", "gpu-train-2")
"""In the order in which `--nodes` takes them, so that two nodes are one of each pool."""
NODES: Final = (*SEEDED_NODES, "gpu-share-1", "gpu-serve-1")
"""All that can run here: one has other cards, that are shared by fractions, and one is for services."""


class RefusedError(Exception):
    """The platform cannot start with these options; the message names what to change."""


@dataclass(frozen=True, slots=True)
class Options:
    """One platform on one machine."""

    portal_port: int
    apps_port: int
    inference_port: int
    ssh_port: int
    """0 accepts no SSH connections."""
    runtime: Runtime
    data_dir: Path
    nodes: int
    empty: bool
    """Without the simulated past and activity of the demo."""
    with_model_server: bool
    """With llama.cpp and a small model, and a service that runs it."""

    @property
    def portal_url(self) -> str:
        """Origin of the pages and the API."""
        return f"http://127.0.0.1:{self.portal_port}"

    @property
    def apps_url(self) -> str:
        """Origin of notebooks: another host name, so that cookies never meet."""
        return f"http://localhost:{self.apps_port}"

    @property
    def inference_url(self) -> str:
        """Origin of services, for programs."""
        return f"http://127.0.0.1:{self.inference_port}"

    @property
    def apps_hosts(self) -> str:
        """Origins of apps that need one of their own: browsers find names below localhost on this machine."""
        return f"http://*.localhost:{self.apps_port}"

    @property
    def demo_file(self) -> Path:
        """Addresses, logins and the robot's token, for users and scripts."""
        return self.data_dir / "demo.json"

    @property
    def node_names(self) -> tuple[str, ...]:
        """The seeded nodes that run here."""
        return NODES[: self.nodes]


def parse_options(arguments: Sequence[str] | None = None) -> Options:
    """Read arguments, environment and defaults, in this order; wrong values exit with the usage."""
    parser = argparse.ArgumentParser(prog="make run", description="Run Berth on this machine.")
    defaults = (("portal-port", "8000"), ("apps-port", "8001"), ("inference-port", "8003"))
    for name, port in defaults:
        chosen_before = _env(name.upper().replace("-", "_"), port)
        parser.add_argument(f"--{name}", default=chosen_before, type=_port, metavar="PORT")
    ssh_port = _env("SSH_PORT", "8022")
    parser.add_argument("--ssh-port", default=ssh_port, type=_port_or_none, metavar="PORT")
    choices = ("auto", "docker", "process")
    parser.add_argument("--runtime", default=_env("RUNTIME", "auto"), choices=choices)
    data = _env("DATA_DIR", str(REPOSITORY / "var"))
    parser.add_argument("--data-dir", default=data, type=Path, metavar="DIR")
    nodes = range(1, len(NODES) + 1)
    most = str(len(NODES))
    parser.add_argument("--nodes", default=_env("NODES", most), type=int, choices=nodes)
    parser.add_argument(
        "--empty", action="store_true", default=_env("EMPTY", "") == "1", help="without a past"
    )
    parser.add_argument(
        "--with-model-server",
        action="store_true",
        default=_env("WITH_MODEL_SERVER", "") == "1",
        help="with llama.cpp, which is built here, and a small model (98 MB)",
    )
    chosen = parser.parse_args(arguments)
    ports = [chosen.portal_port, chosen.apps_port, chosen.inference_port, chosen.ssh_port]
    if len(set(ports)) < len(ports):
        parser.error("the portal, the notebooks, the services and SSH need different ports")
    if chosen.with_model_server and chosen.runtime == "docker":
        parser.error(
            "--with-model-server needs --runtime process: its server is built for this machine"
        )
    if chosen.with_model_server and chosen.nodes < len(NODES):
        parser.error(f"--with-model-server needs --nodes {len(NODES)}: the last is for services")
    return Options(
        portal_port=chosen.portal_port,
        apps_port=chosen.apps_port,
        inference_port=chosen.inference_port,
        ssh_port=chosen.ssh_port,
        runtime="process" if chosen.with_model_server else chosen.runtime,
        data_dir=chosen.data_dir.resolve(),
        nodes=chosen.nodes,
        empty=chosen.empty,
        with_model_server=chosen.with_model_server,
    )


def refuse_taken_ports(options: Options) -> None:
    """Raise `RefusedError` with the option to change if a port is in use."""
    for port, name in (
        (options.portal_port, "portal-port"),
        (options.apps_port, "apps-port"),
        (options.inference_port, "inference-port"),
        (options.ssh_port, "ssh-port"),
    ):
        if port and is_port_taken(port):
            variable = f"BERTH_{name.upper().replace('-', '_')}"
            raise RefusedError(
                f"port {port} is already in use on this machine; "
                f"choose another with --{name} PORT or {variable}=PORT"
            )


def is_port_taken(port: int) -> bool:
    """Return whether a loopback port is in use."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def find_free_port() -> int:
    """Return an unused loopback port."""
    return free_ports.find_free_port("127.0.0.1")


def _env(name: str, default: str) -> str:
    return os.environ.get(f"BERTH_{name}", default)


def _port(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port number")
    return number


def _port_or_none(text: str) -> int:
    return 0 if text == "0" else _port(text)
