"""What live containers have used, as the engine counts it."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import docker
import requests
import structlog

from nodeagent.core.state import ContainerKey
from nodeagent.ports import ContainerUsage

log = structlog.get_logger()

NS_PER_MS: Final = 1_000_000
MIB: Final = 1024 * 1024
CONCURRENT_MAX: Final = 8
ANSWER_S: Final = 3
"""For one container; less than reading all of them may take."""


def read_usage(
    client: docker.DockerClient, names: Mapping[ContainerKey, str]
) -> dict[ContainerKey, ContainerUsage]:
    """Return the usage of each container; one that has ended or does not answer is left out.

    Several are read at once: the engine blocks a read of a container that is being stopped.
    """
    with ThreadPoolExecutor(CONCURRENT_MAX, "statistics") as pool:
        readings = pool.map(lambda name: _reading(client, name), names.values())
        return {
            key: parse_usage(reading)
            for key, reading in zip(names, readings, strict=True)
            if reading is not None
        }


def _reading(client: docker.DockerClient, name: str) -> Mapping[str, Any] | None:
    try:
        reading: Mapping[str, Any] = client.api.stats(name, stream=False, one_shot=True)
    except requests.RequestException as error:  # `APIError` is one
        log.info("usage.unknown", container=name, error=str(error))
        return None
    return reading


def parse_usage(reading: Mapping[str, Any]) -> ContainerUsage:
    """Return what one answer of the engine contains; without a network of its own, no traffic."""
    networks = list(reading.get("networks", {}).values())
    return ContainerUsage(
        cpu_ms=reading["cpu_stats"]["cpu_usage"]["total_usage"] // NS_PER_MS,
        memory_mib=_memory_bytes(reading["memory_stats"]) // MIB,
        rx_bytes=sum(item["rx_bytes"] for item in networks) if networks else None,
        tx_bytes=sum(item["tx_bytes"] for item in networks) if networks else None,
    )


def _memory_bytes(memory: Mapping[str, Any]) -> int:
    """Return what the work holds, without file pages that the kernel may drop at any time.

    Their name is `inactive_file` in cgroup v2 and `total_inactive_file` in v1; `docker stats`
    counts in the same way.
    """
    details = memory.get("stats", {})
    cache = int(details.get("inactive_file", details.get("total_inactive_file", 0)))
    return max(0, int(memory.get("usage", 0)) - cache)
