"""Builds `berth/agent:1` without a registry: `python -m deploy.agent_image [--host URL]`.

Debian comes from debootstrap and the wheels from this machine's pip, as for the workload images.
"""

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Final

from deploy.onebox.engine import EngineEndpoint, EngineUnavailableError, find_running_engine
from deploy.onebox.images import download_wheels, find_base_image
from deploy.onebox.options import REPOSITORY

AGENT_IMAGE: Final = "berth/agent:1"
PACKAGES: Final = ("python3", "python3-venv", "ca-certificates", "nftables")


def main() -> int:
    """Build the image on the given engine, or on the one of this machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", help="such as unix:///run/docker.sock")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "berth")
    given = parser.parse_args()
    engine = EngineEndpoint(given.host) if given.host else find_running_engine()
    if engine is None:
        raise EngineUnavailableError("no Docker engine answers")
    build_agent_image(engine, given.cache)
    return 0


def build_agent_image(engine: EngineEndpoint, cache: Path) -> None:
    """Build the image from the present tree."""
    with engine.client(timeout_s=600) as client, tempfile.TemporaryDirectory() as folder:
        base = find_base_image(client, cache, print, packages=PACKAGES)
        context = Path(folder)
        for name in ("wire", "nodeagent"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(REPOSITORY / name, context / name, ignore=ignored)
        requirements = REPOSITORY / "requirements-agent.txt"
        shutil.copy(requirements, context)
        shutil.copy(REPOSITORY / "deploy" / "Dockerfile.agent", context / "Dockerfile")
        download_wheels(requirements, context / "wheels")
        print(f"building {AGENT_IMAGE} from {base}")
        arguments = {"BASE_IMAGE": base, "PIP_NO_INDEX": "1"}
        client.images.build(path=folder, tag=AGENT_IMAGE, rm=True, buildargs=arguments)


if __name__ == "__main__":
    raise SystemExit(main())
