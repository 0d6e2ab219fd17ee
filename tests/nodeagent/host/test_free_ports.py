"""Ports that were picked belong to nobody else until their servers listen."""

from pathlib import Path
from time import monotonic

import pytest

from nodeagent.host import free_ports


def count_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_pick_is_reserved_for_a_while_and_costs_nothing_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # From now on, not from zero: other tests of this process may hold ports by the real clock.
    moment = monotonic()
    monkeypatch.setattr(free_ports, "monotonic", lambda: moment)
    port = free_ports.find_free_port("127.0.0.1")
    assert not free_ports.reserve_port(port)
    before = count_descriptors()

    for _ in range(20):
        moment += free_ports.RESERVED_S / 2
        free_ports.find_free_port("127.0.0.1")

    assert count_descriptors() <= before + 2
    assert free_ports.reserve_port(port)
