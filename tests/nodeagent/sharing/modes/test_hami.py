"""The intercepting library: mounted for every program, loaded first by us, proven from inside."""

from pathlib import Path

import pytest

from nodeagent.host.commands import CommandResult
from nodeagent.ports import ProcessScope, StartError
from nodeagent.sharing.controller import SharingController
from nodeagent.sharing.modes.hami import HamiMode
from nodeagent.sharing.records import ShareRecords
from tests.builders.shares import KEY, FakeExecProbe, a_card, a_share_order, a_slice
from wire.words import ExitCause, Isolation

SCOPE = ProcessScope(4711, "docker/abc")


def node(root: Path, inside: FakeExecProbe) -> SharingController:
    records = ShareRecords(root / "sharing")
    cards = (a_card(Isolation.HAMI), a_card(Isolation.HAMI, uuid="GPU-2"))
    return SharingController(
        lambda: cards, records, [HamiMode(root / "libvgpu.so", records, inside)]
    )


async def test_every_program_loads_the_library_with_its_limits(tmp_path: Path) -> None:
    devices = (a_slice(ceiling=6000), a_slice(uuid="GPU-2", compute=250))
    injection = await node(tmp_path, FakeExecProbe()).prepare(a_share_order(*devices))
    assert (injection.isolation, injection.needs_barrier) == ("hami", True)
    assert injection.env["CUDA_DEVICE_MEMORY_LIMIT_0"] == "6000m"
    assert injection.env["CUDA_DEVICE_MEMORY_LIMIT_1"] == "4096m"
    assert injection.env["CUDA_DEVICE_SM_LIMIT"] == "25"
    mounts = {mount.target: mount for mount in injection.mounts}
    assert mounts["/etc/ld.so.preload"].source.read_text() == "/berth/libvgpu.so\n"
    assert mounts["/etc/ld.so.preload"].is_read_only
    assert mounts["/berth/libvgpu.so"].is_read_only
    region = Path(injection.env["CUDA_DEVICE_MEMORY_SHARED_CACHE"]).parent
    assert not mounts[str(region)].is_read_only


async def test_first_to_load_it_is_our_question_and_its_answer_is_the_proof(
    tmp_path: Path,
) -> None:
    inside = FakeExecProbe({KEY: CommandResult(0, "4096\n")})
    carver, order = node(tmp_path, inside), a_share_order(a_slice())
    await carver.prepare(order)
    await carver.enforce(order, SCOPE)
    assert [key for key, _ in inside.asked] == [KEY]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (CommandResult(0, "81559\n"), "sees cards of .81559. MiB"),
        (CommandResult(0, ""), "sees cards of .. MiB"),
        (CommandResult(127, "nvidia-smi: not found"), "not verified"),
    ],
)
async def test_container_that_sees_the_whole_card_is_refused(
    tmp_path: Path, answer: CommandResult, words: str
) -> None:
    carver, order = node(tmp_path, FakeExecProbe({KEY: answer})), a_share_order(a_slice())
    await carver.prepare(order)
    with pytest.raises(StartError, match=words) as caught:
        await carver.enforce(order, SCOPE)
    assert caught.value.cause is ExitCause.ISOLATION_UNAVAILABLE


async def test_region_goes_with_the_container(tmp_path: Path) -> None:
    carver = node(tmp_path, FakeExecProbe())
    injection = await carver.prepare(a_share_order(a_slice()))
    await carver.release(KEY)
    left = [mount.source for mount in injection.mounts if mount.source.exists()]
    assert left == []
