"""`python -m tests.inference_gateway FOLDER`: the gateway as a process, with files in place of the tables.

It reads the table from a file of the folder each second, and appends what keys used to another. Replicas
are ports of this machine.
"""

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import django

from portal.config.inference import listen_shared, serve, take_handed

SECRET: Final = "key-of-the-service"
ROUTES: Final = "routes.json"
USED: Final = "used.jsonl"


def write_routes(folder: Path, *ports: int, draining: tuple[int, ...] = (), **more: Any) -> None:
    """Write the table at once: one service, `/llm/small`, whose replicas are these ports.

    More may be `revisions`, by port where not 1, `weights` by revision, a `protocol`, and the key's limit.
    """
    draft = folder / "routes.draft"
    draft.write_text(json.dumps({"ports": ports, "draining": draining, **more}))
    draft.replace(folder / ROUTES)


def read_used(folder: Path) -> dict[str, int]:
    """Return what the key has used by all reports so far."""
    total: dict[str, int] = {}
    file = folder / USED
    for line in file.read_text().splitlines() if file.exists() else ():
        for name, amount in json.loads(line).items():
            total[name] = total.get(name, 0) + amount
    return total


def read_open(folder: Path, process: int) -> dict[int, int] | None:
    """Return what a process has last reported as open, by port; None before its first report."""
    file = folder / f"open-{process}.json"
    if not file.exists():
        return None
    return {int(port): count for port, count in json.loads(file.read_text()).items()}


def main() -> int:
    """Serve until a signal."""
    parser = argparse.ArgumentParser(prog="python -m tests.inference_gateway")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--drain-s", type=float, default=30)
    options = parser.parse_args()
    listener = take_handed() or listen_shared("127.0.0.1", options.port)
    os.environ["DJANGO_SETTINGS_MODULE"] = "portal.config.settings.test"
    django.setup()
    return serve(_application(options.folder), listener, options.drain_s)


def _application(folder: Path) -> Any:
    from aiohttp import ClientSession  # noqa: PLC0415 - the rest is imported after the set-up

    from portal.config.inference_process import InferenceProcess  # noqa: PLC0415
    from portal.endpoints.values import ContainerAddress  # noqa: PLC0415
    from portal.gateway.client import create_http_client  # noqa: PLC0415
    from portal.inference.upstream import Upstream  # noqa: PLC0415
    from portal.serving_usage.loads import LoadReport  # noqa: PLC0415

    clients: list[ClientSession] = []

    async def open_port(_container: ContainerAddress, port: int) -> Upstream:
        if not clients:  # closed with the process
            clients.append(create_http_client())
        return Upstream(clients[0], f"http://127.0.0.1:{port}")

    def record(report: LoadReport) -> bool:
        for second in report.seconds[-1:]:
            opened = {each.int: count for each, count in second.open_by_replica.items()}
            draft = folder / f"open-{os.getpid()}.draft"
            draft.write_text(json.dumps(opened))
            draft.replace(draft.with_suffix(".json"))
        counted = ("requests", "prompt_tokens", "completion_tokens", "cut", "failed")
        with (folder / USED).open("a") as used:
            for use in report.keys:
                line = {name: value for name, value in asdict(use).items() if name in counted}
                used.write(json.dumps(line) + "\n")
        return True

    return InferenceProcess(lambda: _read_routes(folder), record, open_port)


def _read_routes(folder: Path) -> Any:
    from portal.common.clock import now  # noqa: PLC0415
    from portal.endpoints.values import ContainerAddress, digest_secret  # noqa: PLC0415
    from portal.serving_usage import routes  # noqa: PLC0415

    written = json.loads((folder / ROUTES).read_text())
    node = UUID(int=1)
    replicas = tuple(
        routes.ReplicaRoute(
            UUID(int=port),
            written.get("revisions", {}).get(str(port), 1),
            ContainerAddress(node, str(port), 1),
            port,
            is_ready=True,
            is_draining=port in written["draining"],
        )
        for port in written["ports"]
    )
    key = routes.KeyRoute(UUID(int=2), written.get("requests_per_minute"))
    service = routes.ServiceRoute(
        UUID(int=3),
        "llm",
        "small",
        routes.Protocol(written.get("protocol", "openai")),
        replicas,
        {int(number): part for number, part in written.get("weights", {}).items()},
        keys={digest_secret(SECRET): key},
    )
    return routes.RouteTable((service,), now())


if __name__ == "__main__":
    sys.exit(main())
