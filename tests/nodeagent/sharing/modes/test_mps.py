"""One MPS daemon per card: started with its limits, adopted, proven, ended with its last client."""

from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.ports import ProcessScope, StartError
from nodeagent.sharing.controller import SharingController
from nodeagent.sharing.modes.mps import MpsMode
from nodeagent.sharing.records import FILE, ShareRecords
from tests.builders.shares import CARD, KEY, FakeGpuHost, a_card, a_share_order, a_slice
from wire.words import ExitCause, Isolation

SCOPE = ProcessScope(4711, "docker/abc")


def node(root: Path, host: FakeGpuHost) -> SharingController:
    """Return what a new agent on this host has."""
    records = ShareRecords(root / "sharing")
    cards = (a_card(Isolation.MPS),)
    return SharingController(lambda: cards, records, [MpsMode(root / "mps", records, host)])


async def test_daemon_holds_the_limits_and_the_container_sees_its_pipes(state: Path) -> None:
    host = FakeGpuHost()
    carver, order = node(state, host), a_share_order(a_slice())
    injection = await carver.prepare(order)
    await carver.enforce(order, SCOPE)
    pipe = str(state / "mps" / CARD / "pipe")
    assert host.daemons == {pipe: {"memory": "4096M", "percent": "13.0"}}
    assert host.compute_mode == {CARD: "EXCLUSIVE_PROCESS"}
    assert injection.isolation == "mps"
    assert injection.env["CUDA_MPS_PIPE_DIRECTORY"] == "/berth/mps"
    targets = {mount.target: str(mount.source) for mount in injection.mounts}
    assert targets == {"/berth/mps": pipe, "/dev/shm": str(state / "mps" / CARD / "shm")}


async def test_daemon_is_shared_adopted_and_ended_with_its_last_client(state: Path) -> None:
    host = FakeGpuHost()
    await node(state, host).prepare(a_share_order(a_slice(0)))
    starts = [argv for argv in host.said if argv[0] == "unshare"]
    await node(state, host).prepare(a_share_order(a_slice(1), allocation="job.1"))
    assert [argv for argv in host.said if argv[0] == "unshare"] == starts
    await node(state, host).release(KEY)
    assert host.daemons
    await node(state, host).release(ContainerKey("job.1", 1))
    assert (host.daemons, host.mounted) == ({}, set())
    assert host.compute_mode == {CARD: "DEFAULT"}
    assert not (state / "mps" / CARD).exists()


async def test_daemon_stays_for_a_container_whose_record_cannot_be_read(state: Path) -> None:
    host = FakeGpuHost()
    await node(state, host).prepare(a_share_order(a_slice(0)))
    await node(state, host).prepare(a_share_order(a_slice(1), allocation="job.1"))
    record = state / "sharing" / "job.1.1" / FILE
    record.write_text(record.read_text().replace('"tenant"', '"renamed"'))
    await node(state, host).release(KEY)
    assert host.daemons


async def test_daemon_that_died_is_started_anew(state: Path) -> None:
    host = FakeGpuHost()
    carver = node(state, host)
    await carver.prepare(a_share_order(a_slice(0)))
    await carver.release(KEY)
    await carver.prepare(a_share_order(a_slice(0)))
    host.daemons.clear()
    await carver.release(KEY)
    await carver.prepare(a_share_order(a_slice(0)))
    assert len(host.daemons) == 1


@pytest.mark.parametrize(
    ("tenant", "memory", "words"),
    [("others", 4096, "another tenant"), ("", 4096, "another tenant"), ("lab", 8192, "one limit")],
)
async def test_tenants_and_sizes_are_not_mixed(
    state: Path, tenant: str, memory: int, words: str
) -> None:
    carver = node(state, FakeGpuHost())
    await carver.prepare(a_share_order(a_slice(0)))
    other = a_share_order(a_slice(1, memory=memory), allocation="job.1", tenant=tenant)
    with pytest.raises(StartError, match=words) as caught:
        await carver.prepare(other)
    assert caught.value.cause is ExitCause.ISOLATION_UNAVAILABLE


async def test_daemon_that_does_not_keep_limits_ends_the_start(state: Path) -> None:
    host = FakeGpuHost(is_deaf=True)
    with pytest.raises(StartError, match="did not take the limits"):
        await node(state, host).prepare(a_share_order(a_slice()))
    assert host.daemons == {}


async def test_card_that_lets_processes_in_beside_its_daemon_is_found(state: Path) -> None:
    host = FakeGpuHost()
    carver, order = node(state, host), a_share_order(a_slice())
    await carver.prepare(order)
    host.compute_mode[CARD] = "Default"
    with pytest.raises(StartError, match="beside its daemon"):
        await carver.enforce(order, SCOPE)


async def test_wrong_pipe_directory_is_found(state: Path) -> None:
    host = FakeGpuHost()
    carver, order = node(state, host), a_share_order(a_slice())
    await carver.prepare(order)
    host.daemons = {"/elsewhere": host.daemons.popitem()[1]}
    with pytest.raises(StartError, match="does not have the limits"):
        await carver.enforce(order, SCOPE)


async def test_host_without_the_program_is_told_apart(state: Path) -> None:
    with pytest.raises(StartError, match="compute mode: nvidia-smi: No such file"):
        await node(state, FakeGpuHost(is_bare=True)).prepare(a_share_order(a_slice()))


async def test_folder_that_is_too_long_for_a_socket_is_named(state: Path) -> None:
    host = FakeGpuHost()
    with pytest.raises(StartError, match="choose a shorter state_dir"):
        await node(state / ("long" * 20), host).prepare(a_share_order(a_slice()))
    assert host.daemons == {}
