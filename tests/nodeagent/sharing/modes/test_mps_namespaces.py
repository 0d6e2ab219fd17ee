"""Shares of the processors beside memory limits: a namespace of an MPS server for each container."""

from collections.abc import Awaitable
from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.ports import Injection, ProcessScope, StartError
from nodeagent.sharing.controller import SharingController
from nodeagent.sharing.modes.cgroup import CgroupMode
from nodeagent.sharing.modes.memory_limits import SmiMemoryLimiter
from nodeagent.sharing.modes.mps_namespaces import MpsNamespaces, namespace_name
from nodeagent.sharing.records import ShareRecords
from tests.builders.shares import CARD, KEY, FakeGpuHost, a_card, a_share_order, a_slice
from tests.fakes.mps_server import FakeMpsServer
from tests.fakes.nvml.machine import uuid_of
from wire.words import ExitCause, Isolation

SCOPE = ProcessScope(4711, "docker/abc")
OTHER = ContainerKey("job.1", 1)


def node(root: Path, host: FakeGpuHost) -> SharingController:
    """Return what a new agent on this host has."""
    records = ShareRecords(root / "sharing")
    cards = (a_card(Isolation.CGROUP), a_card(Isolation.CGROUP, uuid=uuid_of(1)))
    mode = CgroupMode(SmiMemoryLimiter(host), MpsNamespaces(root / "mps", records, host))
    return SharingController(lambda: cards, records, [mode])


def server(host: FakeGpuHost) -> FakeMpsServer:
    (found,) = host.servers.values()
    return found


async def refused(start: Awaitable[Injection | None], words: str) -> None:
    with pytest.raises(StartError, match=words) as caught:
        await start
    assert caught.value.cause is ExitCause.ISOLATION_UNAVAILABLE


async def test_each_container_has_a_namespace_with_both_limits_and_its_own_socket(
    state: Path,
) -> None:
    host = FakeGpuHost()
    carver = node(state, host)
    order, other = (
        a_share_order(a_slice(0)),
        a_share_order(a_slice(1, ceiling=8192), allocation="job.1"),
    )
    injection = await carver.prepare(order)
    await carver.enforce(order, SCOPE)
    await carver.prepare(other)
    assert (injection.isolation, injection.needs_barrier) == ("cgroup", True)
    limits = {
        name: (found["active-thread-percentage"], found["pinned-memory-limit"])
        for name, found in server(host).namespaces.items()
    }
    assert limits == {namespace_name(KEY): ("13", "4096M"), namespace_name(OTHER): ("13", "8192M")}
    assert (server(host).devices, host.compute_mode) == (CARD, {CARD: "EXCLUSIVE_PROCESS"})
    pipes = {mount.target: mount.source for mount in injection.mounts}["/berth/mps"]
    assert pipes == state / "mps" / CARD / "pipe" / "berth" / namespace_name(KEY)
    assert injection.env["CUDA_MPS_PIPE_DIRECTORY"] == "/berth/mps"


async def test_a_namespace_ends_with_its_container_and_the_daemon_with_the_last(
    state: Path,
) -> None:
    host = FakeGpuHost()
    await node(state, host).prepare(a_share_order(a_slice(0)))
    await node(state, host).prepare(a_share_order(a_slice(1), allocation="job.1"))
    assert sum(argv[0] == "unshare" for argv in host.said) == 1  # the second agent found it
    await node(state, host).release(KEY)
    assert list(server(host).namespaces) == [namespace_name(OTHER)]
    await node(state, host).release(OTHER)
    assert (host.servers, host.mounted, host.compute_mode) == ({}, set(), {CARD: "DEFAULT"})


async def test_driver_without_namespaces_ends_the_start(state: Path) -> None:
    host = FakeGpuHost(is_old=True)
    await refused(
        node(state, host).prepare(a_share_order(a_slice())), "does not know these options"
    )
    assert host.mounted == set()


async def test_limits_that_are_not_kept_or_a_card_that_is_open_end_the_start(
    state: Path,
) -> None:
    await refused(
        node(state, FakeGpuHost(is_deaf=True)).prepare(a_share_order(a_slice())), "limits"
    )
    host, order = FakeGpuHost(), a_share_order(a_slice())
    carver = node(state, host)
    await carver.prepare(order)
    host.compute_mode[CARD] = "Default"
    await refused(carver.enforce(order, SCOPE), "beside its daemon")
    host.compute_mode[CARD] = "EXCLUSIVE_PROCESS"
    server(host).namespaces[namespace_name(KEY)]["active-thread-percentage"] = "100"
    await refused(carver.enforce(order, SCOPE), "does not have the limits")


async def test_tenants_are_not_mixed_and_a_share_is_of_one_card(state: Path) -> None:
    carver = node(state, FakeGpuHost())
    await carver.prepare(a_share_order(a_slice(0)))
    strange = a_share_order(a_slice(1), allocation="job.1", tenant="others")
    await refused(carver.prepare(strange), "another tenant")
    two = a_share_order(a_slice(0), a_slice(0, uuid=uuid_of(1)), allocation="job.1")
    await refused(carver.prepare(two), "one card only")


async def test_a_daemon_that_died_is_not_replaced_under_living_clients(state: Path) -> None:
    host, order = FakeGpuHost(), a_share_order(a_slice(0))
    carver = node(state, host)
    await carver.prepare(order)
    await carver.enforce(order, SCOPE)
    host.servers.clear()
    other = a_share_order(a_slice(1), allocation="job.1")
    await refused(carver.prepare(other), "its clients are not")
    await carver.release(KEY)
    await carver.prepare(other)
    assert list(server(host).namespaces) == [namespace_name(OTHER)]


async def test_such_a_share_cannot_be_left_and_had_again_by_a_living_container(
    state: Path,
) -> None:
    carver, order = node(state, FakeGpuHost()), a_share_order(a_slice(0))
    await carver.prepare(order)
    await carver.enforce(order, SCOPE)
    with pytest.raises(StartError, match="share_is_fixed"):
        await carver.suspend(KEY)


def test_names_are_what_the_daemon_takes_and_differ() -> None:
    keys = [
        ContainerKey("Ab-1.0", 1),
        ContainerKey("ab-1.0", 1),
        ContainerKey("ab_1.0", 1),
        ContainerKey("x" * 64, 12),
    ]
    names = [namespace_name(key) for key in keys]
    assert len(set(names)) == len(names)
    assert all(name.replace("_", "").isalnum() and len(name) <= 64 for name in names)
