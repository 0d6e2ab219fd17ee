"""What live containers have used, as the engine counts it."""

from collections.abc import Mapping
from typing import Final

import docker
from docker.errors import APIError

from nodeagent.core.state import Key
from nodeagent.ports import Usage

NS_PER_MS: Final = 1_000_000
MIB: Final = 1024 * 1024


def usage_of(client: docker.DockerClient, names: Mapping[Key, str]) -> dict[Key, Usage]:
    """Return the usage of each container; one that has just ended is left out."""
    found = {}
    for key, name in names.items():
        try:
            reading = client.api.stats(name, stream=False, one_shot=True)
        except APIError:
            continue
        found[key] = Usage(
            cpu_ms=reading["cpu_stats"]["cpu_usage"]["total_usage"] // NS_PER_MS,
            memory_mib=reading["memory_stats"].get("usage", 0) // MIB,
        )
    return found
