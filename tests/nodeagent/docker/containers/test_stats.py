"""What the engine counts, read as what the work itself holds."""

from typing import Any

import pytest

from nodeagent.docker.containers.stats import parse_usage

MIB = 1024 * 1024


def a_reading(memory: dict[str, Any], **more: Any) -> dict[str, Any]:
    cpu = {"cpu_usage": {"total_usage": 3_000_000}}
    return {"cpu_stats": cpu, "memory_stats": memory, **more}


@pytest.mark.parametrize("name", ["inactive_file", "total_inactive_file"])
def test_file_pages_that_may_be_dropped_are_not_the_works_memory(name: str) -> None:
    used = parse_usage(a_reading({"usage": 100 * MIB, "stats": {name: 60 * MIB}}))

    assert (used.cpu_ms, used.memory_mib) == (3, 40)


def test_all_networks_are_added_and_none_is_not_zero() -> None:
    networks = {
        "eth0": {"rx_bytes": 1, "tx_bytes": 2},
        "eth1": {"rx_bytes": 10, "tx_bytes": 20},
    }

    own, hosts = parse_usage(a_reading({}, networks=networks)), parse_usage(a_reading({}))

    assert (own.rx_bytes, own.tx_bytes) == (11, 22)
    assert (hosts.rx_bytes, hosts.tx_bytes) == (None, None)
