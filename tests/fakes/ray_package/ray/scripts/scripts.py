"""`ray start` with the options that real Ray takes, as far as jobs need it."""

import argparse
import json
import os
import socketserver
import sys
import threading
from importlib import import_module
from typing import Any

from typing_extensions import override

ray = import_module("ray")
known: list[dict[str, Any]] = []


class Gcs(socketserver.StreamRequestHandler):
    """The head's answers: to each node that registers, and to each driver, who is there."""

    @override
    def handle(self) -> None:
        node = None
        for line in self.rfile:
            message = json.loads(line)
            if message["token"] != os.environ["RAY_AUTH_TOKEN"]:
                return
            if "Resources" in message:
                node = {"Resources": message["Resources"], "Alive": True}
                known.append(node)
            self.wfile.write(json.dumps(known).encode() + b"\n")
        if node is not None:
            node["Alive"] = False


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def main() -> int:
    """Run a node until it is ended, or the head is gone."""
    options = _options()
    if options.head:
        server = Server((options.node_ip_address, options.port), Gcs)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options.address = f"{options.node_ip_address}:{options.port}"
    link = ray.connect(options.address)
    resources = {"CPU": options.num_cpus, "GPU": options.num_gpus, "memory": options.memory}
    # Like Ray, what a node does not have is left out.
    ray.ask(link, {"Resources": {name: float(many) for name, many in resources.items() if many}})
    return len(link.read())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["start"])
    parser.add_argument("--block", action="store_true", required=True)
    parser.add_argument("--head", action="store_true")
    for name in ("num-cpus", "num-gpus", "memory", "object-store-memory"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--port", type=int)
    for name in ("dashboard-agent-listen-port", "dashboard-port"):
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("--include-dashboard", choices=["true", "false"])
    for name in ("node-ip-address", "address", "temp-dir", "dashboard-host"):
        parser.add_argument(f"--{name}")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
