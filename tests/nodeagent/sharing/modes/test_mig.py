"""Hardware partitions: where they fit, cut on idle cards only, undone when half of it fails."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pynvml
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodeagent.disk.layout import StateLayout
from nodeagent.gpu.drivers.mig_profiles import MigCapabilityCache, disjoint_starts
from nodeagent.gpu.drivers.nvidia import NvidiaDriver
from nodeagent.gpu.drivers.nvidia_card import read_card
from nodeagent.ports import StartError
from nodeagent.sharing.__main__ import main
from nodeagent.sharing.controller import SharingController
from nodeagent.sharing.modes.mig import MigError, MigMode, MigPartitioner
from nodeagent.sharing.modes.mig_layout import (
    SLICES,
    GpuInstanceProfile,
    MigLayoutError,
    plan_layout,
)
from nodeagent.sharing.modes.timeslice import TimesliceMode
from nodeagent.sharing.nvml_client import NvmlClient, NvmlFailedError
from nodeagent.sharing.records import ShareRecord, ShareRecords
from tests.builders.shares import CARD, a_card, a_share_order, a_slice
from tests.fakes.nvml.machine import FakeNvml, fake_nvml, h100, t4, uuid_of
from wire.facts import AcceleratorFacts, MigDevice, MigProfile
from wire.words import Device, ExitCause, Isolation

PROFILES = (
    GpuInstanceProfile(19, "1g.10gb", 9984, 1, 1, (0, 1, 2, 3, 4, 5, 6), 7),
    GpuInstanceProfile(15, "1g.20gb", 20096, 1, 2, (0, 2, 4, 6), 4),
    GpuInstanceProfile(14, "2g.20gb", 20096, 2, 2, (0, 2, 4), 3),
    GpuInstanceProfile(9, "3g.40gb", 40448, 3, 4, (0, 4), 2),
    GpuInstanceProfile(0, "7g.80gb", 81152, 7, 8, (0,), 1),
)
NAMES = tuple(item.name for item in PROFILES)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[FakeNvml]:
    with fake_nvml(tmp_path, [h100(0), t4(1)]) as made:
        pynvml.nvmlInit()
        yield made


@pytest.fixture
def partitioner(machine: FakeNvml) -> MigPartitioner:
    return MigPartitioner(NvmlClient(pynvml))


def mig_mode(card: AcceleratorFacts, records: Iterable[ShareRecord] = ()) -> MigMode:
    return MigMode(lambda: (card,), MigPartitioner(NvmlClient(pynvml)), records)


def list_profile_ids(partitioner: MigPartitioner) -> list[str]:
    card = pynvml.nvmlDeviceGetHandleByUUID(CARD)
    return sorted(str(info.profileId) for _, info in partitioner._list_instances(card))


@given(wanted=st.lists(st.sampled_from(NAMES), max_size=7))
def test_layout_has_everything_once_and_nothing_overlaps(wanted: list[str]) -> None:
    try:
        found = plan_layout(PROFILES, wanted)
    except MigLayoutError:
        return
    assert sorted(item.profile.name for item in found.placed) == sorted(wanted)
    taken = [number for item in found.placed for number in item.covers]
    assert len(taken) == len(set(taken))
    assert all(0 <= number < SLICES for number in taken)
    assert all(item.start in item.profile.starts for item in found.placed)


def test_order_of_the_wish_does_not_matter_and_the_preview_says_what_is_left() -> None:
    words = plan_layout(PROFILES, ["1g.10gb", "3g.40gb", "2g.20gb"]).describe()
    assert words == plan_layout(PROFILES, ["3g.40gb", "2g.20gb", "1g.10gb"]).describe()
    assert words[-1].startswith("unused slices: ")
    assert any("3g.40gb, 40448 MiB" in line for line in words)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (["3g.40gb"] * 3, "at most 2"),
        (["7g.80gb", "1g.10gb"], "do not fit"),
        (["9g.90gb"], "no profile 9g.90gb"),
    ],
)
def test_impossible_layouts_are_refused_in_words(wanted: list[str], words: str) -> None:
    with pytest.raises(MigLayoutError, match=words):
        plan_layout(PROFILES, wanted)


async def test_card_is_divided_read_back_divided_again_and_made_whole(
    partitioner: MigPartitioner,
) -> None:
    preview = await partitioner.preview(CARD, ["3g.40gb", "2g.20gb", "2g.20gb"])
    assert list_profile_ids(partitioner) == []
    assert await partitioner.apply(CARD, ["3g.40gb", "2g.20gb", "2g.20gb"]) == preview
    assert list_profile_ids(partitioner) == ["14", "14", "9"]
    await partitioner.apply(CARD, ["1g.10gb"] * 7)
    assert list_profile_ids(partitioner) == ["19"] * 7
    await partitioner.apply(CARD, [])
    card = pynvml.nvmlDeviceGetHandleByUUID(CARD)
    assert pynvml.nvmlDeviceGetMigMode(card)[0] == 0


async def test_card_in_use_is_not_divided(machine: FakeNvml, partitioner: MigPartitioner) -> None:
    machine.change(0, process=["4711 1073741824 compute"])
    with pytest.raises(MigError, match="drain it first"):
        await partitioner.apply(CARD, ["7g.80gb"])


async def test_card_without_mig_says_so(partitioner: MigPartitioner) -> None:
    with pytest.raises((MigLayoutError, NvmlFailedError), match="no MIG"):
        await partitioner.preview(uuid_of(1), ["1g.10gb"])


async def test_share_is_the_partition_at_its_place(tmp_path: Path) -> None:
    instances = tuple(
        MigDevice(uuid=f"MIG-{start}", profile="1g.10gb", memory_mib=9984, start=start)
        for start in (2, 0, 1)
    )
    card = a_card(Isolation.MIG).model_copy(update={"mig": instances})
    carver = SharingController(
        lambda: (card,), ShareRecords(tmp_path / "sharing"), [mig_mode(card)]
    )
    injection = await carver.prepare(a_share_order(a_slice(1), a_slice(2)))
    assert (injection.isolation, injection.devices) == ("mig", ("MIG-1", "MIG-2"))
    for device, words in (
        (a_slice(3), "cut into 3, slot 3 is not there"),
        (a_slice(0, memory=20480), "partitions of 9984 MiB, 20480 MiB guaranteed"),
    ):
        with pytest.raises(StartError, match=words) as caught:
            await carver.prepare(a_share_order(device, allocation="job.1"))
        assert caught.value.cause is ExitCause.ISOLATION_UNAVAILABLE


def test_administrator_sees_the_layout_before_it_is_made(
    partitioner: MigPartitioner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wish = [CARD, "--layout", "3g.40gb", "3g.40gb"]
    assert main(wish) == 0
    assert list_profile_ids(partitioner) == []
    shown = capsys.readouterr().out
    assert shown.splitlines()[0] == "slices 0-3: 3g.40gb, 40448 MiB"
    apply = ["--apply", str(tmp_path)]
    assert main([*wish, *apply]) == 0
    assert list_profile_ids(partitioner) == ["9", "9"]
    assert main([CARD, "--layout", "7g.80gb", "1g.10gb"]) == 1
    assert "do not fit" in capsys.readouterr().err


async def test_card_that_a_container_holds_is_not_divided(
    partitioner: MigPartitioner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = a_card(Isolation.TIMESLICE)
    records = ShareRecords(StateLayout(tmp_path).shares)
    carver = SharingController(lambda: (card,), records, [TimesliceMode()])
    await carver.prepare(a_share_order(a_slice()))
    refused = await asyncio.to_thread(main, [CARD, "--apply", str(tmp_path)])
    assert refused == 1
    assert "1 containers hold the card" in capsys.readouterr().err


def a_part(profile: str, *slots: int) -> tuple[Device, ...]:
    return tuple(replace(a_slice(slot, memory=9984), profile=profile) for slot in slots)


def lies(partitioner: MigPartitioner) -> dict[int, int]:
    """Return the profile at each place of the card."""
    card = pynvml.nvmlDeviceGetHandleByUUID(CARD)
    return {info.placement.start: info.profileId for _, info in partitioner._list_instances(card)}


async def test_partition_that_a_grant_names_is_made_at_its_place_beside_others(
    tmp_path: Path, partitioner: MigPartitioner
) -> None:
    records, card = ShareRecords(tmp_path / "sharing"), a_card(Isolation.MIG)
    carver = SharingController(lambda: (card,), records, [mig_mode(card, records)])
    first = a_share_order(*a_part("3g.40gb", 4, 5, 6, 7))
    with pytest.raises(StartError, match="not switched to MIG"):
        await carver.prepare(first)
    await partitioner.apply(CARD, ["1g.10gb"] * 7)

    injection = await carver.prepare(first)
    assert injection.isolation == "mig"
    assert lies(partitioner) == {0: 19, 1: 19, 2: 19, 3: 19, 4: 9}
    assert await carver.prepare(first) == injection, "it is there already"
    (own,) = injection.devices or ()
    assert own.startswith("MIG-")
    beside = await carver.prepare(a_share_order(*a_part("1g.10gb", 3), allocation="job.1"))
    wide = await carver.prepare(a_share_order(*a_part("2g.20gb", 0, 1), allocation="job.2"))
    assert len({own, *(beside.devices or ()), *(wide.devices or ())}) == 3
    assert lies(partitioner) == {0: 14, 2: 19, 3: 19, 4: 9}
    for part in (a_part("1g.10gb", 6), a_part("7g.80gb", *range(8))):
        with pytest.raises(StartError, match="held by others"):
            await carver.prepare(a_share_order(*part, allocation="job.3"))
    with pytest.raises(StartError, match=r"no place for 2g\.20gb at 3"):
        await carver.prepare(a_share_order(*a_part("2g.20gb", 3, 4), allocation="job.3"))
    assert lies(partitioner) == {0: 14, 2: 19, 3: 19, 4: 9}

    await carver.release(first.key)
    await carver.prepare(a_share_order(*a_part("1g.10gb", 6), allocation="job.3"))
    assert lies(partitioner) == {0: 14, 2: 19, 3: 19, 6: 19}


async def test_card_with_mig_enabled_reports_its_profiles(partitioner: MigPartitioner) -> None:
    card = pynvml.nvmlDeviceGetHandleByUUID(CARD)
    book = MigCapabilityCache()
    assert read_card(pynvml, card, CARD, 0, "550", book).facts.profiles == ()
    await partitioner.apply(CARD, ["1g.10gb"])
    told = {
        item.name: item for item in read_card(pynvml, card, CARD, 0, "550", book).facts.profiles
    }
    assert told["1g.10gb"] == MigProfile(
        name="1g.10gb", memory_mib=9984, compute=1, size=1, starts=(0, 1, 2, 3, 4, 5, 6)
    )
    assert told["4g.40gb"].starts == (0,)
    assert max(start + item.size for item in told.values() for start in item.starts) == SLICES
    # One set of engines for video, so one place: nobody can ask for two of them.
    assert told["1g.10gb+me"].starts == (6,)


async def test_profile_with_engines_of_which_there_is_one_is_made_like_any_other(
    tmp_path: Path, partitioner: MigPartitioner
) -> None:
    records, card = ShareRecords(tmp_path / "sharing"), a_card(Isolation.MIG)
    carver = SharingController(lambda: (card,), records, [mig_mode(card, records)])
    await partitioner.apply(CARD, ["1g.10gb"] * 7)
    injection = await carver.prepare(a_share_order(*a_part("1g.10gb+me", 6)))
    assert [name[:4] for name in injection.devices or ()] == ["MIG-"]
    assert lies(partitioner)[6] == 20


@pytest.mark.parametrize(
    ("places", "most", "kept"),
    [
        (dict.fromkeys(range(7), 1), 1, (6,)),
        (dict.fromkeys((0, 2, 4, 6), 2), 4, (0, 2, 4, 6)),
        (dict.fromkeys(range(7), 2), 2, (4, 6)),
        ({}, 1, ()),
    ],
)
def test_places_are_as_many_as_there_are_engines(
    places: dict[int, int], most: int, kept: tuple[int, ...]
) -> None:
    assert disjoint_starts(places, most) == kept


async def test_partition_whose_maker_was_ended_half_way_is_completed(
    machine: FakeNvml, partitioner: MigPartitioner
) -> None:
    machine.change(0, mig_mode=1, instance=["1 9 4"])
    assert (await partitioner.ensure(CARD, "3g.40gb", 4)).startswith("MIG-")
    assert lies(partitioner) == {4: 9}


async def test_profiles_of_a_card_are_read_once_until_its_driver_is_another(
    machine: FakeNvml,
) -> None:
    machine.change(0, mig_mode=1)
    driver = NvidiaDriver(pynvml)
    first = (await driver.read({}, {})).cards[0].facts.profiles
    machine.change(0, mig_profile=["0 19 1g.10gb 1 9984 7 16 1 0"])
    again = (await driver.read({}, {})).cards[0].facts.profiles
    machine.reload_driver()
    anew = (await driver.read({}, {})).cards[0].facts.profiles
    driver.close()
    assert again == first != anew
